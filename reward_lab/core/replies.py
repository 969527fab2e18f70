"""Replies: the text of a judge, read into a checked answer or a fault that names what is wrong.

What is read: plain JSON, JSON in a fence or amid prose, numbers in quotes, JSON with slips of
syntax. What is never done: a draft inside a think block taken for the verdict, a choice
between two answers, a value out of range clamped, a score matched by position, a reply that
breaks off completed.

A fault's sentence is shown to the user and sent back to the judge when it is asked again, so
each names the value, the place and what is wanted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reward_lab.core.chat import Json, well_formed
from reward_lab.core.proposal import Proposals
from reward_lab.core.reply_json import Record, Unreadable, json_objects, quoted
from reward_lab.core.verdict import CriterionVerdict, Fault, Reason


@dataclass(frozen=True, slots=True)
class Rating:
    """A score in the method's scale and the explanation that came before it."""

    score: float
    explanation: str


Listing: TypeAlias = dict[str, Rating]
"""Prompt id -> rating: a listwise reply."""

Marks: TypeAlias = tuple[CriterionVerdict, ...]
"""One verdict a criterion."""

Answer: TypeAlias = Listing | Rating | Marks | Proposals


class ReplyFault(Exception):
    """A reply that does not answer the question. Caught where the judge is asked; never an error to a user.

    ``partial`` is what could be read all the same where the rest is merely missing (seven
    ratings for eight trajectories, matched by id): it counts once the judge was asked again.
    """

    def __init__(self, reason: Reason, detail: str, *, partial: Answer | None = None) -> None:
        super().__init__(detail)
        self.fault = Fault(reason, detail)
        self.partial = partial


def read_listing(text: str, ids: Sequence[str]) -> Listing:
    """Read ``{"scores": [{"trajectory_id", "explanation", "score"}]}``: a score from 0 to 1 for each of ``ids``.

    Entries are matched by id, whatever their order. A bare list of entries is read as well.

    Raises:
        ReplyFault: see the module. Where ids or scores are merely missing, ``partial`` holds the rest.
    """
    entries = _entries(text, _SCORES, ids)
    ratings: Listing = {}
    withheld: list[str] = []
    for one, entry in entries.items():
        value = _value(entry, _SCORES.values, f"Trajectory {one}")
        if _is_withheld(value):
            withheld.append(f"trajectory {one}{_words(entry, value)}")
        else:
            ratings[one] = Rating(_number(value, f"of trajectory {one}", 0.0, 1.0), _explanation(entry))
    _check_complete(_SCORES, [one for one in ids if one not in entries], withheld, ratings)
    return ratings


def read_rating(text: str, low: float, high: float, whole: bool) -> Rating:
    """Read ``{"explanation", "rating"}``: one number from ``low`` to ``high``, a whole one where ``whole`` is set.

    Raises:
        ReplyFault: see the module.
    """
    entry = _single(text, _RATING)
    value = _value(entry, _RATING, "The response")
    if _is_withheld(value):
        raise _refusal([f"the response{_words(entry, value)}"])
    rating = _number(value, "of the response", low, high)
    if whole and not rating.is_integer():
        raise _fault(
            Reason.UNREADABLE_REPLY,
            f"The rating {_shown(value)} is not a whole number: give one from {low:g} to {high:g}.",
        )
    return Rating(rating, _explanation(entry))


def read_marks(text: str, positions: Mapping[str, int], *, partial: bool = False) -> Marks:
    """Read ``{"criteria": [{"id", "explanation", "met"}]}``: for each criterion, whether its statement is true.

    ``positions`` maps the ids of the prompt, in its order, to the criteria's places in the
    rubric version; the marks come back in the order of the rubric. ``partial``: "partly" is a verdict.

    Raises:
        ReplyFault: see the module. Where ids or verdicts are merely missing, ``partial`` holds
            the rest, with a ``truth`` of ``None`` for a criterion that the judge left open.
    """
    entries = _entries(text, _CRITERIA, list(positions))
    marks: list[CriterionVerdict] = []
    withheld: list[str] = []
    for one, entry in entries.items():
        value = _value(entry, _CRITERIA.values, f"Criterion {one}")
        if _is_withheld(value):
            withheld.append(f"criterion {one}{_words(entry, value)}")
            truth = None
        else:
            truth = _truth(value, f"of criterion {one}", partial=partial)
        marks.append(CriterionVerdict(positions[one], truth, _explanation(entry)))
    read = tuple(sorted(marks, key=lambda mark: mark.position))
    _check_complete(_CRITERIA, [one for one in positions if one not in entries], withheld, read)
    return read


