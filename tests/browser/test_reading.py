"""Texts in a real browser: shown as they are, cut and unfolded, and left alone while a page refreshes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.served import serving

HOSTILE = (
    "<img src='https://example.com/x' onerror='window.hacked=1'><b>x</b> ![x](https://example.com/y) $5-$10, $x^2$"
)
LONG = "🎉" * 4000

# The page refreshes by itself, as the app's do while a run goes on; the first block is another one each time.
APP = f"""
import itertools
import streamlit as st
from reward_lab.core.differences import Piece
from reward_lab.ui.reading import Block, Fold, plain, read

st.set_page_config(layout="wide")
opened = st.session_state.setdefault("opened", set())
ticks = st.session_state.setdefault("ticks", itertools.count(1))
hostile = {HOSTILE!r}

@st.fragment(run_every=0.4)
def board():
    tick = next(ticks)
    asked = (Block("prompt", "message", "Prompt", pieces=plain("as sent")),) if "f" in opened else None
    with st.container(width=500):
        read([
            Block("tick", "line", "Tick", pieces=plain(str(tick))),
            Block("hostile", title=hostile, figure="0.95", pieces=plain(hostile), folds=(Fold("f", "More", asked),)),
            Block("long", "message", pieces=plain({LONG!r})),
            Block("wide", "message", pieces=plain("w" * 900)),
            Block("arabic", pieces=plain("سياسة الاسترداد\\nin English")),
            Block("diff", "line", pieces=(Piece("same", "use "), Piece("removed", "the"), Piece("added", "this"))),
        ], key="texts", label="Texts", on_open=opened.add)

board()
"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder: Path = tmp_path_factory.mktemp("reading")
    script = folder / "app.py"
    script.write_text(APP, encoding="utf-8")
    with serving(script, folder) as url:
        page = browser.new_page(viewport={"width": 900, "height": 900})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(url)
        expect(texts(page)).to_be_visible()
        yield page
        assert [one for one in asked if "127.0.0.1" not in one and not one.startswith(("blob:", "data:"))] == []
        page.close()


def texts(page: Page) -> Locator:
    return page.get_by_role("group", name="Texts")


def block(page: Page, index: int) -> Locator:
    return texts(page).locator("> section").nth(index)


def wait_for_a_refresh(page: Page) -> None:
    before = block(page, 0).inner_text()
    expect(block(page, 0)).not_to_have_text(before)


def test_hostile_text_is_shown_as_it_is(page: Page) -> None:
    card = block(page, 1)
    expect(card.locator(".title")).to_have_text(HOSTILE)
    assert card.locator(".text").text_content() == HOSTILE
    assert texts(page).locator("img, b, script, a").count() == 0
    assert page.evaluate("window.hacked") is None


def test_a_fold_asks_once_and_stays_open_with_the_focus(page: Page) -> None:
    summary = block(page, 1).locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(block(page, 1).get_by_text("as sent")).to_be_visible()
    wait_for_a_refresh(page)
    expect(block(page, 1).get_by_text("as sent")).to_be_visible()
    assert summary.evaluate("node => node.getRootNode().activeElement === node")
    page.keyboard.press("Enter")
    expect(block(page, 1).get_by_text("as sent")).to_be_hidden()


def test_long_text_is_cut_between_characters_until_all_is_asked_for(page: Page) -> None:
    body = block(page, 2).locator(".text")
    shown = body.evaluate("node => node.firstChild.textContent")
    assert shown == "🎉" * 1500
    body.get_by_role("button", name="Show all (8,000 characters)").press("Enter")
    assert body.text_content() == LONG
    wait_for_a_refresh(page)
    assert body.text_content() == LONG


def test_nothing_leaves_its_width_and_each_paragraph_has_its_direction(page: Page) -> None:
    frame = texts(page).bounding_box()
    wide = block(page, 3).locator(".text")
    box = wide.bounding_box()
    assert frame is not None
    assert box is not None
    assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
    assert wide.evaluate("node => node.scrollWidth <= node.clientWidth")
    starts = (
        block(page, 4)
        .locator(".text")
        .evaluate(
            """node => {
            const text = node.firstChild;
            const range = document.createRange();
            const at = (start) => {
                range.setStart(text, start);
                range.setEnd(text, start + 1);
                return range.getBoundingClientRect().x - node.getBoundingClientRect().x;
            };
            return [at(0), at(text.data.indexOf("in"))];
        }"""
        )
    )
    assert starts[0] > 300, "Arabic begins at the right"
    assert starts[1] < 5, "English at the left"


def test_a_difference_is_told_by_more_than_colour(page: Page) -> None:
    for name, sign, line in (("ins", "+", "underline"), ("del", "−", "line-through")):
        changed = block(page, 5).locator(name)
        assert changed.evaluate("node => getComputedStyle(node, '::before').content") == f'"{sign}"'
        assert line in str(changed.evaluate("node => getComputedStyle(node).textDecorationLine"))
