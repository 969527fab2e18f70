"""CSV, TSV and their like: a head that names the columns, cells as text, a blank cell unknown but in a response."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.content import Content, stray_byte
from reward_lab.exchange.groups.sheet import MAX_BYTES, BadLine, Lines, Row, shown

_DELIMITERS = ",\t;|"

_SAVE_AS_UTF8 = 'save the file as UTF-8 (in Excel "CSV UTF-8")'


def looks_delimited(content: Content) -> bool:
    """By its ending, or by a first line of several cells with another line below it."""
    if content.suffix in (".csv", ".tsv"):
        return True
    lines = content.text.strip().split("\n", 1)
    return len(lines) > 1 and any(delimiter in lines[0] for delimiter in _DELIMITERS)


def delimited_rows(content: Content) -> Lines:
    """The rows of a table. Cells stay text, "007" too.

    A row with too few or too many cells is a bad line, and so is one whose quote is never closed; reading goes on at
    the line after it.

    Raises:
        InvalidInput: the head cannot be read, or names a column twice.
    """
    # A cell may be as long as the file: the limit of 128 KiB would cut off long trajectories.
    csv.field_size_limit(MAX_BYTES)
    lines = _physical_lines(content.text)
    start = next(place for place, line in enumerate(lines) if line.strip())
    delimiter = _delimiter(lines[start:], content.suffix)
    head, read = _record(lines, start, delimiter)
    if isinstance(head, str):
        raise InvalidInput(f"{content.name}: the head in line {start + 1} cannot be read: {head}. Mend it.")
    columns = tuple(name.strip() or f"column {place}" for place, name in enumerate(head, start=1))
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{content.name}: two columns are named {shown(twice, 60)!r}. Give each a name of its own.")
    if content.damaged and (stray := stray_byte("".join(head))):
        raise InvalidInput(f"{content.name}: the head is not UTF-8 (the byte {stray}): {_SAVE_AS_UTF8}.")
    rows = _rows(lines, start + read, delimiter, columns, damaged=content.damaged)
    return Lines(columns, rows, blank_is_text=True)


def _physical_lines(text: str) -> list[str]:
    """Lines with their ends; old files end lines by carriage returns alone."""
    end = "\n" if "\n" in text else "\r"
    return [f"{line}{end}" for line in text.split(end)]


def _delimiter(lines: Sequence[str], suffix: str) -> str:
    if suffix == ".tsv":
        return "\t"

    def cells(delimiter: str) -> int:
        head, _ = _record(lines, 0, delimiter)
        return 0 if isinstance(head, str) else len(head)

    return max(_DELIMITERS, key=cells)


def _record(lines: Sequence[str], start: int, delimiter: str) -> tuple[list[str] | str, int]:
    """The cells that begin in a line, or what is wrong with them; and how many lines they take."""
    reader = csv.reader((lines[place] for place in range(start, len(lines))), delimiter=delimiter, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        return "a quote is opened and never closed" if unclosed else str(error), reader.line_num


def _rows(
    lines: Sequence[str], start: int, delimiter: str, columns: tuple[str, ...], *, damaged: bool
) -> Iterator[Row | BadLine]:
    place = start
    while place < len(lines):
        number = place + 1
        cells, read = _record(lines, place, delimiter)
        why = cells if isinstance(cells, str) else _wrong_count(cells, columns)
        if why and read > 1:
            read = 1  # a quote that is opened and not closed swallows good lines: go on at the next
        place += read
        if why:
            yield BadLine(number, why)
        elif damaged and (stray := stray_byte("".join(cells))):
            yield BadLine(number, f"not UTF-8: the byte {stray}; {_SAVE_AS_UTF8}")
        elif len(cells) == len(columns) and any(cells):
            yield number, {column: cell for column, cell in zip(columns, cells, strict=True) if cell != ""}


def _wrong_count(cells: Sequence[str], columns: Sequence[str]) -> str:
    """Nothing for a blank line, which has no cells or, as some editors leave it, blanks alone."""
    if len(cells) == len(columns) or not "".join(cells).strip():
        return ""
    return (
        f"it has {counted(len(cells), 'cell')} where the head names {counted(len(columns), 'column')}: "
        "put cells with commas, quotes or line breaks in quotes"
    )
