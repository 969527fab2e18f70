"""What the groups of a dataset ask and answer, to compare them with each other."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from reward_lab.core.duplicates import Placed
from reward_lab.core.split import Question, question_key
from reward_lab.store.part import Part
from reward_lab.store.tables import dataset_groups, groups, trajectories

_AT_ONCE = 200
"""Records held at a time."""


class DatasetContents(Part):
    """The contents of a dataset's groups, by position."""

    def dataset_questions(self, dataset_id: int) -> dict[int, Question]:
        """What each group asks, by position. Only the records of groups with the same first words are read."""
        query = (
            select(dataset_groups.c.position, groups.c.id, groups.c.opening)
            .join(groups, groups.c.id == dataset_groups.c.group_id)
            .where(dataset_groups.c.dataset_id == dataset_id)
            .order_by(dataset_groups.c.position)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            counts: dict[str, int] = {}
            for row in rows:
                counts[row.opening] = counts.get(row.opening, 0) + 1
            keys = question_keys(connection, [row.id for row in rows if counts[row.opening] > 1])
        return {row.position: Question(row.opening, keys.get(row.id, "")) for row in rows}

    def dataset_contents(self, dataset_id: int) -> tuple[Placed, ...]:
        """The groups in order as they are compared with each other."""
        here = dataset_groups.c.dataset_id == dataset_id
        placed = select(dataset_groups.c.position, groups.c.id, groups.c.key).join(
            groups, groups.c.id == dataset_groups.c.group_id
        )
        members = (
            select(trajectories.c.group_id, trajectories.c.key)
            .join(dataset_groups, dataset_groups.c.group_id == trajectories.c.group_id)
            .where(here)
            .order_by(trajectories.c.group_id, trajectories.c.position)
        )
        questions = self.dataset_questions(dataset_id)
        keys: dict[int, list[str]] = {}
        with self._database.read() as connection:
            for group_id, key in connection.execute(members):
                keys.setdefault(group_id, []).append(key)
            rows = connection.execute(placed.where(here).order_by(dataset_groups.c.position)).all()
        return tuple(
            Placed(row.position, row.key, questions[row.position].key or None, tuple(keys[row.id]))
            for row in rows
            if row.position in questions  # what was added in between is compared next time
        )


def question_keys(connection: Connection, group_ids: Sequence[int]) -> dict[int, str]:
    """Group id -> identity of what is asked (see :func:`~reward_lab.core.split.question_key`). Reads records."""
    found: dict[int, str] = {}
    for start in range(0, len(group_ids), _AT_ONCE):
        some = group_ids[start : start + _AT_ONCE]
        rows = connection.execute(select(groups.c.id, groups.c.record).where(groups.c.id.in_(some)))
        found |= {row.id: question_key(row.record) for row in rows}
    return found
