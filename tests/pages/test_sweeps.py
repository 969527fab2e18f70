"""A sweep on its page in each of its states; the pane that plans one; its line in the list of runs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemResult, ItemStatus, RunSettings, RunState, Usage
from reward_lab.core.split import Split
from reward_lab.core.sweep import SweepPlan, SweptRubric, sweep_cells
from reward_lab.core.verdict import Reason, Unscored
from reward_lab.services.examples import examples
from reward_lab.services.sweeps import SweepStatus
from reward_lab.ui import sweep_progress
from reward_lab.wiring import Lab
from tests.pages.drawn import component, words

PAGE = Path(__file__).parents[2] / "pages" / "runs.py"
HOSTILE = "**x** <img src=x onerror=alert(1)> $5 ![a](https://example.com) \ud800"


@pytest.fixture(autouse=True)
def went(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, str]]]:
    """Where the page sent the reader. Alone, it has nowhere to go."""
    monkeypatch.setattr(st, "page_link", lambda *_, **__: None)
    found: list[tuple[str, dict[str, str]]] = []
    monkeypatch.setattr(st, "switch_page", lambda page, query_params: found.append((page, query_params)))
    return found


def group(name: str, *texts: str) -> Group:
    return Group.from_record({"id": name, "trajectories": [{"text": text} for text in texts or ("Yes.", "No.")]})


def plan(lab: Lab, **changed: Any) -> SweepPlan:
    ids = tuple(lab.store.add_group(group(f"g{number}", f"Yes, {number}.", "No.")) for number in range(3))
    rubrics = tuple(
        SweptRubric(rubric=Rubric(guidance=said), name="Support", number=number)
        for number, said in enumerate(("Be brief.", "Be kind."), start=1)
    )
    given = {"group_ids": ids, "rubrics": rubrics, "judges": ((Judge(),),), "name": "Night", "source": "refunds, tune"}
    return SweepPlan.model_validate({**given, "settings": RunSettings(methods=("ruler", "likert")), **changed})


def finished(lab: Lab, plan: SweepPlan) -> int:
    sweep_id = lab.sweeps.start(plan)
    until = time.monotonic() + 60
    while lab.sweeps.status(sweep_id).state is RunState.RUNNING:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert lab.sweeps.status(sweep_id).state is RunState.FINISHED
    return sweep_id


def laid_out(lab: Lab, plan: SweepPlan, state: RunState, *, cells: int = 2) -> tuple[int, list[int]]:
    """A sweep with its first cells as they are after they were let go."""
    sweep_id = lab.store.create_sweep(plan.name, plan.model_dump(mode="json"))
    run_ids = [lab.sweeps._create(sweep_id, plan, cell) for cell in sweep_cells(plan)[:cells]]
    for run_id in run_ids:
        if state is not RunState.RUNNING:
            lab.store.release(run_id, state)
    return sweep_id, [run_id for run_id in run_ids if run_id is not None]


def shown(sweep_id: int | str) -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    page.query_params["sweep"] = str(sweep_id)
    page.run()
    assert not page.exception
    return page


def buttons(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def cells(page: AppTest) -> list[dict[str, Any]]:
    return list(component(page, "Runs of the sweep")["rows"])


def test_a_finished_sweep_shows_each_cell_with_its_mean_rewards(lab: Lab) -> None:
    sweep_id = finished(lab, plan(lab))
    page = shown(sweep_id)
    first, second = cells(page)
    assert [row["title"] for row in (first, second)] == ["Support v1", "Support v2"]
    assert first["cells"]["state"]["text"] == "✓ finished"
    assert first["cells"]["done"]["text"] == "9/9"
    mean = lab.sweeps.status(sweep_id).cells[0].means["likert"]
    assert first["cells"]["likert"]["text"] == f"{mean.value:.3f}"
    assert first["cells"]["likert"]["note"] == "n 6"
    told = words(component(page, "State of the sweep"))
    assert "Finished: 18 items in 2 runs." in told
    assert "3 groups of refunds, tune" in told
    assert "offline judge: lexical evidence, no LLM" in told
    assert buttons(page) == ["Compare these runs"]


@pytest.mark.parametrize(
    ("state", "mark", "offered", "said"),
    [
        (RunState.RUNNING, "▶ running", ["Pause", "Cancel"], "Scoring: 0 of 18 items done in 2 runs."),
        (RunState.PAUSED, "❚❚ paused", ["Cancel", "Resume"], "Paused: 0 of 18 items done in 2 runs."),
        (RunState.INTERRUPTED, "! interrupted", ["Cancel", "Resume"], "Interrupted: 0 of 18 items done in 2 runs."),
        (RunState.CANCELLED, "■ cancelled", ["Resume"], "Cancelled: 0 of 18 items done in 2 runs."),
    ],
)
def test_an_unfinished_sweep_says_where_it_stands_and_offers_what_can_be_done(
    lab: Lab, state: RunState, mark: str, offered: list[str], said: str
) -> None:
    sweep_id, _ = laid_out(lab, plan(lab), state)
    page = shown(sweep_id)
    assert [row["cells"]["state"]["text"] for row in cells(page)] == [mark, mark]
    assert buttons(page) == offered
    assert said in words(component(page, "State of the sweep"))
    waiting = {row["cells"]["likert"]["state"] for row in cells(page)}
    assert waiting == {"running" if state is RunState.RUNNING else "empty"}


def test_a_paused_sweep_is_resumed_to_its_end(lab: Lab) -> None:
    sweep_id, _ = laid_out(lab, plan(lab), RunState.PAUSED)
    page = shown(sweep_id)
    next(button for button in page.button if button.label == "Resume").click().run()
    until = time.monotonic() + 60
    while "Finished" not in words(component(page.run(), "State of the sweep")):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert [row["cells"]["done"]["text"] for row in cells(page)] == ["9/9", "9/9"]


def test_pausing_is_said_before_it_is_done(lab: Lab) -> None:
    """The runs are another process's, so it takes that process to heed the request."""
    sweep_id, run_ids = laid_out(lab, plan(lab), RunState.RUNNING)
    assert all(lab.store.claim(run_id) for run_id in run_ids)
    page = shown(sweep_id)
    next(button for button in page.button if button.label == "Pause").click().run()
    assert buttons(page) == ["Pausing ...", "Cancel"]
    assert page.button[0].disabled
    assert [row["cells"]["state"]["text"] for row in cells(page)] == ["▶ pausing ..."] * 2
    next(button for button in page.button if button.label == "Cancel").click().run()
    assert buttons(page) == ["Cancelling ..."]


