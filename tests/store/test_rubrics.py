from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from reward_lab.core.rubric import Contains, Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric, NotFound
from reward_lab.store import RubricSave, Store
from tests.store.examples import RUBRIC, make_run, new_run

FULL = Rubric(
    guidance="Être précis 😀",
    criteria=(Criterion(description="Invents a number", meets_when=False, weight=-1.0),),
    verifiers=(Contains(value="30 days"),),
    scoring=Scoring(weights="own", likert_max=5),
)


def test_versions_count_up_and_equal_content_is_the_version_it_was(store: Store) -> None:
    one = store.save_rubric(RUBRIC, "Support", note="first", author="Ada").version
    two = store.save_rubric(FULL, "Support").version
    again = store.save_rubric(RUBRIC, "Support", note="ignored").version
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
    assert store.save_rubric(RUBRIC, "A").version.id != store.save_rubric(RUBRIC, "B").version.id


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


def test_a_save_that_comes_second_writes_nothing_and_shows_what_came_first(store: Store) -> None:
    first = store.save_rubric(RUBRIC, "Support").version
    theirs = store.save_rubric(FULL, "Support", base=first.number, author="Ada").version
    mine = Rubric(guidance="Be kind.")
    save = store.save_rubric(mine, "Support", base=first.number, author="Grace")
    assert (save.saved, save.version) == (False, theirs)
    assert [one.rubric for one in store.rubric_versions("Support")] == [FULL, RUBRIC]
    again = store.save_rubric(mine, "Support", base=save.version.number, author="Grace")
    assert (again.saved, again.version.number, again.version.author) == (True, 3, "Grace")


def test_two_who_save_the_same_words_do_not_conflict(store: Store) -> None:
    store.save_rubric(RUBRIC, "Support")
    one = store.save_rubric(FULL, "Support", base=1)
    other = store.save_rubric(FULL, "Support", base=1)
    assert other.saved
    assert other.version == one.version


def test_a_name_that_somebody_took_meanwhile_is_a_conflict(store: Store) -> None:
    theirs = store.save_rubric(RUBRIC, "Support", base=0)
    mine = store.save_rubric(FULL, "Support", base=0)
    assert (theirs.saved, mine.saved) == (True, False)


def test_of_many_who_save_at_once_one_comes_first_and_all_can_be_saved(store: Store) -> None:
    store.save_rubric(RUBRIC, "Support")

    def save(number: int) -> RubricSave:
        return store.save_rubric(Rubric(guidance=f"Writer {number}"), "Support", base=1, author=str(number))

    with ThreadPoolExecutor(8) as pool:
        saves = list(pool.map(save, range(8)))
    assert sum(one.saved for one in saves) == 1
    assert [one.number for one in store.rubric_versions("Support")] == [2, 1]


def test_an_old_version_that_is_saved_again_is_current(store: Store) -> None:
    store.save_rubric(RUBRIC, "Support")
    store.save_rubric(FULL, "Support")
    assert head(store) == 2
    assert store.save_rubric(RUBRIC, "Support", base=2).saved
    assert head(store) == 1
    assert [one.number for one in store.rubric_versions("Support")] == [2, 1]


def test_a_run_makes_its_new_words_a_version_and_leaves_the_current_one_where_it_used_an_old_one(store: Store) -> None:
    store.save_rubric(RUBRIC, "Support")
    store.save_rubric(FULL, "Support")
    old = make_run(store, new_run(rubric=RUBRIC, rubric_name="Support"))
    assert head(store) == 2
    new = make_run(store, new_run(rubric=Rubric(guidance="Be kind."), rubric_name="Support"))
    assert head(store) == 3
    assert store.rubric_uses("Support") == {1: (old,), 3: (new,)}


def test_where_a_version_came_from_is_kept(store: Store) -> None:
    one = store.save_rubric(RUBRIC, "Support").version
    fork = store.save_rubric(FULL, "Support, strict", origin_id=one.id).version
    assert (one.origin, fork.origin) == (None, ("Support", 1))


def test_an_archived_rubric_stays_with_its_versions_and_comes_back_by_a_save(store: Store) -> None:
    store.save_rubric(RUBRIC, "Support")
    store.archive_rubric("Support", archived=True)
    assert [one.archived for one in store.rubrics()] == [True]
    assert len(store.rubric_versions("Support")) == 1
    store.archive_rubric("Support", archived=False)
    assert [one.archived for one in store.rubrics()] == [False]
    store.archive_rubric("Support", archived=True)
    store.save_rubric(FULL, "Support")
    assert [one.archived for one in store.rubrics()] == [False]
    with pytest.raises(NotFound, match="'Sales'"):
        store.archive_rubric("Sales", archived=True)


def head(store: Store) -> int:
    return store.rubrics()[0].head
