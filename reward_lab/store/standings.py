"""Standings: the mean scores of whole runs, in flat rows for runs of hundreds of thousands of verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TypeAlias

from sqlalchemy import Text, func, select, type_coerce
from sqlalchemy.engine.default import DefaultDialect

from reward_lab.core.matching import Member, RunGroup
from reward_lab.store.columns import ExactText
from reward_lab.store.part import AnyRow, Part
from reward_lab.store.tables import groups, run_groups, runs, trajectories, verdicts

_AT_ONCE = 2000
"""Rows held at a time."""

Scores: TypeAlias = list[float | None]
"""(G,) mean scores in the order of a group's responses."""


class Standings(Part):
    """Runs as figures, without what was said."""

    def run_groups(self, run_ids: Sequence[int]) -> dict[int, tuple[RunGroup, ...]]:
        """The groups of each run as they are matched, in the run's order; () for a run that is not stored."""
        placed = (
            select(run_groups.c.run_id, groups.c.id, groups.c.external_id, groups.c.opening)
            .join(groups, groups.c.id == run_groups.c.group_id)
            .where(run_groups.c.run_id.in_(run_ids))
            .order_by(run_groups.c.run_id, run_groups.c.position)
        )
        of_runs = select(run_groups.c.group_id).where(run_groups.c.run_id.in_(run_ids))
        members = (
            select(trajectories.c.group_id, trajectories.c.key, trajectories.c.external_id)
            .where(trajectories.c.group_id.in_(of_runs))
            .order_by(trajectories.c.group_id, trajectories.c.position)
        )
        of_group: dict[int, list[Member]] = {}
        found: dict[int, list[RunGroup]] = {run_id: [] for run_id in run_ids}
        known: dict[int, RunGroup] = {}
        with self._database.read() as connection:
            for group_id, key, external_id in connection.execute(members):
                of_group.setdefault(group_id, []).append(Member(key, external_id))
            for run_id, group_id, name, opening in connection.execute(placed):
                if group_id not in known:
                    known[group_id] = RunGroup(group_id, name, opening, tuple(of_group.get(group_id, ())))
                found[run_id].append(known[group_id])
        return {run_id: tuple(placed_groups) for run_id, placed_groups in found.items()}

    def mean_scores(
        self, run_id: int, of: Sequence[RunGroup], methods: Sequence[str], *, sampled: bool
    ) -> dict[int, dict[str, Scores]]:
        """Group id -> method -> the mean score of each response, for these groups and methods of a run.

        ``None`` where there is no score, or no verdict yet; methods without a verdict are left out. ``sampled``: there
        are several judges or repeats, so that there is something to take the mean of.
        """
        score = verdicts.c.score
        # Ids as they are stored: to read hundreds of thousands of them back takes longer than to fetch them.
        cell = [verdicts.c.group_id, verdicts.c.method, type_coerce(verdicts.c.trajectory_id, Text)]
        asked = (verdicts.c.run_id == run_id, verdicts.c.method.in_(methods))
        query = select(*cell, score).where(*asked)
        if sampled:
            query = select(*cell, func.avg(score)).where(*asked).group_by(*cell)
        places = {group.id: {_stored(one.id): place for place, one in enumerate(group.members)} for group in of}
        found: dict[int, dict[str, Scores]] = {group.id: {} for group in of}
        with self._database.read() as connection:
            parts: Iterator[Sequence[AnyRow]] = connection.execute(query).partitions(_AT_ONCE)
            for rows in parts:
                for group_id, method, stored_id, mean in rows:
                    of_group = found[group_id]
                    if method not in of_group:
                        of_group[method] = [None] * len(places[group_id])
                    of_group[method][places[group_id][stored_id]] = mean
        return found

    def standing_of(self, run_ids: Sequence[int]) -> dict[int, tuple[str, datetime | None]]:
        """The state as it is stored and the end of each run: equal to what they were where nothing has changed.

        A run that goes on is not over, and its verdicts change while this does not.
        """
        query = select(runs.c.id, runs.c.state, runs.c.finished_at).where(runs.c.id.in_(run_ids))
        with self._database.read() as connection:
            return {row.id: (row.state, row.finished_at) for row in connection.execute(query)}

    def judge_extremes(self, run_id: int) -> Sequence[AnyRow]:
        """(group id, method, trajectory id, lowest, highest mean score of a judge) where several judges gave one."""
        of_judge = (
            select(*_CELL, func.avg(verdicts.c.score).label("score"))
            .where(verdicts.c.run_id == run_id, verdicts.c.score.is_not(None))
            .group_by(*_CELL, verdicts.c.judge)
            .subquery()
        )
        cell = [of_judge.c[column.name] for column in _CELL]
        query = (
            select(*cell, func.min(of_judge.c.score), func.max(of_judge.c.score))
            .group_by(*cell)
            .having(func.count() > 1)
        )
        with self._database.read() as connection:
            return connection.execute(query).all()


@lru_cache(maxsize=4096)
def _stored(trajectory_id: str) -> str:
    return ExactText().process_bind_param(trajectory_id, DefaultDialect()) or ""


_CELL = [verdicts.c[name] for name in ("group_id", "method", "trajectory_id")]
