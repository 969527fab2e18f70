"""What a run is after something happened to it: the table of `RunState`, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from reward_lab.core.run import ItemStatus, RunState
from reward_lab.errors import InvalidRun
from reward_lab.services.engine import Engine
from reward_lab.services.scoring import Scoring
from reward_lab.store import Store
from tests.store.examples import finish, make_run, scored, unscored


class IdleEngine(Engine):
    """Takes runs and does nothing with them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def start(self, run_id: int) -> None:  # type: ignore[override]  # nobody waits for what never ends
        self._store.claim(run_id)


@dataclass
class Stage:
    """A run of three items, one of them scored and one unscored, in another process; `me` is this process."""

    owner: Store
    me: Store
    run_id: int

    @property
    def scoring(self) -> Scoring:
        return Scoring(self.me, IdleEngine(self.me))

    def state(self) -> RunState:
        return self.me.run(self.run_id).state


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    url = f"sqlite:///{tmp_path / 'lab.db'}"
    with Store.open(url) as owner, Store.open(url) as me:
        run_id = make_run(owner, items=3)
        assert owner.claim(run_id)
        first, second, _ = owner.pending_items(run_id)
        finish(owner, first, scored())
        finish(owner, second, unscored())
        yield Stage(owner, me, run_id)


def bring_to(stage: Stage, state: RunState) -> None:
    if state is RunState.FINISHED:
        for item in stage.owner.pending_items(stage.run_id):
            finish(stage.owner, item, scored())
    if state is RunState.INTERRUPTED:
        stage.owner.close()
    elif state is not RunState.RUNNING:
        stage.owner.release(stage.run_id, state)
    assert stage.state() is state


def claimed(stage: Stage) -> None:
    stage.me.claim(stage.run_id)


def paused(stage: Stage) -> None:
    stage.scoring.pause(stage.run_id)


def cancelled(stage: Stage) -> None:
    stage.scoring.cancel(stage.run_id)


def resumed(stage: Stage) -> None:
    stage.scoring.resume(stage.run_id)


def killed(stage: Stage) -> None:
    stage.owner.close()


RUNNING, INTERRUPTED, PAUSED = RunState.RUNNING, RunState.INTERRUPTED, RunState.PAUSED
CANCELLED, FINISHED = RunState.CANCELLED, RunState.FINISHED

EVENTS = (claimed, paused, cancelled, resumed, killed)
TABLE = {
    # before:    claimed,  paused,   cancelled, resumed,  its process ended
    INTERRUPTED: (RUNNING, PAUSED, CANCELLED, RUNNING, INTERRUPTED),
    PAUSED: (PAUSED, PAUSED, CANCELLED, RUNNING, PAUSED),
    CANCELLED: (CANCELLED, CANCELLED, CANCELLED, RUNNING, CANCELLED),
    FINISHED: (FINISHED, FINISHED, FINISHED, FINISHED, FINISHED),
}


@pytest.mark.parametrize(
    ("before", "event", "after"),
    [(before, event, after) for before, row in TABLE.items() for event, after in zip(EVENTS, row, strict=True)],
)
def test_what_becomes_of_a_run_that_nobody_is_at(
    stage: Stage, before: RunState, event: Callable[[Stage], None], after: RunState
) -> None:
    bring_to(stage, before)
    event(stage)
    assert stage.state() is after
    counts = stage.me.run(stage.run_id).progress.counts
    if after is FINISHED:
        assert counts == {ItemStatus.SCORED: 2, ItemStatus.UNSCORED: 1}
    else:
        left = ItemStatus.CANCELLED if after is CANCELLED else ItemStatus.PENDING
        assert counts == {ItemStatus.SCORED: 1, ItemStatus.UNSCORED: 1, left: 1}
    if after is RUNNING:
        assert stage.me.stop_requested(stage.run_id) is None


@pytest.mark.parametrize(
    ("event", "asked", "after"),
    [
        (claimed, None, RUNNING),
        (paused, PAUSED, RUNNING),
        (cancelled, CANCELLED, RUNNING),
        (killed, None, INTERRUPTED),
    ],
)
def test_what_becomes_of_a_run_that_another_process_is_at(
    stage: Stage, event: Callable[[Stage], None], asked: RunState | None, after: RunState
) -> None:
    event(stage)
    assert stage.state() is after
    assert stage.me.stop_requested(stage.run_id) is asked


def test_a_run_at_work_is_not_resumed(stage: Stage) -> None:
    with pytest.raises(InvalidRun, match="is at work: wait for it, or pause or cancel it first"):
        stage.scoring.resume(stage.run_id)


def test_of_a_pause_and_a_cancel_the_cancel_counts(stage: Stage) -> None:
    for event in (cancelled, paused):
        event(stage)
        assert stage.me.stop_requested(stage.run_id) is CANCELLED


def test_a_killed_run_forgets_that_it_was_to_stop_once_it_is_resumed(stage: Stage) -> None:
    paused(stage)
    killed(stage)
    assert stage.state() is INTERRUPTED
    resumed(stage)
    assert stage.state() is RUNNING
    assert stage.me.stop_requested(stage.run_id) is None


def test_a_paused_run_with_nothing_left_can_be_taken_up_and_ended(stage: Stage) -> None:
    """It was killed between its last item and its end, and paused after that."""
    for item in stage.owner.pending_items(stage.run_id):
        finish(stage.owner, item, scored())
    killed(stage)
    paused(stage)
    assert stage.state() is PAUSED
    resumed(stage)
    assert stage.state() is RUNNING


def test_retrying_a_paused_run_asks_what_failed_and_goes_on(stage: Stage) -> None:
    bring_to(stage, PAUSED)
    stage.scoring.retry(stage.run_id)
    assert stage.state() is RUNNING
    assert stage.me.run(stage.run_id).progress.counts == {ItemStatus.SCORED: 1, ItemStatus.PENDING: 2}
