"""What moved between runs, worked out by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from reward_lab.core.comparison import (
    Comparison,
    GroupFigures,
    Rewards,
    RunFigures,
    comparison,
    group_change,
    method_gap,
    paired_difference,
    rewards_of,
)
from reward_lab.core.comparison_sentences import comparison_sentence, is_clear
from reward_lab.core.matching import Member, RunGroup
from reward_lab.core.ordering import Filter, Order, ordered


def run_of(run_id: int, *groups: dict[str, Rewards], gaps: tuple[float | None, ...] = (), first: int = 1) -> RunFigures:
    """A run over groups g1, g2, ... of responses 1, 2, ...; ``groups`` are their rewards by method."""
    figures = []
    for place, rewards in enumerate(groups):
        number = first + place
        size = len(next(iter(rewards.values())))
        members = tuple(Member(f"{number}-{one}", str(one)) for one in range(1, size + 1))
        gap = gaps[place] if gaps else None
        figures.append(GroupFigures(RunGroup(number, f"g{number}", f"question {number}", members), rewards, gap))
    return RunFigures(run_id, tuple(groups[0]), tuple(figures))


@pytest.fixture
def compared() -> Comparison:
    old = run_of(
        3,
        {"ruler": (0.9, 0.5, 0.1), "likert": (0.9, 0.4, 0.2)},
        {"ruler": (0.2, 0.8, 0.5), "likert": (0.9, 0.1, 0.5)},
        {"ruler": (0.5, None, 0.5), "likert": (0.5, 0.5, 0.5)},
    )
    new = run_of(
        4,
        {"ruler": (0.8, 0.9, 0.1), "likert": (0.9, 0.4, 0.2)},
        {"ruler": (0.2, 0.2, 0.5), "likert": (0.9, 0.1, 0.5)},
        {"ruler": (0.5, 0.4, None), "likert": (0.5, 0.5, 0.5)},
    )
    return comparison(old, [new])


def test_a_change_has_its_sign_its_response_and_its_flips() -> None:
    change = group_change((0.9, 0.5, 0.1), (0.8, 0.9, 0.1))
    assert (change.paired, change.mean, change.largest, change.member, change.lowest) == (3, 0.1, 0.4, 1, -0.1)
    assert (change.flips, change.lost, change.gained) == (1, 0, 0)


def test_a_tie_that_breaks_is_no_flip() -> None:
    assert group_change((0.5, 0.5), (0.1, 0.9)).flips == 0
    assert group_change((0.1, 0.9), (0.5, 0.5)).flips == 0
    assert group_change((0.1, 0.5, 0.9), (0.9, 0.5, 0.1)).flips == 3


def test_what_is_unscored_is_in_no_difference_and_is_counted() -> None:
    change = group_change((0.5, None, 0.5, None), (0.5, 0.4, None, None))
    assert (change.paired, change.mean, change.largest, change.lost, change.gained) == (1, 0.0, 0.0, 1, 1)
    nothing = group_change((0.5, None), (None, 0.5))
    assert (nothing.mean, nothing.largest, nothing.member, nothing.lowest) == (None, None, None, None)


def test_the_residue_of_floats_is_no_change() -> None:
    assert group_change((0.1 + 0.2,), (0.3,)).largest == 0.0


def test_rewards_stand_in_the_order_of_the_baseline() -> None:
    old, new = run_of(1, {"ruler": (0.1, 0.2)}), run_of(2, {"ruler": (0.3, 0.4)})
    turned = RunGroup(9, "g1", "question 1", new.groups[0].group.members[::-1])
    found = comparison(old, [RunFigures(2, ("ruler",), (GroupFigures(turned, {"ruler": (0.4, 0.3)}),))])
    assert found.groups[0].rewards[1] == {"ruler": (0.3, 0.4)}


def test_groups_without_a_counterpart_are_named_on_both_sides() -> None:
    old = run_of(1, {"ruler": (0.1,)}, {"ruler": (0.2,)})
    found = comparison(old, [run_of(2, {"ruler": (0.3,)}, {"ruler": (0.4,)}, first=2)])
    assert [group.group.name for group in found.groups] == ["g2"]
    assert [[group.name for group in groups] for groups in found.unmatched] == [["g1"], ["g3"]]


def test_only_methods_that_another_run_has_are_compared() -> None:
    old = run_of(1, {"ruler": (0.1,), "likert": (0.2,)})
    found = comparison(old, [run_of(2, {"likert": (0.3,)}), run_of(3, {"rar_explicit": (0.3,)})])
    assert found.methods == ("likert",)
    assert found.changes(1, "likert") == (None,)


def test_the_paired_difference_is_over_groups(compared: Comparison) -> None:
    difference = paired_difference(compared, 0, "ruler")
    # Means of the groups: +0.1, -0.2 and 0; the third has one response that both scored.
    assert difference.value == pytest.approx(-0.1 / 3)
    assert difference.n == 3
    assert difference.few
    assert difference.low is not None
    assert difference.high is not None
    interval = stats.ttest_1samp([0.1, -0.2, 0.0], 0).confidence_interval()
    assert (difference.low, difference.high) == pytest.approx(tuple(interval), abs=1e-9)
    assert is_clear(difference) is False


def test_of_many_groups_the_interval_is_that_of_the_mean() -> None:
    """Differences alternate 0.0 and 0.2: mean 0.1, standard error 0.1 / sqrt(600) = 0.0041."""
    old = run_of(1, *({"ruler": (0.5,)} for _ in range(600)))
    new = run_of(2, *({"ruler": (0.5 + 0.2 * (number % 2),)} for number in range(600)))
    difference = paired_difference(comparison(old, [new]), 0, "ruler")
    assert difference.value == pytest.approx(0.1)
    assert difference.low == pytest.approx(0.1 - 1.96 * 0.0041, abs=0.002)
    assert difference.high == pytest.approx(0.1 + 1.96 * 0.0041, abs=0.002)
    assert not difference.few
    assert is_clear(difference) is True


def places(found: Comparison, order: Order, chosen: Filter | None = None, method: str = "ruler") -> list[int]:
    return [one.place for one in ordered(found, order, chosen or Filter(), method=method)]


def test_orders(compared: Comparison) -> None:
    assert places(compared, Order.CHANGE) == [1, 0, 2]
    assert places(compared, Order.FALL) == [1, 0, 2]
    # Old group 2 is in opposite orders: (2 + 2 + 0) / 3 of 2 ranks. Of new group 3 one method ties the two that both
    # scored: (0.5 + 0.5) / 2 of 1. New group 1: (1 + 1 + 0) / 3 of 2.
    by_methods = ordered(compared, Order.METHODS, Filter(), method="ruler")
    assert [one.place for one in by_methods] == [1, 2, 0]
    assert [one.figure for one in by_methods] == pytest.approx([2 / 3, 1 / 2, 1 / 3])
    assert places(compared, Order.SPREAD) == [2, 1, 0]
    assert places(compared, Order.RUN) == [0, 1, 2]


def test_an_unknown_figure_comes_last() -> None:
    old = run_of(1, {"ruler": (0.1, 0.2)}, {"ruler": (0.1, 0.2)}, {"ruler": (0.1, 0.2)}, gaps=(None, 0.1, 0.3))
    new = run_of(2, {"ruler": (0.1, 0.2)}, {"ruler": (0.1, 0.2)}, {"ruler": (0.1, 0.2)})
    by_judges = ordered(comparison(old, [new]), Order.JUDGES, Filter(), method="ruler")
    assert [(one.place, one.figure) for one in by_judges] == [(2, 0.3), (1, 0.1), (0, None)]


def test_filters(compared: Comparison) -> None:
    # In group 2 the second response is RULER's best and Likert's worst; in the others no response is both.
    assert places(compared, Order.RUN, Filter(high="ruler", low="likert")) == [1]
    assert places(compared, Order.RUN, Filter(flipped=True)) == [0, 1]
    assert places(compared, Order.RUN, Filter(lost=True)) == [2]
    assert places(compared, Order.RUN, Filter(search="QUESTION 3")) == [2]
    assert places(compared, Order.RUN, Filter(search="nothing")) == []
    assert places(compared, Order.RUN, Filter(high="likert")) == [0, 1], "a group all tied has no upper third"


def test_method_gap_needs_two_methods_over_two_responses() -> None:
    assert method_gap({"a": (0.9, 0.5, 0.1), "b": (0.2, 0.3, 0.4)}, ("a", "b")) == pytest.approx(2 / 3)
    assert method_gap({"a": (0.9, None), "b": (0.2, 0.3)}, ("a", "b")) is None
    assert method_gap({"a": (None, None), "b": (0.2, 0.3)}, ("a", "b")) is None


def test_rewards_of_leaves_out_the_unknown(compared: Comparison) -> None:
    assert [*rewards_of(compared, 0, "ruler")] == [0.9, 0.5, 0.1, 0.2, 0.8, 0.5, 0.5, 0.5]


def sentence(found: Comparison, method: str = "ruler") -> str:
    return comparison_sentence(found, 0, method, method, paired_difference(found, 0, method))


def test_the_sentence_of_several_groups_begins_with_the_mean(compared: Comparison) -> None:
    said = sentence(compared)
    assert said.startswith(
        "The mean ruler reward falls by 0.033 from run 3 to run 4 (95% interval −0.413 to +0.346, n = 3"
    )
    assert "which may be noise; B of g2 falls most, from 0.80 to 0.20; 2 pairs changed places" in said
    assert said.endswith("1 score of run 3 is missing.")
    assert sentence(compared, "likert") == "No likert reward moved from run 3 to run 4."


def test_the_sentence_of_one_group_says_who_moved() -> None:
    found = comparison(run_of(1, {"ruler": (0.9, 0.8)}), [run_of(2, {"ruler": (0.9, 0.3)})])
    assert sentence(found) == "B falls from 0.80 to 0.30 in ruler, from run 1 to run 2."


def test_the_sentence_says_what_cannot_be_compared() -> None:
    unscored = comparison(run_of(1, {"ruler": (0.9,)}), [run_of(2, {"ruler": (None,)})])
    assert sentence(unscored) == "No ruler score of run 2 can be compared with one of run 1."
    apart = comparison(run_of(1, {"ruler": (0.9,)}), [run_of(2, {"ruler": (0.9,)}, first=5)])
    assert sentence(apart) == "Run 2 has no response in common with run 1, so nothing can be compared."
