"""Disagreement: the pairs of responses that a judge puts in the other order than people do."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reward_lab.core.advantages import rounded
from reward_lab.core.agreement import centred_ranks
from reward_lab.core.labelled import Holding, LabelledGroup, Pair
from reward_lab.core.table import letter


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of a group: its id, and the letter of its place."""

    id: str
    letter: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair of responses that people put in one order and the judge in the other.

    ``better`` is the people's. ``annotators`` put the pair so; ``siding`` are those who put it as the judge does.
    ``human_gap`` is the distance of the two in mid-ranks of the group, the mean of the annotators';
    ``reward_gap`` the reward of ``worse`` less that of ``better``, above 0. ``run_id``, ``group_id`` (the run's) and
    ``method`` say where the explanations are.
    """

    run_id: int
    group_id: int
    method: str
    name: str
    better: Answer
    worse: Answer
    annotators: tuple[str, ...]
    siding: tuple[str, ...]
    human_gap: float
    reward_gap: float


def disagreements(run_id: int, method: str, groups: Iterable[LabelledGroup], limit: int) -> tuple[Disagreement, ...]:
    """At most so many, the largest reward gap first; of equal ones those that most annotators speak of."""
    found = ((one, pair, gap, said) for one in groups for pair, (gap, said) in _wrong(one).items())
    worst = heapq.nsmallest(limit, found, key=lambda wrong: (-wrong[2], -len(wrong[3])))
    return tuple(_disagreement(run_id, method, *wrong) for wrong in worst)


def _wrong(one: LabelledGroup) -> dict[Pair, tuple[float, list[Holding]]]:
    """Pairs that the judge has the wrong way round: by how much, and by whose labels."""
    found: dict[Pair, tuple[float, list[Holding]]] = {}
    for label in one.labels:
        for better, worse in label.ordered:
            first, second = one.rewards[better], one.rewards[worse]
            if first is not None and second is not None and first < second:
                found.setdefault((better, worse), (rounded(second - first), []))[1].append(label)
    return found


def _disagreement(
    run_id: int, method: str, one: LabelledGroup, pair: Pair, gap: float, annotators: Sequence[Holding]
) -> Disagreement:
    better, worse = pair
    gaps = [_rank_gap(label, better, worse) for label in annotators]
    return Disagreement(
        run_id=run_id,
        group_id=one.group.id,
        method=method,
        name=one.group.name,
        better=Answer(one.group.members[better].id, letter(better)),
        worse=Answer(one.group.members[worse].id, letter(worse)),
        annotators=tuple(label.annotator for label in annotators),
        siding=tuple(label.annotator for label in one.labels if (worse, better) in label.ordered),
        human_gap=sum(gaps) / len(gaps),
        reward_gap=gap,
    )


def _rank_gap(label: Holding, better: int, worse: int) -> float:
    known = [(place, level) for place, level in enumerate(label.levels) if level is not None]
    ranks = dict(zip((place for place, _ in known), centred_ranks([level for _, level in known]), strict=True))
    return ranks[better] - ranks[worse]
