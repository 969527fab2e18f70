"""Sweeps: runs that were planned together, their figures, and their line in the list of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, or_, select

from reward_lab.core.chat import Json
from reward_lab.core.run import ItemStatus, NewRun, RunState
from reward_lab.core.verdict import Reason
from reward_lab.errors import NotFound
from reward_lab.store.history import RUNS, History
from reward_lab.store.part import batches, insert_one, now
from reward_lab.store.records import ALL_RUNS, PlannedItem, RunFilter, RunSummary
from reward_lab.store.runs import add_run
from reward_lab.store.tables import judge_calls, run_items, runs, sweeps, trajectories, verdicts

_FAILED = (ItemStatus.UNSCORED.value, ItemStatus.PARTLY.value)


@dataclass(frozen=True, slots=True)
class StoredSweep:
    """A sweep as it was planned."""

    id: int
    name: str
    created_at: datetime
    settings: Json


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """A sweep's line in the list of runs: all its runs, in the order of the plan."""

    id: int
    name: str
    created_at: datetime
    runs: tuple[RunSummary, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the list of runs, newest first, a sweep on one line; ``total`` counts all lines that match."""

    rows: tuple[RunSummary | SweepSummary, ...]
    total: int


class Sweeps(History):
    """Sweeps by id."""

    def create_sweep(self, name: str, settings: Json) -> int:
        """Store a sweep without runs; return its id."""
        with self._database.write() as connection:
            return insert_one(connection, sweeps, {"name": name, "created_at": now(), "settings": settings})

    def sweep(self, sweep_id: int) -> StoredSweep:
        """A sweep as it was planned. Raises :class:`NotFound`."""
        with self._database.read() as connection:
            row = connection.execute(select(sweeps).where(sweeps.c.id == sweep_id)).first()
        if row is None:
            raise NotFound(f"Sweep {sweep_id} is not stored here: open one from the list of runs.")
        return StoredSweep(row.id, row.name, row.created_at, row.settings)

    def sweep_runs(self, sweep_id: int) -> tuple[int, ...]:
        """The runs of a sweep so far, in the order of the plan: the n-th is of the n-th cell."""
        query = select(runs.c.id).where(runs.c.sweep_id == sweep_id).order_by(runs.c.id)
        with self._database.read() as connection:
            return tuple(connection.scalars(query))

    def create_cell(
        self, place: int, new: NewRun, method_versions: Mapping[str, str], plan: Sequence[PlannedItem]
    ) -> int | None:
        """Store the run at this place of its sweep; return its id, ``None`` where another process did so first.

        Raises:
            InvalidGroup: a group that JSON cannot hold.
        """
        worker = self._leases.hold()
        with self._database.write() as connection:
            query = select(func.count()).select_from(runs).where(runs.c.sweep_id == new.sweep_id)
            if connection.scalar(query) != place:
                return None
            return add_run(connection, worker, new, method_versions, plan)

    def run_summaries(self, run_ids: Sequence[int]) -> tuple[RunSummary, ...]:
        """These runs as lines of a list, in order of their ids; one that is not stored is left out."""
        with self._database.read() as connection:
            found = self._summaries(connection, [runs.c.id.in_(run_ids)], 0, len(run_ids))
        return tuple(reversed(found))

    def stops_requested(self, run_ids: Sequence[int]) -> dict[int, RunState]:
        """As what each run was asked to stop (see ``stop_requested``); those that were not are left out."""
        query = select(runs.c.id, runs.c.cancel_requested).where(
            runs.c.id.in_(run_ids), or_(runs.c.cancel_requested, runs.c.pause_requested)
        )
        with self._database.read() as connection:
            return {
                row.id: RunState.CANCELLED if row.cancel_requested else RunState.PAUSED
                for row in connection.execute(query)
            }

    def failures(self, run_ids: Sequence[int]) -> dict[int, dict[Reason, int]]:
        """For each run how many of its items came out unscored, whole or in part, by the reason."""
        query = (
            select(run_items.c.run_id, run_items.c.reason, func.count().label("items"))
            .where(run_items.c.run_id.in_(run_ids), run_items.c.status.in_(_FAILED))
            .group_by(run_items.c.run_id, run_items.c.reason)
        )
        found: dict[int, dict[Reason, int]] = {run_id: {} for run_id in run_ids}
        with self._database.read() as connection:
            for row in connection.execute(query):
                found[row.run_id][Reason(row.reason)] = row.items
        return found

    def score_counts(self, run_id: int, *, sampled: bool) -> dict[str, dict[float, int]]:
        """Method -> score -> how many responses have it, as far as the run is known.

        ``sampled``: there are several judges or repeats; of a response with several scores it is their mean. Without,
        the figures come from the index alone, which for a hundred thousand verdicts takes milliseconds.
        """
        scored = (verdicts.c.run_id == run_id, verdicts.c.score.is_not(None))
        method, score = verdicts.c.method, verdicts.c.score
        query = select(method, score, func.count()).where(*scored).group_by(method, score)
        if sampled:
            mean = (
                select(method, func.avg(score).label("score"))
                .where(*scored)
                .group_by(verdicts.c.group_id, method, verdicts.c.trajectory_id)
                .subquery()
            )
            query = select(mean.c.method, mean.c.score, func.count()).group_by(mean.c.method, mean.c.score)
        found: dict[str, dict[float, int]] = {}
        with self._database.read() as connection:
            for name, value, responses in connection.execute(query):
                found.setdefault(name, {})[value] = responses
        return found

    def spent_usd(self, run_id: int, sweep_id: int | None) -> float:
        """What the calls of a run cost, or of all runs of its sweep, as far as it is known."""
        of_sweep = select(runs.c.id).where(runs.c.sweep_id == sweep_id)
        chosen = judge_calls.c.run_id == run_id if sweep_id is None else judge_calls.c.run_id.in_(of_sweep)
        query = select(func.sum(judge_calls.c.cost_usd)).where(chosen, ~judge_calls.c.cached)
        with self._database.read() as connection:
            return float(connection.scalar(query) or 0.0)

    def response_counts(self, group_ids: Sequence[int]) -> dict[int, int]:
        """How many responses each group has; a group that is not stored is left out."""
        found: dict[int, int] = {}
        with self._database.read() as connection:
            for some in batches(group_ids):
                query = (
                    select(trajectories.c.group_id, func.count())
                    .where(trajectories.c.group_id.in_(some))
                    .group_by(trajectories.c.group_id)
                )
                found.update(tuple(row) for row in connection.execute(query))
        return found

    def listing(self, wanted: RunFilter = ALL_RUNS, *, offset: int = 0, limit: int = 50) -> Listing:
        """A page of the runs that match (see ``runs``), newest first; a sweep, one of whose runs does, on one line."""
        with self._database.read() as connection:
            chosen = self._chosen(connection, wanted)
            matched = select(runs.c.id, runs.c.sweep_id).select_from(RUNS).where(*chosen).subquery()
            of_sweep = matched.c.sweep_id
            line = case((of_sweep.is_(None), matched.c.id), else_=-of_sweep)
            lines = select(func.max(matched.c.id).label("run_id"), func.max(of_sweep).label("sweep_id")).group_by(line)
            total = connection.scalar(select(func.count()).select_from(lines.subquery())) or 0
            page = connection.execute(lines.order_by(func.max(matched.c.id).desc()).offset(offset).limit(limit)).all()
            alone = [row.run_id for row in page if row.sweep_id is None]
            swept = [row.sweep_id for row in page if row.sweep_id is not None]
            named = {row.id: row for row in connection.execute(select(sweeps).where(sweeps.c.id.in_(swept)))}
            shown = [or_(runs.c.id.in_(alone), runs.c.sweep_id.in_(swept))]
            found = self._summaries(connection, shown, 0, None)
        single = {run.id: run for run in found}
        together: dict[int, list[RunSummary]] = {sweep_id: [] for sweep_id in swept}
        for run in reversed(found):
            if run.sweep_id is not None:
                together[run.sweep_id].append(run)
        rows: list[RunSummary | SweepSummary] = []
        for row in page:
            if row.sweep_id is None:
                rows.append(single[row.run_id])
            else:
                sweep = named[row.sweep_id]
                rows.append(SweepSummary(sweep.id, sweep.name, sweep.created_at, tuple(together[sweep.id])))
        return Listing(tuple(rows), total)
