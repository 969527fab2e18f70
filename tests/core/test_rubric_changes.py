from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring
from reward_lab.core.rubric_changes import CriterionFate, criterion_changes, paired, shares

ADDED, REMOVED, MOVED = CriterionFate.ADDED, CriterionFate.REMOVED, CriterionFate.MOVED


def rubric(*criteria: Criterion, weights: str = "category") -> Rubric:
    return Rubric(criteria=criteria, scoring=Scoring.model_validate({"weights": weights}))


def criterion(description: str, **fields: object) -> Criterion:
    return Criterion.model_validate({"description": description, **fields})


DEADLINE = criterion("States the deadline.", title="Deadline", category="Essential", weight=5)
TONE = criterion("Is polite.", title="Tone", category="Optional", weight=1)
NUMBER = criterion("Invents a phone number.", title="Number", category="Pitfall", weight=-1, meets_when=False)


def fates(old: Rubric, new: Rubric) -> list[tuple[str, tuple[CriterionFate, ...]]]:
    return [
        ((change.new or change.old or DEADLINE).title, change.fates)
        for change in criterion_changes(old, new)
        if change.fates
    ]


def test_nothing_changed() -> None:
    changes = criterion_changes(rubric(DEADLINE, TONE), rubric(DEADLINE, TONE))
    assert [(one.old_position, one.new_position, one.fates) for one in changes] == [(0, 0, ()), (1, 1, ())]


@pytest.mark.parametrize(
    ("update", "fate"),
    [
        ({"description": "States the deadline of 30 days."}, CriterionFate.REWORDED),
        ({"title": "The deadline"}, CriterionFate.RETITLED),
        ({"category": Category.IMPORTANT}, CriterionFate.RECATEGORISED),
        ({"weight": 4.0}, CriterionFate.REWEIGHTED),
        ({"meets_when": False}, CriterionFate.TURNED),
    ],
)
def test_each_kind_of_change_is_told_apart(update: dict[str, object], fate: CriterionFate) -> None:
    changed = Criterion.model_validate({**DEADLINE.model_dump(), **update})
    assert fates(rubric(DEADLINE, TONE), rubric(changed, TONE)) == [(changed.title, (fate,))]


def test_what_was_added_and_removed_stands_in_its_place() -> None:
    changes = criterion_changes(rubric(DEADLINE, TONE), rubric(DEADLINE, NUMBER))
    # Both have two criteria, but these two have neither title nor statement in common: the place alone pairs them.
    assert [one.fates for one in changes][1] != ()
    old, new = rubric(DEADLINE, TONE, NUMBER), rubric(DEADLINE, NUMBER)
    assert fates(old, new) == [("Tone", (REMOVED,))]
    assert [one.old_position for one in criterion_changes(old, new)] == [0, 1, 2]
    assert fates(new, old) == [("Tone", (ADDED,))]


def test_one_that_moves_is_the_one_that_is_said_to() -> None:
    assert fates(rubric(DEADLINE, TONE, NUMBER), rubric(NUMBER, DEADLINE, TONE)) == [("Number", (MOVED,))]


def test_shares_of_weight_before_and_after() -> None:
    old, new = rubric(DEADLINE, TONE, weights="own"), rubric(DEADLINE, TONE, NUMBER, weights="own")
    changes = criterion_changes(old, new)
    assert [one.old_share for one in changes] == pytest.approx([5 / 6, 1 / 6, None])
    assert [one.new_share for one in changes] == pytest.approx([5 / 7, 1 / 7, 1 / 7])
    # The shares shifted because another came in; nobody touched these two.
    assert [one.fates for one in changes] == [(), (), (ADDED,)]


def test_weights_that_are_all_zero_have_no_shares() -> None:
    nothing = criterion("States the deadline.", weight=0)
    assert shares(rubric(nothing, nothing, weights="own")) == (None, None)


def test_another_way_of_weighing_reweighs() -> None:
    assert fates(rubric(DEADLINE), rubric(DEADLINE, weights="own")) == [("Deadline", (CriterionFate.REWEIGHTED,))]


CRITERIA = st.lists(
    st.builds(
        criterion,
        st.sampled_from(["Says A.", "Says B.", "Says C."]),
        title=st.sampled_from(["", "A", "B"]),
        category=st.sampled_from(list(Category)),
    ),
    max_size=6,
)


@given(CRITERIA, CRITERIA)
def test_every_criterion_of_both_is_told_of_once(old: list[Criterion], new: list[Criterion]) -> None:
    changes = criterion_changes(rubric(*old), rubric(*new))
    assert sorted(one.old_position for one in changes if one.old_position is not None) == list(range(len(old)))
    assert [one.new_position for one in changes if one.new_position is not None] == list(range(len(new)))
    pairs = paired(old, new)
    assert len(set(pairs.values())) == len(pairs)


@given(CRITERIA)
def test_a_rubric_does_not_differ_from_itself(criteria: list[Criterion]) -> None:
    assert not any(one.fates for one in criterion_changes(rubric(*criteria), rubric(*criteria)))
