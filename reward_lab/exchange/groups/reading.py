"""A file of groups or a table, from bytes: which format it is, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.content import Content, read_content
from reward_lab.exchange.groups.delimited import delimited_rows, looks_delimited
from reward_lab.exchange.groups.json_rows import json_rows, looks_like_json
from reward_lab.exchange.groups.parquet import is_parquet, parquet_rows
from reward_lab.exchange.groups.sheet import (
    MAX_COLUMNS,
    MAX_ROWS,
    BadLine,
    Kind,
    Lines,
    Row,
    Sheet,
    examples_of,
    shown,
)


@dataclass(frozen=True, slots=True)
class SheetFormat:
    """A format of files: whether a content is in it, and what it then holds."""

    name: str
    claims: Callable[[Content], bool]
    read: Callable[[Content], Lines]


SHEET_FORMATS = (
    SheetFormat("parquet", is_parquet, parquet_rows),
    SheetFormat("JSON", looks_like_json, json_rows),
    SheetFormat("CSV", looks_delimited, delimited_rows),
)
"""In the order in which they are asked; the first that claims a content reads it."""


def read_sheet(data: bytes, name: str) -> Sheet:
    """The rows of a file, told by what it holds and then by its name, which is "" for what was pasted.

    A line that cannot be read is among ``bad``, with its number and the reason; the rest is read.

    Raises:
        InvalidInput: empty, too large, in no format that is read here, or no line of it can be read; what, where
            and the next step are told.
    """
    content = read_content(data, name)
    chosen = next((one for one in SHEET_FORMATS if one.claims(content)), None)
    if chosen is None:
        first = shown(content.text.strip().split("\n", 1)[0], 60)
        raise InvalidInput(
            f"{content.name} is neither JSONL, JSON, CSV, TSV nor parquet; it begins {first!r}. Choose a file in one "
            "of these."
        )
    return _sheet(chosen.read(content), content.name)


def _sheet(read: Lines, name: str) -> Sheet:
    rows: list[Row] = []
    bad: list[BadLine] = []
    columns = dict.fromkeys(read.columns)
    for line in read.lines:
        if isinstance(line, BadLine):
            bad.append(line)
        else:
            rows.append(line)
            columns.update(dict.fromkeys(line[1]))
        if len(rows) + len(bad) > MAX_ROWS or len(columns) > MAX_COLUMNS:
            raise InvalidInput(
                f"{name} has more than {MAX_ROWS:,} rows or {MAX_COLUMNS:,} columns; no more are read. Split it."
            )
    if not rows:
        raise InvalidInput(_nothing(bad, name))
    return Sheet(tuple(columns), rows, tuple(bad), _kind(rows), examples_of(columns, rows), read.blank_is_text)


def _nothing(bad: Sequence[BadLine], name: str) -> str:
    if not bad:
        return f"{name} names columns and holds no row. Choose a file with at least one row."
    first = bad[0]
    return (
        f"{name}: no line of it can be read. Line {first.number}: {first.why.rstrip('.')}. "
        "Mend it, or choose another file."
    )


def _kind(rows: Sequence[Row]) -> Kind:
    """Our own format is known by its lists of trajectories."""
    ours = sum(isinstance(row.get("trajectories"), list) for _, row in rows)
    return "groups" if 2 * ours > len(rows) else "table"
