"""Comparison: a baseline run and others over the same groups, in light figures that hundreds of thousands fit into.

The figure is a method's *reward* of one response: its mean score brought to [0, 1] by the method, before weights and
verifiers. Ranks, advantages and explanations are read from the score tables of the one group that is open
(:mod:`reward_lab.core.movement`). What is not scored on both sides is in no difference; it never counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from reward_lab.core.advantages import rounded
from reward_lab.core.agreement import Estimate, centred_ranks
from reward_lab.core.intervals import difference_interval
from reward_lab.core.matching import RunGroup, matched_groups, matched_members

Rewards: TypeAlias = tuple[float | None, ...]
"""(G,) rewards in the order of a group's responses; ``None`` is not scored."""


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """What one run says of one group: the rewards by method, rounded to the places to which they are equal.

    ``judge_gap`` is the mean over responses and methods of the largest less the smallest reward among the judges of
    an ensemble; ``None`` where there is one judge.
    """

    group: RunGroup
    rewards: Mapping[str, Rewards]
    judge_gap: float | None = None


@dataclass(frozen=True, slots=True)
class RunFigures:
    """One run: its methods, and its groups in its order."""

    run_id: int
    methods: tuple[str, ...]
    groups: tuple[GroupFigures, ...]


@dataclass(frozen=True, slots=True)
class GroupChange:
    """One group under one method, from the baseline to another run.

    ``paired`` counts responses scored in both, ``mean`` is the mean change of their rewards. ``largest`` is the change
    of largest size with its sign, ``member`` the place of its response in the baseline's group; ``lowest`` the deepest
    fall (or the least rise). ``flips`` counts pairs of responses whose order turned round; ties turn nothing.
    ``lost`` and ``gained`` count scores that only one of the two runs has.
    """

    paired: int
    mean: float | None
    largest: float | None
    member: int | None
    lowest: float | None
    flips: int
    lost: int
    gained: int


@dataclass(frozen=True, slots=True)
class MatchedGroup:
    """A group of the baseline in all runs.

    ``found`` is its counterpart in each run, the baseline first, and ``rewards`` their rewards in the order of the
    *baseline's* responses; ``None`` for a run that does not have the group. ``judge_gap`` is the largest of the runs'.
    """

    group: RunGroup
    found: tuple[RunGroup | None, ...]
    rewards: tuple[Mapping[str, Rewards] | None, ...]
    judge_gap: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A baseline (the first of ``run_ids``) and other runs.

    ``methods`` are the baseline's that another run has too. ``groups`` are those that at least one other run has, in
    the baseline's order. ``unmatched`` has for each run the groups without a counterpart: the baseline's that no other
    run has, and each other run's that the baseline has not.
    """

    run_ids: tuple[int, ...]
    methods: tuple[str, ...]
    groups: tuple[MatchedGroup, ...]
    unmatched: tuple[tuple[RunGroup, ...], ...]
    _changes: dict[tuple[int, str], tuple[GroupChange | None, ...]] = field(default_factory=dict, compare=False)
    _gaps: list[float | None] = field(default_factory=list, compare=False)

    def changes(self, run: int, method: str) -> tuple[GroupChange | None, ...]:
        """What became of each group from the baseline to another run (0 is the first of them), worked out once.

        ``None`` where the run does not have the group, or one of the two not the method.
        """
        if (run, method) not in self._changes:
            self._changes[run, method] = tuple(_change(group.rewards, run, method) for group in self.groups)
        return self._changes[run, method]

    def method_gaps(self) -> tuple[float | None, ...]:
        """How far apart the methods put the responses of each group, in the run where they do most; once worked out."""
        if not self._gaps:
            self._gaps.extend(_largest_gap(group, self.methods) for group in self.groups)
        return tuple(self._gaps)


def comparison(baseline: RunFigures, others: Sequence[RunFigures]) -> Comparison:
    """Match the groups of each run with the baseline's, and what each of them changed."""
    plain = [[one.group for one in run.groups] for run in (baseline, *others)]
    matches = [matched_groups(plain[0], other) for other in plain[1:]]
    shared = {name for run in others for name in run.methods}
    methods = tuple(name for name in baseline.methods if name in shared)
    matched = [
        _matched(figures, [_at(run, match.get(place)) for run, match in zip(others, matches, strict=True)])
        for place, figures in enumerate(baseline.groups)
        if any(place in match for match in matches)
    ]
    alone = [group for place, group in enumerate(plain[0]) if not any(place in match for match in matches)]
    rest = [
        tuple(group for place, group in enumerate(groups) if place not in set_of)
        for groups, set_of in zip(plain[1:], [set(match.values()) for match in matches], strict=True)
    ]
    return Comparison(
        (baseline.run_id, *(run.run_id for run in others)), methods, tuple(matched), (tuple(alone), *rest)
    )


