"""The criteria editor's data and its exchange of rows; how it is used is in tests/browser/test_criteria_editor.py."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from reward_lab.ui.criteria_editor import CriterionRow, Exchange, Line, payload, percent_text, read_edit, version_of

HOSTILE = "<img src=x onerror=alert(1)> ![x](https://example.com/y) $5-$10, $x^2$ سياسة 退款 🎉"
WINDOW = CriterionRow("a", "Window", "States that refunds end after 30 days.", "Essential", 3.0, True, 62.5)
INVENTS = CriterionRow("b", "", "Invents a phone number.", "Pitfall", None, False)


def shown(*rows: CriterionRow, **changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "label": "Criteria",
        "weights": "category",
        "lines": {},
        "editable": True,
        "exchange": Exchange(),
    }
    return json.loads(json.dumps(payload(rows, **(given | changes)), allow_nan=False))


def sent(*rows: CriterionRow, base: tuple[CriterionRow, ...], revision: int = 1) -> dict[str, Any]:
    """What the browser tells after an edit that began from ``base``."""
    written = ("id", "title", "description", "category", "weight", "meets_when", "source")
    records = [{name: record[name] for name in written} for record in shown(*rows)["rows"]]
    return {"base": version_of(base), "unheard": [], "revision": revision, "rows": records}


def test_a_row_is_sent_as_it_is_with_its_percentage_and_its_lines() -> None:
    data = shown(WINDOW, INVENTS, lines={"b": [Line("warning", HOSTILE)]}, exchange=Exchange(("v",), 7, 8))
    assert data["rows"] == [
        {
            "id": "a",
            "title": "Window",
            "description": "States that refunds end after 30 days.",
            "category": "Essential",
            "weight": 3.0,
            "meets_when": True,
            "source": {},
            "percent": 62.5,
            "figure": "62 %",
            "lines": [],
        },
        {
            "id": "b",
            "title": "",
            "description": "Invents a phone number.",
            "category": "Pitfall",
            "weight": None,
            "meets_when": False,
            "source": {},
            "percent": None,
            "figure": "–",
            "lines": [{"level": "warning", "text": HOSTILE}],
        },
    ]
    assert data["categories"] == {"Essential": 1.0, "Important": 0.7, "Optional": 0.3, "Pitfall": 0.9}
    assert (data["revision"], data["seen"]) == (7, 8)


def test_hostile_text_passes_unchanged_and_what_json_cannot_hold_does_not_stop_the_page() -> None:
    row = CriterionRow("a", HOSTILE, "x\ud800", HOSTILE, math.nan)
    (data,) = shown(row)["rows"]
    assert (data["title"], data["category"], data["description"], data["weight"]) == (
        HOSTILE,
        HOSTILE,
        "x\\ud800",
        None,
    )


@pytest.mark.parametrize(
    ("percent", "words"),
    [
        (100.0, "100 %"),
        (99.96, "100 %"),
        (62.5, "62 %"),
        (9.96, "10 %"),
        (9.94, "9.9 %"),
        (0.1, "0.10 %"),
        (0.0099, "<0.01 %"),
        (5e-324, "<0.01 %"),
        (0.0, "0 %"),
        (None, "–"),
    ],
)
def test_a_percentage_has_two_significant_digits_and_only_zero_is_zero(percent: float | None, words: str) -> None:
    assert percent_text(percent) == words


@pytest.mark.parametrize("percent", [-0.1, 100.1, math.nan, math.inf])
def test_a_percentage_lies_within_its_bounds(percent: float) -> None:
    with pytest.raises(ValueError, match="pass None where it is unknown"):
        CriterionRow("a", percent=percent)


@pytest.mark.parametrize("ids", [("a", "a"), ("a", "")])
def test_rows_need_ids_of_their_own(ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="give each criterion an id of its own"):
        shown(*map(CriterionRow, ids))


def test_a_line_about_no_row_is_a_mistake_of_the_page() -> None:
    with pytest.raises(ValueError, match=r"\['gone'\]"):
        shown(WINDOW, lines={"gone": [Line("note", "x")]})


def test_a_version_is_of_what_is_written() -> None:
    again = CriterionRow("other", WINDOW.title, WINDOW.description, "Essential", 3, True, None, {"id": 4})
    assert version_of([WINDOW]) == version_of([again])
    assert version_of([WINDOW]) != version_of([INVENTS])
    assert version_of([WINDOW, INVENTS]) != version_of([INVENTS, WINDOW])


def test_an_edit_is_read_once() -> None:
    before = Exchange().showing(version_of([WINDOW]))
    told = sent(INVENTS, WINDOW, base=(WINDOW,), revision=3)
    edited = read_edit(told, before)
    assert edited is not None
    assert [(row.id, row.description, row.weight, row.meets_when) for row in edited.rows] == [
        ("b", "Invents a phone number.", None, False),
        ("a", "States that refunds end after 30 days.", 3.0, True),
    ]
    after = before.taking(edited)
    assert read_edit(told, after) is None
    assert after.showing(version_of(edited.rows)) == after


def test_a_person_who_types_on_is_not_behind() -> None:
    """The second edit began before the browser heard that the first was taken over."""
    exchange = Exchange().showing(version_of([WINDOW]))
    for revision, row in enumerate((INVENTS, CriterionRow("c")), start=1):
        edited = read_edit(sent(WINDOW, row, base=(WINDOW,), revision=revision), exchange)
        assert edited is not None
        exchange = exchange.taking(edited).showing(version_of(edited.rows))


def test_rows_that_the_page_put_there_void_the_edits_of_those_before() -> None:
    exchange = Exchange().showing(version_of([WINDOW])).showing(version_of([INVENTS]))
    assert read_edit(sent(WINDOW, CriterionRow("c"), base=(WINDOW,)), exchange) is None
    assert read_edit(sent(INVENTS, CriterionRow("c"), base=(INVENTS,)), exchange) is not None


def test_what_was_stored_before_the_browser_heard_of_it_may_be_edited_on() -> None:
    """A server took the first edit over and ended; the next one knows only what is stored."""
    first, second = sent(INVENTS, base=(WINDOW,)), sent(INVENTS, WINDOW, base=(WINDOW,), revision=2)
    begun_anew = Exchange().showing(version_of([INVENTS]))
    assert read_edit(second, begun_anew) is None
    assert read_edit(second | {"unheard": [first["rows"]]}, begun_anew) is not None


@pytest.mark.parametrize(
    "spoilt",
    [
        {"weight": "3"},
        {"weight": True},
        {"meets_when": 1},
        {"id": ""},
        {"title": None},
        {"source": []},
        {"description": 4},
    ],
)
def test_what_is_no_list_of_criteria_is_not_taken(spoilt: dict[str, Any]) -> None:
    exchange = Exchange().showing(version_of([WINDOW]))
    told = sent(WINDOW, INVENTS, base=(WINDOW,))
    told["rows"][1] |= spoilt
    assert read_edit(told, exchange) is None
    assert read_edit({"rows": []}, exchange) is None
    assert read_edit(None, exchange) is None


def test_two_rows_of_one_id_are_not_taken() -> None:
    exchange = Exchange().showing(version_of([WINDOW]))
    assert read_edit(sent(WINDOW, base=(WINDOW,)) | {"rows": sent(WINDOW, base=())["rows"] * 2}, exchange) is None


def test_the_source_of_a_row_comes_back_with_it() -> None:
    row = CriterionRow("a", description="x", source={"tags": ["level:example"], "path": [1, 2]})
    edited = read_edit(sent(row, base=()), Exchange().showing(version_of([])))
    assert edited is not None
    assert edited.rows[0].source == {"tags": ["level:example"], "path": [1, 2]}


def test_a_page_shows_the_editor() -> None:
    def app() -> None:
        from reward_lab.ui.criteria_editor import CriterionRow, criteria_editor

        assert criteria_editor([CriterionRow("a", description="x")], key="list", weights="own") is None

    page = AppTest.from_function(app, default_timeout=60).run()
    assert not page.exception
    (element,) = page.get("bidi_component")
    assert json.loads(element.proto.json)["weights"] == "own"
