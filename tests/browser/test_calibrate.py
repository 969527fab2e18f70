"""The Calibrate page in a browser: a queue labelled by keys alone, two people at once, a phone, long texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.services.labelling import Source
from reward_lab.settings import Settings
from reward_lab.wiring import Lab, open_lab
from tests.browser.navigation import settled
from tests.browser.served import ROOT, serving

PATIENCE_MS = 180_000
TWENTY, LONG = 1, 2
HOSTILE = "<img src='https://example.com/x' onerror='window.hacked=1'><b>x</b> ![x](https://example.com/y) $5-$10"
SCRIPTS = "退款政策 سياسة الاسترداد 🎉 מדיניות\nin English"
MODELS = ("secret-model-a", "secret-model-b", "secret-model-c")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Twenty short groups, scored; and one of long, hostile and foreign texts with a tool call."""
    opened = open_lab(Settings(home=tmp_path_factory.mktemp("home")), trust_all_endpoints=False)
    short = [_short(number) for number in range(20)]
    opened.datasets.add_groups(opened.datasets.create("twenty"), short)
    opened.datasets.add_groups(opened.datasets.create("long"), [_long()])
    for guidance in ("Prefer what the policy says.", "Prefer short answers."):
        rubric = Rubric(guidance=guidance)
        new = NewRun(tuple(short), rubric, (Judge(),), RunSettings(methods=("ruler",)), rubric_name="refunds")
        _, future = opened.scoring.start(new)
        future.result(60)
    for group_id in opened.datasets.group_ids(TWENTY):
        ranked = {name: ResponseLabel(rank=rank) for rank, name in enumerate(MODELS, start=1)}
        opened.labelling.save(group_id, Label(annotator="published", responses=ranked), expected_version=0)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def app(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("app"), REWARD_LAB_HOME=str(lab.settings.home)) as url:
        yield f"{url}/calibrate"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    yield page
    assert page.evaluate("window.hacked") is None
    context.close()
    assert failures == []


def _short(number: int) -> Group:
    texts = (f"Within 30 days, case {number}.", f"Yes, always, case {number}.", f"Please call us, case {number}.")
    responses = [{"id": name, "label": name, "text": text} for name, text in zip(MODELS, texts, strict=True)]
    asked = {"messages": [{"role": "user", "content": f"Can I return order {number}?"}], "reference_answer": "30 days."}
    return Group.from_record({"id": f"refund-{number}", "scenario": asked, "trajectories": responses})


def _long() -> Group:
    call = {"id": "c", "type": "function", "function": {"name": "lookup", "arguments": '{"order": 4711}'}}
    calls = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "paid"},
        {"role": "assistant", "content": "It is paid."},
    ]
    texts = [{"text": "z" * 270_000 + "end"}, {"text": HOSTILE}, {"text": SCRIPTS}, {"messages": calls}]
    return Group.from_record({"id": HOSTILE, "trajectories": texts})


def shown(lab: Lab, group_id: int, annotator: str) -> list[str]:
    """The ids of a group's responses in the order in which this annotator sees them."""
    members = lab.labelling.group(group_id).trajectories
    return [members[place].id for place in lab.labelling.order(group_id, annotator)]


def said(lab: Lab, group_id: int, annotator: str) -> tuple[Label, list[ResponseLabel]]:
    """What is saved, and of each response in the order that was shown."""
    found = lab.labelling.label(group_id, annotator)
    assert found is not None
    return found.label, [found.label.responses.get(one, ResponseLabel()) for one in shown(lab, group_id, annotator)]


def queue(page: Page) -> Locator:
    return page.get_by_role("group", name="Groups to label")


def opened(page: Page, url: str, annotator: str, dataset: int = TWENTY) -> Locator:
    page.goto(f"{url}?dataset={dataset}&annotator={annotator}&pane=label")
    expect(queue(page).locator(".card").first).to_be_visible()
    settled(page)
    return queue(page)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, place: int) -> None:
    """Wait until this group (from 1) is there to be labelled."""
    expect(queue(page).locator(".count")).to_have_text(f"{place} of 20")
    expect(queue(page).locator(".waiting")).to_be_hidden()


