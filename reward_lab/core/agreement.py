"""Agreement: order statistics between methods, repeats and people, with their uncertainty.

Judges are compared by rank, never by raw level: a Likert 7 and a RULER 0.7 are not the
same claim. Where a statistic is undefined it is ``None``, never 0.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple, TypeVar

from reward_lab.core.advantages import rounded
from reward_lab.core.student import t_deviate

T = TypeVar("T")

FEW_GROUPS = 30
"""Below so many groups a bootstrap interval is itself unsure, and says so."""


def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Kendall's tau-b of two score lists, ties corrected for: from -1 (reversed) to 1 (same order).

    ``None`` where it is undefined: fewer than two pairs of values, or all of one list tied.
    O(n log n) by counting the swaps of a merge sort (Knight 1966, JASA 61:436).

    Args:
        x: (n,) scores.
        y: (n,) scores of the same things. Equality is exact: round first where ties matter.

    Raises:
        ValueError: lists of different lengths.

    >>> kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    pairs = sorted(zip(x, y, strict=True))
    total = _pairs_in(len(pairs))
    x_ties = _tied_pairs(one for one, _ in pairs)
    y_ties = _tied_pairs(other for _, other in pairs)
    if x_ties == total or y_ties == total:
        return None
    both_ties = _tied_pairs(pairs)
    discordant = _inversions([other for _, other in pairs])
    concordant_less_discordant = total - x_ties - y_ties + both_ties - 2 * discordant
    tau = concordant_less_discordant / math.sqrt((total - x_ties) * (total - y_ties))
    return min(1.0, max(-1.0, tau))


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rho: Pearson's correlation of mid-ranks. ``None`` below two values or where one list is constant.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    if len(x) != len(y):
        raise ValueError(f"the lists have {len(x)} and {len(y)} values: they must be of the same things")
    first, second = centred_ranks(x), centred_ranks(y)
    scale = math.sqrt(dot(first, first) * dot(second, second))
    if scale == 0:
        return None
    return min(1.0, max(-1.0, dot(first, second) / scale))


def ranks(scores: Sequence[float | None]) -> tuple[int | None, ...]:
    """Competition ranks, the highest score first; equal to six places is tied; unscored has no rank.

    >>> ranks([0.5, 0.9, None, 0.5, 0.1])
    (2, 1, None, 2, 4)
    """
    keys = [None if score is None else rounded(score) for score in scores]
    ordered = sorted((key for key in keys if key is not None), reverse=True)
    place: dict[float, int] = {}
    for position, key in enumerate(ordered, start=1):
        place.setdefault(key, position)
    return tuple(None if key is None else place[key] for key in keys)


class Pairs(NamedTuple):
    """Pairs of one group that people put in an order, and how many of them were predicted (a tie is half)."""

    correct: float
    pairs: int


def pairwise_accuracy(predicted: Sequence[float | None], human: Sequence[float | None]) -> Pairs:
    """How many pairs of a group are predicted in the order that people gave.

    A tie of the prediction counts 0.5. Pairs that people left tied, and pairs with a member
    unscored or unlabelled, are not counted.

    Args:
        predicted: (G,) scores, higher is better.
        human: (G,) labels, higher is better; negate ranks.

    >>> pairwise_accuracy([0.9, 0.4, 0.4], [3, 2, 1])
    Pairs(correct=2.5, pairs=3)
    """
    known = [
        (rounded(score), label)
        for score, label in zip(predicted, human, strict=True)
        if score is not None and label is not None
    ]
    correct, pairs = 0.0, 0
    for (score, label), (other_score, other_label) in combinations(known, 2):
        if label == other_label:
            continue
        pairs += 1
        if score == other_score:
            correct += 0.5
        elif (score > other_score) == (label > other_label):
            correct += 1
    return Pairs(correct, pairs)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval. ``n`` is the number of groups; ``None`` stands where too few were given."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def few(self) -> bool:
        """Whether there are too few groups for the interval to be trusted."""
        return self.n < FEW_GROUPS


def bootstrap_interval(
    groups: Sequence[T],
    statistic: Callable[[Sequence[T]], float | None],
    *,
    seed: int = 0,
    level: float = 0.95,
    samples: int = 2000,
) -> Estimate:
    """An expanded percentile interval by resampling whole groups: the pairs within one group are not independent.

    Plain percentiles are as narrow as if the variance of few groups were known: too narrow. The tails are those at
    which a normal distribution without that knowledge would have Student's interval (Hesterberg 2015, The American
    Statistician 69:371).

    For a paired difference between two rubric versions, give each group's results under both
    and a statistic that subtracts. Samples in which the statistic is undefined are left out.

    Args:
        groups: (n,) what is known of each group.
        statistic: any figure of a list of groups, ``None`` where undefined.
        level: how often the interval should cover the truth.
    """
    value = statistic(groups) if groups else None
    if value is None or len(groups) < 2:
        return Estimate(value, None, None, len(groups))
    source = random.Random(seed)
    drawn = (statistic(source.choices(groups, k=len(groups))) for _ in range(samples))
    defined = sorted(one for one in drawn if one is not None)
    if not defined:
        return Estimate(value, None, None, len(groups))
    tail = NormalDist().cdf(-math.sqrt(len(groups) / (len(groups) - 1)) * t_deviate(len(groups) - 1, level))
    return Estimate(value, _quantile(defined, tail), _quantile(defined, 1 - tail), len(groups))


def accuracy_interval(groups: Sequence[Pairs], *, seed: int = 0, level: float = 0.95, samples: int = 2000) -> Estimate:
    """Pairwise accuracy over groups, with its interval by group. Groups without an ordered pair do not count."""
    informative = [one for one in groups if one.pairs]
    return bootstrap_interval(informative, accuracy, seed=seed, level=level, samples=samples)


def accuracy(groups: Sequence[Pairs]) -> float | None:
    """The share of pairs predicted rightly over all groups; ``None`` without a pair."""
    pairs = sum(one.pairs for one in groups)
    return math.fsum(one.correct for one in groups) / pairs if pairs else None


def centred_ranks(values: Sequence[float]) -> list[float]:
    """(n,) ranks from the lowest, ties at their mean, less the mean rank.

    Multiples of 0.5, so a constant list gives exact zeros.

    >>> centred_ranks([10, 30, 30])
    [-1.0, 0.5, 0.5]
    """
    ordered = sorted(values)
    first: dict[float, int] = {}
    for position, value in enumerate(ordered):
        first.setdefault(value, position)
    counts = Counter(ordered)
    return [first[value] + (counts[value] - len(ordered)) / 2 for value in values]


def dot(first: Sequence[float], second: Sequence[float]) -> float:
    """The sum of products of two (n,) lists."""
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean, ``None`` of nothing. Never outside the values, whatever floats do."""
    if not values:
        return None
    return min(max(values), max(min(values), math.fsum(values) / len(values)))


def sample_std(values: Sequence[float]) -> float | None:
    """Standard deviation over n - 1; ``None`` below two values, since one says nothing of spread."""
    centre = mean(values)
    if centre is None or len(values) < 2:
        return None
    return math.hypot(*(value - centre for value in values)) / math.sqrt(len(values) - 1)


def _pairs_in(count: int) -> int:
    return count * (count - 1) // 2


def _tied_pairs(values: Iterable[Hashable]) -> int:
    return sum(_pairs_in(count) for count in Counter(values).values())


def _inversions(values: list[float]) -> int:
    """Pairs out of order, counted while merging; equal values are in order."""
    if len(values) < 2:
        return 0
    middle = len(values) // 2
    left, right = values[:middle], values[middle:]
    count = _inversions(left) + _inversions(right)
    left.sort()
    for value in right:
        count += len(left) - bisect_right(left, value)
    return count


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between the two nearest values."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
