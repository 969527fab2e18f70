from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.rewards import Reward, compose, explicit_score, likert_reward, points_score
from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric

WEIGHTS = [5, 3, -1, -2]
FAULT_PHRASED = [True, True, False, False]  # pitfalls say what is wrong: true is bad
AVOIDANCE_PHRASED = [True, True, True, True]  # pitfalls say "avoids ...": true is good


@pytest.mark.parametrize(
    ("holds", "meets_when", "expected"),
    [
        pytest.param([True, True, False, False], FAULT_PHRASED, 11 / 11, id="all met"),
        pytest.param([False, False, True, True], FAULT_PHRASED, 0.0, id="none met"),
        # Eq. 1 as printed would give (5+3)/(5+3-1-2) = 1.6 here.
        pytest.param([True, True, True, True], FAULT_PHRASED, 8 / 11, id="both positives met, both pitfalls hit"),
        pytest.param([True, True, True, False], FAULT_PHRASED, 10 / 11, id="one pitfall hit"),
        pytest.param([True, False, False, True], FAULT_PHRASED, 6 / 11, id="mixed"),
        pytest.param([False, True, True, False], FAULT_PHRASED, 5 / 11, id="mixed, other"),
        pytest.param([True, True, True, True], AVOIDANCE_PHRASED, 1.0, id="avoidance-phrased: all true is best"),
        pytest.param([True, True, False, False], AVOIDANCE_PHRASED, 8 / 11, id="avoidance-phrased: pitfalls hit"),
        pytest.param([False] * 4, AVOIDANCE_PHRASED, 0.0, id="avoidance-phrased: none"),
    ],
)
def test_explicit_score_by_hand(holds: list[bool], meets_when: list[bool], expected: float) -> None:
    assert explicit_score(WEIGHTS, holds, meets_when) == pytest.approx(expected, abs=1e-15)


def test_only_pitfalls() -> None:
    assert explicit_score([-1, -2], [False, False], [False, False]) == 1.0
    assert explicit_score([-1, -2], [True, False], [False, False]) == pytest.approx(2 / 3)
    assert explicit_score([-1, -2], [True, True], [False, False]) == 0.0


def test_category_weights_of_the_paper() -> None:
    # Essential 1.0, Important 0.7, Optional 0.3, Pitfall 0.9: 2.9 in all; essential and pitfall met.
    assert explicit_score(
        [1.0, 0.7, 0.3, 0.9], [True, False, False, False], [True, True, True, False]
    ) == pytest.approx(1.9 / 2.9)


