"""Proportions: score intervals of a share and of the difference of two, which hold for few and at the ends."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def wilson(share: float, n: float, *, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share among ``n`` (Wilson 1927, JASA 22:209).

    Raises:
        ValueError: ``n`` is not above 0, or the share lies outside [0, 1].

    >>> low, high = wilson(0.5, 10)
    >>> round(low, 4), round(high, 4)
    (0.2366, 0.7634)
    """
    _check(share, n)
    z = _deviate(level)
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale))


def exact_interval(share: float, n: float, *, level: float = 0.95) -> Interval:
    """The exact interval of a share among ``n`` (Clopper and Pearson 1934, Biometrika 26:404), which may be no integer.

    Raises:
        ValueError: as :func:`wilson`.

    >>> low, high = exact_interval(0.5, 10)
    >>> round(low, 4), round(high, 4)
    (0.1871, 0.8129)
    """
    from scipy.special import betaincinv

    _check(share, n)
    tail = (1 - level) / 2
    hits, misses = share * n, (1 - share) * n
    low = float(betaincinv(hits, misses + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, misses, 1 - tail)) if misses else 1.0
    return Interval(low, high)


def newcombe(first: float, first_n: float, second: float, second_n: float, *, level: float = 0.95) -> Interval:
    """The hybrid score interval of ``first - second``, two independent shares.

    Method 10 of Newcombe 1998 (Stat. Med. 17:873), whose example this is.

    >>> low, high = newcombe(56 / 70, 70, 48 / 80, 80)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    one, other = wilson(first, first_n, level=level), wilson(second, second_n, level=level)
    difference = first - second
    return Interval(
        difference - math.hypot(first - one.low, other.high - second),
        difference + math.hypot(one.high - first, second - other.low),
    )


def fisher(correlation: float, n: int, *, held: int = 0, level: float = 0.95) -> Interval | None:
    """Fisher's interval of a correlation over ``n`` pairs with ``held`` variables held constant.

    The deviation of its inverse hyperbolic tangent is 1 / sqrt(n - held - 3) (Fisher 1924, Metron 3:329).
    ``None`` where that is undefined; a correlation of 1 or -1 has no width.
    """
    if n - held <= 3:
        return None
    if abs(correlation) >= 1:
        return Interval(correlation, correlation)
    half = _deviate(level) / math.sqrt(n - held - 3)
    centre = math.atanh(correlation)
    return Interval(math.tanh(centre - half), math.tanh(centre + half))


def _check(share: float, n: float) -> None:
    if n <= 0 or not 0 <= share <= 1:
        raise ValueError(f"a share of {share} among {n} has no interval")


def _deviate(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)
