"""Duplicates: groups of a dataset that stand there more than once, in whole or in part."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Likeness(StrEnum):
    """What groups have in common. A same question is asked of other responses, or under another system prompt."""

    GROUP = "same group"
    QUESTION = "same question"
    RESPONSES = "same responses"


@dataclass(frozen=True, slots=True)
class Placed:
    """A group as it is compared: its place, its content's key, its question's, its responses' in order.

    ``question`` is ``None`` where it is known to be like no other.
    """

    position: int
    key: str
    question: str | None
    responses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Groups that are alike, by their positions in order: two or more."""

    kind: Likeness
    positions: tuple[int, ...]


def duplicates(placed: Sequence[Placed]) -> tuple[Duplicates, ...]:
    """Every set of groups that are alike, by kind, then in the order of the first of them.

    Equal groups have question and responses in common as well; a set under these kinds holds groups that differ.

    >>> twins = [Placed(0, "x", "q", ("a",)), Placed(1, "x", "q", ("a",)), Placed(2, "y", "q", ("b",))]
    >>> [(one.kind.value, one.positions) for one in duplicates(twins)]
    [('same group', (0, 1)), ('same question', (0, 1, 2))]
    """
    found = [Duplicates(Likeness.GROUP, _positions(alike)) for alike in _alike(placed, [one.key for one in placed])]
    by_content: tuple[tuple[Likeness, Sequence[Hashable]], ...] = (
        (Likeness.QUESTION, [one.question for one in placed]),
        (Likeness.RESPONSES, [tuple(sorted(one.responses)) for one in placed]),
    )
    for kind, identities in by_content:
        differing = (alike for alike in _alike(placed, identities) if len({one.key for one in alike}) > 1)
        found += [Duplicates(kind, _positions(alike)) for alike in differing]
    return tuple(found)


def _alike(placed: Sequence[Placed], identities: Sequence[Hashable]) -> list[list[Placed]]:
    sets: dict[Hashable, list[Placed]] = {}
    for one, identity in zip(placed, identities, strict=True):
        if identity is not None:
            sets.setdefault(identity, []).append(one)
    return [alike for alike in sets.values() if len(alike) > 1]


def _positions(alike: Sequence[Placed]) -> tuple[int, ...]:
    return tuple(one.position for one in alike)
