"""The label queue: one group at a time, its responses in a random order under numbers, said of by keys alone.

The scripts beside this file draw it as a Streamlit component. The browser is ahead of the page: it has the next groups
already and goes on at once, and it keeps each label that it sent until the page has answered. A label therefore has an
id of its own, and one that is sent again is saved once. What is being labelled is kept in the browser's tab, where it
outlives a rerun and a reload. Responses are numbers here: no id, letter, name or score of theirs reaches the browser.
Every text gets there as data and is shown as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, NotRequired, TypedDict

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.labels import Mark
from reward_lab.ui.reading import Block

Way = Literal["rank", "score", "mark"]

MOST_CHARACTERS = 8_000
"""Of each response (and of the scenario): the rest is sent when a person asks for it."""
_ASKED = 240
_MOST_WANTED = 8


@dataclass(frozen=True, slots=True)
class Given:
    """What a person says of the responses of one group, in the order in which they are shown.

    Each of ``ranks`` (1 is best, equal is tied), ``scores`` and ``marks`` is (G,), ``None`` where nothing was said.

    Raises:
        ValueError: the three are not of one length.
    """

    ranks: tuple[int | None, ...]
    scores: tuple[float | None, ...]
    marks: tuple[Mark | None, ...]
    comment: str = ""

    def __post_init__(self) -> None:
        if not len(self.ranks) == len(self.scores) == len(self.marks):
            raise ValueError(
                f"{len(self.ranks)} ranks, {len(self.scores)} scores and {len(self.marks)} marks were given: each "
                "needs one for every response, None where nothing is said"
            )


@dataclass(frozen=True, slots=True)
class QueuedGroup:
    """A group as it is shown: its scenario, its (G,) responses in this annotator's order, and what is saved of it.

    ``id`` is unique in the queue. ``asked`` is what the scenario asks, for a line. ``version`` is that of what is
    saved, 0 for nothing. ``said`` is told quietly of a saved one.
    """

    id: str
    name: str
    asked: str
    scenario: tuple[Block, ...]
    responses: tuple[tuple[Block, ...], ...]
    given: Given | None = None
    version: int = 0
    said: str = ""


class Answer(NamedTuple):
    """A label that the browser sends. ``version`` is the saved one that it began from."""

    group_id: str
    given: Given
    version: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an answer: the version under which it is saved, or in words why it is not."""

    version: int = 0
    fault: str = ""
    said: str = ""


class Wanted(NamedTuple):
    """What the browser needs: where it is (``None``: at the end), the groups, and which texts in full.

    ``whole`` has (group id, number) with the responses numbered from 1; 0 is the scenario.
    """

    place: str | None
    group_ids: tuple[str, ...]
    whole: frozenset[tuple[str, int]]


class PartData(TypedDict):
    """A message as ``label_card.js`` reads it; ``total`` is the length of its text before it was cut."""

    title: str
    text: str
    total: int
    mono: NotRequired[bool]


class GivenData(TypedDict):
    """What was given, as the scripts read and write it."""

    ranks: list[int | None]
    scores: list[float | None]
    marks: list[str | None]
    comment: str


class GroupData(TypedDict):
    """A group as ``label_queue.js`` reads it."""

    id: str
    name: str
    asked: str
    scenario: list[PartData]
    responses: list[list[PartData]]
    given: GivenData | None
    version: int
    said: str


class OutcomeData(TypedDict):
    """An outcome as ``label_queue.js`` reads it."""

    version: int
    fault: str
    said: str


class QueueData(TypedDict):
    """What ``label_queue.js`` reads. ``start`` is where it begins, where the browser does not know better."""

    identity: str
    label: str
    way: Way
    ids: list[str]
    labelled: list[str]
    start: str | None
    groups: list[GroupData]
    results: dict[str, OutcomeData]


def payload(
    groups: Sequence[QueuedGroup],
    *,
    identity: str,
    label: str,
    ids: Sequence[str],
    labelled: Sequence[str],
    start: str | None,
    way: Way = "rank",
    whole: frozenset[tuple[str, int]] = frozenset(),
    results: Mapping[str, Outcome] | None = None,
) -> QueueData:
    """The queue as JSON data, without touching Streamlit.

    Raises:
        ValueError: an id is used twice, or a group or the start is not in the queue.
    """
    known = set(ids)
    if len(known) != len(ids):
        raise ValueError(f"{len(ids)} groups have {len(known)} ids in one queue: give each group an id of its own")
    strange = sorted({*(group.id for group in groups), *labelled, *([] if start is None else [start])} - known)
    if strange:
        raise ValueError(f"groups {strange} are not in the queue: leave them out")
    return {
        "identity": identity,
        "label": well_formed(label),
        "way": way,
        "ids": list(ids),
        "labelled": list(labelled),
        "start": start,
        "groups": [_group_data(group, whole) for group in groups],
        "results": {
            sent: {"version": one.version, "fault": well_formed(one.fault), "said": well_formed(one.said)}
            for sent, one in (results or {}).items()
        },
    }


def read_wanted(told: object) -> Wanted | None:
    """What the browser asks for, ``None`` before it asked for anything."""
    match told:
        case {"place": str() | None as place, "wanted": list(wanted), "whole": list(whole)}:
            ids = tuple(one for one in wanted[:_MOST_WANTED] if isinstance(one, str))
            return Wanted(place, ids, frozenset(key for key in map(_whole, whole) if key is not None))
        case _:
            return None


