"""Labels: what people say of groups, one label a group and annotator; nobody's is touched by another's save."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from reward_lab.core.chat import Json
from reward_lab.core.labels import Label
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.store.part import AnyRow, Part, batches, now
from reward_lab.store.tables import groups, labels, run_groups, trajectories


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """A label with the number of its last save, from 1."""

    group_id: int
    label: Label
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class LabelSave:
    """The label as it is stored now, ``None`` where there is none. ``saved`` is false where another save came first."""

    stored: StoredLabel | None
    saved: bool


class Labels(Part):
    """Labels by group and annotator. Names are exact: "Ann" and "ann" are two annotators."""

    def label(self, group_id: int, annotator: str) -> StoredLabel | None:
        """What this annotator said of the group, ``None`` where nothing."""
        with self._database.read() as connection:
            return _found(connection, group_id, annotator)

    def labels_of(self, group_id: int) -> tuple[StoredLabel, ...]:
        """What everybody said of the group, by name."""
        with self._database.read() as connection:
            return tuple(
                map(
                    _stored,
                    connection.execute(
                        select(labels).where(labels.c.group_id == group_id).order_by(labels.c.annotator)
                    ),
                )
            )

    def save_label(self, group_id: int, label: Label, *, expected_version: int) -> LabelSave:
        """Save what ``label.annotator`` says of the group, unless another save of this annotator's came first.

        ``expected_version`` is the version that the writer began from, 0 where there was no label.

        Raises:
            NotFound: the group is not stored.
            InvalidInput: a response that the group does not have.
        """
        with self._database.write() as connection:
            _check_members(connection, group_id, label)
            stored = _found(connection, group_id, label.annotator)
            if (stored.version if stored else 0) != expected_version:
                return LabelSave(stored, saved=False)
            return LabelSave(put_label(connection, group_id, label), saved=True)

    def remove_label(self, group_id: int, annotator: str) -> None:
        """Remove what this annotator said of the group, where there is anything."""
        with self._database.write() as connection:
            connection.execute(delete(labels).where(*_of(group_id, annotator)))

    def annotators(self) -> tuple[AnyRow, ...]:
        """(annotator, groups, updated_at) of everybody who labelled a group, by name."""
        query = (
            select(labels.c.annotator, func.count().label("groups"), func.max(labels.c.updated_at).label("updated_at"))
            .group_by(labels.c.annotator)
            .order_by(labels.c.annotator)
        )
        with self._database.read() as connection:
            return tuple(connection.execute(query))

    def labelled_by(self, annotator: str) -> frozenset[int]:
        """The ids of the groups that this annotator labelled."""
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(labels.c.group_id).where(labels.c.annotator == annotator)))

    def labels_within(self, group_ids: Collection[int]) -> dict[int, tuple[Label, ...]]:
        """Group id -> the labels of everybody, by name; groups without a label are left out."""
        with self._database.read() as connection:
            return labels_within(connection, sorted(set(group_ids)))

    def labels_for_runs(
        self, run_ids: Sequence[int], annotators: Sequence[str] | None = None
    ) -> dict[str, dict[int, Label]]:
        """Annotator -> group id -> label, by name, of the groups that share a response with one of these runs.

        Of these annotators, or of everybody.
        """
        of_runs = (
            select(trajectories.c.key)
            .join(run_groups, run_groups.c.group_id == trajectories.c.group_id)
            .where(run_groups.c.run_id.in_(run_ids))
        )
        with self._database.read() as connection:
            return _sharing(connection, trajectories.c.key.in_(of_runs), annotators)

    def labels_sharing(self, keys: Collection[str]) -> dict[str, dict[int, Label]]:
        """Annotator -> group id -> label, by name, of the groups that have a response with one of these keys."""
        with self._database.read() as connection:
            return _sharing(connection, trajectories.c.key.in_(keys), None)

    def labels_standing(self) -> tuple[int, int, datetime | None]:
        """(labels, saves, last save): equal to what it was where no label has changed."""
        query = select(func.count(), func.coalesce(func.sum(labels.c.version), 0), func.max(labels.c.updated_at))
        with self._database.read() as connection:
            count, saves, last = connection.execute(query).one()
            return count, saves, last


def labels_within(connection: Connection, group_ids: Sequence[int]) -> dict[int, tuple[Label, ...]]:
    """Group id -> the labels of everybody, by name, within a transaction; groups without a label are left out."""
    found: dict[int, list[Label]] = {}
    for some in batches(group_ids):
        query = select(labels).where(labels.c.group_id.in_(some)).order_by(labels.c.group_id, labels.c.annotator)
        for row in connection.execute(query):
            found.setdefault(row.group_id, []).append(_label(row))
    return {group_id: tuple(some) for group_id, some in found.items()}


def _sharing(
    connection: Connection, chosen: ColumnElement[bool], annotators: Sequence[str] | None
) -> dict[str, dict[int, Label]]:
    """The labels of the groups that have one of the chosen trajectories."""
    sharing = select(trajectories.c.group_id).where(chosen)
    query = select(labels).where(labels.c.group_id.in_(sharing)).order_by(labels.c.annotator, labels.c.group_id)
    if annotators is not None:
        query = query.where(labels.c.annotator.in_(annotators))
    found: dict[str, dict[int, Label]] = {}
    for row in connection.execute(query):
        found.setdefault(row.annotator, {})[row.group_id] = _label(row)
    return found


def put_label(connection: Connection, group_id: int, label: Label) -> StoredLabel:
    """Store a label within a transaction, in the place of its annotator's earlier one."""
    before = _found(connection, group_id, label.annotator)
    stored = StoredLabel(group_id, label, before.version + 1 if before else 1, now())
    content: dict[str, Json] = label.model_dump(mode="json", exclude={"annotator"}, exclude_defaults=True)
    values = {"version": stored.version, "updated_at": stored.updated_at, "content": content}
    if before:
        connection.execute(update(labels).where(*_of(group_id, label.annotator)).values(values))
    else:
        connection.execute(insert(labels).values(group_id=group_id, annotator=label.annotator, **values))
    return stored


def _of(group_id: int, annotator: str) -> tuple[ColumnElement[bool], ...]:
    return labels.c.group_id == group_id, labels.c.annotator == annotator


def _found(connection: Connection, group_id: int, annotator: str) -> StoredLabel | None:
    row = connection.execute(select(labels).where(*_of(group_id, annotator))).first()
    return None if row is None else _stored(row)


def _stored(row: AnyRow) -> StoredLabel:
    return StoredLabel(row.group_id, _label(row), row.version, row.updated_at)


def _label(row: AnyRow) -> Label:
    return Label.model_validate({"annotator": row.annotator, "responses": {}, **row.content})


def _check_members(connection: Connection, group_id: int, label: Label) -> None:
    name = connection.scalar(select(groups.c.external_id).where(groups.c.id == group_id))
    if name is None:
        raise NotFound(f"Group {group_id} is not stored here: open one from a dataset or a run.")
    known = set(connection.scalars(select(trajectories.c.external_id).where(trajectories.c.group_id == group_id)))
    unknown = sorted(set(label.responses) - known)
    if unknown:
        raise InvalidInput(f"The group {name!r} has no response {unknown[0]!r}: label one of {sorted(known)}.")
