from __future__ import annotations

import math
import statistics
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.advantages import CONVENTIONS, advantages, convention_named, dropped, rounded
from reward_lab.errors import InvalidRun

GRADED = [0.0, 0.25, 0.5, 1.0]

TABLE = {
    "trl_grpo": (-1.02446, -0.43905, 0.14635, 1.31716),
    "mean_only": (-0.4375, -0.1875, 0.0625, 0.5625),
    "verl_grpo": (-1.02469, -0.43915, 0.14638, 1.31746),
    "art_local": (-1.18321, -0.50709, 0.16903, 1.52127),
    "group_norm": (-1.02470, -0.43916, 0.14638, 1.31747),
    "rloo": (-0.58333, -0.25, 0.08333, 0.75),
    "nemo_rl": (-1.52752, -0.5, 0.16013, 2.99999),
    "max_rl": (-1.0, -0.42857, 0.14286, 1.28571),
}

members = st.lists(
    st.one_of(st.none(), st.floats(0, 1).map(rounded)),
    min_size=1,
    max_size=9,
)
names = st.sampled_from(list(CONVENTIONS))


def present(values: tuple[float | None, ...]) -> list[float]:
    return [value for value in values if value is not None]


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_published_values_to_five_places(name: str) -> None:
    # The trainers compute in float32: group_norm's third value is 0.146385011, in float32 0.146384999.
    assert present(advantages(GRADED, name)) == pytest.approx(TABLE[name], abs=5.1e-6, rel=0)


def test_every_convention_is_in_the_table_in_its_order() -> None:
    assert list(CONVENTIONS) == list(TABLE)
    assert all(name == one.name for name, one in CONVENTIONS.items())


@pytest.mark.parametrize("name", CONVENTIONS)
def test_identical_rewards_give_exact_zeros(name: str) -> None:
    for reward in (0.7, 0.1, 1 / 3, 0.0, 1.0, 5.0):
        for count in (2, 3, 7, 8):
            assert advantages([reward] * count, name) == (0.0,) * count


@pytest.mark.parametrize("name", CONVENTIONS)
def test_rewards_that_differ_past_six_places_are_equal(name: str) -> None:
    assert advantages([0.1 + 0.2, 0.3, 0.3000000004], name) == (0.0, 0.0, 0.0)


def test_a_naive_formula_would_leave_a_residue() -> None:
    rewards = [0.7, 0.7, 0.7]
    assert rewards[0] - sum(rewards) / 3 != 0
    assert advantages(rewards, "art_local") == (0.0, 0.0, 0.0)


def test_a_group_of_one_follows_the_trainer() -> None:
    alone = {name: advantages([0.8], name)[0] for name in CONVENTIONS}
    assert alone.pop("verl_grpo") == pytest.approx(0.8, abs=1e-5)
    assert alone.pop("rloo") == 0.8
    assert set(alone.values()) == {0.0}


def test_nemo_with_two_members_has_no_std_to_divide_by() -> None:
    assert advantages([0.2, 0.9], "nemo_rl") == pytest.approx((-0.7, 0.7))


def test_nemo_does_not_divide_where_all_others_are_equal() -> None:
    outlier = present(advantages([0.3] * 7 + [0.9], "nemo_rl"))
    assert outlier[-1] == pytest.approx(0.6)
    # The other seven see six equal rewards and the outlier.
    others = [0.3] * 6 + [0.9]
    expected = (0.3 - statistics.mean(others)) / (statistics.stdev(others) + 1e-6)
    assert outlier[:-1] == pytest.approx([expected] * 7)


def test_nemo_names_the_member_that_float32_may_blow_up() -> None:
    amplifies = CONVENTIONS["nemo_rl"].amplifies
    assert amplifies([0.3] * 7 + [0.9]) == (False,) * 7 + (True,)
    assert amplifies([0.3] * 8) == (False,) * 8
    assert amplifies([0.3, 0.9]) == (False, False)
    assert amplifies(GRADED) == (False,) * 4
    assert CONVENTIONS["trl_grpo"].amplifies([0.3] * 7 + [0.9]) == (False,) * 8


def test_max_rl_without_a_positive_mean_is_zero() -> None:
    assert advantages([0.0, 0.0, 0.0], "max_rl") == (0.0, 0.0, 0.0)
    assert advantages([-1.0, 1.0], "max_rl") == (0.0, 0.0)
    assert advantages([-2.0, 1.0], "max_rl") == (0.0, 0.0)


