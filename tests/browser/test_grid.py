"""The grid in a real browser: what it shows, how it is driven, and that refreshing leaves the reader alone."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.grid_scene import APP, HEADS, Scene, matrix_columns, matrix_row, scored
from tests.browser.served import serving

pytestmark = pytest.mark.browser

HOSTILE = "<img src='https://example.com/x' onerror='window.hacked=1'><b>bold</b> ![x](https://example.com/y) $5-$10"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("grid")
    app, scene = folder / "app.py", folder / "scene.json"
    app.write_text(APP, encoding="utf-8")
    scene.write_text(
        json.dumps({"columns": matrix_columns(), "rows": [], "selected": None, "width": 790, "key": "none", "tick": 0})
    )
    with serving(app, folder, SCENE=str(scene)) as url:
        yield url, scene


@pytest.fixture(scope="module")
def page(browser: Browser, served: tuple[str, Path]) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(served[0])
    yield page
    page.close()


@pytest.fixture
def scene(page: Page, served: tuple[str, Path], ticks: Iterator[int]) -> Iterator[Scene]:
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.set_viewport_size({"width": 1000, "height": 800})
    page.emulate_media(reduced_motion="no-preference")
    scene = Scene(served[1], page, f"scores {next(ticks)}", ticks)
    scene.show([matrix_row(index) for index in range(4)])
    expect(scene.table.locator("tbody tr")).to_have_count(4)
    yield scene
    assert failures == []


@pytest.fixture(scope="module")
def ticks() -> Iterator[int]:
    return itertools.count(1)


def test_hostile_text_is_shown_as_it_is_and_fetches_nothing(scene: Scene) -> None:
    asked: list[str] = []
    scene.page.on("request", lambda request: asked.append(request.url))
    row = matrix_row(0, RULER={"text": HOSTILE, "hover": HOSTILE, "note": HOSTILE, "delta": HOSTILE})
    columns = matrix_columns()
    columns[1] = {"id": "RULER", "head": HOSTILE, "help": HOSTILE, "badge": HOSTILE, "colour": "#E69F00"}
    arabic = {**matrix_row(1), "title": "سياسة الاسترداد", "subtitle": "退款政策 🎉"}
    scene.show([{**row, "title": HOSTILE, "subtitle": HOSTILE, "badge": HOSTILE}, arabic], columns=columns)

    for part in (".title", ".subtitle", ".badge"):
        assert scene.table.locator(f"tbody tr[data-row=r0] {part}").text_content() == HOSTILE
    assert scene.cell("r0", "RULER").locator(".figure").text_content() == HOSTILE
    assert scene.cell("r0", "RULER").get_attribute("title") == HOSTILE
    assert scene.head("RULER").locator(".label").text_content() == HOSTILE
    assert scene.table.locator("img, b, script").count() == 0
    assert scene.page.evaluate("window.hacked") is None
    assert [url for url in asked if "127.0.0.1" not in url and not url.startswith("blob:")] == []
    direction = "node => getComputedStyle(node).direction"
    assert scene.table.locator("tr[data-row=r1] .title").evaluate(direction) == "rtl"
    assert scene.table.locator("tr[data-row=r1] .subtitle").text_content() == "退款政策 🎉"


def test_roles_and_names(scene: Scene) -> None:
    expect(scene.table.get_by_role("columnheader")).to_have_count(11)
    expect(scene.table.get_by_role("rowheader")).to_have_count(4)
    expect(scene.table.get_by_role("gridcell")).to_have_count(40)
    assert scene.head("RULER").get_attribute("title") == "About RULER"
    assert scene.head("RULER").get_attribute("aria-description") == "About RULER"
    assert scene.head("RULER").get_attribute("aria-sort") == "none"


def test_every_state_is_told_by_more_than_colour(scene: Scene) -> None:
    states = ("running", "failed", "cancelled", "met", "unmet", "unknown", "empty")
    cells = {head: {"state": state} for head, state in zip(HEADS, states, strict=False)}
    scene.show([matrix_row(0, **cells, Reward={"state": "failed", "text": "refused", "hover": "no JSON in the reply"})])

    shown = [scene.cell("r0", head).inner_text().split() for head in HEADS[:7]]
    assert shown == [["running"], ["✕", "unscored"], ["⊘", "cancelled"], ["✓"], ["✗"], ["?"], ["—"]]
    assert scene.cell("r0", "Reward").inner_text().split() == ["✕", "refused"]
    assert scene.cell("r0", "Reward").get_attribute("title") == "no JSON in the reply"
    for head, name in (("RaR exp", "met"), ("RaR imp", "unmet"), ("RaR pre", "unknown")):
        expect(scene.cell("r0", head).get_by_role("img", name=name, exact=True)).to_be_visible()

    animation = "node => getComputedStyle(node).animationName"
    figure = scene.cell("r0", "RULER").locator(".figure")
    assert figure.evaluate(animation) == "shimmer"
    scene.page.emulate_media(reduced_motion="reduce")
    assert figure.evaluate(animation) == "none"


def test_a_mark_is_coloured_by_what_it_means(scene: Scene) -> None:
    names = ("criterion", "plain", "pitfall", "missed", "avoided")
    columns = [{"id": name, "head": name, "kind": "mark"} for name in names]
    cells = {
        "plain": {"state": "met"},
        "pitfall": {"state": "met", "tone": "worse"},
        "missed": {"state": "unmet"},
        "avoided": {"state": "unmet", "tone": "better"},
    }
    row = {"id": "c0", "badge": "", "colour": "#999999", "title": "Invents nothing", "cells": cells}
    scene.show([row], columns=columns)

    def colour(name: str) -> str:
        found: str = scene.cell("c0", name).locator(".figure").evaluate("node => getComputedStyle(node).color")
        return found

    assert colour("plain") == colour("avoided") != colour("missed") == colour("pitfall")
    height = scene.table.locator("tbody tr").evaluate("row => row.offsetHeight")
    assert height < 52


def test_a_click_selects_and_stays_while_the_page_refreshes(scene: Scene) -> None:
    scene.cell("r2", "Likert").click()
    expect(scene.page.get_by_text("chosen Selection(row_id='r2', column_id='Likert')")).to_be_visible()
    scene.show([matrix_row(index) for index in range(3)])
    expect(scene.cell("r2", "Likert")).to_have_attribute("aria-selected", "true")
    expect(scene.table.locator("[aria-selected=true]")).to_have_count(1)

    scene.cell("r1", "response").click()
    expect(scene.page.get_by_text("chosen Selection(row_id='r1', column_id=None)")).to_be_visible()
    expect(scene.table.locator("tr[data-selected]")).to_have_attribute("data-row", "r1")


def test_a_new_selection_by_the_page_moves_the_highlight(scene: Scene) -> None:
    scene.cell("r2", "Likert").click()
    scene.show([matrix_row(index) for index in range(4)], selected=("r0", "RULER"))
    expect(scene.cell("r0", "RULER")).to_have_attribute("aria-selected", "true")
    expect(scene.cell("r2", "Likert")).to_have_attribute("aria-selected", "false")


def test_sorting_cycles_and_what_is_absent_stays_last(scene: Scene) -> None:
    values = [0.5, None, 0.0, 0.9]
    scene.show([matrix_row(index, RULER=scored(value)) for index, value in enumerate(values)])
    steps = [("descending", ["r3", "r0", "r2", "r1"]), ("ascending", ["r2", "r0", "r3", "r1"])]
    steps.append(("none", ["r0", "r1", "r2", "r3"]))
    for direction, order in steps:
        scene.head("RULER").click()
        expect(scene.head("RULER")).to_have_attribute("aria-sort", direction)
        assert scene.order() == order

    scene.head("response").click()
    expect(scene.head("response")).to_have_attribute("aria-sort", "ascending")
    expect(scene.table.locator("th[aria-sort=ascending], th[aria-sort=descending]")).to_have_count(1)


def test_the_keyboard_does_everything(scene: Scene) -> None:
    keyboard = scene.page.keyboard
    expect(scene.table.locator("[tabindex='0']")).to_have_count(1)
    scene.table.locator("[tabindex='0']").focus()
    assert scene.focus() == ["r0", "response"]
    for key, place in (
        ("ArrowRight", ["r0", "RULER"]),
        ("ArrowDown", ["r1", "RULER"]),
        ("End", ["r1", "Advantage"]),
        ("ArrowRight", ["r1", "Advantage"]),
        ("Control+End", ["r3", "Advantage"]),
        ("ArrowDown", ["r3", "Advantage"]),
        ("Home", ["r3", "response"]),
        ("ArrowLeft", ["r3", "response"]),
        ("Control+Home", [None, "response"]),
        ("ArrowUp", [None, "response"]),
        ("ArrowRight", [None, "RULER"]),
    ):
        keyboard.press(key)
        assert scene.focus() == place, key
        expect(scene.table.locator("[tabindex='0']")).to_have_count(1)

    keyboard.press("Enter")
    expect(scene.head("RULER")).to_have_attribute("aria-sort", "descending")
    assert scene.focus() == [None, "RULER"]
    keyboard.press("ArrowDown")
    assert scene.focus() == ["r2", "RULER"]
    keyboard.press("Enter")
    expect(scene.page.get_by_text("chosen Selection(row_id='r2', column_id='RULER')")).to_be_visible()
    keyboard.press("Tab")
    assert not scene.focus()


def test_a_refresh_updates_in_place_and_keeps_focus_scroll_and_sort(scene: Scene) -> None:
    rows = [matrix_row(index) for index in range(4)]
    scene.show(rows, width=350)
    scene.head("RULER").click()
    scene.cell("r1", "RaR imp").focus()
    scene.table.locator("..").evaluate("scroller => { scroller.scrollLeft = 180; }")
    scene.table.evaluate("t => t.querySelectorAll('*').forEach(node => { node.kept = true; })")
    before = scene.order()
    assert before == ["r2", "r1", "r3", "r0"]

    rows[1] = matrix_row(1, RULER={**scored(0.38), "bar": 0.38}, **{"RaR imp": scored(0.11)})
    scene.show(rows, width=350)

    expect(scene.cell("r1", "RaR imp").locator(".figure")).to_have_text("0.11")
    assert scene.order() == before
    assert scene.table.evaluate("t => [...t.querySelectorAll('*')].every(node => node.kept)")
    assert scene.focus() == ["r1", "RaR imp"]
    assert scene.table.locator("..").evaluate("scroller => scroller.scrollLeft") == 180

    rows[1] = matrix_row(1, RULER=scored(1.0))
    scene.show(rows, width=350)
    expect(scene.cell("r1", "RULER").locator(".figure")).to_have_text("1.00")
    assert scene.order() == ["r1", "r2", "r3", "r0"]
    assert scene.focus() == ["r1", "RaR imp"]
    assert scene.table.locator("..").evaluate("scroller => scroller.scrollLeft") == 180


def test_rows_hold_their_places_until_the_sorted_column_is_complete(scene: Scene) -> None:
    rows = [matrix_row(index, RULER=scored(value)) for index, value in enumerate([0.1, 0.2, 0.3, 0.4])]
    scene.show(rows)
    scene.head("RULER").click()
    assert scene.order() == ["r3", "r2", "r1", "r0"]

    rows[0], rows[1] = matrix_row(0, RULER=scored(0.9)), matrix_row(1, RULER={"state": "running"})
    scene.show(rows)
    expect(scene.cell("r0", "RULER").locator(".figure")).to_have_text("0.90")
    assert scene.order() == ["r3", "r2", "r1", "r0"]

    rows[1] = matrix_row(1, RULER=scored(0.8))
    scene.show(rows)
    expect(scene.cell("r1", "RULER").locator(".figure")).to_have_text("0.80")
    assert scene.order() == ["r0", "r1", "r3", "r2"]


def test_the_sort_outlives_a_new_mount_and_belongs_to_its_key(scene: Scene) -> None:
    rows = [matrix_row(index, RULER=scored(value)) for index, value in enumerate([0.1, 0.2])]
    scene.show(rows, key="first")
    scene.head("RULER").click()
    assert scene.order() == ["r1", "r0"]
    scene.show(rows, key="second")
    expect(scene.head("RULER")).to_have_attribute("aria-sort", "none")
    assert scene.order() == ["r0", "r1"]
    scene.show(rows, key="first")
    expect(scene.head("RULER")).to_have_attribute("aria-sort", "descending")
    assert scene.order() == ["r1", "r0"]


def test_the_focus_stays_in_the_grid_when_its_row_or_column_goes(scene: Scene) -> None:
    scene.cell("r1", "Checks").focus()
    scene.show([matrix_row(index) for index in (0, 2, 3)])
    expect(scene.table.locator("tbody tr")).to_have_count(3)
    assert scene.focus() == ["r2", "Checks"]

    fewer = [{**matrix_row(index), "cells": {"RULER": scored(0.5)}} for index in (0, 2)]
    scene.show(fewer, columns=matrix_columns()[:2])
    expect(scene.table.get_by_role("columnheader")).to_have_count(2)
    assert scene.focus() == ["r2", "response"]


def test_eleven_columns_fit_in_790_pixels(scene: Scene) -> None:
    assert scene.table.evaluate("t => t.scrollWidth <= t.parentElement.clientWidth")
    clipped = scene.table.evaluate(
        "t => [...t.querySelectorAll('thead .label, .line, .sub')]"
        ".filter(node => node.scrollWidth > node.clientWidth && node.clientWidth).map(node => node.textContent)"
    )
    assert clipped == []
    assert scene.table.locator("tbody tr").first.evaluate("row => row.offsetHeight") == 52
    lines = scene.table.evaluate(
        "t => [...t.querySelectorAll('.label')].map(label => Math.round(label.getBoundingClientRect().height / 14))"
    )
    assert max(lines) <= 2


def test_a_narrow_table_scrolls_in_itself_with_the_row_header_in_view(scene: Scene) -> None:
    scene.page.set_viewport_size({"width": 390, "height": 800})
    scene.show([matrix_row(index) for index in range(4)], width=350)
    scroller = scene.table.locator("..")
    expect(scroller).to_have_css("width", "348px")
    scene.cell("r0", "Advantage").focus()
    assert scroller.evaluate("node => node.scrollLeft") > 200
    header, frame = scene.cell("r0", "response").bounding_box(), scroller.bounding_box()
    assert header is not None
    assert frame is not None
    assert header["x"] == frame["x"]

    for _ in HEADS[1:]:
        scene.page.keyboard.press("ArrowLeft")
    cell = scene.cell("r0", "RULER").bounding_box()
    assert scene.focus() == ["r0", "RULER"]
    assert cell is not None
    assert cell["x"] >= header["x"] + header["width"]
    assert scene.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_height_is_natural_up_to_thirty_rows_and_capped_above(scene: Scene) -> None:
    scroller = scene.table.locator("..")
    scene.show([matrix_row(index) for index in range(30)])
    expect(scene.table.locator("tbody tr")).to_have_count(30)
    assert scroller.evaluate("node => node.scrollHeight === node.clientHeight")

    scene.show([matrix_row(index) for index in range(31)])
    expect(scene.table.locator("tbody tr")).to_have_count(31)
    assert scroller.evaluate("node => node.offsetHeight") == 560
    scene.cell("r30", "RULER").focus()
    head, frame = scene.head("RULER").bounding_box(), scroller.bounding_box()
    assert head is not None
    assert frame is not None
    assert head["y"] == frame["y"]