def read_answers(told: object) -> dict[str, tuple[Answer, str | None]]:
    """The labels that the browser sends, by their ids, with the id of the one that each comes after, if any."""
    found: dict[str, tuple[Answer, str | None]] = {}
    match told:
        case {"outbox": list(outbox)}:
            for record in outbox:
                match record:
                    case {
                        "id": str(sent),
                        "group": str(group),
                        "version": int(version),
                        "after": str() | None as after,
                        "given": given,
                    } if (said := _given(given)) is not None:
                        found[sent] = Answer(group, said, version), after
    return found


def wanted(key: str) -> Wanted | None:
    """What the browser asks for of the queue with this key."""
    return read_wanted(_told(key))


def label_queue(
    groups: Sequence[QueuedGroup],
    *,
    key: str,
    identity: str,
    label: str,
    ids: Sequence[str],
    labelled: Sequence[str],
    start: str | None,
    on_save: Callable[[Answer], Outcome],
    whole: frozenset[tuple[str, int]] = frozenset(),
) -> bool:
    """Draw the queue. ``on_save`` is called once for each label, before the page (or the fragment) runs again.

    Returns whether a label was saved only now, after ``labelled`` was passed: that of a tab which outlived its server.
    Then the page should run again. ``identity`` names queue and annotator: what a tab keeps is kept under it. ``start``
    is the group to begin with, ``None`` where all are labelled. ``groups`` are those that :func:`wanted` names, and
    before it names any those that come first.

    Raises:
        ValueError: as :func:`payload`.
    """
    memory = f"{key}-outcomes"

    def announce() -> None:
        _settle(_told(key), memory, on_save)

    data = payload(
        groups,
        identity=identity,
        label=label,
        ids=ids,
        labelled=labelled,
        start=start,
        whole=whole,
        results=st.session_state.get(memory, {}),
    )
    told = _component(key=key, data=data, on_told_change=announce)
    return _settle(told.get("told"), memory, on_save)


def _settle(told: object, memory: str, on_save: Callable[[Answer], Outcome]) -> bool:
    """Save what was not seen yet; whether there was any. Outcomes are kept for as long as the browser asks for them."""
    before: dict[str, Outcome] = st.session_state.get(memory, {})
    outcomes: dict[str, Outcome] = {}
    for sent, (answer, after) in read_answers(told).items():
        if sent in before:
            outcomes[sent] = before[sent]
            continue
        earlier = outcomes.get(after) if after is not None else None
        begun = answer.version if earlier is None or earlier.fault else earlier.version
        outcomes[sent] = on_save(answer._replace(version=begun))
    news = bool(outcomes.keys() - before.keys())
    if news:
        st.session_state[memory] = outcomes
    return news


def _told(key: str) -> object:
    state = st.session_state.get(key)
    return state.get("told") if isinstance(state, Mapping) else None


def _group_data(group: QueuedGroup, whole: frozenset[tuple[str, int]]) -> GroupData:
    return {
        "id": group.id,
        "name": well_formed(group.name),
        "asked": well_formed(group.asked[:_ASKED]),
        "scenario": _parts(group.scenario, (group.id, 0) in whole),
        "responses": [
            _parts(blocks, (group.id, number) in whole) for number, blocks in enumerate(group.responses, start=1)
        ],
        "given": None if group.given is None else _given_data(group.given),
        "version": group.version,
        "said": well_formed(group.said),
    }


def _parts(blocks: Sequence[Block], whole: bool) -> list[PartData]:
    """The messages, together no longer than what is sent unasked."""
    left = math.inf if whole else MOST_CHARACTERS
    parts: list[PartData] = []
    for block in blocks:
        said = well_formed("".join(piece.text for piece in block.pieces))
        shown = said if len(said) <= left else said[: int(left)]
        left -= len(shown)
        # The browser counts in UTF-16, as its own cut does.
        part: PartData = {"title": well_formed(block.title), "text": shown, "total": _units(said)}
        if block.mono:
            part["mono"] = True
        parts.append(part)
    return parts


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _given_data(given: Given) -> GivenData:
    return {
        "ranks": list(given.ranks),
        "scores": list(given.scores),
        "marks": [None if mark is None else mark.value for mark in given.marks],
        "comment": well_formed(given.comment),
    }


def _given(record: object) -> Given | None:
    match record:
        case {"ranks": list(ranks), "scores": list(scores), "marks": list(marks), "comment": str(comment)}:
            try:
                return Given(
                    tuple(None if one is None else _rank(one) for one in ranks),
                    tuple(None if one is None else _score(one) for one in scores),
                    tuple(None if one is None else Mark(one) for one in marks),
                    comment,
                )
            except ValueError:
                return None
        case _:
            return None


def _rank(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"a rank counts from 1, got {value!r}")
    return value


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"a score must be a finite number, got {value!r}")
    return float(value)


def _whole(key: object) -> tuple[str, int] | None:
    group, blank, number = key.rpartition(" ") if isinstance(key, str) else ("", "", "")
    return (group, int(number)) if blank and number.isascii() and number.isdecimal() else None


def _source(*names: str) -> str:
    """Files beside this one as one text: a component of Streamlit is one module and one style sheet."""
    return "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)


_component = st.components.v2.component(
    "reward_lab_label_queue",
    css=_source("label_queue.css"),
    js=_source(
        "label_draft.js",
        "label_memory.js",
        "label_exchange.js",
        "label_keys.js",
        "label_card.js",
        "label_order.js",
        "label_view.js",
        "label_queue.js",
    ),
)