def test_cells_that_were_not_laid_out_are_shown_as_waiting(lab: Lab) -> None:
    sweep_id, _ = laid_out(lab, plan(lab), RunState.CANCELLED, cells=1)
    page = shown(sweep_id)
    assert [row["cells"]["state"]["text"] for row in cells(page)] == ["■ cancelled", "waiting"]
    assert "in 2 runs, 1 of them not laid out yet" in words(component(page, "State of the sweep"))


def test_what_failed_is_counted_by_its_reason_and_can_be_retried(lab: Lab) -> None:
    sweep_id, (first, _) = laid_out(lab, plan(lab), RunState.RUNNING)
    lab.store.claim(first)
    for item, reason in zip(
        lab.store.pending_items(first), (Reason.RATE_LIMITED, Reason.RATE_LIMITED, Reason.NO_REFERENCE), strict=False
    ):
        verdict = Unscored(item.trajectory_id or "1", reason, "why")
        asyncio.run(lab.store.finish_item(item, ItemResult(item.id, ItemStatus.UNSCORED, (verdict,))))
    for run_id in lab.store.sweep_runs(sweep_id):
        lab.store.release(run_id, RunState.CANCELLED)
    page = shown(sweep_id)
    assert "2 rate limit and 1 no ref." in words(component(page, "State of the sweep"))
    assert cells(page)[0]["cells"]["unscored"]["text"] == "3"
    assert buttons(page) == ["Retry failed (2)", "Resume"], "what cannot be applied is nothing to retry"


