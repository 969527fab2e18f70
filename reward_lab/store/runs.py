"""Runs: made, taken by a worker, let go, cancelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import uuid4

from sqlalchemy import Connection, Table, insert, select, update

from reward_lab.core.chat import Json
from reward_lab.core.judge import Ensemble, Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemStatus, NewRun, Run, RunSettings, RunState
from reward_lab.core.verdict import Reason
from reward_lab.errors import InvalidRun, NotFound
from reward_lab.store.figures import progress_by_method, total, usage_of
from reward_lab.store.groups import add_groups
from reward_lab.store.part import AnyRow, Part, insert_one, now
from reward_lab.store.records import PlannedItem
from reward_lab.store.rubrics import add_rubric
from reward_lab.store.tables import (
    judges,
    rubric_versions,
    rubrics,
    run_groups,
    run_items,
    run_judges,
    run_methods,
    runs,
)


class Runs(Part):
    """Runs by id.

    A run belongs to the worker that made it until one claims it, and to the one that
    claimed it until it is released. A run that is not over and whose worker is dead, or that
    was released unfinished, is ``INTERRUPTED``: anyone may claim it. One that is paused or over
    can be claimed again once :meth:`reset_items <reward_lab.store.items.Items.reset_items>` took
    it up. All that may happen is told with :class:`~reward_lab.core.run.RunState`.
    """

    def create_run(self, new: NewRun, method_versions: Mapping[str, str], plan: Sequence[PlannedItem]) -> int:
        """Store a run with its groups, rubric, judges and items, all pending; return its id.

        Raises:
            InvalidGroup: a group that JSON cannot hold.
        """
        worker = self._leases.hold()
        with self._database.write() as connection:
            return add_run(connection, worker, new, method_versions, plan)

    def run(self, run_id: int) -> Run:
        """A run without its verdicts. Raises :class:`NotFound`."""
        query = (
            select(runs, rubrics.c.name.label("rubric_name"), rubric_versions.c.number, rubric_versions.c.content)
            .join(rubric_versions, rubric_versions.c.id == runs.c.rubric_version_id)
            .join(rubrics, rubrics.c.id == rubric_versions.c.rubric_id)
            .where(runs.c.id == run_id)
        )
        with self._database.read() as connection:
            row = known_run(connection.execute(query).first(), run_id)
            progress = total(progress_by_method(connection, [run_id]).get(run_id, {}))
            return Run(
                id=run_id,
                name=row.name,
                state=self._state(row),
                created_at=row.created_at,
                finished_at=row.finished_at,
                rubric=Rubric.model_validate(row.content),
                rubric_name=row.rubric_name,
                rubric_version=row.number,
                judges=_ensemble(connection, run_id),
                settings=RunSettings.model_validate(row.settings),
                method_versions=row.method_versions,
                draft_id=row.draft_id,
                group_ids=_group_ids(connection, run_id),
                progress=progress,
                usage=usage_of(connection, [run_id])[run_id],
                sweep_id=row.sweep_id,
            )

    def claim(self, run_id: int) -> bool:
        """Take a run to work on it; false where a living worker has it, this one included, it is paused or over.

        Items that a dead worker was at are pending again. Raises :class:`NotFound`.
        """
        worker = self._leases.hold()
        with self._database.write() as connection:
            row = holder(connection, run_id)
            if row.state != RunState.RUNNING.value:
                return False
            if self._leases.alive(row.worker) and (row.claimed or row.worker != worker):
                return False
            connection.execute(update(runs).where(runs.c.id == run_id).values(worker=worker, claimed=True))
            put_back(connection, run_id)
            return True

    def release(self, run_id: int, state: RunState) -> None:
        """Let go of a run that this process made or claimed.

        ``FINISHED`` and ``CANCELLED`` end it, ``PAUSED`` stays so; any other state leaves it
        ``INTERRUPTED``. Items that were being asked are pending again, and cancelled where the run is.

        Raises:
            InvalidRun: this process does not have it.
        """
        over = state in (RunState.FINISHED, RunState.CANCELLED)
        kept = over or state is RunState.PAUSED
        with self._database.write() as connection:
            row = holder(connection, run_id)
            if row.worker != self._leases.worker:
                raise InvalidRun(f"Run {run_id} is not held by this process: claim it first.")
            connection.execute(
                update(runs)
                .where(runs.c.id == run_id)
                .values(
                    state=state.value if kept else RunState.RUNNING.value,
                    worker=None,
                    claimed=False,
                    finished_at=now() if over else None,
                )
            )
            put_back(connection, run_id)
            if state is RunState.CANCELLED:
                cancel_pending(connection, run_id)

    def request_cancel(self, run_id: int) -> None:
        """Ask the worker of a run, in whatever process, to stop; cancel one that is paused; one that is over stays.

        Raises :class:`NotFound`.
        """
        with self._database.write() as connection:
            state = holder(connection, run_id).state
            if state == RunState.RUNNING.value:
                _set(connection, run_id, cancel_requested=True)
            elif state == RunState.PAUSED.value:
                cancel_pending(connection, run_id)
                _set(connection, run_id, state=RunState.CANCELLED.value, finished_at=now())

    def request_pause(self, run_id: int) -> None:
        """Ask the worker of a run, in whatever process, to stop for now; one that is paused or over stays as it is.

        Raises :class:`NotFound`.
        """
        with self._database.write() as connection:
            if holder(connection, run_id).state == RunState.RUNNING.value:
                _set(connection, run_id, pause_requested=True)

    def stop_requested(self, run_id: int) -> RunState | None:
        """As what somebody asked the run to stop: ``CANCELLED``, also where a pause was asked for too, or ``PAUSED``.

        Raises :class:`NotFound`.
        """
        with self._database.read() as connection:
            query = select(runs.c.cancel_requested, runs.c.pause_requested).where(runs.c.id == run_id)
            row = known_run(connection.execute(query).first(), run_id)
        if row.cancel_requested:
            return RunState.CANCELLED
        return RunState.PAUSED if row.pause_requested else None

    def _state(self, row: AnyRow) -> RunState:
        if row.state == RunState.RUNNING and not self._leases.alive(row.worker):
            return RunState.INTERRUPTED
        return RunState(row.state)


def add_run(
    connection: Connection, worker: str, new: NewRun, method_versions: Mapping[str, str], plan: Sequence[PlannedItem]
) -> int:
    """Store a run of ``worker``'s within a transaction; return its id. Raises :class:`InvalidGroup`."""
    group_ids = add_groups(connection, new.groups)
    version_id = add_rubric(connection, new.rubric, name=new.rubric_name, draft_id=new.draft_id)
    run_id = insert_one(
        connection,
        runs,
        {
            "uuid": uuid4().hex,
            "name": new.name,
            "draft_id": new.draft_id,
            "rubric_version_id": version_id,
            "state": RunState.RUNNING.value,
            "cancel_requested": False,
            "worker": worker,
            "claimed": False,
            "created_at": now(),
            "sweep_id": new.sweep_id,
            "settings": new.settings.model_dump(mode="json"),
            "method_versions": dict(method_versions),
        },
    )
    _insert(connection, run_groups, run_id, "group_id", group_ids)
    _insert(connection, run_judges, run_id, "judge_id", [_judge_id(connection, one) for one in new.judges])
    connection.execute(insert(run_methods), [{"run_id": run_id, "method": method} for method in new.settings.methods])
    if plan:
        connection.execute(
            insert(run_items),
            [
                {
                    "run_id": run_id,
                    "group_id": group_ids[one.group],
                    "method": one.method,
                    "trajectory_id": one.trajectory_id,
                    "judge": one.judge,
                    "repeat": one.repeat,
                    "status": ItemStatus.PENDING.value,
                }
                for one in plan
            ],
        )
    return run_id


