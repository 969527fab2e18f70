"""Reliability: Krippendorff's alpha, how far coders who valued the same things agree beyond chance.

Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability" (repository.upenn.edu/asc_papers/43). Any number of
coders, values missing anywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from reward_lab.core.agreement import Estimate
from reward_lab.core.student import t_deviate

Unit: TypeAlias = Sequence[float | None]
"""The values that coders gave one thing, one a coder; ``None`` where a coder gave none."""

_Coincidences: TypeAlias = dict[tuple[float, float], float]
"""How often two values were given to one thing by two coders, each pair both ways round; see :func:`_coincidences`."""


class Level(StrEnum):
    """What the values are: names, an order, or numbers whose differences mean something."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(units: Sequence[Unit], level: Level) -> float | None:
    """Krippendorff's alpha: 1 is agreement, 0 is what chance would give, below 0 is worse than chance.

    ``None`` where it is undefined: no unit with two values, or all values equal.

    Args:
        units: (N,) units, each with the values of its coders.
        level: by what values differ.

    >>> krippendorff_alpha([(1, 1), (2, 2), (3, 3), (3, None)], Level.NOMINAL)
    1.0
    """
    return _alpha(_coincidences(units), level)


def alpha_interval(groups: Sequence[Sequence[Unit]], level: Level, *, confidence: float = 0.95) -> Estimate:
    """Alpha over the units of all groups, with its interval by group: units of one group are not independent.

    Of groups of one unit each the interval is by unit. A group without a unit of two values does not count. The
    standard error is the infinitesimal jackknife's (see :mod:`reward_lab.core.intervals`); the interval is Student's t
    of log(1 - alpha), which keeps it below 1. There is none where no two values differ within a unit.
    """
    parts = [part for group in groups if (part := _coincidences(group))]
    count = len(parts)
    whole: Counter[tuple[float, float]] = Counter()
    for part in parts:
        whole.update(part)
    value = _alpha(whole, level)
    if value is None or value >= 1 or count < 2:
        return Estimate(value, None, None, count)
    influences = []
    for part in parts:
        # What becomes of alpha where this group weighs a little more and every other a little less.
        tilted = {pair: (1 - _TILT) * weight for pair, weight in whole.items()}
        for pair, weight in part.items():
            tilted[pair] += _TILT * count * weight
        influences.append(((_alpha(tilted, level) or 0.0) - value) / _TILT)
    error = math.hypot(*influences) / count * math.sqrt(count / (count - 1))
    half = t_deviate(count - 1, confidence) * error / (1 - value)
    return Estimate(value, 1 - (1 - value) * math.exp(half), 1 - (1 - value) * math.exp(-half), count)


_TILT = 1e-5


def _coincidences(units: Sequence[Unit]) -> _Coincidences:
    """Every ordered pair of values that two coders gave one unit, weighted so that each value counts once."""
    found: _Coincidences = {}
    for unit in units:
        values = Counter(value for value in unit if value is not None)
        size = values.total()
        if size < 2:
            continue
        for first, count in values.items():
            for second, other in values.items():
                pairs = count * (other - (first == second))
                if pairs:
                    found[first, second] = found.get((first, second), 0.0) + pairs / (size - 1)
    return found


def _alpha(coincidences: Mapping[tuple[float, float], float], level: Level) -> float | None:
    counts: dict[float, float] = {}
    for (first, _), weight in coincidences.items():
        counts[first] = counts.get(first, 0.0) + weight
    if len(counts) < 2:
        return None
    total = math.fsum(counts.values())
    if level is Level.NOMINAL:
        observed = math.fsum(weight for (first, second), weight in coincidences.items() if first != second)
        expected = total * total - math.fsum(count * count for count in counts.values())
    else:
        place = _mid_ranks(counts) if level is Level.ORDINAL else {value: value for value in counts}
        middle = math.fsum(count * place[value] for value, count in counts.items()) / total
        observed = math.fsum(
            weight * (place[first] - place[second]) ** 2 for (first, second), weight in coincidences.items()
        )
        # The sum of n_c n_k (c - k)^2 over all pairs, by the parallel axis theorem.
        expected = 2 * total * math.fsum(count * (place[value] - middle) ** 2 for value, count in counts.items())
    return 1 - (total - 1) * observed / expected


def _mid_ranks(counts: Mapping[float, float]) -> dict[float, float]:
    """Value -> its mid-rank. Two of them are apart by the ordinal metric: the values between, and half of both ends."""
    places: dict[float, float] = {}
    below = 0.0
    for value in sorted(counts):
        places[value] = below + counts[value] / 2
        below += counts[value]
    return places
