"""Search within a dataset: in names, openings, tags, and all that was said."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Text, exists, or_, select, type_coerce

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.split import Split
from reward_lab.store.tables import dataset_groups, dataset_tags, groups

_MESSAGE_KEYS = ("role", "content", "tool_calls", "tool_call_id", "type", "function", "name", "arguments", "text")
_KEYS = "|".join((*_MESSAGE_KEYS, *Group.model_fields, *Scenario.model_fields, *Trajectory.model_fields))
_UNSAID = re.compile(rf'"(?:role|type)":"\w+"|"(?:{_KEYS})":|\\(?:u[0-9a-f]{{4}}|[^u])')
"""What stands in a record's JSON and was said by nobody: keys, roles, and what an escape is written with."""
_AROUND = 40
"""Longer than any of these."""

_RECORD = type_coerce(groups.c.record, Text)


class Place(NamedTuple):
    """Where a group stands in a dataset."""

    position: int
    group_id: int


def places(
    connection: Connection, dataset_id: int, search: str, tag: str | None, split: Split | None
) -> tuple[Place, ...]:
    """The places of the groups that match, in the dataset's order."""
    query = (
        select(dataset_groups.c.position, dataset_groups.c.group_id)
        .where(dataset_groups.c.dataset_id == dataset_id)
        .order_by(dataset_groups.c.position)
    )
    if split is not None:
        query = query.where(dataset_groups.c.split == split.value)
    if tag is not None:
        query = query.where(_tagged(dataset_tags.c.tag == tag))
    if not search:
        return tuple(Place(*row) for row in connection.execute(query))
    spellings = _spellings(search)
    named = or_(*(_named(one) for one in spellings))
    # A record is JSON in ASCII: what is beyond stands there escaped.
    written = [json.dumps(one)[1:-1] for one in spellings]
    told = or_(*(_RECORD.icontains(one, autoescape=True) for one in written))
    query = query.join(groups, groups.c.id == dataset_groups.c.group_id)
    if not any(map(_may_be_unsaid, written)):
        return tuple(Place(*row) for row in connection.execute(query.where(or_(named, told))))
    found = [Place(*row) for row in connection.execute(query.where(named))]
    unnamed = query.add_columns(_RECORD).where(told, ~named).execution_options(stream_results=True)
    found += [
        Place(position, group_id)
        for position, group_id, record in connection.execute(unnamed)
        if _is_said(record.lower(), written)
    ]
    return tuple(sorted(found))


def _named(search: str) -> ColumnElement[bool]:
    """Whether name, opening or tags hold the text; databases know ASCII letters of either case as alike."""
    return or_(
        groups.c.external_id.icontains(search, autoescape=True),
        groups.c.opening.icontains(search, autoescape=True),
        _tagged(dataset_tags.c.tag.icontains(search, autoescape=True)),
    )


def _tagged(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return (
        exists()
        .where(
            dataset_tags.c.dataset_id == dataset_groups.c.dataset_id,
            dataset_tags.c.position == dataset_groups.c.position,
        )
        .where(condition)
    )


def _spellings(search: str) -> list[str]:
    """The text, and beyond ASCII the spellings in which a text in either case is written."""
    if search.isascii():
        return [search]
    return list(dict.fromkeys((search, search.lower(), search.upper(), search.capitalize(), search.title())))


def _may_be_unsaid(written: str) -> bool:
    """Whether the text may match a record by what nobody said: "30" the end of an escaped character, "user" a role."""
    return written[0] in "0123456789abcdefABCDEFnrtuNRTU" or any(
        written.lower() in word for word in (*_KEYS.split("|"), "system", "developer", "assistant", "user", "tool")
    )


def _is_said(record: str, written: list[str]) -> bool:
    """Whether a record, in small letters, holds one of the texts in what was said."""
    for text in {one.lower() for one in written}:
        at = record.find(text)
        while at >= 0:
            around = _UNSAID.finditer(record, max(0, at - _AROUND), at + _AROUND)
            if not any(unsaid.start() < at < unsaid.end() for unsaid in around):
                return True
            at = record.find(text, at + 1)
    return False
