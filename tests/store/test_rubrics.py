from __future__ import annotations

import pytest

from reward_lab.core.rubric import Contains, Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric, NotFound
from reward_lab.store import Store
from tests.store.examples import RUBRIC, make_run, new_run

FULL = Rubric(
    guidance="Être précis 😀",
    criteria=(Criterion(description="Invents a number", meets_when=False, weight=-1.0),),
    verifiers=(Contains(value="30 days"),),
    scoring=Scoring(weights="own", likert_max=5),
)


def test_versions_count_up_and_equal_content_is_the_version_it_was(store: Store) -> None:
    one = store.save_rubric(RUBRIC, "Support", note="first", author="Ada")
    two = store.save_rubric(FULL, "Support")
    again = store.save_rubric(RUBRIC, "Support", note="ignored")
    assert (one.number, two.number) == (1, 2)
    assert again == one
    assert (one.note, one.author, one.name) == ("first", "Ada", "Support")
    assert two.rubric == FULL
    assert [version.number for version in store.rubric_versions("Support")] == [2, 1]


def test_the_list_names_rubrics_once_the_latest_first(store: Store) -> None:
    store.save_rubric(RUBRIC, "Old")
    store.save_rubric(RUBRIC, "New")
    store.save_rubric(FULL, "New")
    assert [(one.name, one.versions) for one in store.rubrics()] == [("New", 2), ("Old", 1)]


def test_equal_content_under_two_names_is_two_rubrics(store: Store) -> None:
    assert store.save_rubric(RUBRIC, "A").id != store.save_rubric(RUBRIC, "B").id


def test_iterations_of_a_draft_count_up_without_a_name(store: Store) -> None:
    changed = Rubric(guidance="Be kind.")
    ids = [
        make_run(store, new_run(rubric=rubric, draft_id=draft))
        for draft, rubric in (("d1", RUBRIC), ("d1", changed), ("d1", RUBRIC), ("d2", changed))
    ]
    assert [store.run(one).rubric_version for one in ids] == [1, 2, 1, 1]
    assert {store.run(one).rubric_name for one in ids} == {""}
    assert store.rubrics() == []


def test_a_name_is_needed(store: Store) -> None:
    with pytest.raises(InvalidRubric, match="needs a name"):
        store.save_rubric(RUBRIC, "  ")


def test_an_unknown_name_is_named(store: Store) -> None:
    with pytest.raises(NotFound, match="'draft:'"):
        store.rubric_versions("draft:")