def read_mark(text: str, position: int, *, partial: bool = False) -> Marks:
    """Read ``{"explanation", "met"}``: whether one statement is true; ``position`` is the criterion's in the rubric.

    ``partial``: "partly" is a verdict.

    Raises:
        ReplyFault: see the module.
    """
    entry = _single(text, _MET)
    value = entry["met"]
    if _is_withheld(value):
        left_open = CriterionVerdict(position, None, _explanation(entry))
        raise _refusal([f"the criterion{_words(entry, value)}"], (left_open,))
    return (CriterionVerdict(position, _truth(value, "of the criterion", partial=partial), _explanation(entry)),)


@dataclass(frozen=True, slots=True)
class _Entries:
    """A list of entries in a reply: its name, what an entry's id and value may be called, and what it is about."""

    listed: str
    ids: tuple[str, ...]
    values: tuple[str, ...]
    noun: str


_SCORES = _Entries("scores", ("trajectory_id", "id"), ("score",), "trajectory")
_CRITERIA = _Entries("criteria", ("id", "criterion_id"), ("met",), "criterion")
_RATING = ("rating", "score")  # judges without a schema write either
_MET = ("met",)

_ABSENT = object()

_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,4})?", re.ASCII)

_TRUTHS = {
    **dict.fromkeys(("true", "yes", "met", "satisfied"), 1.0),
    **dict.fromkeys(("false", "no", "unmet", "not met", "not satisfied"), 0.0),
}
_PARTLY = dict.fromkeys(("partly", "partially", "partial", "partially met", "partially satisfied"), 0.5)

_WITHHELD = re.compile(
    r"n/?a|null|none|unknown|not applicable"
    r"|.{0,80}?\b(?:cannot|can not|can['\u2019]t|unable to|not able to|insufficient)\b.{0,200}",
    re.IGNORECASE | re.DOTALL,
)


def _records(text: str, wanted: tuple[str, ...]) -> list[Record]:
    try:
        return json_objects(text, wanted)
    except Unreadable as unreadable:
        raise _fault(unreadable.reason, str(unreadable)) from None


def _single(text: str, names: tuple[str, ...]) -> Record:
    """The one object that has a field of this name."""
    return _only([record for record in _records(text, names) if any(name in record for name in names)], names[0])


def _only(records: Sequence[Record], name: str) -> Record:
    if not records:
        raise _fault(
            Reason.UNREADABLE_REPLY, f'The reply\'s JSON has no "{name}": answer in the shape that was asked for.'
        )
    try:
        differing = any(record != records[0] for record in records[1:])
    except RecursionError:
        differing = True
    if differing:
        raise _fault(
            Reason.UNREADABLE_REPLY,
            f'The reply holds {len(records)} different answers with "{name}": give exactly one.',
        )
    return records[0]


def _entries(text: str, shape: _Entries, ids: Sequence[str]) -> dict[str, Record]:
    """The entries of a reply by their id, in the reply's order; without a list, the objects that look like entries."""
    records = _records(text, (shape.listed, *shape.values))
    wholes = [record for record in records if shape.listed in record]
    entries: Json = [record for record in records if any(name in record for name in shape.ids)]
    if wholes or not entries:
        entries = _only(wholes, shape.listed)[shape.listed]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _fault(
            Reason.UNREADABLE_REPLY,
            f'"{shape.listed}" is not a list of objects: give one with "{shape.ids[0]}" for each {shape.noun}.',
        )
    known = set(ids)
    by_id: dict[str, Record] = {}
    for entry in entries:
        given = _value(entry, shape.ids, f"An entry of {shape.listed}")
        one = given.strip() if isinstance(given, str) else str(given) if type(given) is int else None
        if one is None or one not in known:
            wanted = ", ".join(ids) if len(ids) <= 20 else f"{ids[0]} to {ids[-1]}"
            raise _fault(Reason.WRONG_IDS, f"The reply names {shape.noun} {_shown(given)}, but the ids are {wanted}.")
        if one in by_id:
            raise _fault(
                Reason.WRONG_IDS,
                f"The reply names {shape.noun} {one} more than once: give one entry for each {shape.noun}.",
            )
        by_id[one] = entry
    return by_id


