"""Ordering: which groups of a comparison a person should look at first, and which of them at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reward_lab.core.agreement import centred_ranks, sample_std
from reward_lab.core.comparison import Comparison, GroupChange, MatchedGroup, Rewards

_THIRD = 1 / 3


class Order(StrEnum):
    """What the first group has most of (``SPREAD``: least)."""

    CHANGE = "largest change"
    FALL = "largest fall"
    METHODS = "disagreement between methods"
    JUDGES = "disagreement between judges"
    SPREAD = "lowest spread"
    RUN = "order of the run"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which groups are shown; all of what is set must hold.

    ``search`` stands in the group's name or question. ``high`` and ``low`` are methods: in some run some response is
    in the upper third of its group by the first and in the lower third by the second (by rank, since each method has
    a scale of its own; a group all tied has neither). ``flipped``: two responses changed places. ``lost``: a score
    that the baseline has is missing.
    """

    search: str = ""
    high: str | None = None
    low: str | None = None
    flipped: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Ordered:
    """A group by its place in the comparison, and the figure that put it where it stands, where it is known."""

    place: int
    figure: float | None


def ordered(found: Comparison, order: Order, chosen: Filter, *, method: str) -> tuple[Ordered, ...]:
    """The groups that the filter keeps, in this order; those whose figure is unknown come last.

    Changes, spreads, flips and lost scores are those of ``method``; disagreements are over all methods that are
    compared, and over the judges of an ensemble. Of several runs the one counts that has most of it.
    """
    changes = [found.changes(run, method) for run in range(len(found.run_ids) - 1)]
    kept = []
    for place, group in enumerate(found.groups):
        changed = [one for of_run in changes if (one := of_run[place]) is not None]
        if _keeps(chosen, group, changed):
            kept.append(Ordered(place, _figure(order, found, place, changed, method)))
    if order is Order.RUN:
        return tuple(kept)
    sign = 1.0 if order in _ASCENDING else -1.0
    return tuple(sorted(kept, key=lambda one: (one.figure is None, sign * (one.figure or 0.0), one.place)))


_ASCENDING = (Order.FALL, Order.SPREAD)


def _figure(order: Order, found: Comparison, place: int, changed: Sequence[GroupChange], method: str) -> float | None:
    match order:
        case Order.CHANGE:
            return max((abs(one.largest) for one in changed if one.largest is not None), default=None)
        case Order.FALL:
            return min((one.lowest for one in changed if one.lowest is not None), default=None)
        case Order.METHODS:
            return found.method_gaps()[place]
        case Order.JUDGES:
            return found.groups[place].judge_gap
        case Order.SPREAD:
            return min((one for one in _spreads(found.groups[place], method) if one is not None), default=None)
        case Order.RUN:
            return None


def _spreads(group: MatchedGroup, method: str) -> Iterator[float | None]:
    """The standard deviation of the group's rewards in each run."""
    for rewards in group.rewards:
        if rewards is not None and method in rewards:
            yield sample_std([one for one in rewards[method] if one is not None])


def _keeps(chosen: Filter, group: MatchedGroup, changed: Sequence[GroupChange]) -> bool:
    search = chosen.search.strip().casefold()
    if search and search not in group.group.name.casefold() and search not in group.group.opening.casefold():
        return False
    if chosen.flipped and not any(one.flips for one in changed):
        return False
    if chosen.lost and not any(one.lost for one in changed):
        return False
    return any(_opposed(rewards, chosen) for rewards in group.rewards if rewards is not None)


def _opposed(rewards: Mapping[str, Rewards], chosen: Filter) -> bool:
    high = None if chosen.high is None else _third(rewards.get(chosen.high, ()), upper=True)
    low = None if chosen.low is None else _third(rewards.get(chosen.low, ()), upper=False)
    if high is None or low is None:
        return bool(high if high is not None else low if low is not None else True)
    return bool(high & low)


def _third(rewards: Rewards, *, upper: bool) -> set[int]:
    """The places of the responses in the upper or the lower third of their group by rank."""
    known = [(place, one) for place, one in enumerate(rewards) if one is not None]
    if len(known) < 2:
        return set()
    most = (len(known) - 1) / 2
    centred = centred_ranks([one for _, one in known])
    return {
        place
        for (place, _), rank in zip(known, centred, strict=True)
        if (rank / most >= _THIRD if upper else rank / most <= -_THIRD)
    }
