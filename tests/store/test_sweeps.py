"""Sweeps in the store: their cells, their figures, and their line in the list of runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from reward_lab.core.run import ItemStatus, RunState
from reward_lab.core.verdict import Reason, Scored
from reward_lab.errors import NotFound
from reward_lab.store import PlannedItem, RunFilter, RunSummary, Store, SweepSummary
from tests.store.examples import call, finish, group, make_run, new_run, scored, unscored

PLAN = [PlannedItem(0, "likert", member) for member in ("a", "b")]


def cell(store: Store, sweep_id: int, place: int, name: str = "cell") -> int | None:
    return store.create_cell(place, replace(new_run(name=name), sweep_id=sweep_id), {"likert": "1"}, PLAN)


def swept(store: Store, cells: int, name: str = "Night") -> tuple[int, list[int]]:
    sweep_id = store.create_sweep(name, {"methods": ["likert"]})
    found = [cell(store, sweep_id, place) for place in range(cells)]
    return sweep_id, [run_id for run_id in found if run_id is not None]


def test_a_sweep_comes_back_as_it_was_planned(store: Store) -> None:
    sweep_id, run_ids = swept(store, 3, name="退款 \ud800")
    found = store.sweep(sweep_id)
    assert (found.name, found.settings) == ("退款 \\ud800", {"methods": ["likert"]})
    assert store.sweep_runs(sweep_id) == tuple(run_ids)
    assert [run.sweep_id for run in store.run_summaries(run_ids)] == [sweep_id] * 3
    assert store.run(run_ids[1]).sweep_id == sweep_id
    with pytest.raises(NotFound, match="Sweep 404 is not stored here"):
        store.sweep(404)


def test_a_cell_is_made_once_whoever_else_is_at_it(store: Store, url: str) -> None:
    sweep_id, run_ids = swept(store, 1)
    with Store.open(url) as other:
        assert cell(other, sweep_id, 0) is None
        assert cell(other, sweep_id, 2) is None, "not before the one in front of it"
        second = cell(other, sweep_id, 1)
    assert cell(store, sweep_id, 1) is None
    assert store.sweep_runs(sweep_id) == (*run_ids, second)


def test_what_runs_were_asked_to_become_is_told_of_those_that_were(store: Store) -> None:
    _, (first, second, third) = swept(store, 3)
    store.request_pause(first)
    store.request_pause(second)
    store.request_cancel(second)
    asked = {first: RunState.PAUSED, second: RunState.CANCELLED}
    assert store.stops_requested([first, second, third]) == asked
    assert {run_id: store.stop_requested(run_id) for run_id in (first, second, third)} == {**asked, third: None}


def test_scores_are_counted_by_method_and_value(store: Store) -> None:
    _, (run_id,) = swept(store, 1)
    first, second = store.pending_items(run_id)
    assert store.score_counts(run_id, sampled=False) == {}
    finish(store, first, scored("a", 7.0))
    finish(store, second, unscored("b"))
    assert store.score_counts(run_id, sampled=False) == {"likert": {7.0: 1}}
    assert store.failures([run_id, 404]) == {run_id: {Reason.UNREADABLE_REPLY: 1}, 404: {}}


def test_of_samples_the_mean_of_each_response_is_counted_once(store: Store) -> None:
    """a has 4 and 8, b has 6 and none: both responses have a mean of 6."""
    plan = [PlannedItem(0, "likert", member, 0, repeat) for member in ("a", "b") for repeat in range(2)]
    run_id = store.create_run(new_run(methods=("likert",)), {"likert": "1"}, plan)
    for item, verdict in zip(
        store.pending_items(run_id), (scored("a", 4.0), scored("a", 8.0), scored("b", 6.0), unscored("b")), strict=True
    ):
        finish(store, item, verdict)
    assert store.score_counts(run_id, sampled=True) == {"likert": {6.0: 2}}


def test_equal_ids_in_two_groups_are_two_responses(store: Store) -> None:
    plan = [PlannedItem(place, "likert", "a", 0, repeat) for place in range(2) for repeat in range(2)]
    run_id = store.create_run(new_run(group("g"), group("h"), methods=("likert",)), {"likert": "1"}, plan)
    for item, score in zip(store.pending_items(run_id), (2.0, 4.0, 8.0, 10.0), strict=True):
        finish(store, item, Scored("a", score))
    assert store.score_counts(run_id, sampled=True) == {"likert": {3.0: 1, 9.0: 1}}


def test_what_is_spent_is_the_sweeps_and_leaves_out_what_is_cached_or_unknown(store: Store) -> None:
    sweep_id, (first, second) = swept(store, 2)
    alone = make_run(store)
    calls = [
        (first, [call("k", cost_usd=0.5), call("l", cost_usd=None), call("m", cost_usd=9.0, cached=True)]),
        (second, [call("n", cost_usd=0.25)]),
        (alone, [call("o", cost_usd=2.0)]),
    ]
    for run_id, some in calls:
        item = store.pending_items(run_id, limit=1)[0]
        for one in some:
            asyncio.run(store.record_call(run_id, item.id, one))
    assert store.spent_usd(first, sweep_id) == store.spent_usd(second, sweep_id) == 0.75
    assert store.spent_usd(alone, None) == 2.0
    assert store.spent_usd(make_run(store), None) == 0.0


def test_responses_are_counted_by_group(store: Store) -> None:
    ids = [store.add_group(group(f"g{size}", [str(n) for n in range(size)])) for size in (1, 2, 5)]
    assert store.response_counts([*ids, 404]) == dict(zip(ids, (1, 2, 5), strict=True))


def test_items_are_read_in_pieces_that_make_up_the_whole(store: Store) -> None:
    run_id = make_run(store, items=10)
    make_run(store, items=3)
    every = store.pending_items(run_id)
    finish(store, every[4], scored())
    pieces, last = [], 0
    while piece := store.pending_items(run_id, 4, after=last):
        pieces.append(piece)
        last = piece[-1].id
    assert [len(piece) for piece in pieces] == [4, 4, 1]
    assert [item for piece in pieces for item in piece] == [*every[:4], *every[5:]]


def test_in_the_list_a_sweep_is_one_line_where_its_newest_run_is(store: Store) -> None:
    before = make_run(store, new_run(name="before"))
    sweep_id, run_ids = swept(store, 2)
    between = make_run(store, new_run(name="between"))
    late = cell(store, sweep_id, 2)
    after = make_run(store, new_run(name="after"))
    found = store.listing()
    assert found.total == 4
    assert [one.id for one in found.rows] == [after, sweep_id, between, before]
    sweep = found.rows[1]
    assert isinstance(sweep, SweepSummary)
    assert ([run.id for run in sweep.runs], sweep.name) == ([*run_ids, late], "Night")
    assert all(isinstance(one, RunSummary) for one in found.rows if one is not sweep)
    assert [one.id for one in store.listing(offset=1, limit=2).rows] == [sweep_id, between]
    assert store.listing(offset=1, limit=2).total == 4


def test_a_sweep_is_listed_whole_where_one_of_its_runs_matches(store: Store) -> None:
    sweep_id = store.create_sweep("Night", {})
    for place, name in enumerate(("strict", "loose")):
        cell(store, sweep_id, place, name)
    make_run(store, new_run(name="other"))
    (sweep,) = store.listing(RunFilter("loose")).rows
    assert isinstance(sweep, SweepSummary)
    assert [run.name for run in sweep.runs] == ["strict", "loose"]
    assert store.listing(RunFilter("nothing like it")) == store.listing(RunFilter(state=RunState.PAUSED))
    store.release(sweep.runs[0].id, RunState.PAUSED)
    assert [one.id for one in store.listing(RunFilter(state=RunState.PAUSED)).rows] == [sweep_id]


def test_a_paused_run_keeps_its_items_and_has_no_end(store: Store) -> None:
    run_id = make_run(store, items=3)
    store.claim(run_id)
    done, begun, _ = store.pending_items(run_id)
    finish(store, done, scored())
    asyncio.run(store.start_items([begun.id]))
    store.release(run_id, RunState.PAUSED)
    run = store.run(run_id)
    assert (run.state, run.finished_at) == (RunState.PAUSED, None)
    assert run.progress.counts == {ItemStatus.SCORED: 1, ItemStatus.PENDING: 2}
    assert not store.claim(run_id)
