"""The grid's data, and how a page test sees the grid; how it draws and behaves is in tests/browser/test_grid.py."""

from __future__ import annotations

import json
import math

import pytest
from streamlit.testing.v1 import AppTest

from reward_lab.ui.grid import Cell, Column, Row, payload

COLUMNS = [
    Column("response", "Response", kind="text"),
    Column("ruler", "RULER"),
    Column("window", "Window", kind="mark"),
]
BLUE = "#0072B2"


def test_payload_holds_what_was_given_and_leaves_out_defaults() -> None:
    cell = Cell(
        0.85, "0.85", bar=0.85, note="#1", delta="▼ -0.25", tone="worse", hover="It keeps to the 30 day window."
    )
    rows = [Row("a", "A", BLUE, "Concise", "Refunds are …", {"ruler": cell, "window": Cell(state="unknown")})]

    data = payload(COLUMNS, rows, ("a", "ruler"))

    assert data["rows"] == [
        {
            "id": "a",
            "badge": "A",
            "colour": BLUE,
            "title": "Concise",
            "subtitle": "Refunds are …",
            "cells": {
                "ruler": {
                    "state": "ready",
                    "value": 0.85,
                    "text": "0.85",
                    "bar": 0.85,
                    "note": "#1",
                    "delta": "▼ -0.25",
                    "tone": "worse",
                    "hover": "It keeps to the 30 day window.",
                },
                "window": {"state": "unknown"},
            },
        }
    ]
    assert data["selected"] == ("a", "ruler")


def test_zero_is_a_value_and_an_absent_cell_is_empty() -> None:
    cells = payload(COLUMNS, [Row("a", "A", BLUE, "Concise", cells={"ruler": Cell(0.0, "0.00", bar=0.0)})], None)[
        "rows"
    ][0]["cells"]
    assert cells == {
        "ruler": {"state": "ready", "value": 0.0, "text": "0.00", "bar": 0.0},
        "window": {"state": "empty"},
    }


def test_alignment_follows_the_kind_unless_given() -> None:
    columns = [*COLUMNS, Column("note", "Note", kind="text", align="end")]
    assert [column["align"] for column in payload(columns, [], None)["columns"]] == ["start", "end", "center", "end"]


@pytest.mark.parametrize(
    ("selected", "kept"),
    [
        (("a", None), ("a", None)),
        (("a", "window"), ("a", "window")),
        (("gone", "ruler"), None),
        (("a", "gone"), None),
        (("a", "response"), None),
        (None, None),
    ],
)
def test_a_selection_of_what_is_not_there_is_dropped(
    selected: tuple[str, str | None] | None, kept: tuple[str, str | None] | None
) -> None:
    assert payload(COLUMNS, [Row("a", "A", BLUE, "Concise")], selected)["selected"] == kept


def test_hostile_text_passes_through_json_unchanged() -> None:
    text = "</script><img src=x onerror=alert(1)> سياسة 退款 🎉 \u202e \udc80"
    row = Row("a", "A", BLUE, text, text, {"ruler": Cell(text=text, hover=text)})
    sent = json.loads(json.dumps(payload(COLUMNS, [row], None)))["rows"][0]
    assert (sent["title"], sent["subtitle"], sent["cells"]["ruler"]["hover"]) == (text, text, text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="pass None"):
        Cell(value)


@pytest.mark.parametrize("bar", [-0.01, 1.01, math.nan])
def test_a_bar_outside_the_unit_interval_is_refused(bar: float) -> None:
    with pytest.raises(ValueError, match=r"lies outside \[0, 1\]"):
        Cell(bar=bar)


@pytest.mark.parametrize("colour", ["red", "#fff", "url(https://example.com/x)", "#0072B2;x:y", "#0072B2\n", ""])
def test_only_a_hex_colour_may_reach_the_style(colour: str) -> None:
    with pytest.raises(ValueError, match="row 'a' has the colour"):
        Row("a", "A", colour, "Concise")
    if colour:
        with pytest.raises(ValueError, match="column 'b' has the colour"):
            Column("b", "B", colour=colour)


def test_ids_and_cells_must_fit_the_columns() -> None:
    row = Row("a", "A", BLUE, "Concise")
    with pytest.raises(ValueError, match="row id 'a' is used twice"):
        payload(COLUMNS, [row, row], None)
    with pytest.raises(ValueError, match="column id 'ruler' is used twice"):
        payload([*COLUMNS, COLUMNS[1]], [], None)
    with pytest.raises(ValueError, match=r"row 'b' has cells for unknown columns \['likert'\]"):
        payload(COLUMNS, [Row("b", "B", BLUE, "Verbose", cells={"likert": Cell()})], None)
    with pytest.raises(ValueError, match="0 columns"):
        payload([], [], None)


def _page() -> None:
    import streamlit as st

    from reward_lab.ui.grid import Cell, Column, Row, grid

    columns = [Column("response", "Response", kind="text"), Column("ruler", "RULER")]
    rows = [Row("a", "A", "#0072B2", "Concise", cells={"ruler": Cell(0.85, "0.85")})]
    chosen = grid(columns, rows, key="scores", label="Scores", selected=("a", "ruler"))
    stale = grid(columns, rows, key="older", label="Older scores", selected=("gone", None))
    st.text(f"{chosen!r} {stale!r}")


def test_a_page_with_grids_runs_and_reruns_under_apptest() -> None:
    page = AppTest.from_function(_page).run()
    for _ in range(2):
        assert not page.exception
        assert page.text[0].value == "Selection(row_id='a', column_id='ruler') None"
        scores, older = (json.loads(element.proto.json) for element in page.get("bidi_component"))
        assert (scores["key"], scores["label"], scores["sortable"]) == ("scores", "Scores", True)
        assert scores["rows"][0]["cells"]["ruler"]["text"] == "0.85"
        assert (scores["selected"], older["selected"]) == (["a", "ruler"], None)
        page.run()
