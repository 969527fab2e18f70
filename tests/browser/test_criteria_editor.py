"""The criteria editor in a real browser: what is typed stays, rows move, and what was done can be undone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.criteria_scene import APP, Scene
from tests.browser.served import ROOT, serving

HOSTILE = (
    "<img src='https://example.com/x' onerror='window.hacked=1'><b>x</b> ![x](https://example.com/y) $5-$10, $x^2$"
)
SCRIPTS = "退款政策 سياسة الاسترداد 🎉 מדיניות"
PASTED = """
Essential:
1. States that refunds end after 30 days. [+3]
2) Names the form (weight 0.5)

- Pitfall: Invents a phone number
* [ ] **Optional:** Is polite [3]
• Important dates are listed
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("criteria")
    script = folder / "app.py"
    script.write_text(APP, encoding="utf-8")
    with serving(script, folder, LISTS=str(folder)) as url:
        yield url, folder


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.set_default_timeout(60_000)
    failures: list[str] = []
    abroad: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.on("request", lambda request: abroad.append(request.url))
    yield page
    assert page.evaluate("window.hacked") is None
    page.close()
    assert failures == []
    assert [url for url in abroad if "127.0.0.1" not in url and not url.startswith(("blob:", "data:"))] == []


@pytest.fixture
def scene(page: Page, served: tuple[str, Path], numbers: Iterator[int]) -> Scene:
    """A list of three statements, A, B and C, of the weights 1, 2 and 3."""
    url, folder = served
    scene = Scene(folder / f"list{next(numbers)}.json", page, url)
    scene.put("A", "B", "C")
    scene.open()
    return scene


def test_a_row_says_what_it_holds(scene: Scene) -> None:
    scene.change(lines={"r2": [["warning", HOSTILE], ["note", "Is it needed?"]]})
    expect(scene.row(2).locator(".line")).to_have_count(2)
    expect(scene.row(2).locator(".line").first).to_have_text(f"⚠Warning{HOSTILE}")
    assert scene.statement(2).evaluate(
        "field => document.querySelector('.stBidiComponent *') && field.getRootNode()"
        ".getElementById(field.getAttribute('aria-describedby')).textContent.includes('Is it needed?')"
    )
    for number, figure in enumerate(("17 %", "33 %", "50 %"), start=1):
        expect(scene.row(number).get_by_role("img", name=f"Effective weight {figure}")).to_be_visible()
        expect(scene.row(number).get_by_role("combobox", name=f"Criterion {number}: category")).to_have_value(
            "Important"
        )
        expect(scene.row(number).get_by_role("switch")).to_have_attribute("aria-checked", "true")
        expect(scene.row(number).get_by_role("spinbutton", name=f"Criterion {number}: weight")).to_have_value(
            str(number)
        )


def test_what_is_typed_is_stored_and_found_again_after_a_reload(scene: Scene) -> None:
    scene.statement(2).fill(HOSTILE)
    scene.page.get_by_role("textbox", name="Criterion 3: title").fill(SCRIPTS)
    scene.statement(3).fill(SCRIPTS)
    scene.settles("A", HOSTILE, SCRIPTS)
    scene.page.reload()
    expect(scene.statement(3)).to_have_value(SCRIPTS)
    assert scene.shown() == ["A", HOSTILE, SCRIPTS]
    expect(scene.page.get_by_role("textbox", name="Criterion 3: title")).to_have_value(SCRIPTS)
    assert scene.editor.locator("img, b, script").count() == 0


def test_typing_goes_on_while_the_page_runs(scene: Scene) -> None:
    """The page takes half a second for each run, and is always a few letters behind."""
    scene.change(slow=0.5)
    words = "States that refunds end after 30 days, and who decides about them; recreates nothing."
    field = scene.statement(2)
    field.press("End")
    field.press_sequentially(words, delay=90)
    assert scene.shown() == ["A", f"B{words}", "C"]
    assert scene.stored()["edits"] > 0, "it is stored while the typing goes on"
    scene.settles("A", f"B{words}", "C")
    scene.runs_again()
    assert scene.shown() == ["A", f"B{words}", "C"]
    assert field.evaluate("node => node.getRootNode().activeElement === node")