def group_change(old: Rewards, new: Rewards) -> GroupChange:
    """What became of one group under one method. Both are (G,), of the same responses, in the same order.

    >>> change = group_change((0.9, 0.5, None), (0.4, 0.5, 0.1))
    >>> change.largest, change.member, change.flips, change.gained
    (-0.5, 0, 1, 1)
    """
    pairs = []
    lost = gained = 0
    for place, (before, after) in enumerate(zip(old, new, strict=True)):
        if before is not None and after is not None:
            pairs.append((place, before, after))
        elif before is not None:
            lost += 1
        elif after is not None:
            gained += 1
    if not pairs:
        return GroupChange(0, None, None, None, None, 0, lost, gained)
    deltas = [rounded(after - before) for _, before, after in pairs]
    sizes = [*map(abs, deltas)]
    largest = sizes.index(max(sizes))
    return GroupChange(
        paired=len(pairs),
        mean=rounded(math.fsum(deltas) / len(deltas)),
        largest=deltas[largest],
        member=pairs[largest][0],
        lowest=min(deltas),
        flips=_flips([before for _, before, _ in pairs], [after for _, _, after in pairs]) if sizes[largest] else 0,
        lost=lost,
        gained=gained,
    )


def _flips(old: Sequence[float], new: Sequence[float]) -> int:
    """Pairs that stand one way round before and the other way round after."""
    by_old = [after for _, after in sorted(zip(old, new, strict=True), reverse=True)]
    before = sorted(old, reverse=True)
    return sum(
        by_old[first] < by_old[second] and before[first] != before[second]
        for first, second in combinations(range(len(old)), 2)
    )


def paired_difference(found: Comparison, run: int, method: str) -> Estimate:
    """The mean over groups of the change of their mean reward, with a 95% interval by group.

    ``run`` is the place among the other runs, from 0. ``n`` counts the groups with a response scored in both.
    """
    changes = found.changes(run, method)
    return difference_interval([(one.mean, 1) for one in changes if one is not None and one.mean is not None])


def method_gap(rewards: Mapping[str, Rewards], methods: Sequence[str]) -> float | None:
    """How far apart methods put the same responses, from 0: all in the same order.

    The mean over responses of the largest less the smallest mid-rank, as a share of the ranks that lie between first
    and last. ``None`` below two methods that rank the same two responses.

    >>> method_gap({"a": (0.9, 0.1), "b": (0.2, 0.8)}, ("a", "b")), method_gap({"a": (0.9, 0.1)}, ("a", "b"))
    (1.0, None)
    """
    given = [values for name in methods if (values := rewards.get(name)) and any(one is not None for one in values)]
    if len(given) < 2:
        return None
    places = [place for place in range(len(given[0])) if all(values[place] is not None for values in given)]
    if len(places) < 2:
        return None
    ranks = [centred_ranks([values[place] or 0.0 for place in places]) for values in given]
    gaps: list[float] = [max(column) - min(column) for column in zip(*ranks, strict=True)]
    return sum(gaps) / len(gaps) / (len(places) - 1)


def rewards_of(found: Comparison, run: int, method: str) -> Iterator[float]:
    """Every known reward of the matched groups in one run (0 is the baseline)."""
    for group in found.groups:
        rewards = group.rewards[run]
        if rewards is not None:
            yield from (one for one in rewards.get(method, ()) if one is not None)


def _largest_gap(group: MatchedGroup, methods: Sequence[str]) -> float | None:
    gaps = [method_gap(rewards, methods) for rewards in group.rewards if rewards is not None]
    return max((gap for gap in gaps if gap is not None), default=None)


def _change(rewards: Sequence[Mapping[str, Rewards] | None], run: int, method: str) -> GroupChange | None:
    old, new = rewards[0], rewards[run + 1]
    if old is None or new is None or method not in old or method not in new:
        return None
    return group_change(old[method], new[method])


def _at(run: RunFigures, place: int | None) -> GroupFigures | None:
    return None if place is None else run.groups[place]


def _matched(baseline: GroupFigures, others: Sequence[GroupFigures | None]) -> MatchedGroup:
    aligned = [None if other is None else _aligned(baseline.group, other) for other in others]
    gaps = [one.judge_gap for one in (baseline, *others) if one is not None and one.judge_gap is not None]
    return MatchedGroup(
        baseline.group,
        (baseline.group, *(None if other is None else other.group for other in others)),
        (baseline.rewards, *aligned),
        max(gaps, default=None),
    )


def _aligned(group: RunGroup, other: GroupFigures) -> Mapping[str, Rewards]:
    if group.members == other.group.members:
        return other.rewards
    places = matched_members(group.members, other.group.members)
    return {
        name: tuple(None if place is None else rewards[place] for place in places)
        for name, rewards in other.rewards.items()
    }
