"""The criteria on the Score page: shown with their weights, and edits that reach the draft of record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from reward_lab.services.examples import examples
from tests.pages.drawn import component

APP = Path(__file__).parents[2] / "app.py"
WRITTEN = ("id", "title", "description", "category", "weight", "meets_when", "source")


@pytest.fixture
def page() -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.button_group(key="inputs-pane").set_value("rubric").run()
    assert not page.exception
    return page


def editor(page: AppTest) -> dict[str, Any]:
    return component(page, "Criteria")


def tell(page: AppTest, rows: list[dict[str, Any]], *, base: str, revision: int) -> None:
    """Run the page with what a browser would send after an edit."""
    edited = {"base": base, "unheard": [], "revision": revision, "rows": rows}
    page.session_state["criteria"] = {"edited": edited}
    page.run()
    assert not page.exception


def test_the_criteria_of_the_draft_are_shown_with_their_effective_weights(page: AppTest) -> None:
    rubric = examples()[0].rubric
    data = editor(page)
    assert [row["description"] for row in data["rows"]] == [one.description for one in rubric.criteria]
    assert (data["weights"], data["editable"]) == ("category", True)
    shares = [100 * weight / sum(rubric.weights) for weight in rubric.weights]
    assert [row["percent"] for row in data["rows"]] == pytest.approx(shares)


def test_an_edit_becomes_the_draft_and_is_not_taken_twice(page: AppTest) -> None:
    data = editor(page)
    rows = [{name: row[name] for name in WRITTEN} for row in data["rows"]]
    new = {**rows[0], "id": "new", "description": "Names the form. $5-$10 <b>", "category": "Pitfall"}
    tell(page, [new, *rows], base=data["version"], revision=1)
    draft = page.session_state["desk"].draft
    assert [row.id for row in draft.criteria] == ["new", *(row["id"] for row in rows)]
    assert draft.rubric().criteria[0].description == "Names the form. $5-$10 <b>"
    assert editor(page)["rows"][0]["figure"] != "–"

    page.session_state["desk"].change(criteria=draft.criteria[1:])
    page.run()
    assert len(editor(page)["rows"]) == len(rows)


def test_an_edit_of_a_list_that_was_replaced_is_not_taken(page: AppTest) -> None:
    data = editor(page)
    page.button(key="example-1").click().run()
    before = page.session_state["desk"].draft.criteria
    tell(page, [{name: row[name] for name in WRITTEN} for row in data["rows"]], base=data["version"], revision=1)
    assert page.session_state["desk"].draft.criteria == before