def test_the_caret_stays_where_it_is(scene: Scene) -> None:
    field = scene.statement(1)
    field.fill("before after")
    field.evaluate("node => node.setSelectionRange(7, 7)")
    scene.runs_again()
    field.press_sequentially("and ", delay=10)
    scene.wait(lambda: scene.statements()[0] == "before and after", "the words in the middle")
    scene.runs_again()
    assert field.evaluate("node => [node.selectionStart, node.selectionEnd]") == [11, 11]


def test_an_input_method_is_left_alone(scene: Scene) -> None:
    """The word that is being composed is never written over, whatever the page says meanwhile."""
    field = scene.statement(1)
    field.fill("")
    field.focus()
    ime = scene.page.context.new_cdp_session(scene.page)
    for unfinished in ("に", "にほ", "にほん"):
        ime.send("Input.imeSetComposition", {"text": unfinished, "selectionStart": 3, "selectionEnd": 3})
        scene.runs_again(1)
        assert field.input_value() == unfinished
    ime.send("Input.insertText", {"text": "日本"})
    scene.settles("日本", "B", "C")


def test_letters_are_no_shortcuts_of_the_page(scene: Scene) -> None:
    scene.statement(1).fill("")
    scene.statement(1).press_sequentially("rcrc")
    scene.settles("rcrc", "B", "C")
    expect(scene.page.get_by_role("dialog")).to_have_count(0)


def test_rows_move_by_keyboard_and_say_so(scene: Scene) -> None:
    scene.statement(3).press("Alt+ArrowUp")
    expect(scene.status).to_have_text("Criterion 3 moved to 2")
    scene.settles("A", "C", "B")
    scene.page.keyboard.press("Alt+ArrowUp")
    scene.settles("C", "A", "B")
    scene.page.keyboard.press("Alt+ArrowUp")
    expect(scene.status).to_have_text("Criterion 2 moved to 1")
    scene.page.keyboard.press("Alt+ArrowDown")
    scene.settles("A", "C", "B")
    scene.page.keyboard.type("!")
    scene.settles("A", "C!", "B")


def test_rows_move_by_dragging(scene: Scene) -> None:
    def middle(number: int, part: str) -> tuple[float, float]:
        box = scene.row(number).locator(part).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    mouse = scene.page.mouse
    mouse.move(*middle(1, ".grip"))
    mouse.down()
    x, y = middle(3, ".controls")
    mouse.move(x, y + 20, steps=8)
    expect(scene.row(3)).to_have_attribute("data-drop", "after")
    mouse.up()
    scene.settles("B", "C", "A")
    expect(scene.editor.locator("[data-drop], [data-dragged]")).to_have_count(0)

    mouse.move(*middle(3, ".grip"))
    mouse.down()
    mouse.move(*middle(1, ".number"), steps=8)
    scene.page.keyboard.press("Escape")
    mouse.up()
    scene.runs_again()
    scene.settles("B", "C", "A")


def test_rows_are_added_duplicated_and_deleted_and_all_of_it_is_undone(scene: Scene) -> None:
    scene.statement(1).press("Control+Enter")
    scene.page.keyboard.type("after A")
    scene.settles("A", "after A", "B", "C")
    scene.button("Criterion 4: more").click()
    scene.page.get_by_role("menuitem", name="Duplicate").click()
    scene.settles("A", "after A", "B", "C", "C")
    scene.button("Criterion 1: more").click()
    scene.page.get_by_role("menuitem", name="Delete").click()
    expect(scene.status).to_have_text("Criterion 1 deleted; Undo brings it back")
    scene.settles("after A", "B", "C", "C")
    scene.button("Add a criterion").click()
    scene.settles("after A", "B", "C", "C", "")
    assert len({row["id"] for row in scene.stored()["rows"]}) == 5

    undo, redo = scene.editor.locator(".undo"), scene.button("↷ Redo")
    undo.click()
    scene.settles("after A", "B", "C", "C")
    undo.click()
    scene.settles("A", "after A", "B", "C", "C")
    scene.statement(1).press("Control+z")
    scene.settles("A", "after A", "B", "C")
    scene.page.keyboard.press("Control+z")
    scene.settles("A", "", "B", "C")
    scene.page.keyboard.press("Control+z")
    scene.settles("A", "B", "C")
    expect(undo).to_have_attribute("aria-disabled", "true")
    scene.statement(1).press("Control+Shift+z")
    scene.page.keyboard.press("Control+y")
    scene.settles("A", "after A", "B", "C")
    redo.click()
    scene.settles("A", "after A", "B", "C", "C")
    scene.statement(1).fill("A again")
    expect(redo).to_have_attribute("aria-disabled", "true")


