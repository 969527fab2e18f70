"""Reading: the text of a judge that was asked for criteria, as proposals for a reviewer.

A person looks at every item, so what can be mended is mended and said in the item's notes; a
judge's score, in contrast, is never touched (:mod:`reward_lab.core.replies`). Only what holds
no criteria at all is a fault, and an item without a statement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reward_lab.core.chat import Json, well_formed
from reward_lab.core.generation.categories import read_category, split_label
from reward_lab.core.generation.likeness import Gist, gist_of
from reward_lab.core.polarity import stated_polarity
from reward_lab.core.proposal import Proposal, Proposals
from reward_lab.core.replies import ReplyFault
from reward_lab.core.reply_json import Record, Unreadable, json_objects
from reward_lab.core.rubric import Category, Criterion
from reward_lab.core.verdict import Reason
from reward_lab.core.wording import counted, listed

WEIGHT_RANGES = {
    Category.ESSENTIAL: (5, 5),
    Category.IMPORTANT: (3, 4),
    Category.OPTIONAL: (1, 2),
    Category.PITFALL: (1, 2),
}
"""The weights that RaR's generated rubrics carry (arXiv 2507.17746), there with a minus on pitfalls."""

MOST_ITEMS = 200
"""Items of one reply that are kept: more is a judge that runs away."""

