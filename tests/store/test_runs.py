from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.run import ItemStatus, RunState, Usage
from reward_lab.errors import InvalidRun, NotFound
from reward_lab.store import PlannedItem, Store
from tests.store.conftest import Start, kill
from tests.store.examples import (
    RUBRIC,
    carry_out,
    create_and_wait,
    finish,
    group,
    make_run,
    new_run,
    scored,
    work_until_killed,
)


def test_a_run_comes_back_as_it_was_planned(store: Store) -> None:
    judges = (Judge(model="openai/gpt-4.1", parameters={"temperature": 0.0}), Judge(api_base="http://localhost:1"))
    new = new_run(
        group("one"), group("two"), methods=("likert", "ruler"), name="Try 😀", draft_id="d", judges=judges,
        rubric_name="Support",
    )  # fmt: skip
    plan = [
        PlannedItem(group=1, method="likert", trajectory_id="a", judge=1, repeat=2),
        PlannedItem(group=0, method="ruler"),
    ]
    run_id = store.create_run(new, {"likert": "3", "ruler": "1"}, plan)
    run = store.run(run_id)
    assert (run.id, run.name, run.draft_id, run.state) == (run_id, "Try 😀", "d", RunState.RUNNING)
    assert (run.rubric, run.rubric_name, run.rubric_version) == (RUBRIC, "Support", 1)
    assert (run.judges, run.settings, run.method_versions) == (judges, new.settings, {"likert": "3", "ruler": "1"})
    assert abs((datetime.now(UTC) - run.created_at).total_seconds()) < 60
    assert run.finished_at is None
    assert [store.groups(run.group_ids)[one] for one in run.group_ids] == list(new.groups)
    assert run.progress.counts == {ItemStatus.PENDING: 2}
    assert run.usage == Usage()
    first, second = store.pending_items(run_id)
    assert (first.method, first.group_id, first.trajectory_id) == ("likert", run.group_ids[1], "a")
    assert (first.judge, first.repeat) == (1, 2)
    assert (second.method, second.group_id, second.trajectory_id) == ("ruler", run.group_ids[0], None)
    assert store.pending_items(run_id, limit=1) == [first]


def test_an_unknown_run_is_named(store: Store) -> None:
    for ask in (store.run, store.claim, store.stop_requested, store.request_cancel, store.previous_run):
        with pytest.raises(NotFound, match="Run 404 is not stored here"):
            ask(404)


def test_a_large_plan_is_stored_within_seconds(store: Store) -> None:
    groups = tuple(group(f"g{number}") for number in range(500))
    plan = [PlannedItem(place, "likert", member, 0, repeat)
            for place in range(500) for member in ("a", "b") for repeat in range(100)]  # fmt: skip
    began = time.process_time()
    run_id = store.create_run(new_run(*groups, methods=("likert",)), {"likert": "1"}, plan)
    assert time.process_time() - began < 10
    assert store.run(run_id).progress.counts == {ItemStatus.PENDING: 100_000}
    assert len(store.pending_items(run_id)) == 100_000


def test_a_run_is_claimed_once(store: Store, url: str) -> None:
    run_id = make_run(store)
    with Store.open(url) as other:
        assert not other.claim(run_id), "its maker lives and is about to claim it"
        assert store.claim(run_id)
        assert not store.claim(run_id)
        assert not other.claim(run_id)
        store.release(run_id, RunState.INTERRUPTED)
        assert store.run(run_id).state is RunState.INTERRUPTED
        assert other.claim(run_id)
        assert not store.claim(run_id)
        assert store.run(run_id).state is RunState.RUNNING


def test_a_run_that_is_over_is_not_claimed_or_cancelled(store: Store) -> None:
    run_id = make_run(store)
    store.claim(run_id)
    store.release(run_id, RunState.FINISHED)
    assert store.run(run_id).finished_at is not None
    assert not store.claim(run_id)
    store.request_cancel(run_id)
    assert store.stop_requested(run_id) is None
    assert store.run(run_id).state is RunState.FINISHED


def test_only_its_holder_lets_a_run_go(store: Store, url: str) -> None:
    run_id = make_run(store)
    with Store.open(url) as other, pytest.raises(InvalidRun, match=f"Run {run_id} is not held by this process"):
        other.release(run_id, RunState.FINISHED)


