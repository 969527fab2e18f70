"""Groups, stored once by content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, insert, select

from reward_lab.core.chat import Json, content_hash, text_of
from reward_lab.core.group import Group, Scenario
from reward_lab.errors import InvalidGroup
from reward_lab.store.part import Part, batches, now
from reward_lab.store.tables import groups, trajectories

_OPENING_CHARACTERS = 300


class Groups(Part):
    """Groups by id."""

    def add_group(self, group: Group) -> int:
        """Store a group; return its id, which is the same for an equal group.

        Raises:
            InvalidGroup: a message holds NaN or infinity, for which JSON has no word.
        """
        with self._database.write() as connection:
            return add_groups(connection, [group])[0]

    def groups(self, ids: Iterable[int]) -> dict[int, Group]:
        """The groups with these ids; an id that is not stored is left out."""
        found: dict[int, Group] = {}
        with self._database.read() as connection:
            for some in batches(sorted(set(ids))):
                rows = connection.execute(select(groups.c.id, groups.c.record).where(groups.c.id.in_(some)))
                found.update({row.id: Group.model_validate(row.record) for row in rows})
        return found


def add_groups(connection: Connection, given: Sequence[Group]) -> list[int]:
    """Store groups within a transaction; return their ids in the order given. Raises :class:`InvalidGroup`."""
    records = [group.to_record() for group in given]
    digests = [_digest(group, record) for group, record in zip(given, records, strict=True)]
    known = _ids(connection, digests)
    missing = {
        digest: (group, record)
        for digest, group, record in zip(digests, given, records, strict=True)
        if digest not in known
    }
    if missing:
        rows = [_row(digest, group, record) for digest, (group, record) in missing.items()]
        connection.execute(insert(groups), rows)
        known |= _ids(connection, list(missing))
        members = [row for digest, (group, _) in missing.items() for row in _member_rows(known[digest], group)]
        connection.execute(insert(trajectories), members)
    return [known[digest] for digest in digests]


def _digest(group: Group, record: dict[str, Json]) -> str:
    try:
        group.key  # noqa: B018 - of the messages as they are; the record already has null for NaN
        return content_hash(record)
    except ValueError as error:
        raise InvalidGroup(
            f"Group {group.id!r} cannot be stored: a message or tool holds NaN or infinity ({error}); "
            "write null or a finite number."
        ) from error


def _ids(connection: Connection, digests: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in batches(digests):
        rows = connection.execute(select(groups.c.digest, groups.c.id).where(groups.c.digest.in_(some)))
        found.update({row.digest: row.id for row in rows})
    return found


def _row(digest: str, group: Group, record: dict[str, Json]) -> dict[str, Json]:
    return {
        "digest": digest,
        "key": group.key,
        "external_id": group.id,
        "opening": _opening(group.scenario),
        "created_at": now(),
        "record": record,
    }


def _member_rows(group_id: int, group: Group) -> list[dict[str, Json]]:
    return [
        {"group_id": group_id, "position": position, "key": one.key, "external_id": one.id, "label": one.label}
        for position, one in enumerate(group.trajectories)
    ]


def _opening(scenario: Scenario) -> str:
    """What the user asks first, else what the system prompt says, in one line."""
    asked = (text_of(message) for message in scenario.messages if message.get("role") == "user")
    said = next((text for text in asked if text.strip()), scenario.system_prompt)
    return " ".join(said[: 2 * _OPENING_CHARACTERS].split())[:_OPENING_CHARACTERS]
