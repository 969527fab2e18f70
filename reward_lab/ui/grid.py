"""The one table on which the app shows scores.

It has two uses: the results matrix (a row a response; a column a method, then spread, reward and advantage) and the
criteria grid (a row a criterion, a column a response). Both are the same keyboard-driven ARIA grid, drawn in the page
by ``grid.js`` as a Streamlit component. It is updated in place, so that a page which polls a run once a second keeps
focus, scroll position and sort order. Every text reaches the browser as data and is shown as plain text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, NotRequired, TypedDict

import streamlit as st

Kind = Literal["text", "score", "number", "mark"]
Align = Literal["start", "center", "end"]
Tone = Literal["better", "worse", ""]
State = Literal["ready", "running", "failed", "cancelled", "met", "unmet", "unknown", "empty"]

_ALIGN: Mapping[Kind, Align] = {"text": "start", "score": "end", "number": "end", "mark": "center"}
_HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Column:
    """A column; the first one of a grid heads the rows (badge, title, subtitle) and stays in view while scrolling.

    ``kind`` decides the alignment, unless ``align`` does, and the direction of the first sort: text ascends, figures
    and marks descend. A ``badge`` (with its ``colour``, ``#rrggbb``) heads a column that stands for a response.

    Raises:
        ValueError: ``colour`` is neither empty nor ``#rrggbb``.
    """

    id: str
    head: str
    help: str = ""
    kind: Kind = "score"
    align: Align | None = None
    badge: str = ""
    colour: str = ""

    def __post_init__(self) -> None:
        if self.colour:
            _check_colour(self.colour, f"column {self.id!r}")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one row has in one column; ``Cell()`` with ``state="empty"`` is shown as a dash.

    ``value`` is the sort key, and None sorts last in both directions. ``text`` is what is read, ``note`` a small
    addition ("#1"), ``delta`` the change since the last run with its sign ("▼ -0.25"). ``tone`` colours the delta, or
    the mark: a pitfall that is met is ``worse``. ``bar`` is a length in [0, 1]. ``hover`` is the reason, in full.
    A failed or cancelled cell says "unscored" or "cancelled" unless ``text`` has a better word.

    Raises:
        ValueError: ``value`` is not finite, or ``bar`` lies outside [0, 1].
    """

    value: float | None = None
    text: str = ""
    bar: float | None = None
    note: str = ""
    delta: str = ""
    tone: Tone = ""
    state: State = "ready"
    hover: str = ""

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"cell value {self.value} is not finite: pass None for a figure that is absent")
        if self.bar is not None and not 0 <= self.bar <= 1:
            raise ValueError(f"cell bar {self.bar} lies outside [0, 1]: pass the reward, or None for no bar")


@dataclass(frozen=True, slots=True)
class Row:
    """A row: ``badge``, ``title`` and ``subtitle`` head it, ``cells`` maps column ids to cells (absent ones are empty).

    ``colour`` (``#rrggbb``) is the response's own and colours badge and bars.

    Raises:
        ValueError: ``colour`` is not ``#rrggbb``.
    """

    id: str
    badge: str
    colour: str
    title: str
    subtitle: str = ""
    cells: Mapping[str, Cell] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_colour(self.colour, f"row {self.id!r}")


class Selection(NamedTuple):
    """The chosen cell, or the whole row when ``column_id`` is None."""

    row_id: str
    column_id: str | None


class ColumnData(TypedDict):
    """A column as ``grid.js`` reads it."""

    id: str
    head: str
    help: str
    kind: Kind
    align: Align
    badge: str
    colour: str


class CellData(TypedDict):
    """A cell as ``grid.js`` reads it; fields at their default are left out, to keep each refresh small."""

    state: State
    value: NotRequired[float]
    text: NotRequired[str]
    bar: NotRequired[float]
    note: NotRequired[str]
    delta: NotRequired[str]
    tone: NotRequired[Tone]
    hover: NotRequired[str]


class RowData(TypedDict):
    """A row as ``grid.js`` reads it, with a cell for every column but the first."""

    id: str
    badge: str
    colour: str
    title: str
    subtitle: str
    cells: dict[str, CellData]


class GridData(TypedDict):
    """The part of the component's data that depends on the table alone."""

    columns: list[ColumnData]
    rows: list[RowData]
    selected: tuple[str, str | None] | None


def payload(columns: Sequence[Column], rows: Sequence[Row], selected: tuple[str, str | None] | None) -> GridData:
    """Return the (R,) rows and (C,) columns as JSON data, without touching Streamlit.

    A selection that names a row or column which is not there (any more) is dropped.

    Raises:
        ValueError: there is no column, an id is used twice, or a row has a cell for an unknown column.

    >>> data = payload([Column("response", "Response")], [Row("a", "A", "#0072B2", "Concise")], ("a", None))
    >>> data["selected"], data["rows"][0]["cells"]
    (Selection(row_id='a', column_id=None), {})
    """
    if not columns:
        raise ValueError("a grid of 0 columns has no row header: pass at least one column")
    _check_unique("column", (column.id for column in columns))
    _check_unique("row", (row.id for row in rows))
    return {
        "columns": [_column_data(column) for column in columns],
        "rows": [_row_data(row, [column.id for column in columns[1:]]) for row in rows],
        "selected": _existing(selected, columns, rows),
    }


