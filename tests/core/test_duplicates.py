from __future__ import annotations

from reward_lab.core.duplicates import Duplicates, Likeness, Placed, duplicates


def test_each_kind_of_likeness_is_found_and_equal_groups_are_told_once() -> None:
    placed = (
        Placed(0, "g", "q", ("a", "b")),
        Placed(2, "h", None, ("c",)),
        Placed(3, "g", "q", ("a", "b")),
        Placed(4, "i", "other", ("b", "a")),
        Placed(7, "j", "p", ("d",)),
        Placed(8, "k", "p", ("e",)),
    )
    assert duplicates(placed) == (
        Duplicates(Likeness.GROUP, (0, 3)),
        Duplicates(Likeness.QUESTION, (7, 8)),
        Duplicates(Likeness.RESPONSES, (0, 3, 4)),
    )


def test_the_same_answer_given_twice_is_not_the_answers_given_once() -> None:
    assert duplicates([Placed(0, "g", None, ("a", "a")), Placed(1, "h", None, ("a",))]) == ()


def test_groups_whose_question_is_like_no_other_are_not_alike() -> None:
    assert duplicates([Placed(0, "g", None, ("a",)), Placed(1, "h", None, ("b",))]) == ()
