"""Rewards against labels: worked by hand, and by scipy."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reward_lab.core.calibration import Side, accuracy_difference, calibration_figures, group_calibration
from reward_lab.core.comparison import Rewards
from reward_lab.core.labelled import Holding


def holding(
    *levels: float | None, annotator: str = "ann", good: Sequence[int] = (), bad: Sequence[int] = ()
) -> Holding:
    """What somebody says of a group whose responses have these levels."""
    known = [(place, level) for place, level in enumerate(levels) if level is not None]
    pairs = [(one, other) for one, other in combinations(known, 2)]
    return Holding(
        annotator,
        levels,
        ordered=tuple(
            (first, second) if level > other else (second, first)
            for (first, level), (second, other) in pairs
            if level != other
        ),
        tied=tuple((first, second) for (first, level), (second, other) in pairs if level == other),
        good=tuple(good),
        bad=tuple(bad),
        criteria=({},) * len(levels),
    )


def test_pairs_are_counted_and_a_tie_of_the_judge_is_half() -> None:
    found = group_calibration((0.9, 0.4, 0.4, 0.6), [holding(3, 2, 1, 4)])
    # Of (d>a), (d>b), (d>c), (a>b), (a>c), (b>c) the judge has d below a, and b level with c.
    assert (found.correct, found.pairs, found.ties) == (4.5, 6, 1)


def test_what_is_not_scored_or_not_labelled_is_in_no_figure() -> None:
    found = group_calibration((0.9, None, 0.1, 0.5), [holding(3, 2, 1, None, good=[0, 1], bad=[2])])
    assert (found.correct, found.pairs, found.separated, found.marked, found.margin) == (1.0, 1, 1.0, 1, 0.8)
    empty = group_calibration((None, 0.5), [holding(1, 2, good=[1], bad=[0])])
    assert (empty.pairs, empty.taus, empty.tops, empty.marked, empty.margin) == (0, (), (), 0, None)


def test_people_who_hold_all_equal_order_no_pair() -> None:
    found = group_calibration((0.9, 0.1), [holding(1, 1)])
    assert (found.pairs, found.taus, found.tops) == (0, (), ())


def test_a_judge_that_holds_all_equal_is_half_right_and_has_no_tau() -> None:
    found = group_calibration((0.5, 0.5, 0.5), [holding(3, 2, 1)])
    assert (found.correct, found.pairs, found.ties, found.taus) == (1.5, 3, 3, ())
    assert found.tops == (pytest.approx(1 / 3),)


@pytest.mark.parametrize(
    ("rewards", "levels", "top"),
    [
        ((0.9, 0.5, 0.1), (3, 2, 1), 1.0),
        ((0.5, 0.9, 0.1), (3, 2, 1), 0.0),
        ((0.9, 0.9, 0.1), (3, 2, 1), 0.5),
        ((0.9, 0.5, 0.1), (3, 3, 1), 1.0),
        ((0.9, 0.9, 0.1), (3, 3, 1), 1.0),
        ((0.2, 0.9, 0.1), (2, None, 1), 1.0),
        ((None, 0.9, 0.1), (3, 2, 1), 1.0),
    ],
)
def test_the_judges_best_is_among_the_peoples_best(
    rewards: Rewards, levels: tuple[float | None, ...], top: float
) -> None:
    assert group_calibration(rewards, [holding(*levels)]).tops == (top,)


def random_groups(seed: int, count: int = 60) -> list[tuple[Rewards, Holding]]:
    source = random.Random(seed)
    groups = []
    for _ in range(count):
        size = source.randint(2, 7)
        rewards = tuple(source.choice([None, 0.1, 0.3, 0.3, 0.6, 0.9]) for _ in range(size))
        levels = tuple(source.choice([None, 1.0, 2.0, 3.0, 4.0]) for _ in range(size))
        kinds = [source.choice(["good", "bad", ""]) for _ in range(size)]
        good, bad = ([place for place, kind in enumerate(kinds) if kind == wanted] for wanted in ("good", "bad"))
        groups.append((rewards, holding(*levels, good=good, bad=bad)))
    return groups


def test_tau_b_is_the_mean_of_scipys_over_the_groups_where_it_is_defined() -> None:
    groups = random_groups(1)
    taus = []
    for rewards, label in groups:
        both = [(one, other) for one, other in zip(rewards, label.levels, strict=True) if None not in (one, other)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tau = float(stats.kendalltau([one for one, _ in both], [other for _, other in both]).statistic)
        if not math.isnan(tau):
            taus.append(tau)
    found = calibration_figures(group_calibration(rewards, [label]) for rewards, label in groups)
    assert found.tau_b.value == pytest.approx(sum(taus) / len(taus), abs=1e-9)
    assert found.tau_b.n == len(taus)


def test_auc_is_scipys_mann_whitney_u_within_groups() -> None:
    groups = random_groups(2)
    above = pairs = 0.0
    for rewards, label in groups:
        good = [one for place in label.good if (one := rewards[place]) is not None]
        bad = [one for place in label.bad if (one := rewards[place]) is not None]
        if good and bad:
            above += float(stats.mannwhitneyu(good, bad).statistic)
            pairs += len(good) * len(bad)
    found = calibration_figures(group_calibration(rewards, [label]) for rewards, label in groups)
    assert found.auc.value == pytest.approx(above / pairs, abs=1e-9)


def test_the_margin_is_that_of_the_worst_group() -> None:
    groups = [
        ((0.9, 0.2, 0.1), holding(3, 2, 1, good=[0], bad=[1, 2])),
        ((0.5, 0.6, 0.1), holding(3, 2, 1, good=[0], bad=[1])),
        ((0.9, 0.1), holding(2, 1, good=[0, 1])),
    ]
    found = calibration_figures(group_calibration(rewards, [label]) for rewards, label in groups)
    assert found.margin == -0.1
    assert found.auc.value == pytest.approx(2 / 3)
    assert found.auc.n == 2


def test_each_annotators_pairs_count_and_their_tau_b_and_top_1_are_a_groups_mean() -> None:
    both = [holding(3, 2, 1), holding(1, 2, 3, annotator="bob")]
    found = calibration_figures([group_calibration((0.9, 0.5, 0.1), both)])
    assert (found.accuracy.value, found.pairs, found.groups, found.accuracy.n) == (0.5, 6, 1, 1)
    assert (found.tau_b.value, found.top_1.value) == (0.0, 0.5)


def test_figures_without_a_label_are_unknown() -> None:
    found = calibration_figures([group_calibration((0.9, 0.1), [])])
    assert (found.accuracy.value, found.tie_rate, found.tau_b.value, found.top_1.value) == (None, None, None, None)
    assert (found.auc.value, found.margin, found.pairs, found.groups) == (None, None, 0, 0)


def side(rewards: Rewards, *labels: Holding, places: Sequence[int | None] | None = None) -> Side:
    return Side(rewards, labels, range(len(rewards)) if places is None else places)


def test_a_difference_is_over_the_pairs_that_both_scored() -> None:
    label = holding(3, 2, 1)
    groups = [
        (side((0.9, 0.5, 0.1), label), side((0.9, 0.5, 0.5), label)),  # 3 of 3 and 2.5 of 3
        (side((0.9, 0.5, 0.1), label), side((0.1, 0.5, None), label)),  # of the one pair in common 1 and 0
        (side((0.9, 0.5, 0.1), label), side((None, None, 0.1), label)),  # none in common
    ]
    found = accuracy_difference(groups)
    assert found.value == pytest.approx((0.5 + 1.0) / 4)
    assert found.n == 2
    turned = accuracy_difference([(other, one) for one, other in groups])
    assert turned.value == pytest.approx(-1.5 / 4)
    assert (turned.low, turned.high) == pytest.approx((-(found.high or 0), -(found.low or 0)))


def test_responses_are_found_where_the_other_run_has_them() -> None:
    first = side((0.9, 0.1, 0.5), holding(3, 1, 2))
    turned = side((0.9, 0.1), holding(1, 3), places=(1, 0, None))
    assert accuracy_difference([(first, turned)]).value == 1.0  # of the pair in common the second has it wrong


def test_a_pair_that_the_labels_of_the_runs_put_differently_is_not_compared() -> None:
    groups = [(side((0.9, 0.1), holding(2, 1)), side((0.9, 0.1), holding(1, 2)))]
    assert accuracy_difference(groups).value is None
    others = [(side((0.9, 0.1), holding(2, 1)), side((0.9, 0.1), holding(2, 1, annotator="bob")))]
    assert accuracy_difference(others).value is None


responses = st.lists(
    st.tuples(st.sampled_from([None, 0.1, 0.5, 0.9]), st.sampled_from([None, 1.0, 2.0, 3.0])), max_size=7
)


@given(responses, st.randoms(use_true_random=False))
def test_the_order_of_the_responses_changes_nothing(
    told: list[tuple[float | None, float | None]], source: Random
) -> None:
    shuffled = source.sample(told, len(told))
    first, second = (
        group_calibration(tuple(one for one, _ in both), [holding(*(other for _, other in both))])
        for both in (told, shuffled)
    )
    assert first == second


@given(responses)
def test_a_judge_turned_round_is_right_where_it_was_wrong(told: list[tuple[float | None, float | None]]) -> None:
    label = holding(*(other for _, other in told))
    rewards = tuple(one for one, _ in told)
    found = group_calibration(rewards, [label])
    turned = group_calibration(tuple(None if one is None else 1 - one for one in rewards), [label])
    assert found.correct + turned.correct == found.pairs == turned.pairs
    assert turned.taus == tuple(-tau for tau in found.taus)
