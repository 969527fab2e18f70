from __future__ import annotations

import pytest

from reward_lab.core.labelled import LabelledGroup
from reward_lab.core.matching import Member, RunGroup
from reward_lab.core.proportions import wilson
from reward_lab.core.reward_gaps import gap_bins
from tests.core.test_calibration import holding

PAIR = RunGroup(1, "g", "q", (Member("x", "1"), Member("y", "2")))


def pair(gap: float, agreed: bool) -> LabelledGroup:
    return LabelledGroup(PAIR, (0.1 + gap, 0.1), [holding(2, 1) if agreed else holding(1, 2)])


def test_bins_hold_equal_counts_and_the_share_that_people_order_so() -> None:
    told = [(0.1, True), (0.2, False), (0.3, False), (0.4, True), (0.5, True), (0.6, True)]
    first, second = gap_bins([pair(*one) for one in told], bins=2)
    assert (first.low, first.high, first.n) == (0.1, 0.3, 3)
    assert (first.mean, first.share) == (pytest.approx(0.2), pytest.approx(1 / 3))
    assert (first.share_low, first.share_high) == pytest.approx(wilson(1 / 3, 3))
    assert (second.low, second.high, second.n, second.share) == (0.4, 0.6, 3, 1.0)


def test_equal_gaps_stand_in_one_bin() -> None:
    bins = gap_bins([pair(0.2, True)] * 7 + [pair(0.4, True)] * 2, bins=3)
    assert [(one.low, one.high, one.n) for one in bins] == [(0.2, 0.2, 7), (0.4, 0.4, 2)]


@pytest.mark.parametrize("bins", [1, 4, 10])
def test_no_more_bins_than_asked_for_and_every_pair_in_one(bins: int) -> None:
    found = gap_bins([pair(number % 13 / 20 + 0.05, number % 3 > 0) for number in range(50)], bins=bins)
    assert len(found) <= bins
    assert sum(one.n for one in found) == 50


def test_each_annotators_pair_counts_and_the_judges_ties_do_not() -> None:
    both = LabelledGroup(PAIR, (0.9, 0.1), [holding(2, 1), holding(1, 2, annotator="bob")])
    (found,) = gap_bins([both, LabelledGroup(PAIR, (0.5, 0.5), [holding(2, 1)])], bins=5)
    assert (found.n, found.share) == (2, 0.5)
    assert gap_bins([], bins=5) == ()
