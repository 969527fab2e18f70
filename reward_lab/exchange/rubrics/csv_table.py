"""CSV: one criterion a row, in columns of any order and name; a column ``rubric`` tells several apart."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import Container, Contents, Record
from reward_lab.exchange.rubrics.format import NO, PLAIN, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.plain_items import FIELDS, field_of, plain_fields, plain_rubric

_RUBRIC = "rubric"
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""Cells that begin so are run as formulas by spreadsheets; an apostrophe in front keeps them text."""


class Csv(RubricFormat):
    """A table of criteria. No cell that is written begins a formula."""

    name = "csv"
    label = "CSV"
    scoring_rule = "CSV: weighed by its own numbers where every criterion has one, else by category."
    suffixes = (".csv",)

    def likeness(self, record: Record, contents: Contents) -> int:
        """Any table."""
        return PLAIN if contents.container is Container.CSV else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The criteria of one rubric, whose rows the record holds as objects."""
        rows = record.value
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InvalidRubric("expected rows with named columns")
        source = {"format": self.name, "unnamed": record.name}
        return NamedRubric(record.name, plain_rubric(rows, record.place, findings, source=source))

    def write(self, named: NamedRubric) -> Json:
        """The rows of one rubric."""
        if not named.rubric.criteria:
            raise InvalidRubric("a table holds criteria, and this rubric has none")
        return [{_RUBRIC: named.name, **plain_fields(one)} for one in named.rubric.criteria]


def table_records(record: Record) -> list[Record]:
    """The rubrics of a table: its rows by the names in its head, gathered by the column ``rubric``.

    Where the first row names no column it is a criterion, and every first cell is a description.

    Raises:
        InvalidRubric: columns, but none with the descriptions.
    """
    rows: list[list[str]] = [[_unguarded(cell) for cell in row] for row in record.value]
    head = [cell.strip() for cell in rows[0]] if rows else []
    known = [field_of(cell) for cell in head]
    if not any(known):
        return [Record(record.place, [{"description": row[0]} for row in rows], record.name)]
    if "description" not in known:
        raise InvalidRubric(
            f"its columns are {', '.join(map(repr, head))}; one must hold the criteria, such as 'description'"
        )
    gathered: dict[str, list[dict[str, Json]]] = {}
    column = next((place for place, cell in enumerate(head) if cell.lower() == _RUBRIC), None)
    # The first column of a field goes by the field's name, so that all tables are written alike.
    heads = [
        field if field is not None and field not in known[:place] else head[place] for place, field in enumerate(known)
    ]
    for row in rows[1:]:
        cells: dict[str, Json] = dict(zip(heads, row, strict=False))
        name = row[column] if column is not None and column < len(row) else ""
        if column is not None:
            cells.pop(heads[column], None)
        gathered.setdefault(name or record.name, []).append({key: cell for key, cell in cells.items() if cell != ""})
    several = len(gathered) > 1
    return [Record(f"rubric {name!r}" if several else "", rows, name) for name, rows in gathered.items()]


def csv_text(tables: Sequence[Json]) -> str:
    """The rows of all rubrics under one head."""
    rows = [row for table in tables for row in table]
    columns = [_RUBRIC, *FIELDS, *dict.fromkeys(key for row in rows for key in row if key not in (_RUBRIC, *FIELDS))]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _guarded(value) for key, value in row.items()})
    return out.getvalue()


def _guarded(value: Json) -> Json:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
