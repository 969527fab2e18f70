"""Krippendorff's alpha: against his published example, and against the package ``krippendorff`` 0.9.0."""

from __future__ import annotations

import random

import pytest

from reward_lab.core.reliability import Level, alpha_interval, krippendorff_alpha

PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
"""Krippendorff 2011, section C: four observers, twelve units. He gives 0.743, 0.815 and 0.849."""

RANDOM = [
    [3, 4, 1, 6, 7, 2, 1, 1, None, 6, 4, None, 3, 5, 4],
    [2, 1, 4, 3, None, 4, 4, 3, 2, 4, 4, 5, 1, 5, 6],
    [3, 2, 3, 7, 4, 1, 4, None, 4, 4, 3, 6, 6, 4, 6],
    [7, 2, 3, 4, 4, None, 1, None, 7, 4, 7, 5, 2, 3, 1],
    [6, 3, 7, 4, 2, 5, 6, 5, 3, 5, 1, None, 3, 4, 3],
]
HALVES = [
    [None, -0.5, -1.5, -0.5, 0, None, None, -0.5, 1.5, None, -0.5, 1.5, 1.5, -0.5, None, -0.5, -0.5, -0.5, -1.5, 1.5],
    [0, 0.5, 1.5, None, -0.5, 0.5, -1.5, 0, -0.5, -1.5, -0.5, 0, 0.5, -1.5, -0.5, 0.5, None, -0.5, None, 0],
    [-1.5, -0.5, -0.5, -0.5, 0.5, None, 0, -1.5, 0, -1.5, None, None, None, None, 1.5, -1.5, 0.5, 1.5, -1.5, 0.5],
]
"""Drawn at random. Values of ``krippendorff.alpha(reliability_data=..., level_of_measurement=...)`` below."""


@pytest.mark.parametrize(
    ("data", "level", "expected"),
    [
        (PUBLISHED, Level.NOMINAL, 0.743421052631579),
        (PUBLISHED, Level.ORDINAL, 0.8153875037548814),
        (PUBLISHED, Level.INTERVAL, 0.8491071428571428),
        (RANDOM, Level.NOMINAL, -0.03201799930771898),
        (RANDOM, Level.ORDINAL, -0.01927390853797628),
        (RANDOM, Level.INTERVAL, -0.03854404539478229),
        (HALVES, Level.NOMINAL, 0.0036900369003689537),
        (HALVES, Level.ORDINAL, 0.16183035395525647),
        (HALVES, Level.INTERVAL, 0.15138509559110425),
    ],
)
def test_alpha_is_as_published_and_as_the_package_has_it(
    data: list[list[float | None]], level: Level, expected: float
) -> None:
    units = [*zip(*data, strict=True)]
    assert krippendorff_alpha(units, level) == pytest.approx(expected, abs=1e-9)
    assert alpha_interval([[unit] for unit in units], level).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("level", Level)
def test_alpha_is_undefined_where_nothing_could_disagree(level: Level) -> None:
    assert krippendorff_alpha([], level) is None
    assert krippendorff_alpha([(1, None), (None, 2)], level) is None
    assert krippendorff_alpha([(3, 3), (3, 3)], level) is None


def test_two_who_rank_the_other_way_round_are_worse_than_chance() -> None:
    # Values 1 and 2, twice each: every pair differs, of which chance would have 4 of 6.
    assert krippendorff_alpha([(1, 2), (2, 1)], Level.NOMINAL) == pytest.approx(1 - 1 / (4 / 6))


def test_the_interval_is_by_group_and_stays_below_one() -> None:
    source = random.Random(2)
    groups = []
    for _ in range(40):
        qualities = [source.gauss(0, 1) for _ in range(4)]
        groups.append([(round(one + source.gauss(0, 0.3)), round(one + source.gauss(0, 0.3))) for one in qualities])
    found = alpha_interval(groups, Level.INTERVAL)
    assert found.n == 40
    assert found.value == pytest.approx(
        krippendorff_alpha([unit for group in groups for unit in group], Level.INTERVAL)
    )
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high < 1
    # Each group twice over is no more groups, but pairs that vary together: the width stays.
    doubled = alpha_interval([group * 2 for group in groups], Level.INTERVAL)
    assert doubled.high == pytest.approx(found.high, abs=0.002)


def test_the_width_is_that_of_the_delete_one_jackknife() -> None:
    source = random.Random(4)
    groups = [[(source.randint(1, 4), source.randint(1, 4)) for _ in range(3)] for _ in range(200)]
    without = [
        krippendorff_alpha([unit for one in groups[:at] + groups[at + 1 :] for unit in one], Level.ORDINAL) or 0.0
        for at in range(200)
    ]
    centre = sum(without) / 200
    error = (199 / 200 * sum((one - centre) ** 2 for one in without)) ** 0.5
    found = alpha_interval(groups, Level.ORDINAL)
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 == pytest.approx(1.97 * error, rel=0.03)


def test_perfect_agreement_and_a_single_group_have_no_interval() -> None:
    perfect = alpha_interval([[(1, 1), (2, 2)]] * 5, Level.NOMINAL)
    assert (perfect.value, perfect.low, perfect.high, perfect.n) == (1.0, None, None, 5)
    single = alpha_interval([[(1, 2), (2, 2), (3, 3)]], Level.NOMINAL)
    assert single.value is not None
    assert (single.low, single.high, single.n) == (None, None, 1)


def test_groups_without_two_values_of_one_thing_do_not_count() -> None:
    assert alpha_interval([[(1, 2)], [(2, 1)], [(1, None)], []], Level.NOMINAL).n == 2
