"""Intervals by group of a ratio of sums, such as the share of all pairs that a judge orders rightly.

The pairs of one group are not independent, so the groups are what varies. Resampling them has the standard error that
the infinitesimal jackknife gives without drawing (Efron 1982, "The Jackknife, the Bootstrap and Other Resampling
Plans", ch. 6), here over n - 1. What is built on it, with Student's t of n - 1 degrees, covers the truth more often
than the percentiles of a bootstrap do, above all for few groups and for shares near 1:
``tests/benchmarks/coverage.py`` prints both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from reward_lab.core.agreement import Estimate
from reward_lab.core.proportions import exact_interval
from reward_lab.core.student import t_deviate


def share_interval(
    parts: Sequence[tuple[float, float]], *, least: float = 0.0, most: float = 1.0, level: float = 0.95
) -> Estimate:
    """A ratio that lies between ``least`` and ``most``, with an exact (Clopper-Pearson) interval at its effective size.

    The effective size is the number of independent trials that would vary as the groups do, less what the degrees of
    freedom cost (Korn and Graubard 1998, Survey Methodology 24:193); where nothing varies, as for a judge that is
    always right, it is the number of groups, so that the interval keeps a width.

    Args:
        parts: (n,) each group's part of the upper and of the lower sum. A group whose lower part is 0 does not count.
        least: what the ratio cannot fall below: -1 for a mean of tau-b.
        most: what it cannot exceed.
    """
    counted = [part for part in parts if part[1]]
    value, error = _ratio(counted)
    if value is None or error is None:
        return Estimate(value, None, None, len(counted))
    width = most - least
    share = min(1.0, max(0.0, (value - least) / width))
    variance = (error / width) ** 2
    size = share * (1 - share) / variance if variance > _NOTHING else len(counted)
    normal = NormalDist().inv_cdf((1 + level) / 2)
    trials = (size or len(counted)) * (normal / t_deviate(len(counted) - 1, level)) ** 2
    low, high = exact_interval(share, trials, level=level)
    return Estimate(value, min(value, least + width * low), max(value, least + width * high), len(counted))


def difference_interval(parts: Sequence[tuple[float, float]], *, level: float = 0.95) -> Estimate:
    """A paired difference of two shares, from -1 to 1, with Student's t interval.

    The arguments are those of :func:`share_interval`; the upper parts are each group's differences. A difference that
    is the same in every group has the interval of a share at the number of groups.
    """
    counted = [part for part in parts if part[1]]
    value, error = _ratio(counted)
    if value is None or error is None:
        return Estimate(value, None, None, len(counted))
    if value and error**2 <= _NOTHING:
        return share_interval(counted, least=-1.0, level=level)
    half = t_deviate(len(counted) - 1, level) * error
    return Estimate(value, value - half, value + half, len(counted))


_NOTHING = 1e-18
"""What rounding leaves of a variance of zero."""


def _ratio(parts: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    """The ratio of the sums, and its standard error by group; ``None`` for what too few groups say nothing of."""
    count = len(parts)
    total = math.fsum(lower for _, lower in parts)
    if not total:
        return None, None
    value = math.fsum(upper for upper, _ in parts) / total
    if count < 2:
        return value, None
    spread = math.hypot(*(upper - value * lower for upper, lower in parts))
    return value, spread / total * math.sqrt(count / (count - 1))
