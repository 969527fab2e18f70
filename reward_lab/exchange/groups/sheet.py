"""What a file of groups holds, before anybody asks what its columns mean: rows by line, and lines that hold none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reward_lab.core.chat import Json

MAX_BYTES = 200 * 2**20
"""A file of this size is read in memory. The page takes less: ``maxUploadSize`` of the app's configuration."""

MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000

_EXAMPLES = 3
_EXAMPLE_ROWS = 200
_EXAMPLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that holds no group: its number from 1, and why."""

    number: int
    why: str


Row: TypeAlias = tuple[int, dict[str, Json]]
"""A line's number, from 1, and its cells by column. A cell that is not there, or ``None``, is unknown."""

Kind: TypeAlias = Literal["groups", "table"]
"""Lines of our own group file, or a table whose columns need a mapping."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What a format reads: the columns that its head names, if it has one, and its lines.

    ``blank_is_text``: the format writes an empty text as a blank cell, so that a cell that is not there may be one.
    """

    columns: tuple[str, ...]
    lines: Iterable[Row | BadLine]
    blank_is_text: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file's rows. ``examples`` are the first distinct values of each column, as text cut for display.

    ``blank_is_text`` is as in :class:`Lines`.
    """

    columns: tuple[str, ...]
    rows: Sequence[Row]
    bad: tuple[BadLine, ...]
    kind: Kind
    examples: Mapping[str, tuple[str, ...]]
    blank_is_text: bool = False


def examples_of(columns: Iterable[str], rows: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    """The first distinct values of each column, as text.

    >>> examples_of(["a"], [(1, {"a": "x"}), (2, {"a": "x"}), (3, {"a": [1]})])
    {'a': ('x', '[1]')}
    """
    found: dict[str, dict[str, None]] = {column: {} for column in columns}
    for _, row in rows[:_EXAMPLE_ROWS]:
        for column, value in row.items():
            if value is not None and len(found[column]) < _EXAMPLES:
                found[column].setdefault(shown(value))
    return {column: tuple(values) for column, values in found.items()}


def shown(value: Json, most: int = _EXAMPLE_CHARACTERS) -> str:
    """A cell as text of at most so many characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[: most - 1]}…"