def test_closing_frees_the_runs_of_a_store(store: Store, url: str) -> None:
    with Store.open(url) as other:
        made, claimed = make_run(other), make_run(other)
        other.claim(claimed)
        assert store.run(made).state is store.run(claimed).state is RunState.RUNNING
    assert store.run(made).state is store.run(claimed).state is RunState.INTERRUPTED
    assert store.claim(made)
    assert store.claim(claimed)


def test_a_cancel_is_seen_by_every_process(store: Store, url: str) -> None:
    run_id = make_run(store)
    with Store.open(url) as other:
        assert store.stop_requested(run_id) is None
        other.request_cancel(run_id)
        assert store.stop_requested(run_id) is RunState.CANCELLED


def test_a_cancelled_run_leaves_no_item_open(store: Store) -> None:
    run_id = make_run(store, items=3)
    store.claim(run_id)
    done, asked, _ = store.pending_items(run_id)
    finish(store, done, scored())
    asyncio.run(store.start_items([asked.id]))
    assert store.cancel_items(run_id) == 1
    store.release(run_id, RunState.CANCELLED)
    run = store.run(run_id)
    assert run.state is RunState.CANCELLED
    assert run.progress.counts == {ItemStatus.SCORED: 1, ItemStatus.CANCELLED: 2}
    assert {stored.fault.reason for stored in store.items(run_id) if stored.fault} == {"cancelled"}


def test_the_previous_run_is_of_the_same_draft(store: Store) -> None:
    first = make_run(store, new_run(draft_id="d"))
    make_run(store, new_run(draft_id="other"))
    last = make_run(store, new_run(group("g", ("x", "y")), draft_id="d"))
    assert store.previous_run(last) == first
    assert store.previous_run(first) is None


def test_else_the_previous_run_shares_a_response(store: Store) -> None:
    shares = make_run(store, new_run(group("g", ("a", "z"), question="Other?")))
    make_run(store, new_run(group("g", ("x", "y"))))
    last = make_run(store, new_run(group("h", ("a", "b")), draft_id="d"))
    assert store.previous_run(last) == shares


def test_a_killed_worker_frees_its_run_at_once(store: Store, url: str, start: Start) -> None:
    run_id = make_run(store, items=400)
    store.release(run_id, RunState.INTERRUPTED)
    worker = start(work_until_killed, url, run_id)
    wait_until(lambda: store.run(run_id).progress.done >= 20)
    assert store.run(run_id).state is RunState.RUNNING
    assert not store.claim(run_id)
    kill(worker)
    run = store.run(run_id)
    assert run.state is RunState.INTERRUPTED
    assert run.progress.counts[ItemStatus.RUNNING] >= 3
    began = time.monotonic()
    assert store.claim(run_id)
    assert time.monotonic() - began < 5
    finished = {one.item_id for one in store.verdicts(run_id)}
    pending = store.pending_items(run_id)
    assert finished.isdisjoint(item.id for item in pending)
    assert len(finished) + len(pending) == 400
    known = store.known_calls(run_id)
    in_flight = [call for item in pending for call in store.calls(run_id, item_id=item.id)]
    assert known == {call.key: call for call in in_flight}
    assert len(known) >= 3
    carry_out(store, pending)
    store.release(run_id, RunState.FINISHED)
    done = store.run(run_id)
    assert done.progress.counts == {ItemStatus.SCORED: 400}
    assert done.usage.calls == 400, "a call that was stored before the kill is not stored again"
    places = [(one.item_id, one.verdict.trajectory_id) for one in store.verdicts(run_id)]
    assert len(places) == len(set(places)) == 800


def test_a_run_whose_maker_is_killed_before_it_claims_is_interrupted(store: Store, url: str, start: Start) -> None:
    maker = start(create_and_wait, url)
    wait_until(lambda: store.runs().total == 1)
    (summary,) = store.runs().rows
    assert summary.state is RunState.RUNNING
    assert not store.claim(summary.id)
    kill(maker)
    assert store.run(summary.id).state is RunState.INTERRUPTED
    assert store.claim(summary.id)


def wait_until(holds: Callable[[], bool], *, at_most_s: float = 60.0) -> None:
    until = time.monotonic() + at_most_s
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)