def test_typing_is_undone_by_pauses_and_a_deleted_row_keeps_its_source(scene: Scene) -> None:
    rows = scene.stored()["rows"]
    rows[1]["source"] = {"tags": ["axis:accuracy"]}
    scene.change(rows=rows)
    scene.runs_again()
    field = scene.statement(2)
    field.press("End")
    field.press_sequentially(" one")
    scene.settles("A", "B one", "C")
    field.press_sequentially(" two")
    scene.settles("A", "B one two", "C")
    field.press("Control+z")
    scene.settles("A", "B one", "C")
    scene.button("Criterion 2: more").click()
    scene.page.get_by_role("menuitem", name="Delete").click()
    scene.settles("A", "C")
    scene.editor.locator(".undo").click()
    scene.settles("A", "B one", "C")
    assert scene.stored()["rows"][1]["source"] == {"tags": ["axis:accuracy"]}


def test_category_polarity_weight_and_title_are_stored(scene: Scene) -> None:
    scene.page.get_by_role("combobox", name="Criterion 1: category").select_option("Pitfall")
    scene.page.get_by_role("switch", name="Criterion 1 is met if the statement is true").click()
    scene.page.get_by_role("spinbutton", name="Criterion 1: weight").fill("7")
    scene.page.get_by_role("textbox", name="Criterion 1: title").fill("Tone")
    expect(scene.row(1).get_by_role("img", name="Effective weight 58 %")).to_be_visible()
    expect(scene.row(1).locator(".mark")).to_have_text("P")
    expect(scene.row(1).get_by_role("switch")).to_have_text("met if false")

    def stored() -> tuple[object, ...]:
        row = scene.stored()["rows"][0]
        return row["category"], row["meets_when"], row["weight"], row["title"]

    scene.wait(lambda: stored() == ("Pitfall", False, 7.0, "Tone"), "the row")
    scene.page.get_by_role("spinbutton", name="Criterion 1: weight").fill("")
    scene.wait(lambda: stored()[2] is None, "no weight")
    expect(scene.row(1).get_by_role("img", name="Effective weight 0 %")).to_be_visible()


def test_lines_pasted_into_an_empty_statement_become_criteria(scene: Scene) -> None:
    scene.button("Add a criterion").click()
    scene.statement(4).evaluate(
        """(field, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }""",
        PASTED,
    )
    expect(scene.status).to_have_text("5 criteria pasted")
    scene.wait(lambda: len(scene.statements()) == 8, "five more")
    assert [(row["description"], row["category"], row["weight"]) for row in scene.stored()["rows"][3:]] == [
        ("States that refunds end after 30 days.", "Essential", 3.0),
        ("Names the form", "Essential", 0.5),
        ("Invents a phone number", "Pitfall", 1.0),
        ("Is polite [3]", "Optional", 1.0),
        ("Important dates are listed", "Essential", 1.0),
    ]
    scene.page.keyboard.press("Control+z")
    scene.settles("A", "B", "C", "")


def test_many_are_pasted_with_a_count_before(scene: Scene) -> None:
    scene.button("Paste many").click()
    field = scene.page.get_by_role("textbox", name=re.compile("One criterion a line"))
    expect(field).to_be_focused()
    expect(scene.button("Add")).to_have_attribute("aria-disabled", "true")
    field.fill(f"- {HOSTILE}\n\n2. {SCRIPTS}\n3. -5 degrees are warned of [−2 points]\n")
    expect(scene.editor.locator(".count")).to_have_text("3 criteria")
    scene.button("Add 3 criteria").click()
    scene.settles("A", "B", "C", HOSTILE, SCRIPTS, "-5 degrees are warned of")
    assert scene.stored()["rows"][5]["weight"] == -2.0
    expect(field).to_be_hidden()
    expect(scene.statement(4)).to_be_focused()


