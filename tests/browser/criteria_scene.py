"""A page with one criteria editor over a list in a file, as a draft in the store, and the handle of a test on both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

# The page runs again by itself, as the app's pages do while a run goes on, and as slowly as the test likes.
APP = """
import json, os, time
from dataclasses import asdict
from pathlib import Path
import streamlit as st
from reward_lab.ui.criteria_editor import CriterionRow, Line, criteria_editor

st.set_page_config(layout="wide")
path = Path(os.environ["LISTS"]) / f"{st.query_params['list']}.json"

def stored():
    return json.loads(path.read_text(encoding="utf-8"))

def keep(edited):
    scene = stored()
    rows = [{**asdict(row), "percent": None} for row in edited.rows]
    new = path.with_suffix(".new")
    new.write_text(json.dumps({**scene, "rows": rows, "edits": scene["edits"] + 1}), encoding="utf-8")
    new.replace(path)

@st.fragment(run_every=0.5)
def board():
    scene = stored()
    time.sleep(scene["slow"])
    sizes = [row["weight"] or 0 for row in scene["rows"]]
    rows = [
        CriterionRow(**{**row, "percent": 100 * size / sum(sizes) if sum(sizes) else None})
        for row, size in zip(scene["rows"], sizes)
    ]
    lines = {id: [Line(*line) for line in about] for id, about in scene["lines"].items() if id in {r.id for r in rows}}
    with st.container(width=scene["width"]):
        edited = criteria_editor(
            rows, key="list", weights=scene["weights"], lines=lines, editable=scene["editable"], on_edit=keep
        )
    if edited is not None:
        keep(edited)
        st.rerun(scope="fragment")
    st.text(f"edits {scene['edits']} tick {time.monotonic()}")

board()
"""


@dataclass
class Scene:
    """One list, in its file and on its page."""

    path: Path
    page: Page
    url: str

    def put(self, *statements: str, **changes: Any) -> None:
        """Write a list of statements, with weights 1, 2, 3 ..., from outside of the page."""
        rows = [
            {
                "id": f"r{at}",
                "title": "",
                "description": statement,
                "category": "Important",
                "weight": float(at),
                "meets_when": True,
                "percent": None,
                "source": {},
            }
            for at, statement in enumerate(statements, start=1)
        ]
        scene = {
            "rows": rows,
            "weights": "own",
            "lines": {},
            "width": "stretch",
            "editable": True,
            "slow": 0,
            "edits": 0,
        }
        self.write(scene | changes)

    def write(self, scene: Mapping[str, Any]) -> None:
        new = self.path.with_suffix(".put")
        new.write_text(json.dumps(scene), encoding="utf-8")
        new.replace(self.path)

    def change(self, **changes: Any) -> None:
        self.write(self.stored() | changes)

    def open(self) -> None:
        self.page.goto(f"{self.url}/?list={self.path.stem}")
        expect(self.page.get_by_text("edits")).to_be_visible()
        expect(self.editor).to_be_visible()

    def stored(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        return found

    def statements(self) -> list[str]:
        """What the page has stored."""
        return [row["description"] for row in self.stored()["rows"]]

    def shown(self) -> list[str]:
        """What stands in the fields."""
        found: list[str] = self.editor.locator(".statement").evaluate_all("fields => fields.map(field => field.value)")
        return found

    @property
    def editor(self) -> Locator:
        return self.page.locator(".criteria")

    @property
    def status(self) -> Locator:
        return self.editor.locator(".tools .status")

    def statement(self, number: int) -> Locator:
        return self.page.get_by_role("textbox", name=f"Criterion {number}: statement", exact=True)

    def row(self, number: int) -> Locator:
        return self.editor.locator(".row").nth(number - 1)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until the page has come so far."""
        for _ in range(300):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"waited in vain for {what}: stored {self.stored()}, shown {self.shown()}")

    def settles(self, *statements: str) -> None:
        """Wait until this is shown and stored."""
        self.wait(lambda: [*statements] == self.statements() == self.shown(), f"{statements}")

    def runs_again(self, times: int = 2) -> None:
        """Wait until the page has run again."""
        tick = self.page.get_by_text("tick")
        for _ in range(times):
            before = tick.inner_text()
            expect(tick).not_to_have_text(before)
