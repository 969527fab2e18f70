"""The Rubrics page as people use it: written, versioned, generated, imported, scored; and nothing is ever lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.wiring import Lab
from tests.browser.installation import installation
from tests.browser.navigation import go_to
from tests.core.generation.written import item, reply
from tests.judges.server import Reply, ScriptedServer

PATIENCE_MS = 180_000
HOSTILE = (
    "<img src='https://example.com/x' onerror='window.hacked=1'> ![x](https://example.com/y) $5-$10, $x^2$ 退款 مهلة"
)
WINDOW = Criterion(description="The reply states that refunds end after 30 days.", title="Window")
FEE = Criterion(description="The reply names the fee.", title="Fee")


class App(NamedTuple):
    url: str
    lab: Lab

    def rubrics(self, name: str = "") -> str:
        return f"{self.url}/rubrics?rubric={name}" if name else f"{self.url}/rubrics"

    def guidance(self, name: str) -> list[str]:
        """Of each version, newest first."""
        return [version.rubric.guidance for version in self.lab.library.history(name).versions]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with installation(tmp_path_factory.mktemp("app")) as (url, lab):
        yield App(url, lab)


@contextmanager
def visiting(browser: Browser, width: int = 1440, scheme: str = "light") -> Iterator[Page]:
    """A fresh visitor. Nothing may be asked of any other host, and no script may fail."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    abroad: list[str] = []
    failures: list[str] = []
    context.on("request", lambda request: abroad.append(request.url) if _is_abroad(request.url) else None)
    context.on("weberror", lambda error: failures.append(str(error.error)))
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    yield page
    assert all(one.evaluate("window.hacked") is None for one in context.pages)
    context.close()
    assert abroad == []
    assert failures == []


@pytest.fixture
def page(browser: Browser, app: App) -> Iterator[Page]:
    with visiting(browser) as page:
        yield page