def test_an_empty_list_says_what_to_do(scene: Scene) -> None:
    scene.put()
    expect(scene.editor.get_by_text("No criterion yet.")).to_be_visible()
    scene.button("Add a criterion").click()
    expect(scene.statement(1)).to_be_focused()
    expect(scene.statement(1)).to_have_attribute("placeholder", "The answer ...")
    expect(scene.editor.get_by_text("No criterion yet.")).to_be_hidden()


def test_rows_that_the_page_puts_there_take_the_place_of_the_others(scene: Scene) -> None:
    scene.statement(1).fill("typed")
    scene.settles("typed", "B", "C")
    scene.put("other", "list")
    scene.settles("other", "list")
    scene.runs_again()
    assert scene.shown() == ["other", "list"]
    expect(scene.editor.locator(".undo")).to_have_attribute("aria-disabled", "true")
    scene.statement(1).fill("typed")
    scene.settles("typed", "list")


def test_a_list_to_read_is_not_edited(scene: Scene) -> None:
    scene.change(editable=False)
    expect(scene.button("Add a criterion")).to_be_hidden()
    expect(scene.row(1).locator(".more")).to_be_hidden()
    expect(scene.page.get_by_role("combobox", name="Criterion 1: category")).to_be_disabled()
    assert not scene.statement(1).is_editable()


def test_the_keyboard_goes_through_a_row_in_the_order_of_reading(scene: Scene) -> None:
    scene.statement(1).focus()
    order = []
    for _ in range(7):
        order.append(scene.editor.evaluate("node => node.getRootNode().activeElement.ariaLabel"))
        scene.page.keyboard.press("Tab")
    assert order == [
        "Criterion 1: statement",
        "Criterion 1: category",
        "Criterion 1 is met if the statement is true",
        "Criterion 1: weight",
        "Criterion 1: title",
        "Criterion 1: more",
        "Criterion 2: statement",
    ]


def test_the_menu_is_driven_by_keys(scene: Scene) -> None:
    more = scene.button("Criterion 1: more")
    more.press("Enter")
    expect(scene.page.get_by_role("menuitem", name="Duplicate")).to_be_focused()
    expect(scene.page.get_by_role("menuitem", name="Move up")).to_have_attribute("aria-disabled", "true")
    scene.page.keyboard.press("Escape")
    expect(scene.page.get_by_role("menuitem", name="Duplicate")).to_be_hidden()
    expect(more).to_be_focused()
    scene.page.keyboard.press("Enter")
    scene.page.keyboard.press("ArrowDown")
    scene.page.keyboard.press("ArrowDown")
    scene.page.keyboard.press("Enter")
    scene.settles("B", "A", "C")


@pytest.mark.parametrize("weights", ["own", "category"])
def test_a_phone_shows_rows_in_full_and_scrolls_nothing_sideways(scene: Scene, weights: str) -> None:
    scene.page.set_viewport_size({"width": 390, "height": 844})
    long = "States that refunds are available within 30 days of purchase, with a receipt. " * 3
    scene.put(long, "w" * 300, SCRIPTS, weights=weights, lines={"r2": [["warning", "w" * 300]]})
    scene.settles(long, "w" * 300, SCRIPTS)
    expect(scene.row(2).locator(".line")).to_be_visible()
    assert scene.page.evaluate("document.documentElement.scrollWidth") <= 390
    for number in (1, 2, 3):
        inside = "node => [node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth]"
        assert scene.statement(number).evaluate(inside) == [0, 0], "a statement is shown in full"
        assert scene.row(number).evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    assert scene.statement(3).evaluate("node => node.matches(':dir(ltr)')")


