"""The criteria of a rubric as they are written: statements in full, a row each, edited in the page.

The scripts beside this file draw the rows as a Streamlit component. The browser is ahead of the page: a person types on
while the page runs. Each edit therefore names the version of the rows that it began from, and what the page passes back
takes the place of what is typed only where the page put other rows there itself. Every text reaches the browser as data
and is shown as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

import streamlit as st

from reward_lab.core.chat import Json, content_hash, well_formed
from reward_lab.core.rubric import CATEGORY_WEIGHTS, Category

Weights = Literal["category", "own"]
Level = Literal["warning", "note"]

_VERSIONS_KEPT = 50


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """A criterion as written, valid or not.

    ``id`` is unique in the list and stays with the row while it moves. ``percent`` is the effective weight, ``None``
    where it is unknown. ``source`` is not shown: it goes to the browser and comes back with the row, so that a row
    that was deleted and restored still has it.

    Raises:
        ValueError: ``percent`` lies outside [0, 100].
    """

    id: str
    title: str = ""
    description: str = ""
    category: str = Category.IMPORTANT.value
    weight: float | None = None
    meets_when: bool = True
    percent: float | None = None
    source: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.percent is not None and not 0 <= self.percent <= 100:
            raise ValueError(
                f"row {self.id!r} has {self.percent} percent, outside [0, 100]: pass None where it is unknown"
            )


@dataclass(frozen=True, slots=True)
class Line:
    """What lint says of one row, shown under it."""

    level: Level
    text: str


class Edited(NamedTuple):
    """The rows as they are now. ``revision`` counts the edits of this browser tab."""

    rows: tuple[CriterionRow, ...]
    revision: int


class LineData(TypedDict):
    """A line as ``criteria_editor.js`` reads it."""

    level: Level
    text: str


class RowData(TypedDict):
    """A row as ``criteria_editor.js`` reads it; ``figure`` is its percentage in words."""

    id: str
    title: str
    description: str
    category: str
    weight: float | None
    meets_when: bool
    source: dict[str, Json]
    percent: float | None
    figure: str
    lines: list[LineData]


class EditorData(TypedDict):
    """What ``criteria_editor.js`` reads.

    ``version`` identifies the content of the rows, ``revision`` is the newest edit that they hold and ``seen`` the
    newest that was looked at.
    """

    label: str
    editable: bool
    weights: Weights
    categories: dict[str, float]
    rows: list[RowData]
    version: str
    revision: int
    seen: int


class Exchange(NamedTuple):
    """What the page and the browser know of each other's rows.

    ``versions`` are those of the rows since the page last put others there, the present one last; ``revision`` is the
    newest edit that was taken over, ``seen`` the newest that was looked at: one that was refused is not looked at
    again, since the version it began from may come back.
    """

    versions: tuple[str, ...] = ()
    revision: int = 0
    seen: int = 0

    def showing(self, version: str) -> Exchange:
        """With the rows that the page shows now: where they are not the ones it knew, edits of older ones are void."""
        return self if self.versions[-1:] == (version,) else self._replace(versions=(version,))

    def taking(self, edited: Edited) -> Exchange:
        """With an edit taken over."""
        kept = self.versions[1 - _VERSIONS_KEPT :]
        return Exchange((*kept, version_of(edited.rows)), edited.revision, edited.revision)


def version_of(rows: Sequence[CriterionRow]) -> str:
    """The identity of what is written in the rows, whatever their ids, percentages and sources."""
    return content_hash(
        [[row.title, row.description, row.category, _finite(row.weight), row.meets_when] for row in rows]
    )


def percent_text(percent: float | None) -> str:
    """A percentage with two significant digits; "0 %" for zero alone, "–" for one that is unknown.

    >>> [percent_text(one) for one in (100.0, 33.333, 9.96, 5.0, 0.0421, 0.0001, 0.0, None)]
    ['100 %', '33 %', '10 %', '5.0 %', '0.042 %', '<0.01 %', '0 %', '–']
    """
    if percent is None:
        return "–"
    if percent == 0:
        return "0 %"
    if percent < 0.01:
        return "<0.01 %"
    rounded = float(f"{percent:.1e}")
    return f"{rounded:.{max(0, 1 - math.floor(math.log10(rounded)))}f} %"


def payload(
    rows: Sequence[CriterionRow],
    *,
    label: str,
    weights: Weights,
    lines: Mapping[str, Sequence[Line]],
    editable: bool,
    exchange: Exchange,
) -> EditorData:
    """The rows as JSON data, without touching Streamlit; a weight that is not finite is shown as none.

    Raises:
        ValueError: an id is blank or used twice, or a line is about a row that is not there.
    """
    ids: set[str] = set()
    for one in (row.id for row in rows):
        if not one or one in ids:
            raise ValueError(f"row id {one!r} is blank or used twice in one list: give each criterion an id of its own")
        ids.add(one)
    unknown = lines.keys() - ids
    if unknown:
        raise ValueError(f"there are lines about rows {sorted(unknown)}, which are not in the list: leave them out")
    return {
        "label": label,
        "editable": editable,
        "weights": weights,
        "categories": {category.value: weight for category, weight in CATEGORY_WEIGHTS.items()},
        "rows": [_row_data(row, lines.get(row.id, ())) for row in rows],
        "version": version_of(rows),
        "revision": exchange.revision,
        "seen": exchange.seen,
    }


def read_edit(told: object, exchange: Exchange) -> Edited | None:
    """What the browser sent, unless it was seen before, began from rows that the page has replaced, or is not whole.

    An edit began from its ``base`` and from those sent since of which the browser has not heard: a server that stored
    one of these and ended has told nobody.
    """
    match told:
        case {"revision": int(revision), "base": str(base), "unheard": list(unheard), "rows": list(records)}:
            rows = _rows(records)
        case _:
            return None
    if rows is None or revision == exchange.seen:
        return None
    began = {base, *(version_of(before) for before in map(_rows, unheard) if before is not None)}
    return None if began.isdisjoint(exchange.versions) else Edited(rows, revision)


def criteria_editor(
    rows: Sequence[CriterionRow],
    *,
    key: str,
    weights: Weights,
    label: str = "Criteria",
    lines: Mapping[str, Sequence[Line]] | None = None,
    editable: bool = True,
    on_edit: Callable[[Edited], None] | None = None,
) -> Edited | None:
    """Draw the rows, and return them as they are now where a person changed something that the page does not know yet.

    The page owns the rows: store what is returned, and pass it the next time. ``on_edit`` is called with an edit
    before the page (or the fragment) runs again, so that all of the page shows it; then the return value holds only
    edits which no call announced: those of a tab that outlived its server. Rows that are not what the browser sent,
    nor what was passed before, take the place of what is being typed. ``key`` names the editor in the session; keep it
    when the rows are replaced. ``lines`` are by the id of the row, ``weights`` says whether a row has a weight of its
    own.

    Raises:
        ValueError: as :func:`payload`.
    """
    memory = f"{key}-exchange"

    def announce() -> None:
        edited = _seen(st.session_state[key].get("edited"), memory) if on_edit is not None else None
        if on_edit is not None and edited is not None:
            on_edit(edited)

    exchange = st.session_state.get(memory, Exchange()).showing(version_of(rows))
    st.session_state[memory] = exchange
    data = payload(rows, label=label, weights=weights, lines=lines or {}, editable=editable, exchange=exchange)
    told = _component(key=key, data=data, on_edited_change=announce)
    return _seen(told.get("edited"), memory)


def _seen(told: object, memory: str) -> Edited | None:
    """An edit that is news, and the exchange brought up to it."""
    exchange: Exchange = st.session_state.get(memory, Exchange())
    edited = read_edit(told, exchange)
    if edited is not None:
        st.session_state[memory] = exchange.taking(edited)
    elif isinstance(told, Mapping) and isinstance(told.get("revision"), int):
        st.session_state[memory] = exchange._replace(seen=told["revision"])
    return edited


def _row_data(row: CriterionRow, lines: Sequence[Line]) -> RowData:
    return {
        "id": row.id,
        "title": well_formed(row.title),
        "description": well_formed(row.description),
        "category": well_formed(row.category),
        "weight": _finite(row.weight),
        "meets_when": row.meets_when,
        "source": dict(row.source),
        "percent": row.percent,
        "figure": percent_text(row.percent),
        "lines": [{"level": line.level, "text": well_formed(line.text)} for line in lines],
    }


def _rows(records: object) -> tuple[CriterionRow, ...] | None:
    if not isinstance(records, list):
        return None
    rows = tuple(row for row in map(_row, records) if row is not None)
    return rows if len({row.id for row in rows}) == len(records) else None


def _row(record: object) -> CriterionRow | None:
    match record:
        case {
            "id": str(row_id),
            "title": str(title),
            "description": str(description),
            "category": str(category),
            "weight": None | int() | float() as weight,
            "meets_when": bool(meets_when),
            "source": dict(source),
        } if row_id and not isinstance(weight, bool):
            return CriterionRow(row_id, title, description, category, _finite(weight), meets_when, source=source)
        case _:
            return None


def _finite(weight: float | None) -> float | None:
    return float(weight) if weight is not None and math.isfinite(weight) else None


def _source(*names: str) -> str:
    """Files beside this one as one text: a component of Streamlit is one module and one style sheet."""
    return "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)


_component = st.components.v2.component(
    "reward_lab_criteria_editor",
    css=_source("criteria_editor.css", "criteria_tools.css"),
    js=_source("criteria_list.js", "criteria_row.js", "criteria_tools.js", "criteria_editor.js"),
)
