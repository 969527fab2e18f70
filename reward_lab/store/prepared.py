"""Prepared statements: compiled once, then run on many rows with nothing in between.

SQLAlchemy works out the parameters of every row anew, which for the rows of a run in
progress costs as much as storing them. Here the statement's text, the order of its
parameters and the conversion of each are settled at the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Update
from sqlalchemy.engine import Dialect

from reward_lab.core.chat import Json


class Prepared:
    """An insert, update or delete for many rows. ``names`` are the keys of each row."""

    def __init__(self, statement: Insert | Update | Delete, names: Sequence[str], dialect: Dialect) -> None:
        if isinstance(statement, Insert):
            # Inline: no generated id is asked for, which a statement for many rows cannot return.
            compiled = statement.inline().compile(dialect=dialect, column_keys=list(names))
        else:
            compiled = statement.compile(dialect=dialect)
        self._text = compiled.string
        self._named = not compiled.positional
        order: Iterable[str] = compiled.binds if self._named else compiled.positiontup or ()
        conversions = {
            name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in compiled.binds.items()
        }
        self._parameters = [(name, conversions[name]) for name in order]
        self._fixed = {name: bind.value for name, bind in compiled.binds.items() if name not in names}

    def run(self, connection: Connection, rows: Sequence[Mapping[str, Json]]) -> None:
        """Run the statement on each row; on none where there is no row."""
        if not rows:
            return
        if self._fixed:
            rows = [{**self._fixed, **row} for row in rows]
        parameters: Any
        if self._named:
            parameters = [
                {name: row[name] if convert is None else convert(row[name]) for name, convert in self._parameters}
                for row in rows
            ]
        else:
            parameters = [
                tuple([row[name] if convert is None else convert(row[name]) for name, convert in self._parameters])
                for row in rows
            ]
        connection.exec_driver_sql(self._text, parameters)