def test_a_queue_of_twenty_is_labelled_by_keys_alone(page: Page, app: str, lab: Lab) -> None:
    page.goto(f"{app}?dataset={TWENTY}")
    page.get_by_label("Your name").focus()
    page.keyboard.type("ann")
    press(page, "Enter")
    at(page, 1)
    ids = lab.labelling.queue(Source(dataset_id=TWENTY), "ann").group_ids
    seen = page.evaluate("document.body.innerText") + queue(page).inner_html()
    assert not any(model in seen for model in MODELS)
    assert "RULER" not in seen

    press(page, "3", "1", "2", "Enter")
    at(page, 2)
    expect(queue(page).locator(".status")).to_contain_text("Group 1 is saved.")
    expect(queue(page).locator(".status")).not_to_contain_text("ordered")
    press(page, "2", "3", "=", "Enter")  # the one left is last
    at(page, 3)
    press(page, "1", "2", "3", "2", "Backspace", "2", "Alt+ArrowUp", "c")
    page.keyboard.type("close, 1 2 3")
    page.reload()
    at(page, 3)
    expect(queue(page).locator(".comment")).to_have_value("close, 1 2 3")
    press(page, "Enter")
    at(page, 4)
    press(page, "p")
    at(page, 3)
    expect(queue(page).locator(".status")).to_contain_text("aved.")
    press(page, "Backspace", "Backspace", "Backspace", "3", "2", "1", "Enter")
    at(page, 4)
    press(page, "s")
    at(page, 5)
    press(page, "w", "7", "0", "3", "Enter")
    at(page, 6)
    press(page, "w", "g", "b", "Enter", "w")
    for place in range(7, 21):
        at(page, place)
        press(page, "1", "2", "3", "Enter")
    expect(page.get_by_text("19 of 20 are labelled")).to_be_visible()
    press(page, "Enter")
    at(page, 4)
    press(page, "1", "Enter")
    expect(queue(page).locator(".status")).to_contain_text("2 of 3 have no place")
    press(page, "Enter")
    expect(page.get_by_text("All 20 are labelled")).to_be_visible()
    expect(page.get_by_text("Krippendorff's alpha is")).to_be_visible()

    def ranks(place: int) -> list[int | None]:
        return [one.rank for one in said(lab, ids[place - 1], "ann")[1]]

    assert [ranks(place) for place in (1, 2, 3, 4, 7)] == [[2, 3, 1], [3, 1, 1], [3, 2, 1], [1, None, None], [1, 2, 3]]
    assert said(lab, ids[2], "ann")[0].comment == "close, 1 2 3"
    assert [one.score for one in said(lab, ids[4], "ann")[1]] == [7, 10, 3]
    assert [one.mark for one in said(lab, ids[5], "ann")[1]] == [Mark.GOOD, Mark.BAD, None]
    assert lab.labelling.queue(Source(dataset_id=TWENTY), "ann").labelled == set(ids)


def test_two_people_at_once_overwrite_nothing(browser: Browser, page: Page, app: str, lab: Lab) -> None:
    other = browser.new_context().new_page()
    opened(page, app, "bob")
    opened(other, app, "cy")
    for place in range(1, 5):
        at(page, place)
        press(page, "1", "2", "3", "Enter")
        at(other, place)
        press(other, "3", "2", "1", "Enter")
    for one in (page, other):
        expect(queue(one).locator(".status")).to_contain_text("Group 4 is saved")
        expect(queue(one).locator(".standing")).to_have_text("4 labelled")
    for name, ranks in (("bob", [1, 2, 3]), ("cy", [3, 2, 1])):
        done = lab.labelling.queue(Source(dataset_id=TWENTY), name)
        assert set(done.group_ids[:4]) == done.labelled
        for group_id in done.labelled:
            assert [one.rank for one in said(lab, group_id, name)[1]] == ranks
    for group_id in lab.datasets.group_ids(TWENTY):
        label = lab.labelling.label(group_id, "published")
        assert label is not None
        assert label.version == 1
    other.context.close()


def test_one_name_in_two_windows_is_told_and_asked(browser: Browser, page: Page, app: str, lab: Lab) -> None:
    other = browser.new_context().new_page()
    opened(page, app, "dee")
    opened(other, app, "dee")
    press(page, "1", "2", "3")
    press(other, "3", "2", "1", "Enter")
    expect(queue(other).locator(".status")).to_contain_text("is saved")
    press(page, "Enter")
    expect(queue(page).locator(".notice")).to_contain_text("Group 1 was not saved")
    group_id = lab.labelling.queue(Source(dataset_id=TWENTY), "dee").group_ids[0]
    assert [one.rank for one in said(lab, group_id, "dee")[1]] == [3, 2, 1]
    queue(page).get_by_role("button", name="Go there").click()
    expect(queue(page).locator(".notice")).to_contain_text("in another window meanwhile")
    press(page, "Enter")
    expect(queue(page).locator(".status")).to_contain_text("Group 1 is saved")
    assert [one.rank for one in said(lab, group_id, "dee")[1]] == [1, 2, 3]
    other.context.close()


