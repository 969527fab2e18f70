"""Groups of a dataset that are equal in content: what they ask and the responses in order; ids and metadata differ.

What is said of one holds for the other, response by response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sqlalchemy import Connection, select

from reward_lab.core.group import Group
from reward_lab.core.labels import Label
from reward_lab.store.labels import labels_within, put_label
from reward_lab.store.part import batches
from reward_lab.store.tables import dataset_groups, groups, trajectories

Equals: TypeAlias = Mapping[str, Mapping[str, int]]
"""A content's key -> the ids of its groups by the groups' own ids, in the dataset's order."""


def equals_in(connection: Connection, dataset_id: int) -> dict[str, dict[str, int]]:
    """The contents that stand in a dataset."""
    query = (
        select(groups.c.key, groups.c.external_id, groups.c.id)
        .join(dataset_groups, dataset_groups.c.group_id == groups.c.id)
        .where(dataset_groups.c.dataset_id == dataset_id)
        .order_by(dataset_groups.c.position)
    )
    found: dict[str, dict[str, int]] = {}
    for key, name, group_id in connection.execute(query):
        found.setdefault(key, {}).setdefault(name, group_id)
    return found


def contents_at(connection: Connection, dataset_id: int, positions: Sequence[int]) -> dict[int, tuple[int, str]]:
    """Position -> the group's id, and its content's key."""
    query = (
        select(dataset_groups.c.position, groups.c.id, groups.c.key)
        .join(groups, groups.c.id == dataset_groups.c.group_id)
        .where(dataset_groups.c.dataset_id == dataset_id)
    )
    found: dict[int, tuple[int, str]] = {}
    for some in batches(positions):
        rows = connection.execute(query.where(dataset_groups.c.position.in_(some)))
        found |= {row.position: (row.id, row.key) for row in rows}
    return found


def equal_of(group: Group, standing: Equals) -> int | None:
    """The group that has its content, the one with its id where there are several; ``None`` where none has."""
    try:
        there = standing.get(group.key, {})
    except ValueError:  # NaN in a message: storing the group says so
        return None
    return there.get(group.id, next(iter(there.values()), None))


def said_of(
    connection: Connection, given: Sequence[tuple[Group, Sequence[Label]]], equals: Sequence[int]
) -> list[Sequence[Label]]:
    """The labels of groups as labels of their equals."""
    members = _members(connection, equals)
    said: list[Sequence[Label]] = []
    for (group, some), equal in zip(given, equals, strict=True):
        ids = dict(zip((one.id for one in group.trajectories), members[equal], strict=True))
        said.append([_of(label, ids) for label in some])
    return said


def carry_labels(connection: Connection, kept: int, others: Sequence[int]) -> int:
    """Give a group the labels of its equals, but for annotators who labelled it or an earlier one; return how many."""
    labels = labels_within(connection, [kept, *others])
    members = _members(connection, [kept, *others])
    known = {label.annotator for label in labels.get(kept, ())}
    carried = 0
    for other in others:
        ids = dict(zip(members[other], members[kept], strict=True))
        for label in labels.get(other, ()):
            if label.annotator not in known:
                put_label(connection, kept, _of(label, ids))
                known.add(label.annotator)
                carried += 1
    return carried


def _of(label: Label, ids: Mapping[str, str]) -> Label:
    """The label with the responses' ids in another group."""
    return label.model_copy(update={"responses": {ids[one]: said for one, said in label.responses.items()}})


def _members(connection: Connection, group_ids: Sequence[int]) -> dict[int, list[str]]:
    """Group id -> the ids of its responses, in order."""
    found: dict[int, list[str]] = {}
    for some in batches(sorted(set(group_ids))):
        query = (
            select(trajectories.c.group_id, trajectories.c.external_id)
            .where(trajectories.c.group_id.in_(some))
            .order_by(trajectories.c.group_id, trajectories.c.position)
        )
        for group_id, name in connection.execute(query):
            found.setdefault(group_id, []).append(name)
    return found
