from __future__ import annotations

import pytest

from reward_lab.core.movement import in_common, movement
from reward_lab.core.rubric import Rubric, Scoring
from reward_lab.core.table import CellState
from tests.core.tables import group_of, table_of


def test_scores_ranks_rewards_and_advantages() -> None:
    old = table_of({"ruler": [0.9, 0.5, 0.1]}, convention="mean_only")
    new = table_of({"ruler": [0.4, 0.5, 0.1]}, convention="mean_only")
    first, second, third = movement(old, new).rows
    cell = first.cells["ruler"]
    assert (cell.old_score, cell.new_score, cell.delta, cell.climbed) == (0.9, 0.4, -0.5, -1)
    assert (first.reward_delta, first.rewritten) == (-0.5, False)
    assert first.advantage_delta == pytest.approx((0.4 - 1 / 3) - 0.4, abs=1e-6)
    assert (second.cells["ruler"].delta, second.cells["ruler"].climbed) == (0.0, 1)
    assert third.cells["ruler"].climbed == 0


def test_responses_are_matched_by_content_wherever_they_stand() -> None:
    texts = ["One.", "Two.", "Three."]
    old = table_of({"ruler": [0.9, 0.5, 0.1]}, group=group_of(3, texts=texts))
    new = table_of({"ruler": [0.2, 0.8, 0.6]}, group=group_of(3, texts=["Three.", "One.", "Two."]))
    rows = movement(old, new).rows
    assert [(row.old_letter, row.letter, row.rewritten) for row in rows] == [
        ("C", "A", False),
        ("A", "B", False),
        ("B", "C", False),
    ]
    assert [row.cells["ruler"].delta for row in rows] == pytest.approx([0.1, -0.1, 0.1])


def test_what_content_does_not_match_is_matched_by_id_as_rewritten() -> None:
    old = table_of({"ruler": [0.9, 0.5]}, group=group_of(2, texts=["One.", "Two."]))
    new = table_of({"ruler": [0.9, 0.7]}, group=group_of(2, texts=["One.", "Two, better."]))
    rows = movement(old, new).rows
    assert [row.rewritten for row in rows] == [False, True]
    assert rows[1].old_trajectory.answer == "Two."
    assert rows[1].trajectory.answer == "Two, better."


def test_equal_responses_are_matched_by_id_first_and_once() -> None:
    old = table_of({"ruler": [0.9, 0.5]}, group=group_of(2, texts=["Same.", "Same."]))
    new = table_of({"ruler": [0.5, 0.9]}, group=group_of(2, texts=["Same.", "Same."], ids=["t2", "t1"]))
    assert [row.cells["ruler"].delta for row in movement(old, new).rows] == [0.0, 0.0]


def test_what_only_one_table_has_is_named() -> None:
    old = table_of({"ruler": [0.9, 0.5]}, group=group_of(2, texts=["One.", "Two."], ids=["a", "b"]))
    new = table_of({"ruler": [0.9, 0.7]}, group=group_of(2, texts=["One.", "New."], ids=["a", "c"]))
    moved = movement(old, new)
    assert ([row.letter for row in moved.rows], moved.appeared, moved.vanished) == (["A"], ("B",), ("B",))
    assert moved.rows[0].cells["ruler"].climbed is None


def test_what_is_unscored_has_no_delta() -> None:
    moved = movement(table_of({"ruler": [0.9, 0.5]}), table_of({"ruler": [0.9, None]}))
    cell = moved.rows[1].cells["ruler"]
    assert (cell.old_state, cell.new_state) == (CellState.SCORED, CellState.UNSCORED)
    assert (cell.comparable, cell.delta, cell.reward_delta, cell.climbed) == (False, None, None, None)
    assert moved.rows[0].cells["ruler"].climbed is None


def test_a_method_that_is_new_has_no_past() -> None:
    moved = movement(table_of({"ruler": [0.9]}), table_of({"ruler": [0.9], "likert": [5.0]}))
    cell = moved.rows[0].cells["likert"]
    assert (cell.old_state, cell.old_score, cell.delta, cell.old_rank) == (None, None, None, None)


def test_another_scale_is_compared_by_reward_only() -> None:
    old = table_of({"likert": [5.0, 3.0]}, rubric=Rubric(scoring=Scoring(likert_max=5)))
    new = table_of({"likert": [10.0, 1.0]})
    cells = [row.cells["likert"] for row in movement(old, new).rows]
    assert [cell.delta for cell in cells] == [None, None]
    assert [cell.reward_delta for cell in cells] == [0.0, -0.5]


def test_another_reward_method_or_convention_is_not_compared() -> None:
    scores = {"ruler": [0.9, 0.5], "likert": [9.0, 5.0]}
    old = table_of(scores)
    other_method = movement(old, table_of(scores, reward_method="likert")).rows[0]
    assert (other_method.reward_delta, other_method.advantage_delta) == (None, None)
    other_convention = movement(old, table_of(scores, convention="rloo")).rows[0]
    assert (other_convention.reward_delta, other_convention.advantage_delta) == (0.0, None)


def test_whether_anything_moved_and_whether_the_responses_are_the_same() -> None:
    table = table_of({"ruler": [0.9, 0.5]}, group=group_of(2, texts=["One.", "Two."]))
    same = movement(table, table)
    assert (same.same_responses, same.any_moved, same.rewritten) == (True, False, ())
    other = movement(table, table_of({"ruler": [0.9, 0.4]}, group=group_of(2, texts=["One.", "Two, better."])))
    assert (other.same_responses, other.any_moved, other.rewritten) == (False, True, ("B",))


def test_scores_are_in_common_where_a_response_was_scored_by_the_same_method_on_the_same_scale() -> None:
    new = table_of({"ruler": [0.9, 0.5], "likert": [9.0, 5.0]})
    assert in_common(table_of({"likert": [None, 5.0]}), new)
    assert in_common(table_of({"ruler": [0.9, 0.5]}), table_of({}, group=group_of(2), waiting=["ruler"]))
    assert not in_common(table_of({"likert": [None, None]}), new)
    assert not in_common(table_of({"rar_implicit": [9.0, 5.0]}), new)
    assert not in_common(table_of({"likert": [4.0, 5.0]}, rubric=Rubric(scoring=Scoring(likert_max=5))), new)
    assert not in_common(table_of({"ruler": [0.9]}, group=group_of(1, texts=["Other."], ids=["x"])), new)
