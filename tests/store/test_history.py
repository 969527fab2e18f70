from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from reward_lab.core.judge import Judge
from reward_lab.core.run import ItemStatus, RunState, Usage
from reward_lab.store import PlannedItem, RunFilter, Store
from tests.store.examples import call, finish, group, make_run, new_run, scored


@contextmanager
def counted_queries() -> Iterator[list[str]]:
    texts: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        texts.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield texts
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def ids(store: Store, **chosen: object) -> list[int]:
    return [row.id for row in store.runs(RunFilter(**chosen)).rows]  # type: ignore[arg-type] - the filters by name


def test_a_summary_says_what_the_list_shows(store: Store) -> None:
    new = new_run(
        group("one", question="May I\n\n return   it?"), group("two"), methods=("likert", "ruler"), name="Night",
        rubric_name="Support", draft_id="d", judges=(Judge(model="openai/gpt-4.1"), Judge()),
    )  # fmt: skip
    run_id = store.create_run(new, {}, [PlannedItem(0, "likert", "a"), PlannedItem(1, "ruler")])
    finish(store, store.pending_items(run_id)[0], scored(), calls=(call(),))
    (row,) = store.runs().rows
    assert (row.id, row.name, row.state, row.draft_id, row.groups) == (run_id, "Night", RunState.RUNNING, "d", 2)
    assert (row.rubric_name, row.rubric_version) == ("Support", 1)
    assert row.models == ("openai/gpt-4.1", "offline")
    assert row.methods == ("likert", "ruler")
    assert row.opening == "May I return it?"
    assert row.progress.counts == {ItemStatus.PENDING: 1, ItemStatus.SCORED: 1}
    assert row.usage == Usage(1, 0, 100, 10, 0.25, 0.5) == store.run(run_id).usage


def test_pages_are_newest_first_and_cover_everything_once(store: Store) -> None:
    made = [make_run(store) for _ in range(7)]
    pages = [store.runs(offset=offset, limit=3) for offset in (0, 3, 6, 9)]
    assert [page.total for page in pages] == [7, 7, 7, 7]
    assert [[row.id for row in page.rows] for page in pages] == [made[:3:-1], made[3:0:-1], made[:1], []]


def test_a_page_takes_as_many_queries_whatever_it_holds(store: Store) -> None:
    make_run(store)
    with counted_queries() as few:
        store.runs()
    for _ in range(20):
        make_run(store)
    with counted_queries() as many:
        assert len(store.runs().rows) == 21
    assert len(many) == len(few)


@pytest.mark.parametrize("search", ["50%", "50% o", "a_b", "c\\d", "e/f"])
def test_what_is_searched_is_taken_literally(store: Store, search: str) -> None:
    hit = make_run(store, new_run(name=f"x {search} y"))
    make_run(store, new_run(name="50 of axb cd ef"))
    assert ids(store, search=search) == [hit]


def test_search_looks_in_names_and_scenarios_in_either_case(store: Store) -> None:
    by_name = make_run(store, new_run(name="Nightly"))
    by_rubric = make_run(store, new_run(rubric_name="Nightshift"))
    by_question = make_run(store, new_run(group("g"), group("h", question="Open at NIGHT?")))
    by_group = make_run(store, new_run(group("night-7")))
    make_run(store, new_run(name="Daily"))
    assert ids(store, search=" night ") == [by_group, by_question, by_rubric, by_name]
    assert store.runs(RunFilter("night"), limit=1).total == 4


def test_filters_by_method_and_model(store: Store) -> None:
    one = make_run(store, new_run(methods=("likert", "ruler"), judges=(Judge(model="m1"), Judge(model="m2"))))
    two = make_run(store, new_run(methods=("ruler",)))
    assert ids(store, method="ruler") == [two, one]
    assert ids(store, method="likert") == [one]
    assert ids(store, method="like%") == []
    assert ids(store, model="m2") == [one]
    assert ids(store, model="FF") == [two]
    assert ids(store, model="offline", method="ruler") == [two]
    assert ids(store, model="offline", method="likert") == []


def test_filters_by_state_as_it_is_now(store: Store, url: str) -> None:
    over: dict[RunState, int] = {}
    for state in (RunState.FINISHED, RunState.CANCELLED, RunState.INTERRUPTED):
        over[state] = make_run(store)
        store.claim(over[state])
        store.release(over[state], state)
    with Store.open(url) as other:
        running = make_run(other)
        assert ids(store, state=RunState.RUNNING) == [running]
        assert ids(store, state=RunState.INTERRUPTED) == [over[RunState.INTERRUPTED]]
    assert ids(store, state=RunState.RUNNING) == []
    assert ids(store, state=RunState.INTERRUPTED) == [running, over[RunState.INTERRUPTED]]
    for state in (RunState.FINISHED, RunState.CANCELLED):
        assert ids(store, state=state) == [over[state]]
    assert {row.id: row.state for row in store.runs().rows} == {
        running: RunState.INTERRUPTED, **{run_id: state for state, run_id in over.items()}
    }  # fmt: skip


def test_the_group_that_shares_a_response_is_found(store: Store) -> None:
    run_id = make_run(store, new_run(group("g1", ("one", "two")), group("g2", ("three", "four"))))
    first, second = store.run(run_id).group_ids
    keys = {one: [member.key for member in found.trajectories] for one, found in store.groups((first, second)).items()}
    assert store.group_sharing(run_id, keys[second]) == second
    assert store.group_sharing(run_id, [*keys[second], *keys[first]]) == first
    assert store.group_sharing(run_id, ["unknown"]) is None
    assert store.group_sharing(run_id + 1, keys[first]) is None