def _is_abroad(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def goto(page: Page, url: str) -> None:
    page.goto(url)
    expect(pane_of(page, "Write")).to_be_visible()
    settled(page)


def settled(page: Page) -> None:
    """Wait until the script has run and has drawn: a click before that may meet a field that is being replaced."""
    page.wait_for_timeout(150)
    expect(page.locator("[data-test-script-state='running'], [data-stale='true']")).to_have_count(0)


def pane_of(page: Page, name: str) -> Locator:
    return page.get_by_role("radio", name=re.compile(f"^{name}"))


def pane(page: Page, name: str) -> None:
    pane_of(page, name).click()
    expect(pane_of(page, name)).to_be_checked()
    settled(page)


def guidance(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Guidance in prose")


def write(page: Page, text: str) -> None:
    """Replace the guidance, and wait until the page has taken it."""
    guidance(page).fill(text)
    guidance(page).press("Control+Enter")
    expect(page.get_by_text(re.compile("with unsaved changes|not saved"))).to_be_visible()
    settled(page)


def save(page: Page, note: str = "") -> None:
    page.get_by_role("button", name="Save as version").click()
    page.get_by_role("textbox", name="What changed, and why").fill(note)
    page.get_by_role("button", name="Save", exact=True).click()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def standing(page: Page, said: str) -> None:
    """Wait until the headline says so."""
    expect(page.locator(".st-key-studio-standing")).to_contain_text(said)
    settled(page)


def library(page: Page) -> Locator:
    return page.locator(".st-key-library")


def test_a_first_visitor_begins_with_a_template_and_saves_it(page: Page, app: App) -> None:
    goto(page, app.rubrics())
    expect(page.get_by_text("No rubric is saved yet.")).to_be_visible()
    press(page, "RAG faithfulness")
    standing(page, "RAG faithfulnessnew, not saved")
    save(page, "to begin with")
    standing(page, "version 1")
    expect(library(page).get_by_role("button", name="RAG faithfulness v1")).to_be_visible()


def test_of_two_tabs_that_save_one_rubric_neither_loses_its_work(page: Page, browser: Browser, app: App) -> None:
    app.lab.library.save(Rubric(guidance="Be exact.", criteria=(WINDOW,)), "Shared")
    goto(page, app.rubrics("Shared"))
    with visiting(browser) as other:
        goto(other, app.rubrics("Shared"))
        write(page, "Be kind.")
        write(other, "Be brief.")
        save(page, "kinder")
        standing(page, "version 2")
        save(other, "shorter")
        expect(other.get_by_text("was saved while you were writing")).to_be_visible()
        expect(other.locator("del").filter(has_text="kind")).to_be_visible()
        expect(other.locator("ins").filter(has_text="brief")).to_be_visible()
        assert app.guidance("Shared") == ["Be kind.", "Be exact."]
        press(other, "Save mine as version 3")
        standing(other, "version 3")
        assert app.guidance("Shared") == ["Be brief.", "Be kind.", "Be exact."]
        assert app.lab.library.history("Shared").current.note == "shorter"

    # The first tab began from version 2: now it is the one that is told.
    write(page, "Be warm.")
    save(page)
    press(page, "Take version 3")
    expect(guidance(page)).to_have_value("Be brief.")
    press(page, "Go back to them")
    expect(guidance(page)).to_have_value("Be warm.")
    save(page)
    press(page, "Save mine as a rubric of its own")
    standing(page, "Shared (fork)version 1")
    assert app.guidance("Shared (fork)") == ["Be warm."]
    assert app.guidance("Shared") == ["Be brief.", "Be kind.", "Be exact."]


def test_two_tabs_on_one_address_go_on_as_two_drafts(page: Page, browser: Browser, app: App) -> None:
    app.lab.library.save(Rubric(guidance="Be exact."), "One address")
    goto(page, app.rubrics("One address"))
    write(page, "First.")
    page.wait_for_url(re.compile("draft="))
    address = page.url
    with visiting(browser) as other:
        goto(other, address)
        expect(guidance(other)).to_have_value("First.")
        write(other, "Second.")
        write(page, "Third.")
        expect(page.get_by_text("changed in another window")).to_be_visible()
        page.reload()
        other.reload()
        expect(guidance(page)).to_have_value("Third.")
        expect(guidance(other)).to_have_value("Second.")


def test_versions_are_compared_restored_and_forked(page: Page, app: App) -> None:
    app.lab.library.save(Rubric(guidance="Be exact and kind.", criteria=(WINDOW,)), "Versions", author="Ada")
    stricter = Rubric(guidance="Be exact and brief.", criteria=(WINDOW.model_copy(update={"weight": 3.0}), FEE))
    app.lab.library.save(stricter, "Versions", note=HOSTILE, author="Grace")
    goto(page, app.rubrics("Versions"))
    pane(page, "History")
    expect(page.locator("del").filter(has_text="kind")).to_be_visible()
    expect(page.locator("ins").filter(has_text="brief")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\+ added"))).to_be_visible()
    expect(page.get_by_text(re.compile("weight none → 3"))).to_be_visible()
    expect(page.get_by_text(HOSTILE).first).to_be_visible()

    row = page.get_by_role("grid", name="Versions").locator("tbody tr").filter(has_text="Version 1")
    row.locator("th").click()
    expect(page.get_by_text("The first version")).to_be_visible()
    press(page, "Restore")
    standing(page, "version 1")
    history = app.lab.library.history("Versions")
    assert (history.head, len(history.versions)) == (1, 2)
    expect(row).to_contain_text("current")
    press(page, "Fork")
    standing(page, "Versions (fork)new, not saved")
    pane(page, "Write")
    expect(guidance(page)).to_have_value("Be exact and kind.")


def test_what_is_written_survives_a_reload_and_another_rubric(page: Page, app: App) -> None:
    app.lab.library.save(Rubric(guidance="Be exact.", criteria=(WINDOW,)), "Reloaded")
    app.lab.library.save(Rubric(guidance="Sell."), "Another")
    goto(page, app.rubrics("Reloaded"))
    write(page, HOSTILE)
    press(page, "Add a criterion")
    page.keyboard.type("The reply names a person.")
    page.keyboard.press("Tab")
    expect(pane_of(page, "Write")).to_have_accessible_name(re.compile(r"\(2\)"))
    page.reload()
    expect(guidance(page)).to_have_value(HOSTILE)
    expect(page.get_by_role("textbox", name="Criterion 2: statement")).to_have_value("The reply names a person.")
    standing(page, "version 1, with unsaved changes")
    library(page).get_by_role("button", name=re.compile("Another")).first.click()
    expect(guidance(page)).to_have_value("Sell.")
    press(page, "Go back to them")
    expect(guidance(page)).to_have_value(HOSTILE)


def test_proposals_are_kept_edited_dropped_and_survive_a_reload(page: Page, app: App) -> None:
    app.lab.library.save(Rubric(guidance="Be exact.", criteria=(WINDOW,)), "Generated")
    goto(page, app.rubrics("Generated"))
    pane(page, "Generate")
    press(page, "Ask (free, no LLM)")
    expect(page.get_by_text("to decide")).to_be_visible()
    decide(page, 1, "Keep")
    decide(page, 2, "Drop")
    decide(page, 3, "Keep")
    page.get_by_text("Edit", exact=True).nth(2).click()
    statement = page.get_by_role("textbox", name="Statement")
    statement.fill("The reply gives the address for refunds.")
    statement.press("Control+Enter")
    expect(page.get_by_text("The reply gives the address for refunds.").first).to_be_visible()
    settled(page)
    page.reload()
    pane(page, "Generate")
    expect(page.get_by_text("2 kept, 1 dropped, 2 to decide")).to_be_visible()
    press(page, "Put 2 into the rubric")
    expect(pane_of(page, "Write")).to_be_checked()
    expect(pane_of(page, "Write")).to_have_accessible_name(re.compile(r"\(3\)"))
    save(page, "generated")
    standing(page, "version 2")
    criteria = app.lab.library.history("Generated").current.rubric.criteria
    assert criteria[0].description == WINDOW.description
    assert [one.description for one in criteria[2:]] == ["The reply gives the address for refunds."]


def decide(page: Page, number: int, choice: str) -> None:
    group = page.get_by_role("radiogroup", name=f"Decide on proposal {number}")
    group.get_by_role("radio", name=choice).click()
    expect(group.get_by_role("radio", name=choice)).to_be_checked()
    settled(page)


def test_a_judge_that_answers_well_badly_or_not_is_reported_as_it_was(page: Page, app: App) -> None:
    eight = [item(f"Essential: Names point {number} of the policy {HOSTILE}") for number in range(7)]
    eight.append(item("Pitfall: Invents a deadline.", category="Pitfall", weight=-1))
    with ScriptedServer() as server:
        goto_with_judge(page, app, server)
        server.script([Reply.text("No JSON here."), Reply.text('{"proposals": "none"}')])
        ask(page)
        expect(page.get_by_text("✕ Nothing came of it")).to_be_visible()
        expect(page.get_by_text("was asked twice, and both times its reply held no criteria")).to_be_visible()

        server.script([Reply.refusal("I can't write criteria about this.")])
        ask(page)
        expect(page.get_by_text("declined to write criteria")).to_be_visible()

        server.script([Reply.hang(40)])
        ask(page)
        press(page, "Cancel")
        expect(page.get_by_text("■ Cancelled")).to_be_visible()

        server.script([Reply.text(reply(*eight)).delayed(3)])
        ask(page)
        expect(page.get_by_text("▶ Running")).to_be_visible()
        page.reload()  # the job goes on, and is found again
        pane(page, "Generate")
        expect(page.get_by_text("8 criteria proposed: 7 Essential and 1 Pitfall.")).to_be_visible()
        expect(page.get_by_text("0 kept, 0 dropped, 8 to decide")).to_be_visible()
        expect(page.get_by_text(HOSTILE).first).to_be_visible()


def goto_with_judge(page: Page, app: App, server: ScriptedServer) -> None:
    """The Generate pane with a judge that was set up on the Score page."""
    page.goto(app.url)
    page.get_by_role("radio", name=re.compile("Judge")).click()
    box = page.get_by_role("combobox", name="Judge")
    box.fill("openai/scripted")
    box.press("Enter")
    endpoint = page.get_by_role("textbox", name=re.compile("Endpoint"))
    endpoint.fill(server.base_url)
    endpoint.press("Tab")
    expect(page.get_by_role("button", name=re.compile(r"Score \d"))).to_contain_text("cost unknown")
    go_to(page, "Rubrics")
    expect(pane_of(page, "Generate")).to_be_visible()
    settled(page)
    pane(page, "Generate")


def ask(page: Page) -> None:
    page.get_by_role("button", name=re.compile(r"Ask \(1 call.*cost unknown")).click()


def healthbench(number: int) -> dict[str, Any]:
    return {
        "prompt_id": f"case-{number}",
        "prompt": [{"role": "user", "content": f"Which dose, case {number}?"}],
        "rubrics": [
            {"criterion": f"Names the dose of case {number}.", "points": 5, "tags": ["level:example"]},
            {"criterion": f"Invents a drug. {HOSTILE}", "points": -8, "tags": ["axis:accuracy"]},
        ],
    }


def test_a_file_of_rubrics_is_imported_reported_and_exported_as_it_came(page: Page, app: App, tmp_path: Path) -> None:
    lines = [json.dumps(healthbench(1)), '{"prompt": ', json.dumps(healthbench(3)), json.dumps(healthbench(4))]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(lines))
    goto(page, app.rubrics())
    pane(page, "Files")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("3 rubrics read as HealthBench; 1 place could not be read.")).to_be_visible()
    expect(page.get_by_text("⚠ line 2")).to_be_visible()
    expect(page.get_by_text(f"Invents a drug. {HOSTILE}")).to_be_visible()

    before = {one.name for one in app.lab.library.names()}
    press(page, "Save all 3 to the library")
    expect(page.get_by_text("3 rubrics saved to the library.")).to_be_visible()
    stored = [one.name for one in app.lab.library.names() if one.name not in before]
    assert len(stored) == 3
    weights = {tuple(one.weight for one in app.lab.library.history(name).current.rubric.criteria) for name in stored}
    assert weights == {(5.0, -8.0)}

    press(page, "Open in the editor")
    expect(pane_of(page, "Write")).to_be_checked()
    expect(page.get_by_role("textbox", name="Criterion 1: statement")).to_have_value("Names the dose of case 1.")
    pane(page, "Files")
    box = page.get_by_role("combobox", name="Format to write")
    box.fill("HealthBench")
    box.press("Enter")
    expect(page.get_by_text("Nothing is lost")).to_be_visible()
    settled(page)
    page.get_by_role("radio", name=".jsonl").click()
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    written = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
    assert written == [healthbench(1)]


def test_a_rubric_is_scored_and_its_runs_tell_of_its_criteria(page: Page, app: App) -> None:
    app.lab.library.save(Rubric(guidance="Be exact.", criteria=(WINDOW, FEE)), "Scored")
    goto(page, app.rubrics("Scored"))
    page.get_by_role("button", name="Score with it").click()
    page.get_by_role("radio", name=re.compile("Rubric")).click()
    expect(page.get_by_role("textbox", name="Rubric")).to_have_value("Scored")
    page.get_by_role("button", name=re.compile(r"Score \d")).click()
    page.wait_for_url(re.compile("run="))
    expect(page.get_by_text(re.compile("finished")).first).to_be_visible()

    page.get_by_role("button", name="Open in Rubrics").click()
    standing(page, "Scoredversion 1")
    pane(page, "Evidence")
    expect(page.get_by_text("RaR explicit's verdicts on 4 responses of 1 group, by the offline judge")).to_be_visible()
    page.get_by_role("radio", name="✓ good").first.click()
    settled(page)
    page.get_by_role("radio", name="✕ bad").nth(2).click()
    expect(page.get_by_role("grid", name="Proposed weights")).to_contain_text("of 1")
    press(page, "Take these weights into the editor")
    standing(page, "version 1, with unsaved changes")
    pane(page, "History")
    expect(page.get_by_role("link", name=re.compile(r"run \d"))).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_pane_scrolls_a_phone_sideways(browser: Browser, app: App, scheme: str) -> None:
    criteria = tuple(Criterion(description=f"{HOSTILE} {number}", title=HOSTILE) for number in range(3))
    app.lab.library.save(Rubric(guidance=HOSTILE * 3, criteria=criteria), HOSTILE, note=HOSTILE, author=HOSTILE)
    with visiting(browser, 390, scheme) as phone:
        goto(phone, app.rubrics())
        library(phone).get_by_role("button", name=re.compile("img src")).first.click()
        standing(phone, "version 1")
        for name in ("Write", "Generate", "History", "Evidence", "Prompt", "Files"):
            pane(phone, name)
            assert phone.evaluate("document.documentElement.scrollWidth") <= 390, name
