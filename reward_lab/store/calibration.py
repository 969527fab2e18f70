"""Calibration: what runs are held against labels by: the contents of groups, what they ask, the splits of datasets."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select

from reward_lab.core.matching import Member, RunGroup
from reward_lab.core.split import Split
from reward_lab.errors import NotFound
from reward_lab.store.dataset_contents import question_keys
from reward_lab.store.part import AnyRow, Part, batches
from reward_lab.store.tables import (
    criterion_verdicts,
    dataset_groups,
    datasets,
    groups,
    run_groups,
    trajectories,
    verdicts,
)


class Calibration(Part):
    """Groups wherever they stand."""

    def groups_as_matched(self, group_ids: Collection[int]) -> dict[int, RunGroup]:
        """Group id -> the group as it is matched; an id that is not stored is left out."""
        found: dict[int, RunGroup] = {}
        with self._database.read() as connection:
            for some in batches(sorted(set(group_ids))):
                members: dict[int, list[Member]] = {}
                said = (
                    select(trajectories.c.group_id, trajectories.c.key, trajectories.c.external_id)
                    .where(trajectories.c.group_id.in_(some))
                    .order_by(trajectories.c.group_id, trajectories.c.position)
                )
                for group_id, key, external_id in connection.execute(said):
                    members.setdefault(group_id, []).append(Member(key, external_id))
                asked = select(groups.c.id, groups.c.external_id, groups.c.opening).where(groups.c.id.in_(some))
                for group_id, name, opening in connection.execute(asked):
                    found[group_id] = RunGroup(group_id, name, opening, tuple(members.get(group_id, ())))
        return found

    def question_keys(self, group_ids: Collection[int]) -> dict[int, str]:
        """Group id -> identity of what is asked (see :func:`~reward_lab.core.split.question_key`). Reads records."""
        with self._database.read() as connection:
            return question_keys(connection, sorted(set(group_ids)))

    def dataset_splits(self, dataset_id: int) -> dict[int, Split]:
        """Group id -> the side it is on, in the dataset's order. Raises :class:`NotFound`."""
        query = (
            select(dataset_groups.c.group_id, dataset_groups.c.split)
            .where(dataset_groups.c.dataset_id == dataset_id)
            .order_by(dataset_groups.c.position)
        )
        with self._database.read() as connection:
            if connection.scalar(select(datasets.c.id).where(datasets.c.id == dataset_id)) is None:
                raise NotFound(f"Dataset {dataset_id} is not stored here: choose one from the list of datasets.")
            return {group_id: Split(split) for group_id, split in connection.execute(query)}

    def dataset_of_runs(self, run_ids: Sequence[int]) -> int | None:
        """The dataset that most groups of these runs are in, the oldest of equals; ``None`` where none is in any."""
        of_runs = select(run_groups.c.group_id).where(run_groups.c.run_id.in_(run_ids))
        query = (
            select(dataset_groups.c.dataset_id)
            .where(dataset_groups.c.group_id.in_(of_runs))
            .group_by(dataset_groups.c.dataset_id)
            .order_by(func.count().desc(), dataset_groups.c.dataset_id)
            .limit(1)
        )
        with self._database.read() as connection:
            found: int | None = connection.scalar(query)
            return found

    def criterion_shares(self, run_id: int, method: str, group_ids: Collection[int]) -> tuple[AnyRow, ...]:
        """(group id, trajectory id, criterion's position, share of samples that found it true), of these groups.

        What has no verdict on a criterion is left out.
        """
        marks = criterion_verdicts.c
        cell = (verdicts.c.group_id, verdicts.c.trajectory_id, marks.criterion)
        query = (
            select(*cell, func.avg(marks.truth))
            .join(verdicts, (verdicts.c.item_id == marks.item_id) & (verdicts.c.position == marks.position))
            .where(verdicts.c.run_id == run_id, verdicts.c.method == method, marks.truth.is_not(None))
            .group_by(*cell)
        )
        found: list[AnyRow] = []
        with self._database.read() as connection:
            for some in batches(sorted(set(group_ids))):
                found += connection.execute(query.where(verdicts.c.group_id.in_(some)))
        return tuple(found)
