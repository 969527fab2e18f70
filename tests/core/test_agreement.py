from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reward_lab.core.agreement import (
    Pairs,
    accuracy,
    accuracy_interval,
    bootstrap_interval,
    kendall_tau_b,
    mean,
    pairwise_accuracy,
    ranks,
    sample_std,
    spearman,
)

scores = st.one_of(st.integers(0, 3).map(float), st.floats(-1e6, 1e6))
two_lists = st.lists(st.tuples(scores, scores), max_size=40)


def from_scipy(function: Callable[..., Any], x: Sequence[float], y: Sequence[float]) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns where it answers NaN
        value = float(function(x, y).statistic)
    return None if math.isnan(value) else value


class TestKendall:
    def test_worked_values(self) -> None:
        assert kendall_tau_b([1, 2, 3, 4], [1, 2, 3, 4]) == 1.0
        assert kendall_tau_b([1, 2, 3, 4], [4, 3, 2, 1]) == -1.0
        # 5 concordant pairs, 1 discordant, of 6
        assert kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(4 / 6)
        # one pair tied in y: 2 concordant of 3, over sqrt(3 x 2)
        assert kendall_tau_b([1, 2, 3], [1, 2, 2]) == pytest.approx(2 / math.sqrt(6))

    @pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5])])
    def test_undefined_is_none(self, x: list[float], y: list[float]) -> None:
        assert kendall_tau_b(x, y) is None

    def test_lists_of_different_lengths_are_refused(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            kendall_tau_b([1, 2], [1])

    @given(two_lists)
    def test_equals_scipy(self, both: list[tuple[float, float]]) -> None:
        x, y = [a for a, _ in both], [b for _, b in both]
        ours, theirs = kendall_tau_b(x, y), from_scipy(stats.kendalltau, x, y)
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours == pytest.approx(theirs, abs=1e-12)

    @given(two_lists)
    def test_is_symmetric_and_odd(self, both: list[tuple[float, float]]) -> None:
        x, y = [a for a, _ in both], [b for _, b in both]
        tau = kendall_tau_b(x, y)
        assert kendall_tau_b(y, x) == tau
        assert kendall_tau_b([-one for one in x], y) == (None if tau is None else -tau)

    def test_five_thousand_values_take_less_than_a_second(self) -> None:
        x = [float(one * 7919 % 5003 % 97) for one in range(5000)]
        y = [float(one * 104729 % 5009 % 89) for one in range(5000)]
        started = time.perf_counter()
        ours = kendall_tau_b(x, y)
        assert time.perf_counter() - started < 1
        assert ours == pytest.approx(from_scipy(stats.kendalltau, x, y), abs=1e-12)


class TestSpearman:
    def test_worked_values(self) -> None:
        assert spearman([1, 2, 3], [10, 20, 30]) == 1.0
        assert spearman([1, 2, 3], [30, 20, 10]) == -1.0
        assert spearman([1, 2], [5, 5]) is None
        assert spearman([1], [5]) is None
        assert spearman([0.1 + 0.2] * 3, [1, 2, 3]) is None

    def test_lists_of_different_lengths_are_refused(self) -> None:
        with pytest.raises(ValueError, match="2 and 1 values"):
            spearman([1, 2], [1])

    @given(two_lists)
    def test_equals_scipy(self, both: list[tuple[float, float]]) -> None:
        x, y = [a for a, _ in both], [b for _, b in both]
        ours = spearman(x, y)
        if len(set(x)) < 2 or len(set(y)) < 2:
            assert ours is None
        else:
            assert ours == pytest.approx(from_scipy(stats.spearmanr, x, y), abs=1e-12)


class TestRanks:
    def test_worked_values(self) -> None:
        assert ranks([0.9, 0.5, 0.5, 0.1]) == (1, 2, 2, 4)
        assert ranks([]) == ()
        assert ranks([None, 0.0]) == (None, 1)

    def test_equal_to_six_places_is_tied(self) -> None:
        assert ranks([0.1 + 0.2, 0.3]) == (1, 1)
        assert ranks([0.300001, 0.3]) == (1, 2)
        assert ranks([0.0, -0.0]) == (1, 1)

    @given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=9))
    def test_equals_scipy_and_leaves_out_the_unscored(self, values: list[float | None]) -> None:
        given_ranks = ranks(values)
        assert [one is None for one in given_ranks] == [one is None for one in values]
        known = [round(one, 6) for one in values if one is not None]
        expected = [int(one) for one in stats.rankdata([-one for one in known], method="min")] if known else []
        assert [one for one in given_ranks if one is not None] == expected


