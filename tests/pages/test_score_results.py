"""The right pane of the Score page, from nothing to a finished run, as far as a page can be driven without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from reward_lab.core.judge import Judge
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.services.examples import examples
from reward_lab.settings import read_settings
from reward_lab.wiring import Lab, open_lab

APP = Path(__file__).parents[2] / "app.py"
METHODS = ("ruler", "likert", "rar_explicit")


@pytest.fixture(autouse=True)
def _fresh_process(reward_lab_home: Path) -> Iterator[None]:
    """The app keeps its installation for the process; each test has a home of its own."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def lab(_fresh_process: None) -> Iterator[Lab]:
    opened = open_lab(read_settings(), trust_all_endpoints=False)
    yield opened
    opened.close()


def scored(lab: Lab, *, guidance: str | None = None, judge: Judge | None = None, groups: int = 1) -> int:
    example = examples()[0]
    rubric = example.rubric if guidance is None else example.rubric.model_copy(update={"guidance": guidance})
    members = tuple(example.group.model_copy(update={"id": f"group {number}"}) for number in range(groups))
    run_id, future = lab.scoring.start(
        NewRun(
            groups=members,
            rubric=rubric,
            judges=(judge or Judge(),),
            settings=RunSettings(methods=METHODS),
            draft_id="d",
        )
    )
    future.result(timeout=60)
    return run_id


def opened(run_id: int | None = None) -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=60)
    if run_id is not None:
        page.query_params["run"] = str(run_id)
    page.run()
    assert not page.exception
    return page


def component(page: AppTest, label: str) -> dict[str, object]:
    """The data of the grid or reading with this accessible name."""
    found = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return next(data for data in found if data["label"] == label)


def words(data: dict[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False)


def test_nothing_is_scored_yet() -> None:
    page = opened()
    assert page.get("bidi_component") == []
    assert any("stand here side by side" in element.value for element in page.markdown)


def test_a_link_opens_a_run_with_everything(lab: Lab) -> None:
    page = opened(scored(lab))
    matrix = component(page, "Scores of each response by method")
    assert [column["id"] for column in matrix["columns"]] == ["response", *METHODS, "spread", "reward", "advantage"]
    assert [row["badge"] for row in matrix["rows"]] == ["A", "B", "C", "D"]
    assert matrix["selected"] == ["A", None]
    assert "offline judge: lexical evidence, no LLM" in words(component(page, "State of the run"))
    assert examples()[0].group.trajectories[0].answer in words(component(page, "Response A"))
    assert "Prompt and raw reply" in words(component(page, "What each method said of response A"))
    assert len(component(page, "RaR explicit: criteria by responses")["rows"]) == len(examples()[0].rubric.criteria)
    assert "calls no model" in words(component(page, "What the run took"))
    assert len(page.get("vega_lite_chart")) == 1


def test_what_moved_since_the_run_before(lab: Lab) -> None:
    first = scored(lab)
    second = scored(lab, guidance="Prefer the shortest answer. $5-$10 <b>")
    page = opened(second)
    moved = words(component(page, "What moved"))
    assert f"Since run {first}" in moved
    assert '["added", ' in moved
    assert "$5-$10 <b>" in moved


def test_convention_and_reward_are_chosen_beside_the_table(lab: Lab) -> None:
    page = opened(scored(lab))
    page.selectbox(key="results-convention").set_value("rloo").run()
    page.selectbox[0].set_value("likert").run()
    heads = {column["id"]: column["help"] for column in component(page, "Scores of each response by method")["columns"]}
    assert heads["advantage"] == "RLOO: r − mean of the others"
    assert "Likert, weighted" in heads["reward"]


def test_groups_are_paged(lab: Lab) -> None:
    page = opened(scored(lab, groups=3))
    assert "group 0" in words(component(page, "Group"))
    page.button(key="results-after").click().run()
    assert "group 1" in words(component(page, "Group"))
    page.number_input[0].set_value(3).run()
    assert "group 2" in words(component(page, "Group"))
    assert page.button(key="results-after").disabled


def test_a_judge_that_is_not_there_is_told_above_the_table_and_can_be_asked_again(lab: Lab) -> None:
    page = opened(scored(lab, judge=Judge(model="openai/none", api_base="http://127.0.0.1:9/v1")))
    missing = component(page, "What is missing")
    assert "unscored" in words(missing)
    matrix = component(page, "Scores of each response by method")
    assert {cell["state"] for row in matrix["rows"] for cell in row["cells"].values()} == {"failed", "empty"}
    assert page.button(key="results-retry").label == "Retry failed (9)"
