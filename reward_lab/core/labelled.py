"""Labelled: which labels hold for the responses of a run, and the pairs of responses that they put in an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from reward_lab.core.comparison import Rewards
from reward_lab.core.labels import Label, Mark, Measure
from reward_lab.core.matching import RunGroup, matched_groups, matched_members

Pair: TypeAlias = tuple[int, int]
"""Two responses of a group by their places."""

Questions: TypeAlias = Callable[[Collection[int]], Mapping[int, str]]
"""Ids of stored groups -> the identity of what each asks."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What one annotator says of a group of a run, by the places of its responses.

    ``ordered`` has each pair that they put in an order, the better one first; ``tied`` each pair they held equal.
    ``levels`` (G,) are theirs, higher is better, by ``measure``; ``None`` for what is not labelled. ``good`` and
    ``bad`` are marks. ``criteria`` (G,) says of statements by their words whether they are true of the response.
    """

    annotator: str
    levels: tuple[float | None, ...]
    ordered: tuple[Pair, ...]
    tied: tuple[Pair, ...]
    good: tuple[int, ...]
    bad: tuple[int, ...]
    criteria: tuple[Mapping[str, bool], ...]
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class LabelledGroup:
    """A group of a run, its rewards by one method, and what annotators say of it."""

    group: RunGroup
    rewards: Rewards
    labels: Sequence[Holding]


def held_labels(
    groups: Sequence[RunGroup],
    labels: Mapping[str, Mapping[int, Label]],
    stored: Mapping[int, RunGroup],
    questions: Questions,
) -> tuple[tuple[Holding, ...], ...]:
    """For each group of a run what annotators say of it, one annotator after the other; () where nobody does.

    Groups are matched as runs are when they are compared, with each annotator's groups on their own, so that a label
    holds under another system prompt too. It holds for a response of the same content only: one that was rewritten has
    none. A response that several groups have, such as "Yes.", must have been given to the same question.

    Args:
        groups: the run's.
        labels: annotator -> id of a stored group -> what they say of it.
        stored: the labelled groups by id.
        questions: tells questions apart; asked only where several groups have one response.
    """
    found: list[list[Holding]] = [[] for _ in groups]
    for annotator, of_groups in labels.items():
        labelled = [stored[group_id] for group_id in of_groups]
        for place, (other, members) in _held_places(groups, labelled, questions).items():
            label = of_groups[labelled[other].id]
            found[place].append(_holding(annotator, label, labelled[other], members))
    return tuple(map(tuple, found))


def same_places(old: RunGroup, new: RunGroup) -> tuple[int | None, ...]:
    """For each response of ``old`` the place of the same one in ``new``; ``None`` where there is none."""
    if old.members == new.members:
        return tuple(range(len(old.members)))
    return tuple(
        place if place is not None and new.members[place].key == member.key else None
        for member, place in zip(old.members, matched_members(old.members, new.members), strict=True)
    )


def counterparts(groups: Sequence[RunGroup], others: Sequence[RunGroup]) -> dict[int, int]:
    """Place in ``groups`` -> place of its counterpart in ``others``, which several may share."""
    found: dict[int, int] = {}
    left = [*range(len(groups))]
    while left and (pairs := matched_groups([groups[place] for place in left], others)):
        found |= {left[at]: other for at, other in pairs.items()}
        left = [place for place in left if place not in found]
    return found


def _held_places(
    groups: Sequence[RunGroup], labelled: Sequence[RunGroup], questions: Questions
) -> dict[int, tuple[int, tuple[int | None, ...]]]:
    """Place of a group -> place of the labelled one, and for each response its place there where the label holds."""
    pairs = counterparts(groups, labelled)
    held = {place: same_places(groups[place], labelled[other]) for place, other in pairs.items()}
    apart = [place for place, other in pairs.items() if groups[place].id != labelled[other].id]
    if apart:
        shared = _several(groups) | _several(labelled)
        doubtful = [place for place in apart if any(one.key in shared for one in groups[place].members)]
        asked = questions({one.id for place in doubtful for one in (groups[place], labelled[pairs[place]])})
        for place in doubtful:
            if asked[groups[place].id] != asked[labelled[pairs[place]].id]:
                members = zip(groups[place].members, held[place], strict=True)
                held[place] = tuple(None if one.key in shared else at for one, at in members)
    return {place: (pairs[place], at) for place, at in held.items() if any(one is not None for one in at)}


def _several(groups: Sequence[RunGroup]) -> set[str]:
    """The contents of responses that several groups have."""
    counts = Counter(key for group in groups for key in {one.key for one in group.members})
    return {key for key, count in counts.items() if count > 1}


def _holding(annotator: str, label: Label, labelled: RunGroup, places: Sequence[int | None]) -> Holding:
    ids = [one.id for one in labelled.members]
    given = label.levels(ids)
    levels = tuple(None if place is None else given[place] for place in places)
    said = [None if place is None else label.responses.get(ids[place]) for place in places]
    known = [(place, level) for place, level in enumerate(levels) if level is not None]
    ordered: list[Pair] = []
    tied: list[Pair] = []
    for (first, level), (second, other) in combinations(known, 2):
        if level == other:
            tied.append((first, second))
        else:
            ordered.append((first, second) if level > other else (second, first))
    return Holding(
        annotator,
        levels,
        tuple(ordered),
        tuple(tied),
        good=tuple(place for place, one in enumerate(said) if one is not None and one.mark is Mark.GOOD),
        bad=tuple(place for place, one in enumerate(said) if one is not None and one.mark is Mark.BAD),
        criteria=tuple({} if one is None else one.criteria for one in said),
        measure=label.measure,
    )