def grid(
    columns: Sequence[Column],
    rows: Sequence[Row],
    *,
    key: str,
    label: str,
    selected: tuple[str, str | None] | None,
    sortable: bool = True,
    wrapped: bool = False,
    roomy: bool = False,
) -> Selection | None:
    """Draw the table and return the selection: what was just clicked (or entered), else ``selected``, else None.

    The page owns the selection: store what is returned and pass it as ``selected`` next time. ``label`` is the table's
    accessible name. ``key`` names the table in the session and carries its sort order over page switches. A
    ``selected`` that differs from the one passed before moves the highlight; a repeated one leaves it where the reader
    put it, so that a refresh which crosses a click on its way does not undo it. ``wrapped`` row headers are shown in
    full, for sentences rather than names. ``roomy`` columns keep their words whole; many of them scroll.

    Raises:
        ValueError: as :func:`payload`.
    """
    given = _existing(selected, columns, rows)
    memory = f"{key}-highlight"
    before: _Highlight = st.session_state.get(memory, _Highlight())

    def pick() -> None:
        # Before the page runs, since a click must be in the data of this run: the highlight would fall behind by one.
        now: _Highlight = st.session_state.get(memory, _Highlight())
        st.session_state[memory] = now._replace(event=st.session_state[key]["picked"])

    picked = _picked(before.event, columns, rows)
    # A page that passes what it was told to be selected does not move the highlight; one that passes another does.
    moved = given not in (before.given, before.shown)
    shown = given if moved else picked or _existing(before.shown, columns, rows)
    st.session_state[memory] = _Highlight(given, shown)
    data = payload(columns, rows, shown)
    given_too = {"key": key, "label": label, "sortable": sortable, "wrapped": wrapped, "roomy": roomy}
    _component(key=key, data={**data, **given_too}, on_picked_change=pick)
    return picked or given


class _Highlight(NamedTuple):
    """Where the reader is in one grid: what the page passed last, what is highlighted, a click that no run has seen."""

    given: Selection | None = None
    shown: Selection | None = None
    event: object = None


def _picked(event: object, columns: Sequence[Column], rows: Sequence[Row]) -> Selection | None:
    """Read what the browser sent; a click on something that has gone since is None."""
    match event:
        case {"row": str(row_id), "column": str() | None as column_id}:
            return _existing((row_id, column_id), columns, rows)
        case _:
            return None


def _existing(
    selected: tuple[str, str | None] | None, columns: Sequence[Column], rows: Sequence[Row]
) -> Selection | None:
    if selected is None:
        return None
    row_id, column_id = selected
    if row_id not in {row.id for row in rows} or column_id not in {None, *(column.id for column in columns[1:])}:
        return None
    return Selection(row_id, column_id)


def _column_data(column: Column) -> ColumnData:
    return {
        "id": column.id,
        "head": column.head,
        "help": column.help,
        "kind": column.kind,
        "align": column.align or _ALIGN[column.kind],
        "badge": column.badge,
        "colour": column.colour,
    }


def _row_data(row: Row, column_ids: Sequence[str]) -> RowData:
    unknown = row.cells.keys() - set(column_ids)
    if unknown:
        raise ValueError(f"row {row.id!r} has cells for unknown columns {sorted(unknown)}: name one of {column_ids}")
    empty = Cell(state="empty")
    return {
        "id": row.id,
        "badge": row.badge,
        "colour": row.colour,
        "title": row.title,
        "subtitle": row.subtitle,
        "cells": {column_id: _cell_data(row.cells.get(column_id, empty)) for column_id in column_ids},
    }


def _cell_data(cell: Cell) -> CellData:
    data: CellData = {"state": cell.state}
    if cell.value is not None:
        data["value"] = cell.value
    if cell.bar is not None:
        data["bar"] = cell.bar
    if cell.text:
        data["text"] = cell.text
    if cell.note:
        data["note"] = cell.note
    if cell.delta:
        data["delta"] = cell.delta
    if cell.tone:
        data["tone"] = cell.tone
    if cell.hover:
        data["hover"] = cell.hover
    return data


def _check_unique(what: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise ValueError(f"{what} id {one!r} is used twice in one grid: give each {what} an id of its own")
        seen.add(one)


def _check_colour(colour: str, owner: str) -> None:
    # The colour becomes a CSS value, and CSS can fetch: nothing but a hex colour may pass.
    if not _HEX_COLOUR.fullmatch(colour):
        raise ValueError(f"{owner} has the colour {colour!r}: pass it as #rrggbb")


_SOURCE = Path(__file__)
_component = st.components.v2.component(
    "reward_lab_grid",
    css=_SOURCE.with_suffix(".css").read_text(encoding="utf-8"),
    js=_SOURCE.with_suffix(".js").read_text(encoding="utf-8"),
)
