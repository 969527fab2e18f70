"""Intervals by group: against a jackknife worked out by leaving out, and against known cases."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from reward_lab.core.intervals import difference_interval, share_interval
from reward_lab.core.proportions import wilson

GROUPS = [(3.0, 4.0), (1.5, 3.0), (6.0, 6.0), (0.0, 1.0), (2.5, 6.0), (5.0, 6.0)]
"""(pairs rightly ordered, pairs) of six groups: 18 of 26."""


def test_a_share_is_that_of_all_pairs_together() -> None:
    assert share_interval(GROUPS).value == pytest.approx(18 / 26)
    assert share_interval(GROUPS).n == 6


def test_the_share_of_single_trials_has_the_exact_interval_less_what_the_degrees_of_freedom_cost() -> None:
    """Twelve groups of one pair, nine right: the groups vary as trials do, but for n - 1 in place of n."""
    found = share_interval([(1.0, 1.0)] * 9 + [(0.0, 1.0)] * 3)
    n = 11 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 11)) ** 2  # 11 = p(1 - p) / (p(1 - p) / 11)
    assert found.low == pytest.approx(stats.beta.ppf(0.025, 0.75 * n, 0.25 * n + 1), abs=1e-9)
    assert found.high == pytest.approx(stats.beta.ppf(0.975, 0.75 * n + 1, 0.25 * n), abs=1e-9)


def test_pairs_of_one_group_count_as_little_as_they_vary_together() -> None:
    """Ten groups of twenty pairs, each all right or all wrong, are ten trials and not two hundred."""
    blocks = share_interval([(20.0, 20.0)] * 5 + [(0.0, 20.0)] * 5)
    coins = share_interval([(1.0, 1.0)] * 5 + [(0.0, 1.0)] * 5)
    assert (blocks.low, blocks.high) == pytest.approx((coins.low, coins.high))


def test_a_judge_that_is_always_right_keeps_the_width_of_so_many_groups() -> None:
    found = share_interval([(4.0, 4.0)] * 10)
    n = 10 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 9)) ** 2
    assert found.high == 1.0
    assert found.low == pytest.approx(0.025 ** (1 / n), abs=1e-9)
    assert found.low < wilson(1.0, 10).low


def test_a_mean_of_tau_b_stays_within_its_bounds() -> None:
    found = share_interval([(1.0, 1.0)] * 5 + [(-1.0, 1.0)], least=-1.0)
    halved = share_interval([(1.0, 1.0)] * 5 + [(0.0, 1.0)])
    assert found.value == pytest.approx(4 / 6)
    assert found.low == pytest.approx(2 * (halved.low or 0) - 1)
    assert found.high == pytest.approx(2 * (halved.high or 0) - 1)
    assert -1 < (found.low or 0) < (found.high or 0) < 1


def test_the_standard_error_of_a_mean_is_the_usual_one() -> None:
    """With equal groups a ratio is a mean, and its interval Student's, as scipy has it."""
    source = random.Random(3)
    values = [source.gauss(0.1, 0.3) for _ in range(25)]
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    found = difference_interval([(4 * value, 4.0) for value in values])
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_standard_error_of_a_ratio_is_close_to_the_delete_one_jackknifes() -> None:
    source = random.Random(5)
    groups = [(size * source.gauss(0.2, 0.4), float(size)) for size in source.choices(range(1, 29), k=400)]
    sums = [sum(part) for part in zip(*groups, strict=True)]
    without = [(sums[0] - upper) / (sums[1] - lower) for upper, lower in groups]
    centre = sum(without) / 400
    error = math.sqrt(399 / 400 * sum((one - centre) ** 2 for one in without))
    found = difference_interval(groups)
    assert found.high is not None
    assert found.value is not None
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, 399) * error, rel=0.01)


def test_groups_without_a_pair_do_not_count() -> None:
    assert share_interval([*GROUPS, (0.0, 0.0)]) == share_interval(GROUPS)


def test_one_group_has_no_interval_and_none_no_figure() -> None:
    for interval in (share_interval, difference_interval):
        one, nothing = interval([(1.0, 2.0)]), interval([(0.0, 0.0)])
        assert (one.value, one.low, one.high, one.n) == (0.5, None, None, 1)
        assert (nothing.value, nothing.low, nothing.high, nothing.n) == (None, None, None, 0)


def test_two_judges_that_are_right_on_the_same_pairs_have_no_difference() -> None:
    found = difference_interval([(0.0, 6.0)] * 40)
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


def test_a_difference_that_never_varies_is_no_surer_than_so_few_groups_make_it() -> None:
    found = difference_interval([(0.5, 1.0)] * 4)
    assert found == share_interval([(0.5, 1.0)] * 4, least=-1.0)
    assert (found.low or 0) < 0 < 0.5 < (found.high or 0)
