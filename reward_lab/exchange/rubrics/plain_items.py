"""Criteria as people write them in lists and tables: under many names, with a weight or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from reward_lab.core.chat import Json
from reward_lab.core.polarity import stated_polarity
from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import MAX_CRITERIA
from reward_lab.exchange.rubrics.format import Findings
from reward_lab.exchange.rubrics.itemised import Item, plain_number

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "description": ("description", "criterion", "criteria", "statement", "requirement", "requirements", "text"),
    "title": ("title",),
    "category": ("category", "importance"),
    "weight": ("weight", "points"),
    "meets_when": ("meets_when", "met when", "polarity"),
}
"""The names under which a field is found, the one that is written first."""

_TRUE = ("true", "yes", "1", "positive", "+")
_FALSE = ("false", "no", "0", "negative", "-")


def field_of(name: str) -> str | None:
    """The field that a key or a column's head means, ``None`` where it means none."""
    spelled = name.strip().lower().replace("_", " ")
    return next((field for field, names in FIELDS.items() if spelled in [one.replace("_", " ") for one in names]), None)


def plain_rubric(
    items: Sequence[Json], place: str, findings: Findings, *, keyed: bool = True, **further: Json
) -> Rubric:
    """A rubric of plain items, each a text or an object; weighed by their own numbers where all have one.

    ``keyed``: the keys that items had are kept, to be written again.

    Raises:
        InvalidRubric: no items, too many, or one that is no criterion; it is named.
    """
    if not items:
        raise InvalidRubric("its list of criteria is empty")
    if len(items) > MAX_CRITERIA:
        raise InvalidRubric(f"it has {len(items)} criteria; at most {MAX_CRITERIA} are read")
    criteria = []
    for number, item in enumerate(items, start=1):
        where = f"{place}, criterion {number}" if place else f"criterion {number}"
        try:
            criteria.append(_fields(item, where, findings, keyed=keyed))
        except ValueError as error:
            raise InvalidRubric(f"criterion {number}: {error}") from error
    weighed = [one.get("weight") is not None for one in criteria]
    if any(weighed) and not all(weighed):
        number = weighed.index(False) + 1
        findings.note(place, f"criterion {number} has no weight, so criteria weigh by category; their numbers are kept")
    scoring = Scoring(weights="own" if all(weighed) else "category").model_dump()
    return Rubric.from_record({"criteria": criteria, "scoring": scoring, **further})


def plain_item(criterion: Criterion) -> Json:
    """A criterion as a text where it has nothing else, else as an object with the keys it had."""
    fields = plain_fields(criterion)
    keys: dict[str, str] = criterion.source.get("keys", {})
    if len(fields) == 1 and not keys:
        return fields["description"]
    return {keys.get(key, key): value for key, value in fields.items()}


def plain_fields(criterion: Criterion) -> Item:
    """The fields of a criterion that it was given, and those that differ from what the others imply.

    The polarity of a pitfall from elsewhere always: its wording need not tell.
    """
    keys: dict[str, str] = criterion.source.get("keys", {})
    weight, category = criterion.weight, criterion.category
    fields: Item = {"title": criterion.title} if criterion.title or "title" in keys else {}
    fields["description"] = criterion.description
    if "category" in keys or category is not _implied_category(weight):
        fields["category"] = category.value
    if weight is not None:
        fields["weight"] = plain_number(weight)
    implied = _implied_polarity(criterion.description, category, weight)
    unsure = implied is not True and not keys
    if "meets_when" in keys or unsure or criterion.meets_when is not bool(implied):
        fields["meets_when"] = criterion.meets_when
    columns: Item = criterion.source.get("columns", {})
    return fields | {key: value for key, value in columns.items() if key not in fields}


def _fields(item: Json, place: str, findings: Findings, *, keyed: bool) -> Item:
    if isinstance(item, str):
        return {"description": item}
    if not isinstance(item, dict):
        raise ValueError(f"expected a text or an object with a description, got {item!r}")
    found: Item = {}
    rest: Item = {}
    keys: dict[str, str] = {}
    for key, value in item.items():
        field = field_of(str(key))
        if field is None or field in found or value is None:
            rest[str(key)] = value
        else:
            found[field] = value
            keys[field] = str(key)
    if not isinstance(found.get("description"), str):
        raise ValueError(f"it has no description; it has {', '.join(repr(str(key)) for key in item) or 'no keys'}")
    weight = _number(found["weight"]) if "weight" in found else None
    category = category_of(str(found["category"])) if "category" in found else _implied_category(weight)
    if "meets_when" in found:
        meets_when = _truth(found["meets_when"])
    else:
        implied = _implied_polarity(found["description"], category, weight)
        meets_when = bool(implied)
        if category is Category.PITFALL or implied is not True:
            said = "its wording does not tell; taken for a fault" if implied is None else "by its wording"
            findings.note(place, f"met when {str(meets_when).lower()}: {said}")
    return {
        "title": str(found.get("title", "")),
        "description": found["description"],
        "category": category,
        "weight": weight,
        "meets_when": meets_when,
        "source": ({"keys": keys} if keyed else {}) | ({"columns": rest} if rest else {}),
    }


def _implied_category(weight: float | None) -> Category:
    return Category.PITFALL if weight is not None and weight < 0 else Category.IMPORTANT


def _implied_polarity(description: str, category: Category, weight: float | None) -> bool | None:
    """Met when true; a pitfall, or what weighs less than 0, by its wording, ``None`` where that does not tell."""
    if category is not Category.PITFALL and (weight is None or weight >= 0):
        return True
    return stated_polarity(description, Category.PITFALL)


def category_of(text: str) -> Category:
    """The category of this name, in any case and number. Raises ``ValueError``."""
    name = re.sub(r"s$", "", text.strip().lower())
    for category in Category:
        if name == category.lower():
            return category
    raise ValueError(f"the category must be {', '.join(Category)}, got {text!r}")


def _number(value: Json) -> float:
    try:
        if isinstance(value, bool):
            raise TypeError
        return float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the weight must be a number, got {value!r}") from error


def _truth(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    said = str(value).strip().lower()
    if said in _TRUE:
        return True
    if said in _FALSE:
        return False
    raise ValueError(f"the polarity must be true or false, got {value!r}")
