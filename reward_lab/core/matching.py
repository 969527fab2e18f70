"""Matching: which group, and which response, of one run is which of another.

The system prompt is one of the things that runs are compared for, so it is no part of the identity here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Member(NamedTuple):
    """A response as it is matched: its content's key, and its id within the group."""

    key: str
    id: str


@dataclass(frozen=True, slots=True)
class RunGroup:
    """A group of a run as it is matched. ``id`` is the store's, ``opening`` the first words of what is asked."""

    id: int
    name: str
    opening: str
    members: tuple[Member, ...]


def matched_groups(old: Sequence[RunGroup], new: Sequence[RunGroup]) -> dict[int, int]:
    """Place in ``old`` -> place of the same group in ``new``; what has no partner is left out.

    The same stored group first; then the same responses in any order, by the same name and question, by the question,
    by the name, and without either where only one group of each run has them; then the same name or question with
    some responses in common (others were rewritten, added or removed), those that share most first.
    """
    pairs = _paired(old, new, (_stored, _all_of_it, _asked_and_answered, _named_and_answered))
    olds, news = _left(pairs, len(old), len(new))
    if olds and news:
        pairs.update(_unmistakable(olds, news, old, new))
        olds, news = _left(pairs, len(old), len(new))
        pairs.update(_overlapping(olds, news, old, new))
    return pairs


def matched_members(old: Sequence[Member], new: Sequence[Member]) -> tuple[int | None, ...]:
    """For each response of ``old`` its place in ``new``: by content and id, then content, then id (rewritten).

    >>> matched_members([Member("x", "1"), Member("y", "2")], [Member("z", "2"), Member("x", "1")])
    (1, 0)
    """
    if old == new:
        return tuple(range(len(old)))
    pairs = _paired(old, new, (_member, _key, _id))
    return tuple(pairs.get(place) for place in range(len(old)))


def _paired(old: Sequence[T], new: Sequence[T], identities: Sequence[Callable[[T], Hashable]]) -> dict[int, int]:
    """Places that one identity after another finds equal; those that are equal several times in their order."""
    pairs: dict[int, int] = {}
    for identity in identities:
        olds, news = _left(pairs, len(old), len(new))
        if not olds or not news:
            break
        waiting: dict[Hashable, list[int]] = {}
        for place in reversed(news):
            waiting.setdefault(identity(new[place]), []).append(place)
        for place in olds:
            found = waiting.get(identity(old[place]))
            if found:
                pairs[place] = found.pop()
    return pairs


def _left(pairs: dict[int, int], olds: int, news: int) -> tuple[list[int], list[int]]:
    taken = set(pairs.values())
    return [place for place in range(olds) if place not in pairs], [
        place for place in range(news) if place not in taken
    ]


def _unmistakable(
    olds: Sequence[int], news: Sequence[int], old: Sequence[RunGroup], new: Sequence[RunGroup]
) -> dict[int, int]:
    """The same responses, where no other group has them either: short answers such as "Yes." are many groups'."""
    known_old = Counter(_responses(group) for group in old)
    known_new = Counter(_responses(group) for group in new)
    places = {_responses(new[place]): place for place in news}
    return {
        place: places[responses]
        for place in olds
        if (responses := _responses(old[place])) in places and known_old[responses] == known_new[responses] == 1
    }


def _overlapping(
    olds: Sequence[int], news: Sequence[int], old: Sequence[RunGroup], new: Sequence[RunGroup]
) -> dict[int, int]:
    alike: dict[tuple[str, str], list[int]] = {}
    for place in news:
        alike.setdefault(("name", new[place].name), []).append(place)
        alike.setdefault(("opening", new[place].opening), []).append(place)
    found = []
    for place in olds:
        mine = Counter(one.key for one in old[place].members)
        near = {*alike.get(("name", old[place].name), ()), *alike.get(("opening", old[place].opening), ())}
        for other in near:
            shared = (mine & Counter(one.key for one in new[other].members)).total()
            if shared:
                found.append((-shared, place, other))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, place, other in sorted(found):
        if place not in pairs and other not in taken:
            pairs[place] = other
            taken.add(other)
    return pairs


def _responses(group: RunGroup) -> tuple[str, ...]:
    return tuple(sorted(one.key for one in group.members))


def _stored(group: RunGroup) -> int:
    return group.id


def _all_of_it(group: RunGroup) -> Hashable:
    return _responses(group), group.name, group.opening


def _asked_and_answered(group: RunGroup) -> Hashable:
    return _responses(group), group.opening


def _named_and_answered(group: RunGroup) -> Hashable:
    return _responses(group), group.name


def _member(one: Member) -> Member:
    return one


def _key(one: Member) -> str:
    return one.key


def _id(one: Member) -> str:
    return one.id