def test_long_hostile_and_foreign_texts_are_read_as_they_are(page: Page, app: str, lab: Lab) -> None:
    texts = opened(page, app, "eve", LONG)
    long = texts.locator(".card", has_text="zzz")
    expect(long.get_by_role("button", name="Show all (270,003 characters)")).to_be_visible()
    assert len(long.locator(".text").inner_text()) < 3000
    press(page, "a")
    expect(long.locator(".text")).to_contain_text("zend")
    assert texts.locator(".card", has_text="onerror").locator(".text").text_content() == HOSTILE
    assert texts.locator(".name").text_content() == HOSTILE
    assert texts.locator("img, b, a").count() == 0
    assert texts.locator(".card", has_text="退款").locator(".text").text_content() == SCRIPTS
    tool = texts.locator(".card", has_text="Call of lookup")
    expect(tool.locator(".part")).to_have_count(3)
    expect(tool.locator(".title")).to_have_text(["Call of lookup", "Result of lookup", "Assistant"])


def test_a_phone_labels_by_touch_and_scrolls_in_no_direction_but_down(browser: Browser, app: str, lab: Lab) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    cards = opened(page, app, "fay")
    cards.get_by_role("button", name="Response 2: next place").tap()
    cards.get_by_role("button", name="Response 1: next place").tap()
    expect(cards.locator(".order")).to_have_text("best2>1then the one left3")
    cards.locator(".sign").tap()
    expect(cards.locator(".order")).to_have_text("best2=1then the one left3")
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    cards.get_by_role("button", name="Save and next").tap()
    expect(cards.locator(".status")).to_contain_text("Group 1 is saved")
    group_id = lab.labelling.queue(Source(dataset_id=TWENTY), "fay").group_ids[0]
    assert [one.rank for one in said(lab, group_id, "fay")[1]] == [1, 1, 3]
    page.goto(f"{app}?pane=judges")
    expect(page.get_by_role("grid", name="Judges against labels")).to_be_visible()
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    context.close()


def drag_to_the_front(page: Page, cards: Locator, chip: int) -> None:
    """A page that is still being drawn moves what is dragged from under the pointer: then nothing is dropped."""
    dragged, first = (cards.locator(f"[data-chip='{number}']").bounding_box() for number in (chip, 1))
    assert dragged is not None
    assert first is not None
    page.mouse.move(dragged["x"] + 15, dragged["y"] + 15)
    page.mouse.down()
    page.mouse.move(first["x"] + 5, first["y"] + 15, steps=5)
    page.mouse.up()


def test_chips_are_dragged_and_keys_are_left_to_whoever_types(page: Page, app: str) -> None:
    cards = opened(page, app, "gil")
    press(page, "1", "2", "3")
    order = cards.locator(".order")
    expect(order).to_have_text("best1>2>3")
    for _ in range(8):
        drag_to_the_front(page, cards, 3)
        with suppress(AssertionError):
            expect(order).to_have_text("best3>1>2", timeout=4_000)
            break
    expect(order).to_have_text("best3>1>2")
    press(page, "c")
    page.keyboard.type("=12s")
    expect(order).to_have_text("best3>1>2")
    press(page, "Escape", "=")
    expect(order).to_have_text("best3>1=2")
    expect(cards.locator(".comment")).to_have_value("=12s")
    page.get_by_role("combobox", name="Groups").focus()
    page.keyboard.type("12")
    expect(page.locator(".queue .order")).to_have_text("best3>1=2")  # hidden from roles while the list is open


def test_a_line_of_the_table_leads_to_its_rubric_and_to_compare(page: Page, app: str) -> None:
    page.goto(f"{app}?pane=judges&runs=1,2&by=published")
    table = page.get_by_role("grid", name="Judges against labels")
    expect(table.locator("tbody tr")).to_have_count(2)
    table.locator("tbody tr", has_text="refunds v2").locator("td").first.click()
    expect(page.get_by_text("Run 2, RULER · refunds v2")).to_be_visible()
    rubric = page.get_by_role("link", name="Rubric, version 2")
    expect(rubric).to_have_attribute("href", re.compile(r"rubrics\?rubric=refunds&version=2"))
    page.get_by_role("combobox", name="Beside").click()
    page.get_by_role("option", name="Run 1, RULER").click()
    expect(page.get_by_text(re.compile(r"points \(.*n = 20 groups\)")).last).to_be_visible()
    page.get_by_role("link", name="Compare runs 1 and 2").click()
    expect(page).to_have_url(re.compile(r"/compare\?runs=1(,|%2C)2"))
