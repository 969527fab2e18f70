"""Part: what the parts of the store share. A part is the queries of one subject; the store is all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, Row, Select, Table, insert

from reward_lab.core.chat import Json
from reward_lab.store.engine import Database
from reward_lab.store.leases import Leases
from reward_lab.store.writer import Writer

T = TypeVar("T")

AnyRow: TypeAlias = Row[*tuple[Any, ...]]
"""A row of columns whose types only the table knows."""

AnySelect: TypeAlias = Select[*tuple[Any, ...]]
"""A query for such rows."""

_BATCH = 1000
"""Values in one ``IN`` list: databases limit the parameters of a statement."""


class Part:
    """The connections, the leases and the writer of an open store."""

    def __init__(self, database: Database, leases: Leases, writer: Writer) -> None:
        self._database = database
        self._leases = leases
        self._writer = writer


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in pieces that fit an ``IN`` list."""
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def insert_one(connection: Connection, table: Table, values: dict[str, Json]) -> int:
    """Insert a row; return its id."""
    key = connection.execute(insert(table).values(values)).inserted_primary_key
    if key is None:
        raise TypeError(f"{table.name} has no id of its own")
    return int(key[0])
