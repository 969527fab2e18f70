"""The left pane of the Score page: what is typed is kept, checked, and said back."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from reward_lab.services.drafts import Draft
from reward_lab.services.examples import examples
from reward_lab.services.rubric_drafts import CriterionDraft
from reward_lab.settings import read_settings
from reward_lab.ui.criteria_inputs import findings_on, lint_lines
from reward_lab.ui.desk import Desk
from reward_lab.wiring import Lab, open_lab

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture
def page() -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not page.exception
    return page


def draft(page: AppTest) -> Draft:
    desk = page.session_state["desk"]
    assert isinstance(desk, Desk)
    return desk.draft


def field(page: AppTest, name: str) -> str:
    return f"{name}-{page.session_state['desk'].generation}"


def pane(page: AppTest, name: str) -> AppTest:
    page.button_group(key="inputs-pane").set_value(name).run()
    assert not page.exception
    return page


def first(values: str | list[str]) -> str:
    return values if isinstance(values, str) else values[0]


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def texts(page: AppTest) -> str:
    return "\n".join(element.value for element in page.text)


def test_the_first_page_is_the_first_example_with_an_estimate(page: AppTest) -> None:
    example = examples()[0]
    assert page.text_area(key=field(page, "system_prompt")).value == example.group.scenario.system_prompt
    assert "Score 4 responses x 6 methods (21 calls, free)" in labels(page)
    assert page.query_params == {}


def test_a_change_is_stored_and_found_again_by_the_address(page: AppTest) -> None:
    page.text_area(key=field(page, "system_prompt")).set_value("Answer in one line.").run()
    draft_id = first(page.query_params["draft"])
    again = AppTest.from_file(str(APP), default_timeout=60)
    again.query_params["draft"] = draft_id
    again.run()
    assert again.text_area(key=field(again, "system_prompt")).value == "Answer in one line."


def test_an_example_comes_under_its_other_system_prompt_too(page: AppTest) -> None:
    page.button(key="example-0-loose").click().run()
    assert draft(page).system_prompt == examples()[0].prompts["loose"]
    assert draft(page).responses[0].text == examples()[0].group.trajectories[0].answer


def test_what_is_changed_in_the_moment_of_the_click_is_what_is_scored(page: AppTest, lab: Lab) -> None:
    """A browser may send a field that is left, and the click that left it, as one."""
    pane(page, "judge")
    page.number_input(key=field(page, "repeats")).set_value(2)
    page.button_group(key=field(page, "methods")).set_value(["likert"])
    page.button(key="score").click().run()
    assert not page.exception
    run = lab.scoring.run(int(first(page.query_params["run"])))
    assert (run.settings.methods, run.settings.repeats) == (("likert",), 2)


def test_a_draft_that_is_not_here_says_so_and_shows_the_example(page: AppTest) -> None:
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params["draft"] = "nowhere"
    page.run()
    assert "nowhere" in texts(page)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("99999", "Run 99999 is not stored here"),
        ("9" * 30, f"Run {'9' * 30} is not stored here"),
        ("[x](https://example.com)", "run '[x](https://example.com)', but runs have numbers"),
    ],
)
def test_a_run_that_is_not_here_is_named_and_the_page_is_usable(page: AppTest, run: str, words: str) -> None:
    fresh = AppTest.from_file(str(APP), default_timeout=60)
    fresh.query_params["run"] = run
    fresh.run()
    assert not fresh.exception
    assert words in texts(fresh)
    assert not any("example.com" in element.value for element in fresh.markdown)
    assert "Score 4 responses x 6 methods (21 calls, free)" in labels(fresh)
    assert "run" not in fresh.query_params
    page.text_area(key=field(page, "system_prompt")).set_value("Mine.").run()
    page.query_params["run"] = run
    page.run()
    assert words in texts(page)
    assert draft(page).system_prompt == "Mine."
    assert words not in texts(page.run()), "told once"


def test_a_draft_that_an_example_took_the_place_of_is_gone_back_to(page: AppTest) -> None:
    page.text_area(key=field(page, "system_prompt")).set_value("Mine.").run()
    mine = first(page.query_params["draft"])
    page.button(key="example-1").click().run()
    assert "Your draft is kept." in texts(page)
    page.button(key="draft-back").click().run()
    assert (draft(page).system_prompt, first(page.query_params["draft"])) == ("Mine.", mine)
    page.button(key="example-2").click().run()
    page.run()  # the notice is gone by now, the menu still leads back
    page.button(key="example-back").click().run()
    assert draft(page).system_prompt == "Mine."


def test_lint_stands_under_the_criterion_it_is_about(page: AppTest) -> None:
    pane(page, "rubric")
    desk = page.session_state["desk"]
    turned = CriterionDraft(id="x", description="The reply invents a phone number.", weight=-2)
    desk.change(criteria=[turned])
    lines = lint_lines(desk.draft, findings_on(desk.draft, reference=None))
    assert [line.level for line in lines["x"]] == ["warning"]
    assert "fault" in lines["x"][0].text


def test_two_windows_of_one_draft_lose_nothing_of_each_other(page: AppTest) -> None:
    page.text_area(key=field(page, "system_prompt")).set_value("first").run()
    draft_id = first(page.query_params["draft"])
    other = AppTest.from_file(str(APP), default_timeout=60)
    other.query_params["draft"] = draft_id
    other.run()
    page.text_area(key=field(page, "user")).set_value("mine").run()
    other.text_area(key=field(other, "user")).set_value("theirs").run()
    other_id = first(other.query_params["draft"])
    assert other_id != draft_id
    assert "another window" in texts(other)
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    try:
        stored = {one: lab.drafts.load(one) for one in (draft_id, other_id)}
    finally:
        lab.close()
    assert [saved.draft.user for saved in stored.values() if saved] == ["mine", "theirs"]


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("user", '[{"role": "wizard", "content": "x"}]', "role 'wizard' is not one of"),
        ("user", '[{"role": "user"', "Conversation: this is not valid JSON"),
        ("tools", "{", "Tools: this is not valid JSON"),
    ],
)
def test_what_cannot_be_read_is_named_and_score_waits(page: AppTest, name: str, typed: str, words: str) -> None:
    page.text_area(key=field(page, name)).set_value(typed).run()
    assert words in texts(page)
    (score,) = [button for button in page.button if button.label == "Score"]
    assert score.disabled
    assert draft(page).model_dump()[name] == typed


def test_an_empty_draft_says_what_is_missing(page: AppTest) -> None:
    page.button(key="example-none").click().run()
    assert "There is no response to score" in texts(page)
    assert draft(page) == Draft()


@pytest.mark.parametrize("index", range(4))
def test_every_example_loads_and_can_be_scored(page: AppTest, index: int) -> None:
    page.button(key=f"example-{index}").click().run()
    assert not page.exception
    example = examples()[index]
    made = draft(page)
    assert (made.group().trajectories, made.rubric()) == (example.group.trajectories, example.rubric)
    assert any(label.startswith(f"Score {len(example.group.trajectories)} responses") for label in labels(page))


def test_responses_are_cards_that_can_be_added_moved_and_removed(page: AppTest) -> None:
    pane(page, "responses")
    ids = [response.id for response in draft(page).responses]
    page.button(key="add-response").click().run()
    assert len(draft(page).responses) == 5
    assert "Response E has no text" not in texts(page)
    page.button(key=f"down-{ids[0]}").click().run()
    page.button(key=f"copy-{ids[0]}").click().run()
    page.button(key=f"remove-{ids[1]}").click().run()
    assert [response.id for response in draft(page).responses][:1] == [ids[0]]
    assert len(draft(page).responses) == 5
    assert len({response.id for response in draft(page).responses}) == 5


def test_a_pasted_list_becomes_responses(page: AppTest) -> None:
    pane(page, "responses")
    page.text_area(key=field(page, "pasted")).set_value('["five", "six"]')
    next(button for button in page.button if button.label == "Add them").click().run()
    assert [response.text for response in draft(page).responses][4:] == ["five", "six"]
    assert page.text_area(key=field(page, "pasted")).value == ""


def test_a_refused_paste_names_the_line_and_stays_to_be_mended(page: AppTest) -> None:
    pane(page, "responses")
    pasted = '{"text": "five"}\n{"text": "six"'
    page.text_area(key=field(page, "pasted")).set_value(pasted)
    next(button for button in page.button if button.label == "Add them").click().run()
    assert "Nothing was added: line 2 is not valid JSON" in texts(page)
    assert len(draft(page).responses) == 4
    assert page.text_area(key=field(page, "pasted")).value == pasted


def test_a_rubric_is_saved_as_a_version_and_used_again(page: AppTest) -> None:
    pane(page, "rubric")
    page.text_input(key=field(page, "rubric_name")).set_value("refunds").run()
    next(button for button in page.button if button.label == "Save as version").click().run()
    page.text_area(key=field(page, "guidance")).set_value("Something else.").run()
    assert draft(page).guidance == "Something else."
    page.button(key="library-use").click().run()
    assert draft(page).rubric() == examples()[0].rubric
    assert draft(page).rubric_name == "refunds"


def test_an_unsaved_rubric_is_put_aside_and_brought_back(page: AppTest) -> None:
    pane(page, "rubric")
    save = next(button for button in page.button if button.label == "Save as version")
    assert (save.disabled, save.help) == (True, "Give the rubric a name first.")
    page.text_input(key=field(page, "rubric_name")).set_value("refunds").run()
    save = next(button for button in page.button if button.label == "Save as version")
    assert not save.disabled
    save.click().run()
    put_aside = "What stands here now is not one of these versions"
    assert not any(put_aside in caption.value for caption in page.caption)
    page.text_area(key=field(page, "guidance")).set_value("Something else.").run()
    assert any(put_aside in caption.value for caption in page.caption)
    page.button(key="library-use").click().run()
    assert draft(page).guidance != "Something else."
    page.button(key="rubric-swap").click().run()
    assert draft(page).guidance == "Something else."
    page.button(key="rubric-swap").click().run()
    assert draft(page).guidance != "Something else."


def test_scoring_settings_are_a_part_of_the_rubric(page: AppTest) -> None:
    pane(page, "rubric")
    page.number_input(key=field(page, "likert-max")).set_value(5).run()
    assert draft(page).scoring.likert_max == 5
    page.radio(key=field(page, "explicit-calls")).set_value("per_criterion").run()
    assert any("calls" in label and "21 calls" not in label for label in labels(page) if label.startswith("Score"))


def test_methods_repeats_and_judge_change_the_estimate(page: AppTest) -> None:
    pane(page, "judge")
    page.button_group(key=field(page, "methods")).set_value(["ruler", "likert"]).run()
    page.number_input(key=field(page, "repeats")).set_value(3).run()
    assert "Score 4 responses x 2 methods (15 calls, free)" in labels(page)
    page.button_group(key=field(page, "methods")).set_value([]).run()
    assert "No method is chosen" in texts(page)


def test_a_wrong_judge_is_named(page: AppTest) -> None:
    pane(page, "judge")
    desk = page.session_state["desk"]
    desk.change(judges=[desk.draft.judges[0].model_copy(update={"model": "openai/m", "parameters": "{"})])
    page.run()
    assert "Judge parameters: this is not valid JSON" in texts(page)


def test_an_added_judge_is_empty_until_it_is_chosen_and_no_judge_stands_there_twice(page: AppTest) -> None:
    pane(page, "judge")
    next(button for button in page.button if button.label == "Add a judge").click().run()
    first, second = (one for one in page.selectbox if "choose, or type a model" in one.label)
    assert (first.label, second.value) == ("Judge 1: choose, or type a model", None)
    assert "Judge 2: no model is chosen" in texts(page)
    second.select("offline (built in, no LLM)").run()
    assert "Judges 1 and 2 are the same (offline)" in texts(page)


def test_a_parameter_of_reward_labs_own_is_refused_with_the_right_setting(page: AppTest) -> None:
    pane(page, "judge")
    desk = page.session_state["desk"]
    desk.change(judges=[desk.draft.judges[0].model_copy(update={"model": "openai/m", "parameters": '{"timeout": 3}'})])
    page.run()
    assert "set REWARD_LAB_TIMEOUT_S where the server is started" in texts(page)
    (score,) = [button for button in page.button if button.label == "Score"]
    assert score.disabled


@pytest.mark.parametrize("button", ["example-1", "example-none"])
def test_judge_methods_and_settings_stay_when_an_example_is_loaded(page: AppTest, button: str) -> None:
    desk = page.session_state["desk"]
    judges = [desk.draft.judges[0].model_copy(update={"model": "openai/m", "parameters": '{"temperature": 0}'})]
    desk.change(judges=judges, methods=["ruler"], repeats=3, seed=5, budget_usd=2.0)
    page.run()
    page.button(key=button).click().run()
    after = draft(page)
    assert (after.judges, after.methods, after.repeats, after.seed, after.budget_usd) == (judges, ["ruler"], 3, 5, 2.0)
    assert after.system_prompt != examples()[0].group.scenario.system_prompt
