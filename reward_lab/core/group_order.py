"""Which groups of one run a person should look at first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from reward_lab.core.comparison import GroupFigures, method_gap
from reward_lab.core.training import GroupRewards


class GroupOrder(StrEnum):
    """What the first group has most or least of."""

    RUN = "order of the run"
    LEAST_SPREAD = "least spread"
    MOST_SPREAD = "most spread"
    LOWEST = "lowest mean"
    HIGHEST = "highest mean"
    METHODS = "disagreement between methods"
    UNKNOWN = "missing rewards"


def ordered_groups(
    groups: Sequence[GroupRewards], figures: Sequence[GroupFigures], order: GroupOrder, *, search: str = ""
) -> tuple[int, ...]:
    """The places of the groups whose name or question holds ``search``, in this order; unknown figures come last.

    ``groups`` and ``figures`` are of the same groups, in the run's order, which also decides between equals.
    """
    wanted = search.strip().casefold()
    kept = [
        place
        for place, one in enumerate(figures)
        if wanted in one.group.name.casefold() or wanted in one.group.opening.casefold()
    ]
    if order is GroupOrder.RUN:
        return tuple(kept)
    if order is GroupOrder.METHODS:
        keys = {place: (gap_between_methods(figures[place]), -1) for place in kept}
    else:
        of, sign = _BY[order]
        keys = {place: (of(groups[place]), sign) for place in kept}
    return tuple(
        sorted(kept, key=lambda place: (keys[place][0] is None, keys[place][1] * (keys[place][0] or 0.0), place))
    )


def gap_between_methods(figures: GroupFigures) -> float | None:
    """How far apart the run's methods put the responses, from 0; see :func:`~reward_lab.core.comparison.method_gap`."""
    return method_gap(figures.rewards, tuple(figures.rewards))


def _unknown(group: GroupRewards) -> float:
    return float(len(group.totals) - len(group.known))


_BY: Mapping[GroupOrder, tuple[Callable[[GroupRewards], float | None], int]] = {
    GroupOrder.LEAST_SPREAD: (lambda group: group.std, 1),
    GroupOrder.MOST_SPREAD: (lambda group: group.std, -1),
    GroupOrder.LOWEST: (lambda group: group.mean, 1),
    GroupOrder.HIGHEST: (lambda group: group.mean, -1),
    GroupOrder.UNKNOWN: (_unknown, -1),
}