def test_at_its_budget_it_says_how_to_go_on(lab: Lab) -> None:
    swept = plan(lab, settings=RunSettings(methods=("likert",), budget_usd=0.5))
    status = lab.sweeps.status(laid_out(lab, swept, RunState.CANCELLED)[0])
    assert not status.budget_is_spent
    spent = [
        replace(cell, run=replace(cell.run, usage=Usage(cost_usd=0.3))) for cell in status.cells if cell.run is not None
    ]
    stopped = SweepStatus(status.id, status.created_at, swept, tuple(spent), laying_out=False)
    said = sweep_progress.sentence_block(stopped).pieces[0].text
    assert said.startswith("Stopped at its budget of $0.500: 0 of 12 items done in 2 runs. To go on, start it again")


def test_hostile_names_are_shown_as_they_are(lab: Lab) -> None:
    swept = plan(lab, name=HOSTILE, prompts=(None, HOSTILE))
    page = shown(laid_out(lab, swept, RunState.PAUSED)[0])
    assert HOSTILE.replace("\ud800", "\\ud800") in [text.value for text in page.text]
    assert not any("<img" in markdown.value for markdown in page.markdown)


@pytest.mark.parametrize("asked", ["404", "9" * 9])
def test_a_sweep_that_is_not_stored_is_said_to_be_missing(lab: Lab, asked: str) -> None:
    page = shown(asked)
    assert any(f"Sweep {asked} is not stored here" in text.value for text in page.text)


def test_an_address_that_is_no_number_shows_the_list(lab: Lab) -> None:
    finished(lab, plan(lab))
    page = shown("1; DROP TABLE runs")
    assert component(page, "Stored runs")["rows"]


def test_in_the_list_a_sweep_is_one_line_with_all_that_it_is_of(lab: Lab) -> None:
    sweep_id = finished(lab, plan(lab, judges=((Judge(),), (Judge(parameters={"seed": 1}),))))
    page = AppTest.from_file(str(PAGE), default_timeout=60).run()
    (row,) = component(page, "Stored runs")["rows"]
    assert (row["id"], row["title"], row["subtitle"]) == (f"sweep-{sweep_id}", "Night", "Sweep 1 of 4 runs")
    told = {name: one.get("text") for name, one in row["cells"].items()}
    assert told["rubric"] == "Support, version 1, Support, version 2"
    assert (told["judge"], told["methods"], told["groups"]) == ("offline", "RULER, Likert", "3")
    assert (told["state"], told["done"], told["unscored"]) == ("✓ finished", "36/36", "0")
    assert "1 run, a sweep counted once" in [caption.value for caption in page.caption]


# The pane that plans one


def pane(dataset_id: int) -> AppTest:
    def script(dataset_id: int) -> None:
        from reward_lab.ui import sweep_plan
        from reward_lab.ui.frame import open_laboratory, page_frame

        with page_frame():
            sweep_plan.draw(open_laboratory(), dataset_id)

    page = AppTest.from_function(script, args=(dataset_id,), default_timeout=60).run()
    assert not page.exception
    return page


def dataset(lab: Lab, *groups: Group) -> int:
    dataset_id = lab.datasets.create("Refunds")
    lab.datasets.add_groups(dataset_id, groups or [group(f"g{number}", f"{number}", "No.") for number in range(4)])
    return dataset_id


def action(page: AppTest) -> str:
    return page.button(key="sweep-start").label


def test_the_button_says_what_it_will_take(lab: Lab) -> None:
    page = pane(dataset(lab))
    assert action(page) == "Score 4 groups x 2 responses x 2 methods in 1 run (at most 12 calls, free)"
    page.checkbox(key="sweep-own-prompts-1-0").uncheck().run()
    assert page.button(key="sweep-start").disabled
    assert any("keep each group's own, or write one" in text.value for text in page.text)


def test_groups_of_unlike_sizes_are_counted_in_all(lab: Lab) -> None:
    page = pane(dataset(lab, group("g", "a", "b", "c"), group("h", "a", "b")))
    assert action(page).startswith("Score 2 groups (5 responses) x 2 methods in 1 run (at most 7 calls")