def test_rewards_far_apart_do_not_overflow() -> None:
    for name in CONVENTIONS:
        assert all(math.isfinite(one) for one in present(advantages([1e200, -1e200, 3.0], name)))


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(reward: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        advantages([0.5, reward], "mean_only")


def test_an_unknown_convention_names_those_there_are() -> None:
    with pytest.raises(InvalidRun, match=r"'grpo'.*trl_grpo, mean_only"):
        convention_named("grpo")


def test_nothing_scored_has_no_advantages() -> None:
    assert advantages([None, None], "trl_grpo") == (None, None)
    assert advantages([], "trl_grpo") == ()


class TestDropped:
    def test_art_drops_exact_zeros_only(self) -> None:
        [(filtered, gone)] = dropped([0.0, 0.5, 1.0], "art_local")
        assert (filtered.trainer, filtered.setting, gone) == ("ART", None, (1,))
        assert dropped(GRADED, "art_local") == ()

    def test_indices_count_the_members_left_out(self) -> None:
        [(_, gone)] = dropped([None, 0.0, None, 0.5, 1.0], "art_local")
        assert gone == (3,)

    def test_verl_can_drop_a_constant_group(self) -> None:
        [(filtered, gone)] = dropped([0.7, 0.7, 0.7], "verl_grpo")
        assert (filtered.setting, gone) == ("filter_groups", (0, 1, 2))
        assert dropped([0.7, 0.7, 0.70001], "verl_grpo") == ()

    def test_a_group_of_one_is_not_a_constant_group(self) -> None:
        assert dropped([0.7], "verl_grpo") == ()

    def test_openrlhf_drops_raw_likert_ratings_and_keeps_a_constant_group_inside_the_unit(self) -> None:
        [(filtered, gone)] = dropped([2.0, 4.0, 5.0], "group_norm")
        assert (filtered.trainer, gone) == ("OpenRLHF", (0, 1, 2))
        assert [one.trainer for one, _ in dropped([1.0, 1.0], "group_norm")] == ["OpenRLHF"]
        assert dropped([0.5, 0.5], "group_norm") == ()

    def test_rloo_is_filtered_by_either_trainer(self) -> None:
        assert [one.trainer for one, _ in dropped([1.0, 1.0], "rloo")] == ["verl", "OpenRLHF"]

    def test_tinker_can_drop_a_constant_group(self) -> None:
        assert [one.trainer for one, _ in dropped([0.2, 0.2], "mean_only")] == ["Tinker"]

    def test_nothing_scored_is_dropped_by_nobody(self) -> None:
        assert dropped([None], "art_local") == ()


@given(members, names)
def test_the_unscored_neither_count_nor_get_an_advantage(rewards: list[float | None], name: str) -> None:
    computed = advantages(rewards, name)
    assert [one is None for one in computed] == [one is None for one in rewards]
    assert tuple(present(computed)) == advantages([one for one in rewards if one is not None], name)


@given(members, names, st.randoms(use_true_random=False))
def test_permuting_rewards_permutes_advantages(rewards: list[float | None], name: str, source: Random) -> None:
    order = list(range(len(rewards)))
    source.shuffle(order)
    computed = advantages(rewards, name)
    shuffled = advantages([rewards[index] for index in order], name)
    for place, index in enumerate(order):
        assert (shuffled[place] is None) == (computed[index] is None)
        assert (shuffled[place] or 0.0) == pytest.approx(computed[index] or 0.0, rel=1e-9, abs=1e-12)


@given(members, names)
def test_a_higher_reward_never_has_a_lower_advantage(rewards: list[float | None], name: str) -> None:
    both = [(r, a) for r, a in zip(rewards, advantages(rewards, name), strict=True) if r is not None and a is not None]
    for reward, advantage in both:
        for other, its in both:
            if reward < other:
                assert advantage <= its + 1e-12
            if reward == other:
                assert advantage == its


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=9),
    st.integers(-1000, 1000),
    st.sampled_from([name for name in CONVENTIONS if name != "max_rl"]),
)
def test_a_constant_added_to_all_rewards_changes_nothing(thousandths: list[int], shift: int, name: str) -> None:
    plain = advantages([one / 1000 for one in thousandths], name)
    moved = advantages([(one + shift) / 1000 for one in thousandths], name)
    assert moved == pytest.approx(plain, rel=1e-9, abs=1e-12)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=9), st.integers(2, 9))
def test_scaling_rewards_scales_or_leaves_advantages(thousandths: list[int], factor: int) -> None:
    plain = [one / 1000 for one in thousandths]
    scaled = [one * factor / 1000 for one in thousandths]
    for name in ("mean_only", "rloo"):
        expected = [one * factor for one in present(advantages(plain, name))]
        assert advantages(scaled, name) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    for name in ("group_norm", "max_rl"):
        assert advantages(scaled, name) == pytest.approx(advantages(plain, name), rel=1e-9, abs=1e-12)


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=9),
    st.sampled_from([name for name in CONVENTIONS if name != "nemo_rl"]),
)
def test_advantages_of_a_group_sum_to_zero(thousandths: list[int], name: str) -> None:
    assert math.fsum(present(advantages([one / 1000 for one in thousandths], name))) == pytest.approx(0, abs=1e-9)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=9))
def test_against_the_standard_library(thousandths: list[int]) -> None:
    rewards = [one / 1000 for one in thousandths]
    centre, std, population = statistics.mean(rewards), statistics.stdev(rewards), statistics.pstdev(rewards)
    for name, divisor in (("trl_grpo", std + 1e-4), ("verl_grpo", std + 1e-6), ("art_local", population + 1e-6)):
        expected = [(one - centre) / divisor for one in rewards]
        assert advantages(rewards, name) == pytest.approx(expected, rel=1e-9, abs=1e-9)
