"""The Compare page in a browser: from one run to the next by link and by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from reward_lab.core.judge import Judge
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.services.examples import examples
from reward_lab.settings import Settings
from reward_lab.wiring import open_lab
from tests.browser.served import ROOT, serving

PATIENCE_MS = 180_000


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two runs over the examples, with the refund group under the loose prompt and under the strict one."""
    folder = tmp_path_factory.mktemp("app")
    home = folder / "home"
    _score(home)
    with serving(ROOT / "app.py", folder, REWARD_LAB_HOME=str(home)) as url:
        yield url


def _score(home: Path) -> None:
    lab = open_lab(Settings(home=home), trust_all_endpoints=False)
    refund, *rest = examples()
    for prompt in ("loose", "strict"):
        scenario = refund.group.scenario.model_copy(update={"system_prompt": refund.prompts[prompt]})
        groups = (refund.group.model_copy(update={"scenario": scenario}), *(one.group for one in rest))
        settings = RunSettings(methods=("ruler", "likert"))
        _, future = lab.scoring.start(NewRun(groups, refund.rubric, (Judge(),), settings, name=prompt))
        future.result(60)
    lab.close()


@pytest.fixture
def page(browser: Browser, app: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(f"{app}/compare?runs=1,2")
    yield page
    context.close()
    assert failures == []


def listed(page: Page) -> Locator:
    return page.get_by_role("grid", name="Groups by what changed")


def test_the_hallucinated_response_falls_under_the_strict_prompt(page: Page) -> None:
    expect(page.get_by_text(re.compile("B of refund-policy falls most, from 0.33 to 0.23")).first).to_be_visible()
    expect(page.get_by_text("Answer user queries using ONLY").first).to_be_visible()
    responses = page.get_by_role("grid", name="Scores of each response by run")
    expect(responses.locator("tr[data-selected]")).to_contain_text("hallucinated")
    expect(responses.locator("tr[data-selected]")).to_contain_text("▼ −0.10")


def test_groups_are_walked_through_by_keyboard(page: Page) -> None:
    chosen = listed(page).locator("tr[data-selected]")
    expect(chosen).to_contain_text("refund-policy")
    listed(page).locator("tbody th").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(chosen).not_to_contain_text("refund-policy")
    expect(page.get_by_text("Group 2 of 4 groups")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_text("Group 3 of 4 groups")).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_text("Group 2 of 4 groups")).to_be_visible()
    page.keyboard.press("k")
    expect(chosen).to_contain_text("refund-policy")


def test_a_phone_scrolls_in_the_tables_alone(browser: Browser, app: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{app}/compare?runs=1,2")
    expect(listed(page)).to_be_visible()
    width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert width <= 390
    page.close()