def _check_complete(shape: _Entries, missing: Sequence[str], withheld: Sequence[str], read: Listing | Marks) -> None:
    partial = read or None
    if missing:
        which = ", ".join(missing[:20]) + (" and more" if len(missing) > 20 else "")
        raise _fault(
            Reason.WRONG_IDS,
            f"The reply leaves out {shape.noun} {which}: give one entry for each {shape.noun}, by its id.",
            partial,
        )
    if withheld:
        raise _refusal(withheld, partial)


def _value(entry: Record, names: tuple[str, ...], of: str) -> Json:
    """The field that goes by one of ``names``."""
    value = _ABSENT
    for name in names:
        if name in entry:
            if value is not _ABSENT and value != entry[name]:
                raise _fault(
                    Reason.UNREADABLE_REPLY,
                    f'{of} has "{names[0]}" and "{name}" with different values: give "{names[0]}".',
                )
            value = entry[name]
    if value is _ABSENT:
        raise _fault(Reason.UNREADABLE_REPLY, f'{of} has no "{names[0]}": give it.')
    return value


def _number(value: Json, of: str, low: float, high: float) -> float:
    number = value if type(value) is float and low <= value <= high else _finite(value)
    if number is not None and low <= number <= high:
        return number
    scale = f"{low:g} to {high:g}"
    if number is None:
        raise _fault(
            Reason.UNREADABLE_REPLY,
            f"The score {_shown(value)} {of} is not a number: give a plain number from {scale}.",
        )
    raise _fault(
        Reason.OUT_OF_RANGE,
        f"The score {_shown(value)} {of} lies outside the scale from {scale}: give a number on that scale.",
    )


def _finite(value: Json) -> float | None:
    """The finite number that a value is, or that its quotes hold."""
    if isinstance(value, str):
        stripped = value.strip()
        value = float(stripped) if _NUMBER.fullmatch(stripped) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _truth(value: Json, of: str, *, partial: bool) -> float:
    if isinstance(value, bool):
        return float(value)
    known = {**_TRUTHS, **_PARTLY} if partial else _TRUTHS
    truth = known.get(" ".join(value.lower().split())) if isinstance(value, str) and len(value) <= 40 else None
    if truth is None:
        one_of = "none of true, partly and false" if partial else "neither true nor false"
        raise _fault(Reason.UNREADABLE_REPLY, f'The verdict {_shown(value)} {of} is {one_of}: give "met" as one.')
    return truth


def _is_withheld(value: Json) -> bool:
    return value is None or (isinstance(value, str) and _WITHHELD.fullmatch(value.strip()) is not None)


def _words(entry: Record, value: Json) -> str:
    said = _explanation(entry) or (value if isinstance(value, str) else "")
    return f" ({quoted(said, 200)})" if said.strip() else ""


def _explanation(entry: Record) -> str:
    said = entry.get("explanation")
    return well_formed(said) if isinstance(said, str) else ""


def _refusal(withheld: Sequence[str], partial: Answer | None = None) -> ReplyFault:
    which = ", ".join(withheld[:5]) + (f" and {len(withheld) - 5} more" if len(withheld) > 5 else "")
    return _fault(Reason.REFUSAL, f"The judge gave no verdict on {which}: judge from what is given.", partial)


def _fault(reason: Reason, detail: str, partial: Answer | None = None) -> ReplyFault:
    return ReplyFault(reason, well_formed(detail), partial=partial)


def _shown(value: Json) -> str:
    match value:
        case str():
            return quoted(value, 60)
        case dict() | list():
            return "a list" if isinstance(value, list) else "an object"
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case _:
            shown = str(value)
            return shown if len(shown) <= 60 else f"{shown[:57]}..."
