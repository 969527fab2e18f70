"""The right pane of the Score page, from nothing to a finished run, as far as it can be driven without a browser."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from reward_lab.core.judge import Judge
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.services.examples import examples
from reward_lab.services.planning import method_versions, plan
from reward_lab.wiring import Lab
from tests.judges.server import Reply, ScriptedServer
from tests.pages.drawn import component, components, words

APP = Path(__file__).parents[2] / "app.py"
METHODS = ("ruler", "likert", "rar_explicit")


def new_run(*, guidance: str | None = None, judge: Judge | None = None, groups: int = 1) -> NewRun:
    example = examples()[0]
    rubric = example.rubric if guidance is None else example.rubric.model_copy(update={"guidance": guidance})
    members = tuple(example.group.model_copy(update={"id": f"group {number}"}) for number in range(groups))
    settings = RunSettings(methods=METHODS)
    return NewRun(groups=members, rubric=rubric, judges=(judge or Judge(),), settings=settings, draft_id="d")


def scored(lab: Lab, new: NewRun | None = None) -> int:
    run_id, future = lab.scoring.start(new or new_run())
    future.result(timeout=60)
    return run_id


def opened(run_id: int | None = None) -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=60)
    if run_id is not None:
        page.query_params["run"] = str(run_id)
    page.run()
    assert not page.exception
    return page


def test_nothing_is_scored_yet() -> None:
    page = opened()
    assert components(page) == []
    assert any("stand here side by side" in element.value for element in page.markdown)


def test_a_link_opens_a_run_with_everything(lab: Lab) -> None:
    page = opened(scored(lab))
    matrix = component(page, "Scores of each response by method")
    assert [column["id"] for column in matrix["columns"]] == ["response", *METHODS, "spread", "reward", "advantage"]
    assert [row["badge"] for row in matrix["rows"]] == ["A", "B", "C", "D"]
    assert matrix["selected"] == ["A", None]
    assert "offline judge: lexical evidence, no LLM" in words(component(page, "State of the run"))
    assert "RULER" in words(component(page, "Result"))
    assert examples()[0].group.trajectories[0].answer in words(component(page, "Response A"))
    assert "Prompt and raw reply" in words(component(page, "What each method said of response A"))
    assert len(component(page, "RaR explicit: criteria by responses")["rows"]) == len(examples()[0].rubric.criteria)
    assert "calls no model" in words(component(page, "What the run took"))
    assert len(page.get("vega_lite_chart")) == 1


def test_what_moved_since_the_run_before(lab: Lab) -> None:
    first = scored(lab)
    second = scored(lab, new_run(guidance="Prefer the shortest answer. $5-$10 <b>"))
    page = opened(second)
    moved = words(component(page, "What moved"))
    assert f"Since run {first}" in moved
    assert '["added", ' in moved
    assert "$5-$10 <b>" in moved


def test_another_run_is_compared_with_and_stays_chosen(lab: Lab) -> None:
    first, second = scored(lab), scored(lab, new_run(guidance="Be brief."))
    third = scored(lab, new_run(guidance="Be briefer."))
    page = opened(third)
    assert f"Since run {second}" in words(component(page, "What moved"))
    page.selectbox(key=f"results-since-{third}").set_value(first).run()
    assert f"Since run {first}" in words(component(page, "What moved"))
    page.selectbox(key="results-convention").set_value("rloo").run()
    assert f"Since run {first}" in words(component(page, "What moved"))
    fourth = scored(lab, new_run(guidance="Be briefest."))
    page.session_state["desk"].show_run(fourth)
    page.run()
    assert f"Since run {first}" in words(component(page, "What moved"))


def test_results_of_other_inputs_say_so(lab: Lab) -> None:
    page = opened(scored(lab))
    assert "Changed since this run" not in [one["label"] for one in components(page)]
    desk = page.session_state["desk"]
    desk.change(guidance="Be brief.")
    page.run()
    assert "You changed the rubric since this run; score again" in words(component(page, "Changed since this run"))
    desk.change(responses=[])
    page.run()
    assert "You changed what stands at the left since" in words(component(page, "Changed since this run"))


def test_convention_and_reward_are_chosen_beside_the_table(lab: Lab) -> None:
    page = opened(scored(lab))
    page.selectbox(key="results-convention").set_value("rloo").run()
    page.selectbox[0].set_value("likert").run()
    heads = {column["id"]: column["help"] for column in component(page, "Scores of each response by method")["columns"]}
    assert heads["advantage"] == "RLOO: r − mean of the others"
    assert "Likert, weighted" in heads["reward"]


def test_groups_are_paged(lab: Lab) -> None:
    page = opened(scored(lab, new_run(groups=3)))
    assert "group 0" in words(component(page, "Group"))
    page.button(key="results-after").click().run()
    assert "group 1" in words(component(page, "Group"))
    page.number_input[0].set_value(3).run()
    assert "group 2" in words(component(page, "Group"))
    assert page.button(key="results-after").disabled


def test_a_run_that_goes_on_keeps_its_place_and_tells_how_far_it_is(lab: Lab) -> None:
    new = new_run()
    # Made and not begun: it waits for its first answer for as long as the test looks.
    run_id = lab.store.create_run(new, method_versions(new.settings), plan(new))
    page = opened(run_id)
    assert "running · RULER 0/1 · Likert 0/4 · RaR exp 0/4" in words(component(page, "State of the run"))
    assert "Scoring: 0 of 9 done." in words(component(page, "Result"))
    matrix = component(page, "Scores of each response by method")
    assert {cell["state"] for row in matrix["rows"] for cell in row["cells"].values()} == {"running"}
    assert page.get("vega_lite_chart") == []
    assert page.button(key="cancel").label == "Cancel"


def test_a_cancelled_run_offers_to_go_on(lab: Lab) -> None:
    new = new_run()
    run_id = lab.store.create_run(new, method_versions(new.settings), plan(new))
    lab.scoring.cancel(run_id)
    page = opened(run_id)
    assert "cancelled just now · 0 of 9 done" in words(component(page, "State of the run"))
    page.button(key="results-resume").click().run()
    assert not page.exception


def test_a_judge_that_refuses_is_told_above_the_table_and_can_be_asked_again(lab: Lab) -> None:
    with ScriptedServer() as server:
        server.script(lambda body, index: Reply.refusal())
        judge = Judge(model="openai/scripted", api_base=server.base_url)
        page = opened(scored(lab, new_run(judge=judge)))
    missing = component(page, "What is missing")
    assert "unscored" in words(missing)
    matrix = component(page, "Scores of each response by method")
    assert {cell["state"] for row in matrix["rows"] for cell in row["cells"].values()} == {"failed", "empty"}
    assert page.button(key="results-retry").label == "Retry failed (9)"
