"""The Groups page as people use it: a table becomes groups, which are read, tagged, split and found again."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from reward_lab.core.split import Split
from reward_lab.wiring import Lab
from tests.browser.installation import installation
from tests.browser.navigation import settled

PATIENCE_MS = 180_000
HOSTILE = "<img src='https://example.com/x' onerror='window.hacked=1'> ![x](https://example.com/y) $5-$10 :red[x]"
CALLS = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": '{"city": "杭州"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "订单 7 已发货"},
    {"role": "assistant", "content": "It was sent. " * 400},
]


class App(NamedTuple):
    url: str
    lab: Lab

    @property
    def dataset_id(self) -> int:
        (summary,) = self.lab.datasets.summaries()
        return summary.id


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with installation(tmp_path_factory.mktemp("app")) as (url, lab):
        yield App(url, lab)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A visitor. Nothing may be asked of any other host, and no script may fail."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    abroad: list[str] = []
    failures: list[str] = []
    context.on("request", lambda request: None if is_local(request.url) else abroad.append(request.url))
    context.on("weberror", lambda error: failures.append(str(error.error)))
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    yield page
    assert page.evaluate("window.hacked") is None
    context.close()
    assert abroad == []
    assert failures == []


def is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def listed(page: Page) -> Locator:
    return page.get_by_role("grid", name="Groups of the dataset").locator("tbody tr")


def search(page: Page, text: str, found: int) -> None:
    field = page.get_by_role("textbox", name="Search")
    field.fill(text)
    field.press("Enter")
    expect(page.get_by_text(re.compile(f"^Group 1 of {found} ")).first).to_be_visible()
    settled(page)


def table() -> str:
    """Responses one a row: plain answers, and an agent's trajectory as JSON."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["question", "answer", "variant"])
    for number in range(30):
        answers = [json.dumps(CALLS) if number == 17 else "Yes.", HOSTILE]
        for answer, variant in zip(answers, ("short", "long"), strict=True):
            writer.writerow([f"Question {number}: where is my order?", answer, variant])
    return file.getvalue()


def test_a_pasted_table_becomes_groups_that_are_read_tagged_split_and_found_again(page: Page, app: App) -> None:
    page.goto(f"{app.url}/groups")
    expect(page.get_by_text("No dataset yet. Begin with one of these.")).to_be_visible()
    settled(page)
    press(page, "From a file or pasted text")
    pasted = page.get_by_role("textbox", name="or paste its content")
    pasted.fill(table())
    pasted.press("Control+Enter")
    expect(page.get_by_text("30 groups with 2 responses.")).to_be_visible()
    settled(page)
    choose(page, "What variant holds", "response label")
    expect(page.get_by_text("The response's name, such as its model.")).to_be_visible()
    settled(page)
    press(page, "Add 30 groups")
    expect(page.get_by_text("30 groups were added.")).to_be_visible()
    expect(listed(page)).to_have_count(8)

    search(page, "杭州", found=1)
    reading = page.get_by_role("group", name="The open group")
    expect(reading.get_by_text("Question 17: where is my order?")).to_be_visible()
    expect(reading.get_by_text("Call of find_order")).to_be_visible()
    expect(reading.get_by_text("Result of find_order")).to_be_visible()
    expect(reading.get_by_text("订单 7 已发货")).to_be_visible()
    expect(reading.get_by_text(HOSTILE)).to_be_visible()
    reading.get_by_role("button", name=re.compile("^Show all")).click()
    expect(reading.get_by_text(re.compile("^(It was sent. ){399}It was sent."))).to_be_visible()

    choose(page, "Split of this group", "holdout")
    tags = page.get_by_role("combobox", name="Tags of this group")
    tags.fill("紧急")
    tags.press("Enter")
    tags.press("Escape")  # the list of tags stays open, for one more
    expect(listed(page)).to_contain_text("紧急")
    settled(page)
    assert [line.opening for line in app.lab.datasets.page(app.dataset_id, tag="紧急", split=Split.HOLDOUT).rows] == [
        "Question 17: where is my order?"
    ]
    permalink = page.url

    search(page, "", found=30)
    choose(page, "Tag", "紧急")
    expect(listed(page)).to_have_count(1)
    page.goto(permalink)
    expect(page.get_by_text("Group 18 of 30 groups")).to_be_visible()
    expect(reading.get_by_text("Call of find_order")).to_be_visible()
    expect(listed(page).locator("xpath=self::*[@data-selected]")).to_contain_text("Question 17")
    settled(page)
    step_on(page, "Group 19 of 30 groups")
    expect(page).not_to_have_url(permalink)


def step_on(page: Page, said: str) -> None:
    """Press J until the page takes it: a key that meets a page being drawn is lost."""
    for _ in range(8):
        page.keyboard.press("j")
        with suppress(AssertionError):
            expect(page.get_by_text(said)).to_be_visible(timeout=6_000)
            return
    expect(page.get_by_text(said)).to_be_visible()


def test_on_a_phone_only_tables_scroll_sideways(browser: Browser, app: App) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{app.url}/groups")
    expect(listed(page).first).to_be_visible()
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    page.close()
