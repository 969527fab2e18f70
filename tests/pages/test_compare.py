"""The Compare page: empty, the refund example under two prompts, several groups, hostile names, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.services.examples import examples, labelled_examples
from reward_lab.services.planning import method_versions, plan
from reward_lab.wiring import Lab
from tests.pages.drawn import component, words

PAGE = Path(__file__).parents[2] / "pages" / "compare.py"
METHODS = ("ruler", "likert", "rar_explicit")
HOSTILE = "**g** <img src=x onerror=alert(1)> $x^2$ [a](https://example.com)"
REFUND = examples()[0]


@pytest.fixture(autouse=True)
def _page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # A page link needs the app around it; alone, the page has nothing to link to.
    monkeypatch.setattr(st, "page_link", lambda *_, **__: None)


def refund(prompt: str = "strict") -> Group:
    scenario = REFUND.group.scenario.model_copy(update={"system_prompt": REFUND.prompts[prompt]})
    return REFUND.group.model_copy(update={"scenario": scenario})


def new(*groups: Group, methods: tuple[str, ...] = METHODS, name: str = "") -> NewRun:
    return NewRun(groups or (refund(),), REFUND.rubric, (Judge(),), RunSettings(methods=methods), name=name)


def scored(lab: Lab, made: NewRun) -> int:
    run_id, future = lab.scoring.start(made)
    future.result(60)
    return run_id


def shown(*run_ids: int | str) -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    if run_ids:
        page.query_params["runs"] = ",".join(map(str, run_ids))
    page.run()
    assert not page.exception
    return page


def groups(lab: Lab, page: AppTest) -> list[str]:
    return [row["title"] for row in component(page, "Groups by what changed")["rows"]]


def four(**changed: Group) -> tuple[Group, ...]:
    return tuple(changed.get(one.group.id.split("-")[0], one.group) for one in examples())


def test_nothing_is_chosen_yet(lab: Lab) -> None:
    assert any("side by side" in element.value for element in shown().markdown)
    run_id = scored(lab, new())
    page = shown(run_id)
    assert any("Choose another run" in element.value for element in page.caption)
    assert page.selectbox[0].value == run_id


def test_the_loose_and_the_strict_prompt(lab: Lab) -> None:
    loose, strict = scored(lab, new(refund("loose"))), scored(lab, new())
    page = shown(loose, strict)
    assert f"B falls from 0.33 to 0.23 in RULER, from run {loose} to run {strict}" in words(component(page, "Result"))
    asked = words(component(page, "What was asked otherwise"))
    assert "System prompt" in asked
    assert '["added", "Answer user queries using ONLY"]' in asked
    assert "Few groups" in words(component(page, "Result"))
    matrix = component(page, "Scores of each response by run")
    assert [column["id"] for column in matrix["columns"]] == [
        "response",
        *(f"{what}-{run}" for run in (loose, strict) for what in ("score", "advantage")),
    ]
    hallucinated = matrix["rows"][1]
    assert (hallucinated["title"], hallucinated["cells"][f"score-{strict}"]["delta"]) == ("hallucinated", "▼ −0.10")
    assert matrix["selected"] == ["B", None], "the response that changed most is open"
    before, after = (component(page, f"What each method said {side}") for side in ("before", "after"))
    assert [block["title"] for block in before["blocks"]] == [f"Run {loose}", "RULER", "Direct Likert", "RaR explicit"]
    assert [block["title"] for block in after["blocks"]][1:] == ["RULER", "Direct Likert", "RaR explicit"]
    assert after["blocks"][1]["tone"] == "worse"
    assert len(page.get("vega_lite_chart")) == 1


def test_what_annotators_say_stands_beside_the_runs_under_either_prompt(lab: Lab) -> None:
    """The published scores are of the strict prompt; the responses are the same under the loose one."""
    dataset_id = lab.datasets.create("Examples")
    lab.datasets.add(dataset_id, labelled_examples())
    page = shown(scored(lab, new(refund("loose"))), scored(lab, new()))
    matrix = component(page, "Scores of each response by run")
    assert matrix["columns"][-1]["head"] == "RULER documentation (o3)"
    assert [row["cells"]["label-0"]["text"] for row in matrix["rows"]] == ["0.98", "0.2", "0.05", "0.96"]


def test_a_link_brings_back_the_order_the_filters_and_the_open_group(lab: Lab) -> None:
    old = scored(lab, new(*four(refund=refund("loose"))))
    page = shown(old, scored(lab, new(*four(refund=refund("strict")))))
    page.selectbox(key="compare-order").set_value("order of the run").run()
    page.selectbox(key="compare-method").set_value("likert").run()
    page.selectbox(key="compare-convention").set_value("rloo").run()
    page.button(key="compare-after").click().run()
    link = page.query_params
    again = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, one in link.items():
        again.query_params[name] = one
    again.run()
    assert not again.exception
    assert component(again, "Groups by what changed") == component(page, "Groups by what changed")
    assert [again.selectbox(key=f"compare-{what}").value for what in ("order", "method", "convention")] == [
        "order of the run",
        "likert",
        "rloo",
    ]
    assert again.query_params == link


@pytest.mark.parametrize("chart", ["Rewards", "Changes", "Length"])
def test_every_chart_is_drawn(lab: Lab, chart: str) -> None:
    page = shown(scored(lab, new(refund("loose"))), scored(lab, new()))
    page.segmented_control(key="compare-chart").set_value(chart).run()
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 1


def test_groups_are_ordered_filtered_and_walked_through(lab: Lab) -> None:
    old = scored(lab, new(*four(refund=refund("loose"))))
    page = shown(old, scored(lab, new(*four(refund=refund("strict")))))
    assert groups(lab, page)[0] == "refund-policy", "the only one that changed"
    page.selectbox(key="compare-order").set_value("order of the run").run()
    assert groups(lab, page) == [one.group.id for one in examples()]
    page.button(key="compare-after").click().run()
    assert component(page, "Groups by what changed")["selected"] == ["1", None]
    assert examples()[1].group.id in words(component(page, "The open group"))
    page.text_input(key="compare-search").set_value("bridge").run()
    assert groups(lab, page) == ["bridge-summary"]
    assert "bridge-summary" in words(component(page, "The open group"))
    page.text_input(key="compare-search").set_value("no such group").run()
    assert "No group matches" in page.info[0].value
    assert "run" in words(component(page, "Result"))


def test_intervals_of_every_method_are_there_for_the_asking(lab: Lab) -> None:
    page = shown(scored(lab, new(*four(refund=refund("loose")))), scored(lab, new(*four())))
    page.toggle(key="compare-intervals").set_value(True).run()
    rows = component(page, "Paired differences by run and method")["rows"]
    assert [row["title"].split(", ")[1] for row in rows] == ["RULER", "Likert", "RaR exp"]
    assert all("few (4 < 30)" in row["cells"]["verdict"]["text"] for row in rows)


def test_another_method_and_convention(lab: Lab) -> None:
    loose, strict = scored(lab, new(refund("loose"))), scored(lab, new())
    page = shown(loose, strict)
    page.selectbox(key="compare-method").set_value("likert").run()
    assert "in Likert" in words(component(page, "Result"))
    page.selectbox(key="compare-convention").set_value("rloo").run()
    assert not page.exception
    assert component(page, "Scores of each response by run")["columns"][1]["head"].startswith("Likert of\xa010")


def test_runs_that_share_nothing_say_so(lab: Lab) -> None:
    first = scored(lab, new(examples()[0].group))
    other = scored(lab, new(examples()[1].group))
    page = shown(first, other)
    assert f"No other run has a response in common with run {first}" in words(component(page, "Result"))
    assert examples()[1].group.id in words(component(page, "Groups without a counterpart"))
    alone = scored(lab, new(examples()[0].group, methods=("rar_predefined",)))
    assert "choose runs that share a method" in words(component(shown(first, alone), "Result"))


def test_hostile_names_are_shown_as_they_are(lab: Lab) -> None:
    hostile = tuple(one.group.model_copy(update={"id": f"{HOSTILE} {place}"}) for place, one in enumerate(examples()))
    first, second = scored(lab, new(*hostile, name=HOSTILE)), scored(lab, new(*hostile[:3], name=HOSTILE))
    page = shown(first, second)
    assert f"{HOSTILE} 3" in words(component(page, "Result")), "the one without a counterpart"
    assert HOSTILE in groups(lab, page)[0]
    told = [*page.markdown, *page.caption, *page.info]
    assert not any("onerror" in element.value for element in told)


def test_an_interrupted_run_is_compared_as_far_as_it_is(lab: Lab) -> None:
    made = new(refund("loose"))
    first = scored(lab, made)
    second = lab.store.create_run(made, method_versions(made.settings), plan(made))
    assert lab.store.claim(second)
    lab.store.release(second, lab.store.run(second).state)
    page = shown(first, second)
    assert f"Run {second} is " in words(component(page, "Result"))
    assert f"No RULER score of run {second} can be compared" in words(component(page, "Result"))
    assert component(page, "Scores of each response by run")["rows"][0]["cells"][f"score-{second}"].get("value") is None


def test_an_address_that_names_no_runs_is_no_error(lab: Lab) -> None:
    assert any("side by side" in element.value for element in shown("x", "1e3", "²").markdown)
    page = shown(scored(lab, new()), 4711)
    assert any("4711" in element.value for element in page.text)
