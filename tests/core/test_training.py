"""The training view against figures worked by hand and numpy, and what it says of them."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.advantages import CONVENTIONS, advantages, dropped
from reward_lab.core.training import GroupRewards, Share, TrainingView, training_view
from reward_lab.core.training_sentences import training_cautions, training_sentence
from reward_lab.errors import InvalidRun


def of(*totals: float | None, lengths: tuple[int, ...] | None = None) -> GroupRewards:
    return GroupRewards(totals, totals, lengths)


MIXED = (of(0.0, 0.25, 0.5, 1.0), of(0.7, 0.7, 0.7, 0.7), of(0.9, 1.0, None, 0.95), of(None, None, 0.3, None))


def kinds(view: TrainingView) -> list[str]:
    return [one.kind for one in training_cautions(view)]


def test_groups_that_can_train_are_told_from_those_that_cannot() -> None:
    view = training_view(MIXED, "trl_grpo")
    assert (view.groups, view.alone) == (3, 1)
    assert (view.responses, view.unknown, view.partial) == (12, 4, 2)
    assert view.constant == Share(1, 3)
    assert view.mean.n == 4
    assert view.std.n == 3


def test_means_and_stds_are_those_of_numpy() -> None:
    view = training_view(MIXED, "trl_grpo")
    known = [np.array(group.known) for group in MIXED]
    assert view.mean.value == pytest.approx(np.mean([one.mean() for one in known]), abs=1e-9)
    assert view.std.value == pytest.approx(np.mean([one.std(ddof=1) for one in known if len(one) > 1]), abs=1e-9)


def test_the_ceiling_counts_responses_of_all_groups() -> None:
    assert training_view(MIXED, "trl_grpo").ceiling.value == pytest.approx(4 / 12, abs=1e-12)  # 1.0, 0.9, 1.0, 0.95


def test_the_ceiling_is_of_the_judge_alone() -> None:
    view = training_view([GroupRewards((1.6, 1.5), (0.6, 0.5))], "trl_grpo")
    assert view.ceiling.value == 0.0


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_advantages_are_those_of_each_group(convention: str) -> None:
    view = training_view(MIXED, convention)
    expected: list[float] = []
    for group in MIXED[:3]:
        computed = [one for one in advantages(group.known, convention) if one is not None]
        always = {member for one, gone in dropped(group.known, convention) if one.setting is None for member in gone}
        expected += [one for member, one in enumerate(computed) if member not in always]
    assert view.advantages == pytest.approx(expected, abs=1e-12)


def test_what_a_trainer_leaves_out_is_counted_by_filter() -> None:
    (art,) = training_view(MIXED, "art_local").left
    # The constant group whole, and 0.95, the mean of its own group.
    assert (art.by.trainer, art.groups, art.responses) == ("ART", 1, 5)
    (verl,) = training_view(MIXED, "verl_grpo").left
    assert (verl.by.setting, verl.groups, verl.responses) == ("filter_groups", 1, 4)
    assert training_view(MIXED, "trl_grpo").left == ()


def test_three_rewards_of_seven_tenths_leave_a_residue_in_floats() -> None:
    assert sum([0.7, 0.7, 0.7]) / 3 != 0.7
    assert training_view([of(0.7, 0.7, 0.7), of(0.5, 0.5)], "art_local").residue == 1


def test_rewards_that_differ_beyond_the_sixth_place_are_equal_and_leave_a_residue() -> None:
    view = training_view([of(0.3, 0.1 + 0.2)], "art_local")
    assert view.constant.count == view.residue == 1


def test_seven_alike_and_one_apart_are_amplified_by_nemo_alone() -> None:
    group = of(*[0.3] * 7, 0.9)
    assert training_view([group], "nemo_rl").amplified == 1
    assert training_view([group], "trl_grpo").amplified == 0


def test_an_advantage_that_outweighs_its_group_is_counted() -> None:
    near_zero = of(0.5, 0.5, 0.500001, 0.5)
    assert training_view([near_zero], "max_rl").large == 0
    tiny_mean = of(*[0.0] * 19, 0.01)
    assert training_view([tiny_mean], "max_rl").large == 1  # (0.01 - 0.0005) / 0.0005 = 19


def test_length_is_correlated_within_groups_not_across_them() -> None:
    # Across groups longer goes with higher; within each it goes with lower.
    groups = [of(0.2, 0.1, lengths=(10, 20)), of(0.9, 0.8, lengths=(1000, 2000))]
    assert training_view(groups, "trl_grpo").length.value == -1.0


def test_lengths_that_were_not_measured_do_not_count() -> None:
    view = training_view([of(0.2, 0.1), of(0.2, 0.4, lengths=(1, 2))], "trl_grpo")
    assert (view.length.value, view.length.n) == (1.0, 1)


def test_an_unknown_convention_is_refused() -> None:
    with pytest.raises(InvalidRun, match="'ppo'"):
        training_view(MIXED, "ppo")


def test_nothing_scored_is_unknown_not_zero() -> None:
    view = training_view([of(None, None)], "trl_grpo")
    assert (view.mean.value, view.std.value, view.ceiling.value, view.constant.value) == (None, None, None, None)
    assert training_sentence(view, "RULER") == "RULER has given no reward yet, so there is nothing to train on."


@given(st.lists(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=6), max_size=8))
def test_every_reward_is_counted_once(groups: list[list[float | None]]) -> None:
    view = training_view([of(*group) for group in groups], "mean_only")
    assert view.responses + view.unknown == sum(map(len, groups))
    assert view.groups + view.alone == len(groups)
    assert math.isclose(math.fsum(view.advantages), 0.0, abs_tol=1e-6)


def test_the_sentence_has_shares_with_intervals_and_n() -> None:
    groups = [of(0.2, 0.6), of(0.5, 0.5)] * 30
    view = training_view(groups, "trl_grpo")
    assert training_sentence(view, "RULER").startswith("RULER gives a mean reward of 0.45 (95% interval 0.4")
    assert "30 of 60 groups (50%, 38% to 62%) have equal rewards and train nothing." in training_sentence(view, "RULER")


def test_a_sound_run_gives_no_caution() -> None:
    lengths = (9, 12, 8, 11)
    sound = [of(0.2, 0.4, 0.7, 0.5, lengths=lengths[:: 1 if place % 2 else -1]) for place in range(40)]
    assert kinds(training_view(sound, "trl_grpo")) == []


def test_warnings_come_before_notes() -> None:
    view = training_view([of(0.95, 0.95, None), of(0.9, 0.9, 1.0), of(0.3)], "art_local")
    levels = [one.level for one in training_cautions(view)]
    assert levels == sorted(levels, reverse=True)
    assert {"unknown_rewards", "groups_alone", "constant_groups", "ceiling", "dropped", "few_groups"} <= set(
        kinds(view)
    )


def test_length_is_a_warning_only_where_the_interval_leaves_out_zero() -> None:
    longer = [of(0.1, 0.2, 0.3, 0.4, lengths=(1, 2, 3, 4)) for _ in range(40)]
    both = [of(0.1, 0.2, 0.3, 0.4, lengths=tuple(range(4))[:: 1 if place % 2 else -1]) for place in range(40)]
    assert "length" in kinds(training_view(longer, "trl_grpo"))
    assert "length" not in kinds(training_view(both, "trl_grpo"))
    assert "length" not in kinds(training_view(longer[:20], "trl_grpo"))  # too few to say so


def test_the_std_within_groups_is_that_of_the_statistics_module() -> None:
    assert of(0.1, 0.4, 0.35).std == pytest.approx(statistics.stdev([0.1, 0.4, 0.35]), abs=1e-12)