def test_a_weight_of_zero_counts_nothing() -> None:
    assert explicit_score([0, 2], [False, True], [True, True]) == 1.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0, 0], "at least one weight"),
        ([0.0, -0.0], "at least one weight"),
        ([1, math.nan], "finite"),
        ([1, math.inf], "finite"),
        ([-math.inf, 1], "finite"),
        ([1], "do not match"),
        ([1, 2, 3], "do not match"),
    ],
)
def test_weights_that_make_no_score(weights: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explicit_score(weights, [True, True], [True, True])


def test_no_criteria_make_no_score() -> None:
    with pytest.raises(ValueError, match="at least one weight"):
        explicit_score([], [], [])


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf])
def test_a_rubric_refuses_such_weights_by_name(weight: float) -> None:
    with pytest.raises(InvalidRubric, match=r"criteria 1: weight: a weight must be a finite number"):
        Rubric.from_record({"criteria": [{"description": "x", "weight": weight}]})


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(finite, st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_explicit_score_stays_in_bounds(rows: list[tuple[float, bool, bool]]) -> None:
    weights, holds, meets_when = zip(*rows, strict=True)
    if not any(weights):
        return
    score = explicit_score(weights, holds, meets_when)
    assert 0.0 <= score <= 1.0
    opposite = explicit_score(weights, [not one for one in holds], meets_when)
    assert score + opposite == pytest.approx(1.0)


@given(st.lists(st.tuples(st.floats(0.01, 100), st.booleans()), min_size=1, max_size=8), st.data())
def test_meeting_one_more_never_lowers_the_score(rows: list[tuple[float, bool]], data: st.DataObject) -> None:
    weights, meets_when = zip(*rows, strict=True)
    holds = [data.draw(st.booleans()) for _ in rows]
    place = data.draw(st.integers(0, len(rows) - 1))
    better = [*holds[:place], meets_when[place], *holds[place + 1 :]]
    assert explicit_score(weights, better, meets_when) >= explicit_score(weights, holds, meets_when)


@pytest.mark.parametrize(
    ("rating", "top", "from_one", "share"),
    [
        (1, 10, 0.0, 0.1),
        (10, 10, 1.0, 1.0),
        (7, 10, 6 / 9, 0.7),
        (5.5, 10, 0.5, 0.55),
        (3, 5, 0.5, 0.6),
        (2, 2, 1.0, 1.0),
    ],
)
def test_likert_reward(rating: float, top: int, from_one: float, share: float) -> None:
    assert likert_reward(rating, top, "from_one") == pytest.approx(from_one)
    assert likert_reward(rating, top, "share") == pytest.approx(share)


@pytest.mark.parametrize("rating", [0, 0.99, 10.01, -1, math.nan, math.inf])
def test_likert_reward_refuses_what_is_off_the_scale(rating: float) -> None:
    with pytest.raises(ValueError, match="between 1 and 10"):
        likert_reward(rating, 10, "from_one")


def checked(**scoring: object) -> Rubric:
    return Rubric.model_validate(
        {
            "verifiers": [{"kind": "contains", "value": "x", "weight": 0.5}, {"kind": "regex", "pattern": "y"}],
            "scoring": scoring,
        }
    )


def test_a_reward_keeps_each_of_its_figures() -> None:
    reward = compose(checked(judge_weight=0.5, add_independent=True), 0.8, verified=(True, False), independent=0.25)
    assert reward == Reward(
        total=0.5 * 0.8 + 0.5 + 0.0 + 0.25, judge=0.8, judge_weight=0.5, verifiers=(0.5, 0.0), independent=0.25
    )


def test_the_independent_reward_is_added_only_where_the_rubric_says_so() -> None:
    assert compose(Rubric(), 0.8, independent=1.0) == Reward(total=0.8, judge=0.8, judge_weight=1.0)


@pytest.mark.parametrize("holds", list(product((True, False), repeat=2)))
def test_ruler_plus_verifiers(holds: tuple[bool, bool]) -> None:
    assert compose(checked(), 0.3, verified=holds).total == pytest.approx(0.3 + 0.5 * holds[0] + 1.0 * holds[1])


def test_what_is_unknown_leaves_the_total_unknown() -> None:
    assert compose(checked(), 0.8, verified=(True, None)).total is None
    assert compose(checked(), 0.8, verified=(True, None)).verifiers == (0.5, None)
    assert compose(Rubric(scoring=Scoring(add_independent=True)), 0.8).total is None


@pytest.mark.parametrize("figure", [math.nan, math.inf, -math.inf])
def test_a_reward_is_never_made_of_nan(figure: float) -> None:
    with pytest.raises(ValueError, match="judge's reward must be a finite number"):
        compose(Rubric(), figure)
    with pytest.raises(ValueError, match="independent reward must be a finite number"):
        compose(Rubric(), 0.5, independent=figure)


def test_values_must_match_the_verifiers() -> None:
    with pytest.raises(ValueError, match="2 verifiers, but 1"):
        compose(checked(), 0.5, verified=(True,))


def test_polarity_is_on_the_criterion_and_not_in_the_sign() -> None:
    rubric = Rubric(
        criteria=(Criterion(description="a", weight=-2), Criterion(description="b", weight=1, meets_when=False)),
        scoring=Scoring(weights="own"),
    )
    assert rubric.weights == (2.0, 1.0)


# HealthBench: 7 for the dose, 5 for the warning, 3 for the source; 8 are lost where the answer names a wrong drug.
POINTS, SIGNS = [7, 5, 3, 8], [True, True, True, False]


@pytest.mark.parametrize(
    ("truths", "expected"),
    [
        pytest.param([1, 1, 1, 0], 1.0, id="all that can be won"),
        pytest.param([1, 0, 1, 0], 10 / 15, id="some"),
        pytest.param([1, 0, 1, 1], 2 / 15, id="some, and the fault"),
        pytest.param([0, 0, 1, 1], -5 / 15, id="the fault costs more than was won"),
        pytest.param([0, 0, 0, 1], -8 / 15, id="the fault alone"),
        pytest.param([0, 0, 0, 0], 0.0, id="nothing"),
        pytest.param([0.5, 0, 0, 0.5], -0.5 / 15, id="partly"),
    ],
)
def test_points_by_hand_below_zero_too(truths: list[float], expected: float) -> None:
    assert points_score(POINTS, truths, SIGNS) == pytest.approx(expected, abs=1e-15)
    assert points_score([-one for one in POINTS], truths, SIGNS) == pytest.approx(expected, abs=1e-15)


def test_where_nothing_can_be_won_there_is_no_score() -> None:
    with pytest.raises(ValueError, match="met when true must have a weight"):
        points_score([8], [0], [False])


def test_what_is_partly_true_counts_half_either_way() -> None:
    assert explicit_score([2, 1], [0.5, 0.0], [True, True]) == pytest.approx(1 / 3)
    assert explicit_score([2, 1], [0.5, 0.0], [False, False]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("truth", [-0.1, 1.5, math.nan])
def test_a_truth_lies_between_false_and_true(truth: float) -> None:
    for score in (explicit_score, points_score):
        with pytest.raises(ValueError, match="between 0 and 1"):
            score([1], [truth], [True])