def test_two_hundred_rows_stay_smooth(scene: Scene) -> None:
    statements = [f"States fact {number} of the reference." for number in range(200)]
    scene.put(*statements)
    expect(scene.editor.locator(".row")).to_have_count(200)
    field = scene.statement(200)
    field.press("End")
    slowest = field.evaluate(
        """async (node) => {
            let slowest = 0;
            for (const letter of "recreates it") {
                const start = performance.now();
                node.setRangeText(letter, node.value.length, node.value.length, "end");
                node.dispatchEvent(new InputEvent("input", { bubbles: true }));
                node.scrollHeight;
                slowest = Math.max(slowest, performance.now() - start);
                await new Promise(requestAnimationFrame);
            }
            return slowest;
        }"""
    )
    assert slowest < 100
    scene.settles(*statements[:-1], f"{statements[-1]}recreates it")
    scene.statement(200).press("Alt+ArrowUp")
    scene.wait(lambda: scene.statements()[198].endswith("recreates it"), "the move")


@pytest.mark.parametrize("slow", [0, 1.5])
def test_a_tab_outlives_its_server(browser: Browser, tmp_path: Path, slow: float) -> None:
    """Also where the server ended between storing an edit and saying so."""
    script = tmp_path / "app.py"
    script.write_text(APP, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    with serving(script, tmp_path, LISTS=str(tmp_path)) as url:
        scene = Scene(tmp_path / "list.json", page, url)
        scene.put("A", "B", "C")
        scene.open()
        scene.change(slow=slow)
        scene.statement(1).fill("before")
        scene.settles("before", "B", "C")
    scene.statement(2).press("End")
    scene.page.keyboard.type(" while it was away")
    with serving(script, tmp_path, port=int(url.rpartition(":")[2]), LISTS=str(tmp_path)):
        scene.settles("before", "B while it was away", "C")
        # Streamlit may have shown a dialog about the lost connection, which takes the focus.
        scene.statement(2).press("End")
        scene.page.keyboard.type(", and after")
        scene.settles("before", "B while it was away, and after", "C")
    page.close()


def test_the_score_page_edits_criteria_in_full(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    home = str(tmp_path / "home")
    statement = page.get_by_role("textbox", name="Criterion 2: statement")
    with serving(ROOT / "app.py", tmp_path, REWARD_LAB_HOME=home) as url:
        page.goto(url)
        page.get_by_role("radio", name="Rubric").click()
        statement.fill(HOSTILE)
        page.get_by_role("combobox", name="Criterion 2: category").select_option("Pitfall")
        page.get_by_role("button", name="Add a criterion").click()
        page.keyboard.type("Names the form.")
        expect(page.get_by_role("radio", name="Rubric (6)")).to_be_visible()
        expect(page.locator(".row").last.locator(".figure")).to_have_text(re.compile(r"^\d+ %$"))
        page.get_by_role("radio", name="Scenario").click()
        expect(page.get_by_role("textbox", name="System prompt")).to_be_visible()
        page.get_by_role("radio", name="Rubric").click()
        expect(statement).to_have_value(HOSTILE)
        page.reload()
        page.get_by_role("radio", name="Rubric").click()
        expect(statement).to_have_value(HOSTILE)
        page.get_by_role("radio", name="Scenario").click()
        page.get_by_role("radio", name="Rubric").click()
        expect(statement).to_be_visible()
    statement.press("End")
    page.keyboard.type(" while it was away")
    statement.evaluate("node => { node.isTheSame = true; }")
    with serving(ROOT / "app.py", tmp_path, port=int(url.rpartition(":")[2]), REWARD_LAB_HOME=home):
        expect(page.get_by_role("dialog")).to_have_count(0)
        statement.press("End")
        page.keyboard.type(", and after")
        expect(statement).to_have_value(f"{HOSTILE} while it was away, and after")
        # The page has heard of it once it has weighed the list anew.
        figure = page.locator(".row").first.locator(".figure")
        before = figure.inner_text()
        page.get_by_role("combobox", name="Criterion 1: category").select_option("Optional")
        expect(figure).not_to_have_text(before)
        assert statement.evaluate("node => node.isTheSame")
        page.reload()
        page.get_by_role("radio", name="Rubric").click()
        expect(statement).to_have_value(f"{HOSTILE} while it was away, and after")
    page.close()
