"""The Score page as a person uses it: the main job from the first look to what moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.navigation import go_to
from tests.browser.served import ROOT, serving
from tests.judges.server import Json, Reply, ScriptedServer, answer

SIX = ("RULER", "Likert", "Likert+ref", "RaR exp", "RaR imp", "RaR pre")
HOSTILE = (
    "<img src='https://example.com/x' onerror='window.hacked=1'> ![x](https://example.com/y) $5-$10, $x^2$ 退款 🎉"
)
PATIENCE_MS = 180_000


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("app")
    with serving(ROOT / "app.py", folder, REWARD_LAB_HOME=str(folder / "home")) as url:
        yield url


@pytest.fixture
def page(browser: Browser, app: str) -> Iterator[Page]:
    """A fresh visitor. Nothing may be asked of any other host, and no script may fail."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    abroad: list[str] = []
    failures: list[str] = []
    page.on("request", lambda request: abroad.append(request.url) if _is_abroad(request.url) else None)
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(app)
    yield page
    assert page.evaluate("window.hacked") is None
    context.close()
    assert abroad == []
    assert failures == []


def _is_abroad(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def score_button(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile(r"Score \d"))


def matrix(page: Page) -> Locator:
    return page.get_by_role("grid").first


def scored(page: Page) -> Locator:
    """Press Score, and wait until the page shows the new run."""
    before = run_number(page)
    score_button(page).click()
    page.wait_for_url(lambda url: run_number(page, url) not in (None, before))
    expect(page.get_by_text(f"Run {run_number(page)}", exact=True)).to_be_visible()
    expect(matrix(page)).to_be_visible()
    return matrix(page)


def run_number(page: Page, url: str | None = None) -> str | None:
    found = re.search(r"[?&]run=(\d+)", url or page.url)
    return found[1] if found else None


def cancel(page: Page) -> None:
    """Press Cancel until the page takes it: a click that meets a page being redrawn is lost."""
    taken = page.get_by_role("button", name=re.compile("Cancelling|Resume")).first
    for _ in range(8):
        page.get_by_role("button", name="Cancel", exact=True).click()
        with suppress(AssertionError):
            expect(taken).to_be_visible(timeout=4_000)
            return
    expect(taken).to_be_visible()


def pane(page: Page, name: str) -> None:
    page.get_by_role("radio", name=re.compile(name)).click()


def figures(page: Page, letter: str) -> list[str]:
    """The scores of one response, in the order of the columns."""
    row = matrix(page).locator("tbody tr").filter(has=page.locator(".badge", has_text=re.compile(f"^{letter}$")))
    expect(row.locator(".figure")).not_to_have_count(0)
    return [text.strip() for text in row.locator(".figure").all_text_contents()]


def test_a_first_visitor_scores_the_example_with_one_click(page: Page) -> None:
    expect(page.get_by_role("textbox", name="System prompt")).to_have_value(re.compile("ONLY the retrieved context"))
    scored(page)
    for head in SIX:
        expect(
            matrix(page).get_by_role("columnheader").filter(has_text=re.compile(re.escape(head[:6]))).first
        ).to_be_visible()
    expect(matrix(page).locator("tbody tr")).to_have_count(4)
    ruler = {letter: float(figures(page, letter)[0]) for letter in "ABCD"}
    assert min(ruler["A"], ruler["D"]) > ruler["B"] > ruler["C"]
    expect(page.get_by_text("offline").first).to_be_visible()


def test_a_loosened_prompt_moves_the_hallucinated_response_and_the_page_says_so(page: Page) -> None:
    scored(page)
    strict = float(figures(page, "B")[0])
    prompt = page.get_by_role("textbox", name="System prompt")
    prompt.fill("You are a RAG-based support agent. Use the retrieved context to answer user queries accurately.")
    prompt.press("Tab")
    page.wait_for_timeout(500)
    scored(page)
    expect(page.get_by_text(re.compile(r"since run \d+")).first).to_be_visible()
    assert float(figures(page, "B")[0]) > strict


def test_drafts_survive_a_refresh_and_a_page_switch(page: Page) -> None:
    prompt = page.get_by_role("textbox", name="System prompt")
    prompt.fill(HOSTILE)
    page.wait_for_url(re.compile("draft="))  # a pause in typing is enough
    prompt.press("Control+End")
    prompt.press_sequentially(" and on")
    page.reload()  # in the middle of it
    typed = HOSTILE + " and on"
    expect(page.get_by_role("textbox", name="System prompt")).to_have_value(typed)
    go_to(page, "Runs")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    go_to(page, "Score")
    expect(page.get_by_role("textbox", name="System prompt")).to_have_value(typed)


def test_a_permalink_reopens_a_run_as_it_was(page: Page, browser: Browser, app: str) -> None:
    scored(page)
    before = {letter: figures(page, letter) for letter in "ABCD"}
    run = run_number(page)
    other = browser.new_page()
    other.set_default_timeout(PATIENCE_MS)
    other.goto(f"{app}/?run={run}")
    expect(matrix(other)).to_be_visible(timeout=PATIENCE_MS)
    assert {letter: figures(other, letter) for letter in "ABCD"} == before
    other.close()


def test_an_unknown_run_says_so(page: Page, app: str) -> None:
    page.goto(f"{app}/?run=999999")
    expect(page.get_by_text("999999")).to_be_visible()
    expect(page.get_by_text("Traceback")).to_have_count(0)


def test_the_runs_page_lists_filters_and_opens(page: Page) -> None:
    scored(page)
    run = run_number(page)
    go_to(page, "Runs")
    first = page.get_by_role("grid").locator("tbody tr").first
    expect(first.locator(".badge")).to_have_text(str(run))
    search = page.get_by_role("textbox", name="Search")
    search.fill("no such run")
    search.press("Enter")
    expect(page.get_by_text("No run matches")).to_be_visible()
    search.fill("Refund")
    search.press("Enter")
    page.get_by_role("grid").locator("tbody tr").first.locator("th").click()
    page.wait_for_url(re.compile(f"run={run}"))
    expect(matrix(page)).to_be_visible(timeout=PATIENCE_MS)


def test_hostile_responses_are_shown_as_they_are(page: Page) -> None:
    pane(page, "Responses")
    page.get_by_role("textbox", name="Text of A").fill(HOSTILE)
    page.get_by_role("textbox", name="Text of A").press("Tab")
    page.get_by_role("textbox", name="Label of A").fill(HOSTILE)
    page.get_by_role("textbox", name="Label of A").press("Tab")
    page.wait_for_timeout(500)
    scored(page)
    expect(page.get_by_text(HOSTILE, exact=True).first).to_be_visible()
    assert page.locator("img[src*='example.com']").count() == 0


def test_responses_are_added_pasted_moved_and_removed(page: Page) -> None:
    pane(page, "Responses")
    page.get_by_role("button", name="Paste many").click()
    page.get_by_role("textbox", name=re.compile("A JSON list")).fill("fifth\n---\nsixth")
    page.get_by_role("button", name="Add them").click()
    expect(page.get_by_role("textbox", name="Text of F")).to_have_value("sixth")
    page.get_by_role("button", name=re.compile("Move, duplicate or remove F|more_vert")).last.click()
    page.get_by_role("button", name="Move up").click()
    expect(page.get_by_role("textbox", name="Text of E")).to_have_value("sixth")
    page.get_by_role("button", name=re.compile("Move, duplicate or remove F|more_vert")).last.click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("textbox", name="Text of F")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_nothing_sideways_but_the_table(browser: Browser, app: str, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    phone = context.new_page()
    phone.set_default_timeout(PATIENCE_MS)
    phone.goto(app)
    scored(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_phone_reads_what_a_run_costs_and_is_led_to_its_results(browser: Browser, app: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    phone = context.new_page()
    phone.set_default_timeout(PATIENCE_MS)
    phone.goto(app)
    label = score_button(phone).locator("p")
    expect(label).to_have_text(re.compile(r"\(21 calls, free\)"))
    assert label.evaluate("node => node.scrollWidth <= node.clientWidth"), "nothing of the label is cut"
    scored(phone)
    expect(phone.get_by_text("offline judge: lexical")).not_to_be_in_viewport()
    phone.get_by_role("link", name="See results").click()
    expect(phone.get_by_text("offline judge: lexical")).to_be_in_viewport()
    context.close()


def test_the_chosen_pane_can_be_read_in_the_dark(browser: Browser, app: str) -> None:
    context = browser.new_context(color_scheme="dark")
    dark = context.new_page()
    dark.set_default_timeout(PATIENCE_MS)
    dark.goto(app)
    chosen = dark.get_by_role("radio", name="Scenario").locator("p")
    expect(chosen).to_have_css("color", "rgb(165, 160, 255)")  # 7.8:1 on the ground, which is #14161b
    context.close()


def test_the_first_visitor_of_a_fresh_server_sees_its_own_navigation(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("fresh")
    with serving(ROOT / "app.py", folder, REWARD_LAB_HOME=str(folder / "home")) as url:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.add_init_script(
            "window.names = new Set();"
            "new MutationObserver(() => document.querySelectorAll('[data-testid=stSidebarNavLink]').forEach("
            "link => window.names.add(link.textContent))).observe(document, {subtree: true, childList: true})"
        )
        page.goto(f"{url}/runs")
        expect(page.get_by_text("No run is stored yet")).to_be_visible()
        expect(page.get_by_test_id("stSidebarNavLink").filter(has_text="Score")).to_be_visible()
        names = page.evaluate("[...window.names]")
        assert not [name for name in names if "app" in name]
        page.close()


@pytest.fixture
def judge(page: Page) -> Iterator[ScriptedServer]:
    """A server beside the app, chosen as the judge by typing its address."""
    with ScriptedServer() as server:
        pane(page, "Judge")
        box = page.get_by_role("combobox", name="Judge")
        box.fill("openai/scripted")
        box.press("Enter")
        endpoint = page.get_by_role("textbox", name=re.compile("Endpoint"))
        endpoint.fill(server.base_url)
        endpoint.press("Tab")
        # The button names the cost of the judge that it would ask: when it is unknown, the typed judge is taken over.
        expect(score_button(page)).to_contain_text("cost unknown")
        yield server


def test_a_real_judge_is_asked_again_and_again(page: Page, judge: ScriptedServer) -> None:
    scored(page)
    expect(page.get_by_text(re.compile("finished")).first).to_be_visible(timeout=PATIENCE_MS)
    asked = len(judge.requests)
    assert asked > 0
    pane(page, "Scenario")
    prompt = page.get_by_role("textbox", name="System prompt")
    prompt.fill("Be brief.")
    prompt.press("Tab")
    page.wait_for_timeout(500)
    scored(page)
    expect(page.get_by_text(re.compile(r"since run \d+")).first).to_be_visible(timeout=PATIENCE_MS)
    assert len(judge.requests) > asked


def test_what_fails_is_marked_and_retried(page: Page, judge: ScriptedServer) -> None:
    def no_ruler(body: Json, index: int) -> Reply:
        asked = str(body["messages"])
        return Reply.text("I cannot assess these responses.") if '<trajectory id="1">' in asked else answer(body, 0)

    judge.script(no_ruler)
    scored(page)
    expect(matrix(page).get_by_text("refused")).to_have_count(4)
    judge.script(())
    page.get_by_role("button", name=re.compile("Retry")).click()
    expect(matrix(page).get_by_text("refused")).to_have_count(0)


def test_a_slow_run_is_cancelled_and_resumed(page: Page, judge: ScriptedServer) -> None:
    judge.script(lambda body, index: answer(body, 0) if index < 4 else Reply.hang(40))
    score_button(page).click()
    cancel(page)
    resume = page.get_by_role("button", name=re.compile("Resume"))
    expect(resume).to_be_visible(timeout=PATIENCE_MS)
    judge.script(())
    resume.click()
    expect(page.get_by_text(re.compile("finished")).first).to_be_visible(timeout=PATIENCE_MS)
    expect(matrix(page).get_by_text("cancelled")).to_have_count(0)


def test_a_run_in_progress_is_seen_from_a_second_tab(page: Page, browser: Browser, judge: ScriptedServer) -> None:
    judge.script(lambda body, index: answer(body, 0) if index < 2 else Reply.hang(40))
    score_button(page).click()
    page.wait_for_url(re.compile("run="))
    second = browser.new_page()
    second.set_default_timeout(PATIENCE_MS)
    second.goto(page.url)
    expect(second.get_by_role("button", name="Cancel")).to_be_visible(timeout=PATIENCE_MS)
    judge.script(())
    cancel(second)
    expect(second.get_by_role("button", name=re.compile("Resume"))).to_be_visible(timeout=PATIENCE_MS)
    second.close()


def test_the_first_screen_holds_the_whole_matrix(page: Page) -> None:
    scored(page)
    box = matrix(page).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 900
    scroller = matrix(page).evaluate("node => [node.parentElement.scrollWidth, node.parentElement.clientWidth]")
    assert scroller[0] <= scroller[1]
    for name in ("Scenario", "Responses", "Rubric", "Judge"):
        tab = page.get_by_role("radio", name=re.compile(name)).bounding_box()
        assert tab is not None
        assert tab["x"] + tab["width"] < box["x"]
