"""Rubrics as Rewards: categories, weights whose sign does not tell the polarity.

Source: arXiv 2507.17746 and its data (RaR-Medicine, RaR-Science): ``{"question", "reference_answer",
"question_source", "rubric": [{"title", "description", "weight"}], "rubric_list", "rubric_count"}`` as JSONL
or parquet. Descriptions open with their category ("Pitfall Criteria: ..."), which is taken off here and put
back on export: weights and polarity stay out of a judge's sight.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.polarity import stated_polarity
from reward_lab.core.rubric import Category, Criterion, Scoring
from reward_lab.exchange.rubrics.format import MAYBE, NO, SURE, Findings, NamedRubric
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import (
    Item,
    ItemFormat,
    own_item,
    plain_number,
    taken_number,
    taken_text,
)

_OPENING = re.compile(
    r"\s*(?P<category>essential|important|optional|pitfall)s?(?:\s+criteri(?:a|on))?\s*:\s*", re.IGNORECASE
)

_WEIGHTS = {Category.ESSENTIAL: 5, Category.IMPORTANT: 4, Category.OPTIONAL: 2, Category.PITFALL: -1}


class RaR(ItemFormat):
    """Polarity by the wording: published pitfalls weigh -1 both where they avoid a fault and where they name one."""

    name = "rar"
    label = "RaR"
    scoring_rule = (
        "RaR: weights by category, and its Eq. 1 leaves [0, 1] with the negative weights of its own data. Kept by "
        "category, in the form that stays within [0, 1]; weigh by each criterion's own number in the scoring."
    )
    item_paths = (("rubric",), ("rubrics",))
    frame = Frame(
        prompts=(("question",), ("prompt",)),
        references=(("reference_answer",), ("reference",)),
        systems=(),
        names=("id", "name"),
    )
    scoring = Scoring(weights="category")
    counts = ("rubric_count",)
    beside = ("rubric_list",)

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure by the record's own keys, or where descriptions open with their category."""
        if not all({"title", "description", "weight"} <= item.keys() for item in items):
            return NO
        known = any(key in record for key in ("rubric_list", "rubric_count", "question_source"))
        opened = any(_OPENING.match(str(item["description"])) for item in items)
        return SURE if known or opened else MAYBE

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Category by the opening, else by the weight; a pitfall's polarity by its wording."""
        text, weight = taken_text(item, "description"), taken_number(item, "weight")
        title = item.pop("title") if isinstance(item.get("title"), str) else ""
        opening = _OPENING.match(text)
        description = text[opening.end() :] if opening else text
        by_weight = _by_weight(weight)
        category = Category(opening["category"].capitalize()) if opening else by_weight
        if opening and not description.strip():
            raise ValueError(f"the description says nothing after {opening.group().strip()!r}")
        if (opening.group() if opening else "") != _opening_of(category):
            item["opening"] = opening.group() if opening else ""
        if not opening:
            findings.note(place, f"taken for {category} by its weight, {weight:g}")
        elif (weight < 0) != (category is Category.PITFALL):
            findings.note(place, f"weighs {weight:g}, but opens as {category}: taken for {category}")
        meets_when = True
        if weight < 0 or category is Category.PITFALL:
            meets_when = _polarity(description, category, place, findings)
        return {
            "title": title,
            "description": description,
            "category": category,
            "weight": weight,
            "meets_when": meets_when,
        }

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """Title, description with its opening, and weight: the dataset's of the category where it has none."""
        rest = own_item(criterion, named.rubric, self.name)
        opening = rest.pop("opening", None)
        found = _OPENING.match(opening or "")
        # An opening that was kept goes with the category that it was kept for.
        weight = _WEIGHTS[criterion.category] if criterion.weight is None else plain_number(criterion.weight)
        kept_for = Category(found["category"].capitalize()) if found else _by_weight(weight)
        if opening is None or kept_for is not criterion.category:
            opening = _opening_of(criterion.category)
        return {"title": criterion.title, "description": opening + criterion.description, "weight": weight, **rest}

    def read_beside(self, key: str, value: Json, criterion: dict[str, Json]) -> Json:
        """Of the list of descriptions only what is not the description."""
        before, found, after = value.partition(criterion["description"]) if isinstance(value, str) else (value, "", "")
        return [before, after] if found else value

    def write_beside(self, key: str, criterion: Criterion) -> Json:
        """The description in the place it had there."""
        kept = criterion.source.get("beside", {}).get(key)
        if isinstance(kept, list):
            return criterion.description.join(kept)
        return _opening_of(criterion.category) + criterion.description if kept is None else kept


def _opening_of(category: Category) -> str:
    return f"{category} Criteria: "


def _by_weight(weight: float) -> Category:
    """By the dataset's weights: Essential 5, Important 3-4, Optional 1-2, Pitfall below 0."""
    if weight < 0:
        return Category.PITFALL
    return Category.ESSENTIAL if weight >= 5 else Category.IMPORTANT if weight >= 3 else Category.OPTIONAL


def _polarity(description: str, category: Category, place: str, findings: Findings) -> bool:
    stated = stated_polarity(description, category)
    if stated is None:
        findings.note(place, "its wording does not tell whether it names a fault; taken for one: check its polarity")
        return False
    means = "avoids a fault: met when true" if stated else "names a fault: met when false"
    findings.note(place, f"worded as one that {means}")
    return stated