def holder(connection: Connection, run_id: int) -> AnyRow:
    """Who has a run: ``state`` as stored, ``worker`` and ``claimed``. Raises :class:`NotFound`."""
    query = select(runs.c.state, runs.c.worker, runs.c.claimed).where(runs.c.id == run_id)
    return known_run(connection.execute(query).first(), run_id)


def put_back(connection: Connection, run_id: int) -> None:
    """Make the items that nobody is asking any more pending again."""
    connection.execute(
        update(run_items)
        .where(run_items.c.run_id == run_id, run_items.c.status == ItemStatus.RUNNING.value)
        .values(status=ItemStatus.PENDING.value, started_at=None)
    )


def cancel_pending(connection: Connection, run_id: int) -> int:
    """Make the pending items of a run cancelled; return how many."""
    return connection.execute(
        update(run_items)
        .where(run_items.c.run_id == run_id, run_items.c.status == ItemStatus.PENDING.value)
        .values(
            status=ItemStatus.CANCELLED.value,
            reason=Reason.CANCELLED.value,
            detail="The run was cancelled before this was asked; resume it to ask.",
            finished_at=now(),
        )
    ).rowcount


def known_run(row: AnyRow | None, run_id: int) -> AnyRow:
    """The row, where there is one. Raises :class:`NotFound` naming the run."""
    if row is None:
        raise NotFound(f"Run {run_id} is not stored here: open one from the list of runs.")
    return row


def _set(connection: Connection, run_id: int, **values: Json) -> None:
    connection.execute(update(runs).where(runs.c.id == run_id).values(values))


def _insert(connection: Connection, table: Table, run_id: int, column: str, ids: Sequence[int]) -> None:
    rows = [{"run_id": run_id, "position": position, column: one} for position, one in enumerate(ids)]
    if rows:
        connection.execute(insert(table), rows)


def _judge_id(connection: Connection, judge: Judge) -> int:
    found = connection.scalar(select(judges.c.id).where(judges.c.key == judge.key))
    if found is None:
        values = {"key": judge.key, "model": judge.model, "settings": judge.model_dump(mode="json")}
        found = insert_one(connection, judges, values)
    return int(found)


def _ensemble(connection: Connection, run_id: int) -> Ensemble:
    query = (
        select(judges.c.settings)
        .join(run_judges, run_judges.c.judge_id == judges.c.id)
        .where(run_judges.c.run_id == run_id)
        .order_by(run_judges.c.position)
    )
    return tuple(Judge.model_validate(settings) for settings in connection.scalars(query))


def _group_ids(connection: Connection, run_id: int) -> tuple[int, ...]:
    query = select(run_groups.c.group_id).where(run_groups.c.run_id == run_id).order_by(run_groups.c.position)
    return tuple(connection.scalars(query))
