"""The Runs page: empty, filled, filtered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from reward_lab.core.judge import Judge
from reward_lab.core.run import NewRun, Progress, RunSettings, RunState, Usage
from reward_lab.services.examples import examples
from reward_lab.services.scoring import RunSummary
from reward_lab.ui.run_list import row_of
from reward_lab.wiring import Lab
from tests.pages.drawn import component

PAGE = Path(__file__).parents[2] / "pages" / "runs.py"


def shown() -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not page.exception
    return page


def rows(page: AppTest) -> list[dict[str, Any]]:
    return list(component(page, "Stored runs")["rows"])


def score(lab: Lab, name: str) -> int:
    example = examples()[0]
    new = NewRun((example.group,), example.rubric, (Judge(),), RunSettings(methods=("likert",)), name=name)
    run_id, future = lab.scoring.start(new)
    future.result(60)
    return run_id


def test_before_the_first_run_the_page_says_where_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    # A page link needs the app around it; alone, the page has nothing to link to.
    monkeypatch.setattr(st, "page_link", lambda *_, **__: None)
    assert "No run is stored yet" in shown().info[0].value


def test_runs_stand_newest_first_and_are_filtered(lab: Lab) -> None:
    first, second = score(lab, "alpha"), score(lab, "beta 50%")
    page = shown()
    assert [row["id"] for row in rows(page)] == [str(second), str(first)]
    assert rows(page)[0]["cells"]["done"]["text"] == "4/4"
    page.text_input(key="runs-search").set_value("0%").run()
    assert [row["title"] for row in rows(page)] == ["beta 50%"]
    page.text_input(key="runs-search").set_value("gamma").run()
    assert "No run matches" in page.info[0].value


def test_many_runs_are_paged(lab: Lab) -> None:
    for number in range(27):
        score(lab, f"run {number}")
    page = shown()
    assert len(rows(page)) == 25
    next(button for button in page.button if button.label == "Older").click().run()
    assert [row["title"] for row in rows(page)] == ["run 1", "run 0"]


def test_unknown_cost_reads_unknown() -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    run = RunSummary(
        id=7,
        name="<b>\ud800</b>",
        state=RunState.INTERRUPTED,
        created_at=now - timedelta(hours=3),
        finished_at=None,
        rubric_name="",
        rubric_version=2,
        models=("openai/m",),
        methods=("ruler",),
        draft_id=None,
        groups=1,
        opening="退款",
        progress=Progress(),
        usage=Usage(cost_usd=None),
    )
    row = row_of(run, now)
    assert row.cells["cost"].text == "unknown"
    assert row.cells["cost"].value is None
    assert (row.title, row.cells["started"].text) == ("<b>\\ud800</b>", "3 hours ago")
    assert row.cells["state"].text == "! interrupted"
    assert row.cells["rubric"].text == "unnamed, version 2"
