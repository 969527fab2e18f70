"""Which labels hold for the responses of a run, and which do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from reward_lab.core.labelled import Holding, held_labels, same_places
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.core.matching import Member, RunGroup


def group(number: int, keys: str, *, name: str = "g", opening: str = "q") -> RunGroup:
    """A group whose responses have these contents, and the ids 1, 2, ..."""
    return RunGroup(number, name, opening, tuple(Member(key, str(at)) for at, key in enumerate(keys, start=1)))


def ranked(annotator: str = "ann", *ranks: int | None) -> Label:
    said = {str(at): ResponseLabel(rank=rank) for at, rank in enumerate(ranks, start=1) if rank is not None}
    return Label(annotator=annotator, responses=said)


class Asked:
    """What stored groups ask, and for which of them that was looked up."""

    def __init__(self, **questions: str) -> None:
        self.questions = {int(name.removeprefix("g")): question for name, question in questions.items()}
        self.looked_up: set[int] = set()

    def __call__(self, ids: Collection[int]) -> Mapping[int, str]:
        self.looked_up |= set(ids)
        return {one: self.questions.get(one, "q") for one in ids}


def held(groups: list[RunGroup], labelled: dict[RunGroup, Label], asked: Asked | None = None) -> list[list[Holding]]:
    labels: dict[str, dict[int, Label]] = {}
    for one, label in labelled.items():
        labels.setdefault(label.annotator, {})[one.id] = label
    stored = {one.id: one for one in labelled}
    return [[*found] for found in held_labels(groups, labels, stored, asked or Asked())]


def test_a_label_says_which_pairs_are_in_which_order() -> None:
    ((found,),) = held([group(1, "abcd")], {group(1, "abcd"): ranked("ann", 2, 1, 2, None)})
    assert found.annotator == "ann"
    assert found.levels == (-2.0, -1.0, -2.0, None)
    assert found.ordered == ((1, 0), (1, 2))
    assert found.tied == ((0, 2),)


def test_marks_and_criteria_stand_at_the_places_of_the_run() -> None:
    said = {
        "1": ResponseLabel(mark=Mark.BAD, criteria={"Cites": False}),
        "2": ResponseLabel(mark=Mark.GOOD, criteria={"Cites": True}),
    }
    label = Label(annotator="ann", responses=said)
    ((found,),) = held([group(7, "cba")], {group(1, "ab"): label})
    assert (found.good, found.bad) == ((1,), (2,))
    assert found.criteria == ({}, {"Cites": True}, {"Cites": False})
    assert found.ordered == ((1, 2),)


def test_under_another_system_prompt_a_label_holds_wherever_the_response_stands() -> None:
    ((found,),) = held([group(7, "ba")], {group(1, "ab"): ranked("ann", 1, 2)})
    assert found.levels == (-2.0, -1.0)


def test_a_response_that_was_rewritten_has_no_label() -> None:
    ((found,),) = held([group(7, "axc")], {group(1, "abc"): ranked("ann", 1, 2, 3)})
    assert found.levels == (-1.0, None, -3.0)
    assert found.ordered == ((0, 2),)
    assert held([group(7, "xyz")], {group(1, "abc"): ranked("ann", 1, 2, 3)}) == [[]]


def test_the_label_of_a_response_that_several_groups_have_needs_the_same_question() -> None:
    run = [group(7, "ya", opening="other"), group(8, "yb", name="h", opening="third")]
    labelled = {group(1, "ya"): ranked("ann", 1, 2)}
    other = Asked(g1="May I?", g7="Must I?")
    (found, nothing) = held(run, labelled, other)
    assert [one.levels for one in found] == [(None, -2.0)], "y is another group's too, a is not"
    assert nothing == []
    (same, _) = held(run, labelled, Asked(g1="May I?", g7="May I?"))
    assert [one.levels for one in same] == [(-1.0, -2.0)]


def test_questions_are_looked_up_only_where_they_decide() -> None:
    asked = Asked()
    held([group(1, "ya"), group(2, "yb", name="h", opening="r")], {group(1, "ya"): ranked("ann", 1, 2)}, asked)
    held([group(7, "ab")], {group(1, "ab"): ranked("ann", 1, 2)}, asked)
    assert asked.looked_up == set()


def test_a_group_under_two_prompts_in_one_run_has_its_label_twice() -> None:
    found = held([group(7, "ab"), group(8, "ab")], {group(1, "ab"): ranked("ann", 1, 2)})
    assert [[one.levels for one in of_group] for of_group in found] == [[(-1.0, -2.0)]] * 2


def test_annotators_who_labelled_the_group_under_different_prompts_both_hold() -> None:
    labelled = {group(1, "ab"): ranked("ann", 1, 2), group(5, "ba"): ranked("bob", 1, 2)}
    (found,) = held([group(1, "ab")], labelled)
    assert [(one.annotator, one.levels) for one in found] == [("ann", (-1.0, -2.0)), ("bob", (-2.0, -1.0))]


def test_of_two_labels_by_one_person_the_stored_groups_own_holds() -> None:
    labelled = {group(1, "ab"): ranked("ann", 1, 2), group(5, "ab"): ranked("ann", 2, 1)}
    (found,) = held([group(5, "ab")], labelled)
    assert [one.levels for one in found] == [(-2.0, -1.0)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("ab", "ab", (0, 1)), ("ab", "ba", (1, 0)), ("ab", "xa", (1, None)), ("aa", "a", (0, None))],
)
def test_only_the_same_content_is_the_same_response(old: str, new: str, expected: tuple[int | None, ...]) -> None:
    assert same_places(group(1, old), group(2, new)) == expected
