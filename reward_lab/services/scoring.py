"""Scoring: start a run, follow it, pause it, stop it, take it up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from reward_lab.core.chat import canonical_json
from reward_lab.core.group import Group
from reward_lab.core.judge import Ensemble
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemStatus, NewRun, Progress, Run, RunSettings, RunState
from reward_lab.errors import InvalidGroup, InvalidJudge
from reward_lab.services.engine import Engine
from reward_lab.services.planning import Estimate, estimate, method_versions, plan
from reward_lab.store import ALL_RUNS, RunFilter, RunPage, RunSummary, Store

__all__ = ["RunFilter", "RunPage", "RunSummary", "Scoring", "Status"]


@dataclass(frozen=True, slots=True)
class Status:
    """Where a run stands: its state, and its items by method and status.

    ``cancelling`` and ``pausing``: it was asked to stop, and waits for the calls in flight.
    """

    state: RunState
    progress: Mapping[str, Progress]
    cancelling: bool = False
    pausing: bool = False

    @property
    def total(self) -> int:
        """All items of the run."""
        return sum(progress.total for progress in self.progress.values())

    @property
    def done(self) -> int:
        """Items asked and answered."""
        return sum(progress.done for progress in self.progress.values())


class Scoring:
    """What a person does with runs. Every run is stored before its first question is asked."""

    def __init__(self, store: Store, engine: Engine) -> None:
        self._store = store
        self._engine = engine

    def estimate(self, groups: Sequence[Group], rubric: Rubric, judges: Ensemble, settings: RunSettings) -> Estimate:
        """Calls, tokens and cost of a run that is not started yet."""
        return estimate(groups, rubric, judges, settings)

    def start(self, new: NewRun) -> tuple[int, Future[RunState | None]]:
        """Store a run and begin it; return its id at once, with a future of its final state.

        Raises:
            InvalidGroup: there is nothing to score, or one group stands there twice.
            InvalidJudge: there is no judge.
            InvalidRun: a method that does not exist.
        """
        if not new.groups:
            raise InvalidGroup("There is no group to score: add at least one response.")
        twice = _standing_twice(new.groups)
        if twice is not None:
            raise InvalidGroup(f"Group {twice.id!r} stands in the run more than once: give each group once.")
        if not new.judges:
            raise InvalidJudge("There is no judge: choose one, 'offline' needs no key.")
        versions = method_versions(new.settings)
        run_id = self._store.create_run(new, versions, plan(new))
        return run_id, self._engine.start(run_id)

    def cancel(self, run_id: int) -> None:
        """Ask a run to stop. Calls in flight may finish; what is done stays, the rest can be resumed."""
        self._store.request_cancel(run_id)
        if self._store.claim(run_id):
            # No living process has the run, so nobody would heed the request.
            self._store.cancel_items(run_id)
            self._store.release(run_id, RunState.CANCELLED)

    def pause(self, run_id: int) -> None:
        """Ask a run to stop for now. Calls in flight may finish; what was not asked waits until it is resumed."""
        self._store.request_pause(run_id)
        if self._store.claim(run_id):
            # No living process has the run, so nobody would heed the request.
            self._store.release(run_id, RunState.PAUSED)

    def resume(self, run_id: int) -> Future[RunState | None]:
        """Carry out what a paused, cancelled or interrupted run has left; nothing finished is asked again."""
        self._store.reset_items(run_id, (ItemStatus.CANCELLED,))
        return self._engine.start(run_id)

    def retry(self, run_id: int) -> Future[RunState | None]:
        """Ask once more what came out unscored, whole or in part; scored items stay as they are."""
        self._store.reset_items(run_id, (ItemStatus.UNSCORED, ItemStatus.PARTLY, ItemStatus.CANCELLED))
        return self._engine.start(run_id)

    def status(self, run_id: int) -> Status:
        """Where a run stands now. Raises :class:`~reward_lab.errors.NotFound`."""
        state = self._store.run(run_id).state
        asked = self._store.stop_requested(run_id) if state is RunState.RUNNING else None
        progress = self._store.progress(run_id)
        return Status(state, progress, asked is RunState.CANCELLED, asked is RunState.PAUSED)

    def run(self, run_id: int) -> Run:
        """A stored run without its verdicts. Raises :class:`~reward_lab.errors.NotFound`."""
        return self._store.run(run_id)

    def runs(self, wanted: RunFilter = ALL_RUNS, *, offset: int = 0, limit: int = 50) -> RunPage:
        """Stored runs, newest first, filtered and paged in the database."""
        return self._store.runs(wanted, offset=offset, limit=limit)


def _standing_twice(groups: Sequence[Group]) -> Group | None:
    """The first group that is equal to an earlier one: the store would know both by one id."""
    seen: set[str] = set()
    for group in groups:
        try:
            record = canonical_json(group.to_record())
        except ValueError:
            continue  # the store says what JSON cannot hold
        if record in seen:
            return group
        seen.add(record)
    return None
