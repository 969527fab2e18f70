"""History: the list of runs, and which run came before which."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, exists, func, or_, select

from reward_lab.core.run import Progress, RunState
from reward_lab.store.figures import progress_by_method, total, usage_of
from reward_lab.store.records import ALL_RUNS, RunFilter, RunPage, RunSummary
from reward_lab.store.runs import Runs, known_run
from reward_lab.store.tables import (
    groups,
    judges,
    rubric_versions,
    rubrics,
    run_groups,
    run_judges,
    run_methods,
    runs,
    trajectories,
)

RUNS = runs.join(rubric_versions, rubric_versions.c.id == runs.c.rubric_version_id).join(
    rubrics, rubrics.c.id == rubric_versions.c.rubric_id
)


class History(Runs):
    """Runs, looked at together."""

    def runs(self, wanted: RunFilter = ALL_RUNS, *, offset: int = 0, limit: int = 50) -> RunPage:
        """A page of the runs that match, newest first."""
        with self._database.read() as connection:
            chosen = self._chosen(connection, wanted)
            count = connection.scalar(select(func.count()).select_from(RUNS).where(*chosen)) or 0
            return RunPage(self._summaries(connection, chosen, offset, limit), count)

    def previous_run(self, run_id: int) -> int | None:
        """The latest earlier run of the same draft, else the latest that shares a response; ``None`` without either.

        Raises :class:`NotFound` where there is no such run.
        """
        with self._database.read() as connection:
            row = connection.execute(select(runs.c.draft_id).where(runs.c.id == run_id)).first()
            draft_id = known_run(row, run_id).draft_id
            if draft_id is not None:
                earlier = connection.scalar(
                    select(func.max(runs.c.id)).where(runs.c.draft_id == draft_id, runs.c.id < run_id)
                )
                if earlier is not None:
                    return int(earlier)
            own = (
                select(trajectories.c.key)
                .join(run_groups, run_groups.c.group_id == trajectories.c.group_id)
                .where(run_groups.c.run_id == run_id)
            )
            shared = (
                select(func.max(run_groups.c.run_id))
                .join(trajectories, trajectories.c.group_id == run_groups.c.group_id)
                .where(run_groups.c.run_id < run_id, trajectories.c.key.in_(own))
            )
            found: int | None = connection.scalar(shared)
            return found

    def group_sharing(self, run_id: int, keys: Sequence[str]) -> int | None:
        """The first group of a run that has a trajectory with one of these keys, ``None`` where none has."""
        query = (
            select(run_groups.c.group_id)
            .join(trajectories, trajectories.c.group_id == run_groups.c.group_id)
            .where(run_groups.c.run_id == run_id, trajectories.c.key.in_(keys))
            .order_by(run_groups.c.position)
            .limit(1)
        )
        with self._database.read() as connection:
            found: int | None = connection.scalar(query)
            return found

    def _chosen(self, connection: Connection, wanted: RunFilter) -> list[ColumnElement[bool]]:
        chosen: list[ColumnElement[bool]] = []
        search = wanted.search.strip()
        if search:
            in_groups = (
                exists()
                .where(run_groups.c.run_id == runs.c.id, groups.c.id == run_groups.c.group_id)
                .where(or_(_holds(groups.c.opening, search), _holds(groups.c.external_id, search)))
            )
            chosen.append(or_(_holds(runs.c.name, search), _holds(rubrics.c.name, search), in_groups))
        if wanted.method is not None:
            chosen.append(exists().where(run_methods.c.run_id == runs.c.id, run_methods.c.method == wanted.method))
        if wanted.model is not None:
            asked = (run_judges.c.run_id == runs.c.id, judges.c.id == run_judges.c.judge_id)
            chosen.append(exists().where(*asked).where(_holds(judges.c.model, wanted.model)))
        if wanted.state is not None:
            chosen.append(self._is_in(connection, wanted.state))
        return chosen

    def _is_in(self, connection: Connection, state: RunState) -> ColumnElement[bool]:
        if state in (RunState.FINISHED, RunState.CANCELLED, RunState.PAUSED):
            return runs.c.state == state.value
        unfinished = runs.c.state == RunState.RUNNING.value
        workers = connection.scalars(select(runs.c.worker).where(unfinished, runs.c.worker.is_not(None)).distinct())
        living = [worker for worker in workers if self._leases.alive(worker)]
        if state is RunState.RUNNING:
            return unfinished & runs.c.worker.in_(living)
        return unfinished & or_(runs.c.worker.is_(None), runs.c.worker.not_in(living))

    def _summaries(
        self, connection: Connection, chosen: Sequence[ColumnElement[bool]], offset: int, limit: int | None
    ) -> tuple[RunSummary, ...]:
        query = (
            select(runs, rubrics.c.name.label("rubric_name"), rubric_versions.c.number)
            .select_from(RUNS)
            .where(*chosen)
            .order_by(runs.c.id.desc())
            .offset(offset)
            .limit(limit)
        )
        rows = connection.execute(query).all()
        ids = [row.id for row in rows]
        progress = progress_by_method(connection, ids)
        usages = usage_of(connection, ids)
        models = _models(connection, ids)
        counts = _group_counts(connection, ids)
        openings = _openings(connection, ids)
        nothing: dict[str, Progress] = {}
        return tuple(
            RunSummary(
                id=row.id,
                name=row.name,
                state=self._state(row),
                created_at=row.created_at,
                finished_at=row.finished_at,
                rubric_name=row.rubric_name,
                rubric_version=row.number,
                models=tuple(models.get(row.id, ())),
                methods=tuple(row.settings["methods"]),
                draft_id=row.draft_id,
                groups=counts.get(row.id, 0),
                opening=openings.get(row.id, ""),
                progress=total(progress.get(row.id, nothing)),
                usage=usages[row.id],
                sweep_id=row.sweep_id,
            )
            for row in rows
        )


def _holds(column: ColumnElement[str], search: str) -> ColumnElement[bool]:
    return column.icontains(search, autoescape=True)


def _models(connection: Connection, run_ids: Sequence[int]) -> dict[int, list[str]]:
    query = (
        select(run_judges.c.run_id, judges.c.model)
        .join(judges, judges.c.id == run_judges.c.judge_id)
        .where(run_judges.c.run_id.in_(run_ids))
        .order_by(run_judges.c.run_id, run_judges.c.position)
    )
    models: dict[int, list[str]] = {}
    for row in connection.execute(query):
        models.setdefault(row.run_id, []).append(row.model)
    return models


def _group_counts(connection: Connection, run_ids: Sequence[int]) -> dict[int, int]:
    query = (
        select(run_groups.c.run_id, func.count().label("groups"))
        .where(run_groups.c.run_id.in_(run_ids))
        .group_by(run_groups.c.run_id)
    )
    return {row.run_id: row.groups for row in connection.execute(query)}


def _openings(connection: Connection, run_ids: Sequence[int]) -> dict[int, str]:
    query = (
        select(run_groups.c.run_id, groups.c.opening)
        .join(groups, groups.c.id == run_groups.c.group_id)
        .where(run_groups.c.run_id.in_(run_ids), run_groups.c.position == 0)
    )
    return {row.run_id: row.opening for row in connection.execute(query)}
