"""Annotators: how far people agree on the order of the responses of the same groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from reward_lab.core.agreement import Estimate, centred_ranks, kendall_tau_b
from reward_lab.core.intervals import share_interval
from reward_lab.core.reliability import Level, Unit, alpha_interval

Levels: TypeAlias = Mapping[str, Sequence[float | None]]
"""Annotator -> (G,) how good each response of one group is, higher is better; ``None`` is not labelled."""


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators over the ``groups`` in which both labelled the same two responses at least.

    ``tau`` is the mean of the groups' Kendall tau-b, undefined where one of them holds all equal. ``alike`` is the
    share of pairs of responses that both put in an order which they put in the same one; of ``pairs`` such.
    """

    first: str
    second: str
    tau: Estimate
    alike: Estimate
    pairs: int
    groups: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree. ``n_groups`` counts the groups of which at least two labelled the same two responses.

    ``alpha`` is Krippendorff's, ordinal. Its units are responses; its values are each annotator's mid-ranks of the
    responses of a group, less their mean, among the responses that all annotators of that group labelled. Ranks,
    since one person's scores are no other's, and only their order is held against a judge. Less their mean, so that
    groups of different sizes have the same middle: otherwise a high rank would be likelier in a large group whoever
    gave it, and people who rank at random would seem to agree. An annotator with fewer than two labelled responses in
    a group is none of it. The interval is by group.
    """

    alpha: Estimate
    n_groups: int
    pairs: tuple[PairAgreement, ...]


def annotator_agreement(groups: Sequence[Levels]) -> Agreement:
    """How far the annotators of these groups agree; every two who have a group in common are a pair, by name."""
    units = [unit for levels in groups if (unit := _units(levels))]
    names = sorted({name for levels in groups for name in levels})
    pairs = (_pair(groups, first, second) for first, second in combinations(names, 2))
    return Agreement(
        alpha=alpha_interval(units, Level.ORDINAL),
        n_groups=len(units),
        pairs=tuple(pair for pair in pairs if pair.groups),
    )


def _units(levels: Levels) -> list[Unit]:
    """The responses of a group that everybody labelled, each with its centred mid-ranks; [] below two of both."""
    given = [values for values in levels.values() if sum(one is not None for one in values) > 1]
    if len(given) < 2:
        return []
    known = _known(given)
    return [*zip(*map(centred_ranks, known), strict=True)] if len(known[0]) > 1 else []


def _known(given: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """The levels of each, of the responses that all of them labelled."""
    columns = [column for column in zip(*given, strict=True) if None not in column]
    return [[column[place] or 0.0 for column in columns] for place in range(len(given))]


def _pair(groups: Sequence[Levels], first: str, second: str) -> PairAgreement:
    taus: list[tuple[float, float]] = []
    alike: list[tuple[float, float]] = []
    for levels in groups:
        if first not in levels or second not in levels:
            continue
        one, other = _known([levels[first], levels[second]])
        if len(one) < 2:
            continue
        tau = kendall_tau_b(one, other)
        if tau is not None:
            taus.append((tau, 1))
        alike.append(_alike(one, other))
    return PairAgreement(
        first=first,
        second=second,
        tau=share_interval(taus, least=-1.0),
        alike=share_interval(alike),
        pairs=round(sum(both for _, both in alike)),
        groups=len(alike),
    )


def _alike(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Of how many pairs both put in an order they put so many in the same."""
    same = both = 0
    for first, second in combinations(range(len(one)), 2):
        product = (one[first] - one[second]) * (other[first] - other[second])
        same += product > 0
        both += product != 0
    return same, both
