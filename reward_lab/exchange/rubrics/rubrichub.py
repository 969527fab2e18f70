"""RubricHub: weighted criteria, as points or with titles.

Source: teqkilla/RubricHub ``data_synthesis_final`` (``step5_export_dataset.py``: ``{"question", "id", "rubrics":
[{"criterion", "points"}]}``, its steps before ``{"title", "description", "weight"}`` with weights 0 to 10) and
the published RubricHub_v1 (``prompt``, ``Rubrics``, mirrored under ``reward_model.rubrics``, with ``tags``
naming a verifier); arXiv 2601.08430.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Criterion
from reward_lab.exchange.rubrics.format import MAYBE, NO, SURE, Findings, NamedRubric
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import (
    Item,
    ItemFormat,
    by_sign,
    own_item,
    signed_points,
    taken_number,
    taken_text,
)


class RubricHub(ItemFormat):
    """The weighted share of what is met."""

    name = "rubrichub"
    label = "RubricHub"
    scoring_rule = "RubricHub: the weighted share of the criteria met. Kept, with each criterion's own number."
    item_paths = (
        ("Rubrics",), ("rubrics",), ("reward_model", "rubrics"), ("extra_info", "reward_model", "rubrics"), ("rubric",),
    )  # fmt: skip
    frame = Frame(
        prompts=(("question",), ("prompt",), ("extra_info", "prompt"), ("query",)),
        references=(("reference",), ("reference_answer",)),
        systems=(),
        names=("id", "name", "sample_id"),
    )
    packed = ("Rubrics", "rubrics", "rubric", "reward_model", "extra_info")

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure by a tag that names a verifier, or by where the published data has its list."""
        points = all("criterion" in item and "points" in item for item in items)
        weights = all({"title", "description", "weight"} <= item.keys() for item in items)
        if not points and not weights:
            return NO
        values = [item["points" if points else "weight"] for item in items]
        if any(isinstance(value, int | float) and not 0 <= value <= 10 for value in values):
            return NO
        tags = [item.get("tags") for item in items]
        verified = any(isinstance(tag, dict) and "verifier" in tag and "axis" not in tag for tag in tags)
        return SURE if verified or "Rubrics" in record or "rubrics_a" in record else MAYBE

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Either form; which one it was stays with the item."""
        if "criterion" in item:
            fields: dict[str, Json] = {"description": taken_text(item, "criterion")}
            weight = taken_number(item, "points")
        else:
            title = item.pop("title") if isinstance(item.get("title"), str) else ""
            fields = {"title": title, "description": taken_text(item, "description")}
            weight = taken_number(item, "weight")
            item["titled"] = True
        tags = item.get("tags")
        if isinstance(tags, dict) and tags.get("verifier") not in (None, "llm"):
            findings.note(
                place, f"is checked there by the rule {tags.get('function') or tags['verifier']!r}, here by a judge"
            )
        return {**fields, **by_sign(weight)}

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """The form it had; from elsewhere the one with titles where there are any."""
        rest = own_item(criterion, named.rubric, self.name)
        titled = rest.pop("titled", False) or bool(criterion.title)
        weight = signed_points(criterion, named.rubric, position)
        if titled:
            return {"title": criterion.title, "description": criterion.description, "weight": weight, **rest}
        return {"criterion": criterion.description, "points": weight, **rest}