def test_versions_judges_and_prompts_multiply_and_each_run_is_listed(lab: Lab) -> None:
    for guidance in ("Be brief.", "Be kind."):
        lab.library.save(Rubric(guidance=guidance), "Support")
    page = pane(dataset(lab))
    assert page.multiselect[0].value == [("Support", 2)], "the version saved last, where the Score page was not opened"
    page.multiselect[0].set_value([("Support", 1), ("Support", 2)]).run()
    next(button for button in page.button if button.label == "Write one").click().run()
    page.text_area(key="sweep-prompt-0-1-1").set_value(HOSTILE.removesuffix("\ud800")).run()
    assert not page.exception
    assert action(page) == "Score 4 groups x 2 responses x 2 methods in 4 runs (at most 48 calls, free)"
    listed = component(page, "What each run takes")["rows"]
    assert [row["cells"]["calls"]["text"] for row in listed] == ["12"] * 4
    assert [row["title"].split(" · ")[0] for row in listed] == ["Support v1", "Support v1", "Support v2", "Support v2"]


def test_the_prompts_of_the_examples_are_offered(lab: Lab) -> None:
    page = pane(dataset(lab))
    refund = examples()[0]
    next(button for button in page.button if button.label == f"{refund.name}: loose").click().run()
    assert page.text_area(key="sweep-prompt-0-1-1").value == refund.prompts["loose"]


def test_what_was_chosen_is_there_again_on_the_next_visit(lab: Lab) -> None:
    dataset_id = dataset(lab)
    page = pane(dataset_id)
    next(button for button in page.button if button.label == "Write one").click().run()
    page.text_area(key="sweep-prompt-0-1-1").set_value("Be strict.").run()
    page.number_input(key="sweep-repeats-1-1").set_value(3).run()
    again = pane(dataset_id)
    assert again.text_area(key="sweep-prompt-0-1-0").value == "Be strict."
    assert action(again).endswith("in 2 runs (at most 72 calls, free)")


def test_a_side_and_a_tag_narrow_the_groups(lab: Lab) -> None:
    dataset_id = dataset(lab)
    places = lab.datasets.places(dataset_id)
    lab.store.split_in_dataset(dataset_id, {place.position: Split.HOLDOUT for place in places[:3]})
    lab.store.tag_in_dataset(dataset_id, [places[0].position], add=["hard"])
    page = pane(dataset_id)
    page.selectbox(key="sweep-split-1-0").set_value("holdout").run()
    assert action(page).startswith("Score 3 groups x")
    page.selectbox(key="sweep-tag-1-0").set_value("hard").run()
    assert action(page).startswith("Score 1 group x")
    page.selectbox(key="sweep-split-1-0").set_value("tune").run()
    assert page.button(key="sweep-start").disabled
    assert any("choose another split or tag" in text.value for text in page.text)


def test_responses_that_keep_their_own_system_message_are_told(lab: Lab) -> None:
    own = {"messages": [{"role": "system", "content": "Mine."}, {"role": "assistant", "content": "Yes."}]}
    page = pane(dataset(lab, Group.from_record({"id": "g", "trajectories": [own, {"text": "No."}]})))
    next(button for button in page.button if button.label == "Write one").click().run()
    page.text_area(key="sweep-prompt-0-1-1").set_value("Be strict.").run()
    told = [caption.value for caption in page.caption]
    assert any(
        "1 of 2 responses looked at open with a system message of their own: they keep it" in one for one in told
    )


def test_pressing_it_starts_the_sweep_and_goes_to_its_page(lab: Lab, went: list[tuple[str, dict[str, str]]]) -> None:
    page = pane(dataset(lab))
    page.number_input(key="sweep-budget-1-0").set_value(1.5).run()
    page.button(key="sweep-start").click().run()
    assert went == [("pages/runs.py", {"sweep": "1"})]
    status = lab.sweeps.status(1)
    assert (status.plan.name, status.plan.source, status.plan.settings.budget_usd) == ("Refunds", "Refunds", 1.5)
