"""Reward gaps: how sure a judge is of a pair of responses, held against how often people agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core.advantages import rounded
from reward_lab.core.labelled import LabelledGroup
from reward_lab.core.proportions import wilson


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of nearly equal reward gap: how often people hold the response with the higher reward the better one.

    ``low`` and ``high`` are the least and the largest gap, ``mean`` their mean; ``share`` of ``n`` pairs with Wilson's
    95% interval (pairs of one group are not independent, so that the truth may be somewhat further off).
    """

    low: float
    high: float
    mean: float
    share: float
    n: int
    share_low: float
    share_high: float


def gap_bins(groups: Iterable[LabelledGroup], bins: int) -> tuple[Bin, ...]:
    """Pairs that an annotator put in an order, by reward gap, in at most so many bins of about equal count.

    Each annotator's pair counts. Pairs of equal reward are in no bin: there the judge says nothing. Equal gaps stand
    in one bin, so that there may be fewer, and unequal ones.
    """
    pairs = sorted(pair for one in groups for pair in _pairs(one))
    found: list[Bin] = []
    start = 0
    while start < len(pairs):
        left = max(1, bins - len(found))
        end = start + math.ceil((len(pairs) - start) / left)
        while end < len(pairs) and pairs[end][0] == pairs[end - 1][0]:
            end += 1
        found.append(_bin(pairs[start:end]))
        start = end
    return tuple(found)


def _pairs(one: LabelledGroup) -> Iterator[tuple[float, bool]]:
    """(gap, whether people hold the one with the higher reward the better) of each pair that an annotator ordered."""
    for label in one.labels:
        for better, worse in label.ordered:
            first, second = one.rewards[better], one.rewards[worse]
            if first is not None and second is not None and first != second:
                yield rounded(abs(first - second)), first > second


def _bin(pairs: Sequence[tuple[float, bool]]) -> Bin:
    gaps = [gap for gap, _ in pairs]
    share = sum(agreed for _, agreed in pairs) / len(pairs)
    low, high = wilson(share, len(pairs))
    return Bin(gaps[0], gaps[-1], math.fsum(gaps) / len(gaps), share, len(pairs), low, high)
