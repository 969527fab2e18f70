"""One run of many groups: how far it is, what a trainer would see, its groups and the way to each."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.services.examples import examples
from reward_lab.services.planning import method_versions, plan
from reward_lab.wiring import Lab
from tests.pages.drawn import component, components, words

PAGE = Path(__file__).parents[2] / "pages" / "runs.py"
HOSTILE = "**bold** <b> $x^2$ :red[no] [link](https://example.com)"


@pytest.fixture(autouse=True)
def _page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # A page link needs the app around it; alone, the page has nothing to link to.
    monkeypatch.setattr(st, "page_link", lambda *_, **__: None)


def shown(run_id: int | str) -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    page.query_params["run"] = str(run_id)
    page.run()
    assert not page.exception
    return page


def new(*groups: Group, name: str = "", methods: tuple[str, ...] = ("ruler", "likert")) -> NewRun:
    rubric = Rubric(guidance="Prefer answers that the policy supports.")
    return NewRun(groups, rubric, (Judge(),), RunSettings(methods=methods), name=name)


def scored(lab: Lab, *groups: Group, name: str = "") -> int:
    run_id, future = lab.scoring.start(new(*groups, name=name))
    future.result(60)
    return run_id


def constant(name: str) -> Group:
    return Group.from_record({"id": name, "trajectories": [{"text": "Yes."}, {"text": "Yes."}]})


def test_a_run_is_told_as_a_trainer_would_see_it(lab: Lab) -> None:
    page = shown(scored(lab, examples()[0].group, constant("flat"), name=HOSTILE))
    assert HOSTILE in [one.value for one in page.text]
    assert "1 of 2 groups (50%, 9% to 91%) has equal rewards and trains nothing" in words(component(page, "Result"))
    figures = {row["id"]: row["cells"] for row in component(page, "What a trainer would see")["rows"]}
    assert figures["constant"]["value"]["text"] == "50%"
    assert figures["length"]["n"]["text"] == "1"
    assert (figures["left"]["value"]["text"], figures["hazards"]["value"]["text"]) == ("0 of 6", "0 of 6")
    assert "Only 2 groups can train" in words(component(page, "Cautions"))


def test_groups_stand_with_the_least_spread_first_and_can_be_searched(lab: Lab) -> None:
    page = shown(scored(lab, examples()[0].group, constant("flat")))
    groups = component(page, "Groups of the run")
    assert [row["title"] for row in groups["rows"]] == ["flat", examples()[0].group.id]
    assert groups["rows"][0]["cells"]["std"] == {"state": "ready", "value": 0.0, "text": "0.00", "note": "constant"}
    page.text_input(key="run-search").set_value("refund").run()
    assert [row["id"] for row in component(page, "Groups of the run")["rows"]] == ["1"]
    page.text_input(key="run-search").set_value("nothing").run()
    assert "No group matches" in page.info[0].value


def test_another_method_and_trainer_change_the_figures(lab: Lab) -> None:
    page = shown(scored(lab, examples()[0].group, constant("flat")))
    page.selectbox(key="run-convention").set_value("art_local").run()
    assert "ART leaves out 2 responses, 1 group whole." in words(component(page, "Cautions"))
    figures = {row["id"]: row["cells"] for row in component(page, "What a trainer would see")["rows"]}
    assert figures["left-0"]["value"]["text"] == "2 of 6"
    page.selectbox(key="run-method-1").set_value("likert").run()
    assert words(component(page, "Result")).count("Likert gives a mean reward") == 1


def test_a_run_that_waits_shows_what_is_known_and_can_be_resumed(lab: Lab) -> None:
    one = new(examples()[0].group, constant("flat"))
    run_id = lab.store.create_run(one, method_versions(one.settings), plan(one))
    lab.scoring.cancel(run_id)
    page = shown(run_id)
    assert "0 of 8 items done. So far: RULER has given no reward yet" in words(component(page, "Result"))
    unknown = component(page, "Groups of the run")["rows"][0]["cells"]["mean"]
    assert unknown["text"] == "unknown"
    page.button(key="run-resume").click().run()
    assert not page.exception


def test_a_run_that_is_not_stored_is_told() -> None:
    page = shown(999)
    assert "Run 999 is not stored here" in page.text[0].value
    assert components(page) == []
