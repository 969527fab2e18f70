"""A page that shows one grid from a file, and the handle by which a test changes and reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

Data = Mapping[str, object]
HEADS = ("RULER", "Likert", "Likert+ref", "RaR exp", "RaR imp", "RaR pre", "Checks", "Spread", "Reward", "Advantage")
COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999")

# The page draws whatever the scene file says and reads it anew, as the app's pages do while a run goes on.
APP = """
import json, os
import streamlit as st
from reward_lab.ui.grid import Cell, Column, Row, grid

st.set_page_config(layout="wide")

@st.fragment(run_every=0.3)
def board():
    scene = json.load(open(os.environ["SCENE"]))
    columns = [Column(**column) for column in scene["columns"]]
    rows = [
        Row(**{**row, "cells": {name: Cell(**cell) for name, cell in row["cells"].items()}}) for row in scene["rows"]
    ]
    with st.container(width=scene["width"]):
        chosen = grid(columns, rows, key=scene["key"], label="Scores", selected=scene["selected"])
    if chosen != scene["selected"] and chosen is not None and tuple(chosen) != tuple(scene["selected"] or ()):
        st.session_state.chosen = chosen
    st.text(f"chosen {st.session_state.get('chosen')} tick {scene['tick']}")

board()
"""


@dataclass
class Scene:
    """The scene file, and the page that shows it; a key of its own gives each test a fresh grid."""

    path: Path
    page: Page
    key: str
    ticks: Iterator[int]
    tick: int = 0

    def show(
        self,
        rows: Sequence[Data],
        *,
        columns: Sequence[Data] | None = None,
        selected: tuple[str, str | None] | None = None,
        width: int = 790,
        key: str = "",
    ) -> None:
        """Write the scene and wait until the page shows it."""
        self.tick = next(self.ticks)
        scene = {
            "columns": columns or matrix_columns(),
            "rows": rows,
            "selected": selected,
            "width": width,
            "key": key or self.key,
            "tick": self.tick,
        }
        written = self.path.with_suffix(".new")
        written.write_text(json.dumps(scene), encoding="utf-8")
        written.replace(self.path)
        expect(self.page.get_by_text(re.compile(rf"tick {self.tick}$"))).to_be_visible()

    @property
    def table(self) -> Locator:
        return self.page.get_by_role("grid", name="Scores")

    def order(self) -> list[str]:
        ids: list[str] = self.table.locator("tbody tr").evaluate_all("rows => rows.map(row => row.dataset.row)")
        return ids

    def cell(self, row: str, column: str) -> Locator:
        return self.table.locator(f"tbody tr[data-row='{row}'] [data-column='{column}']")

    def head(self, column: str) -> Locator:
        return self.table.locator(f"thead [data-column='{column}']")

    def focus(self) -> list[str | None]:
        """Return row and column of the focused cell; the head's row is None."""
        place: list[str | None] = self.table.evaluate(
            "t => { const cell = t.getRootNode().activeElement;"
            " return cell && [cell.parentElement.dataset.row ?? null, cell.dataset.column]; }"
        )
        return place


def matrix_columns() -> list[Data]:
    return [
        {"id": "response", "head": "Response", "kind": "text"},
        *({"id": head, "head": head, "help": f"About {head}"} for head in HEADS),
    ]


def matrix_row(index: int, **cells: Data) -> Data:
    score = round((index * 37 % 101) / 100, 2)
    every: dict[str, Data] = {
        head: {"value": score, "text": f"{score:.2f}", "bar": score, "note": "#1", "delta": "▼ -0.25", "tone": "worse"}
        for head in HEADS
    }
    return {
        "id": f"r{index}",
        "badge": chr(65 + index % 26),
        "colour": COLOURS[index % 8],
        "title": f"Response {index}",
        "subtitle": "Refunds are available within 30 days of purchase, with a receipt.",
        "cells": {**every, **cells},
    }


def scored(value: float | None) -> Data:
    return {"value": value, "text": "" if value is None else f"{value:.2f}"}