class TestPairwiseAccuracy:
    def test_worked_values(self) -> None:
        assert pairwise_accuracy([3, 2, 1], [30, 20, 10]) == (3.0, 3)
        assert pairwise_accuracy([1, 2, 3], [30, 20, 10]) == (0.0, 3)
        assert pairwise_accuracy([1, 1, 1], [30, 20, 10]) == (1.5, 3)
        assert pairwise_accuracy([1, 2], [5, 5]) == (0.0, 0)

    def test_the_unscored_are_not_counted_as_lowest(self) -> None:
        assert pairwise_accuracy([0.9, None, 0.1], [3, 2, 1]) == (1.0, 1)
        assert pairwise_accuracy([0.9, 0.5, 0.1], [3, None, 1]) == (1.0, 1)

    def test_a_prediction_tied_to_six_places_is_half(self) -> None:
        assert pairwise_accuracy([0.1 + 0.2, 0.3], [1, 2]) == (0.5, 1)

    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=9))
    def test_reversing_the_prediction_reverses_the_accuracy(self, both: list[tuple[int, int]]) -> None:
        predicted, human = [float(a) for a, _ in both], [float(b) for _, b in both]
        forward = pairwise_accuracy(predicted, human)
        backward = pairwise_accuracy([-one for one in predicted], human)
        assert forward.correct + backward.correct == forward.pairs == backward.pairs


class TestBootstrap:
    def test_accuracy_over_groups(self) -> None:
        assert accuracy([Pairs(2, 3), Pairs(0.5, 1)]) == 2.5 / 4
        assert accuracy([]) is None
        assert accuracy([Pairs(0, 0)]) is None

    def test_groups_that_agree_leave_no_width(self) -> None:
        estimate = accuracy_interval([Pairs(2, 4)] * 40, seed=1)
        assert (estimate.value, estimate.low, estimate.high, estimate.n, estimate.few) == (0.5, 0.5, 0.5, 40, False)

    def test_few_groups_are_flagged_and_one_has_no_interval(self) -> None:
        assert accuracy_interval([Pairs(1, 2)] * 29).few
        one = accuracy_interval([Pairs(1, 2)])
        assert (one.value, one.low, one.high, one.n) == (0.5, None, None, 1)
        nothing = accuracy_interval([])
        assert (nothing.value, nothing.low, nothing.high, nothing.n) == (None, None, None, 0)

    def test_groups_without_an_ordered_pair_do_not_count(self) -> None:
        assert accuracy_interval([Pairs(1, 1), Pairs(0, 0), Pairs(0, 1)]).n == 2

    def test_is_told_again_by_its_seed(self) -> None:
        groups = [Pairs(one % 4, 3) for one in range(20)]
        assert accuracy_interval(groups, seed=5) == accuracy_interval(groups, seed=5)
        assert accuracy_interval(groups, seed=5) != accuracy_interval(groups, seed=7)

    def test_is_close_to_the_normal_interval_of_a_proportion(self) -> None:
        groups = [Pairs(1, 1)] * 160 + [Pairs(0, 1)] * 40
        estimate = accuracy_interval(groups, samples=4000)
        half = 1.96 * math.sqrt(0.8 * 0.2 / 200)
        assert estimate.low == pytest.approx(0.8 - half, abs=0.015)
        assert estimate.high == pytest.approx(0.8 + half, abs=0.015)

    def test_resamples_groups_not_pairs(self) -> None:
        # Ten groups of 20 pairs, each all right or all wrong: as unsure as ten coins, not as two hundred.
        groups = [Pairs(20, 20)] * 5 + [Pairs(0, 20)] * 5
        estimate = accuracy_interval(groups)
        assert estimate.low is not None
        assert estimate.low <= 0.2

    def test_a_paired_difference(self) -> None:
        groups = [(Pairs(3, 4), Pairs(2, 4))] * 10 + [(Pairs(4, 4), Pairs(4, 4))] * 10

        def gain(both: Sequence[tuple[Pairs, Pairs]]) -> float | None:
            new, old = accuracy([one for one, _ in both]), accuracy([other for _, other in both])
            return None if new is None or old is None else new - old

        estimate = bootstrap_interval(groups, gain, seed=2)
        assert estimate.value == pytest.approx(0.125)
        assert estimate.low is not None
        assert estimate.high is not None
        assert 0 < estimate.low < 0.125 < estimate.high < 0.25

    def test_a_statistic_that_is_never_defined_in_a_sample_has_no_interval(self) -> None:
        groups = [1, 2, 3, 4, 5, 6, 7, 8]
        estimate = bootstrap_interval(groups, lambda drawn: 1.0 if drawn is groups else None, samples=20)
        assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)


def test_mean_and_std() -> None:
    assert mean([]) is None
    assert sample_std([1.0]) is None
    assert mean([0.7, 0.7, 0.7]) == 0.7
    assert sample_std([0.7, 0.7, 0.7]) == 0.0
    assert sample_std([1.0, 2.0, 4.0]) == pytest.approx(statistics.stdev([1, 2, 4]))


def test_importing_core_loads_no_scipy() -> None:
    program = "import sys, reward_lab.core.agreement; print({'scipy', 'numpy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