_LISTS = ("proposals", "criteria", "rubric", "items")
_STATEMENTS = ("description", "criterion", "statement")
_REASONS = ("why", "reason", "rationale", "explanation")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a request expects back.

    ``known`` are the rubric's criteria in its order. ``category`` is the one that was asked for,
    where it was one. ``origin`` is the criterion that the proposals stand for, ``position`` its place.
    """

    known: tuple[Criterion, ...] = ()
    category: Category | None = None
    origin: Criterion | None = None
    position: int | None = None


def read_proposals(text: str, expected: Expected) -> Proposals:
    """Read ``{"proposals": [{"why", "title", "description", "category", "weight"}]}``, whatever the number of items.

    Raises:
        ReplyFault: no JSON, no list, an empty list, or items without a description; ``partial``
            then holds the other items.
    """
    entries = _entries(text)
    kept = entries[:MOST_ITEMS]
    items: list[Proposal] = []
    blank: list[int] = []
    for number, entry in enumerate(kept, start=1):
        statement = _text(entry, _STATEMENTS)
        if statement:
            items.append(_proposal(entry, statement, expected))
        else:
            blank.append(number)
    notes = []
    if len(entries) > len(kept):
        notes.append(f"The reply holds {len(entries)} items: the first {MOST_ITEMS} are kept.")
    if blank:
        which = listed(str(number) for number in blank[:10])
        notes.append(f"{counted(len(blank), 'item')} had no statement and {_is(len(blank))} left out: number {which}.")
        raise _fault(
            f'{_items(which, len(blank))} no "description": give each item one sentence that can be checked.',
            partial=Proposals(_compared(items, expected), tuple(notes)) if items else None,
        )
    return Proposals(_compared(items, expected), tuple(notes))


def _entries(text: str) -> list[Record]:
    """The items of a reply: those of its list, or the objects that look like items where there is none."""
    try:
        records = json_objects(text, (*_LISTS, *_STATEMENTS))
    except Unreadable as unreadable:
        raise ReplyFault(unreadable.reason, well_formed(str(unreadable))) from None
    wholes = [record[name] for record in records for name in _LISTS if isinstance(record.get(name), list)]
    if len(wholes) > 1 and not _all_equal(wholes):
        raise _fault(f'The reply holds {len(wholes)} different lists: give "proposals" once.')
    bare = [record for record in records if any(name in record for name in _STATEMENTS)]
    found: list[Json] = wholes[0] if wholes else bare
    if not found:
        missing = "proposes no criteria" if wholes else 'has no list "proposals"'
        raise _fault(f"The reply {missing}: give at least one, in the shape that was asked for.")
    return [entry if isinstance(entry, dict) else {"description": entry} for entry in found]


def _all_equal(wholes: Sequence[Json]) -> bool:
    try:
        return all(one == wholes[0] for one in wholes[1:])
    except RecursionError:
        return False


def _proposal(entry: Record, statement: str, expected: Expected) -> Proposal:
    origin = expected.origin
    label, description = split_label(statement)
    fallback = expected.category or (origin.category if origin else Category.IMPORTANT)
    category, doubt = read_category(entry.get("category"), label, fallback)
    notes = [doubt] if doubt else []
    if expected.category not in (None, category):
        notes.append(f"It was proposed as {category}, though for {expected.category} was asked.")
    weight = None
    if origin is None:
        weight, misfit = fitted_weight(entry.get("weight"), category)
        notes += [misfit] if misfit else []
    meets_when, doubt = _polarity(description, category, origin)
    notes += [doubt] if doubt else []
    criterion = Criterion(
        title=_text(entry, ("title",)),
        description=description,
        category=category,
        weight=weight,
        meets_when=meets_when,
    )
    return Proposal(criterion, _text(entry, _REASONS), expected.position, tuple(notes))


def fitted_weight(given: Json, category: Category) -> tuple[float, str | None]:
    """A weight within its category's range, never negative, and what a reviewer has to know of it.

    >>> fitted_weight(4, Category.IMPORTANT), fitted_weight(-1, Category.PITFALL)
    ((4.0, None), (1.0, None))
    >>> fitted_weight(12, Category.IMPORTANT)
    (4.0, 'The weight 12 lies outside 3 to 4, the range of Important: set to 4.')
    """
    low, high = WEIGHT_RANGES[category]
    span = f"{low} to {high}" if low < high else f"{low}"
    number = _finite(given)
    if number is None:
        said = "No weight was given" if given is None else f"The weight {str(given)[:40]!r} is no number"
        return float(low), f"{said}: set to {low}, for {category}."
    magnitude = abs(number) if category is Category.PITFALL else number
    if low <= magnitude <= high:
        return magnitude, None
    fitted = float(min(max(magnitude, low), high))
    return fitted, f"The weight {number:g} lies outside {span}, the range of {category}: set to {fitted:g}."


def _finite(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _polarity(description: str, category: Category, origin: Criterion | None) -> tuple[bool, str | None]:
    """Whether a criterion is met when its statement is true, by its wording."""
    stated = stated_polarity(description, category)
    if stated is None:
        meets_when = origin.meets_when if origin else category is not Category.PITFALL
        told = "true" if meets_when else "false"
        return meets_when, f"The wording does not tell whether the statement praises or blames: met when {told}."
    if origin is not None and stated is not origin.meets_when:
        told = "true" if stated else "false"
        return stated, f"It turns the polarity of the original: met when {told}."
    if not stated and category is not Category.PITFALL:
        return stated, f"It describes a fault, though it is {category}: met when false."
    return stated, None


def _compared(items: Sequence[Proposal], expected: Expected) -> tuple[Proposal, ...]:
    """The items, each with a note where the rubric or an earlier item says nearly the same."""
    known = [gist_of(criterion.description) for criterion in expected.known]
    before: list[Gist] = []
    compared = []
    for item in items:
        gist = gist_of(item.criterion.description)
        notes = item.notes
        alike = next((place for place, one in enumerate(known, start=1) if gist.is_like(one)), None)
        if alike is not None:
            notes += (f"Criterion {alike} of the rubric says nearly the same.",)
        earlier = next((place for place, one in enumerate(before, start=1) if gist.is_like(one)), None)
        if earlier is not None:
            notes += (f"Proposal {earlier} says nearly the same.",)
        before.append(gist)
        compared.append(Proposal(item.criterion, item.why, item.replaces, notes))
    return tuple(compared)


def _text(entry: Record, names: Sequence[str]) -> str:
    """The first of these fields that holds text, on one line; "" where none does."""
    texts = (entry.get(name) for name in names)
    return next((well_formed(" ".join(one.split())) for one in texts if isinstance(one, str) and one.strip()), "")


def _items(which: str, count: int) -> str:
    return f"Item {which} has" if count == 1 else f"Items {which} have"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _fault(detail: str, *, partial: Proposals | None = None) -> ReplyFault:
    return ReplyFault(Reason.UNREADABLE_REPLY, detail, partial=partial)
