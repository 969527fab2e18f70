"""The Calibrate page: labels saved from the queue, agreement between people, judges held against labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.core.split import Split
from reward_lab.services.examples import examples
from reward_lab.services.labelling import SavedLabel, Source
from reward_lab.wiring import Lab
from tests.pages.drawn import component, components, words

PAGE = Path(__file__).parents[2] / "pages" / "calibrate.py"
METHODS = ("ruler", "likert", "rar_explicit")
HOSTILE = "**g** <img src=x onerror=alert(1)> $x^2$ [a](https://example.com)"
REFUND = examples()[0]
GROUPS = tuple(one.group for one in examples())


@pytest.fixture(autouse=True)
def _page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # A page link needs the app around it; alone, the page has nothing to link to.
    monkeypatch.setattr(st, "page_link", lambda *_, **__: None)


def dataset(lab: Lab, *groups: Group, name: str = "cases") -> int:
    dataset_id = lab.datasets.create(name)
    lab.datasets.add_groups(dataset_id, groups or GROUPS)
    return dataset_id


def scored(lab: Lab, *groups: Group, guidance: str = "", name: str = "refunds") -> int:
    rubric = REFUND.rubric.model_copy(update={"guidance": guidance or REFUND.rubric.guidance})
    made = NewRun(groups or GROUPS, rubric, (Judge(),), RunSettings(methods=METHODS), rubric_name=name)
    run_id, future = lab.scoring.start(made)
    future.result(60)
    return run_id


def ranked(lab: Lab, group_id: int, annotator: str, *, backwards: bool = False, **fields: Any) -> None:
    """The responses in the order in which they stand, or the other way round."""
    ids = [one.id for one in lab.labelling.group(group_id).trajectories]
    order = reversed(ids) if backwards else ids
    said = {name: ResponseLabel(rank=rank, **fields) for rank, name in enumerate(order, start=1)}
    lab.labelling.save(group_id, Label(annotator=annotator, responses=said), expected_version=0)


def shown(**address: str | int) -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = str(value)
    page.run()
    assert not page.exception
    return page


def queue(page: AppTest) -> dict[str, Any]:
    return component(page, "Groups to label")


def tell(page: AppTest, **told: Any) -> None:
    """Run the page with what a browser would send."""
    key = f"calibrate-queue-{queue(page)['identity']}"
    page.session_state[key] = {"told": {"place": None, "wanted": [], "whole": [], "outbox": []} | told}
    page.run()
    assert not page.exception


def sent(group_id: str, ranks: list[int | None], *, version: int = 0, **changes: Any) -> dict[str, Any]:
    nothing = [None] * len(ranks)
    given = {"ranks": ranks, "scores": nothing, "marks": nothing, "comment": ""} | changes
    return {"id": f"e-{group_id}-{ranks}", "group": group_id, "version": version, "after": None, "given": given}


def saved(lab: Lab, group_id: str, annotator: str) -> SavedLabel:
    found = lab.labelling.label(int(group_id), annotator)
    assert found is not None
    return found


def told(page: AppTest) -> str:
    return "\n".join(element.value for element in (*page.markdown, *page.caption, *page.info, *page.text))


def test_with_nothing_there_it_says_what_labels_are_for() -> None:
    page = shown()
    assert "whether a judge can be trusted" in told(page)
    assert "Import a dataset" in told(page)
    for pane in ("people", "judges"):
        assert "whether a judge can be trusted" in told(shown(pane=pane))


def test_the_name_is_asked_once_and_stands_in_the_address(lab: Lab) -> None:
    dataset_id = dataset(lab)
    page = shown()
    page.text_input[0].set_value("  ann ")
    page.button[0].click().run()
    assert page.query_params["annotator"] == "ann"
    assert page.query_params["dataset"] == str(dataset_id)
    assert queue(page)["ids"] == [
        str(one) for one in lab.labelling.queue(Source(dataset_id=dataset_id), "ann").group_ids
    ]
    page.run()
    assert "Labelling as ann" in told(page)


def test_a_name_spelled_otherwise_is_asked_about(lab: Lab) -> None:
    dataset_id = dataset(lab)
    ranked(lab, lab.datasets.group_ids(dataset_id)[0], "Ann")
    page = shown(dataset=dataset_id, annotator="ann")
    assert "'Ann'" in told(page)
    page.button(key="calibrate-alike-0").click().run()
    assert "Labelling as Ann" in told(page)
    assert len(queue(page)["labelled"]) == 1


def test_the_queue_is_blind(lab: Lab) -> None:
    trajectories = tuple(one.model_copy(update={"label": "secret-model"}) for one in REFUND.group.trajectories)
    group = REFUND.group.model_copy(update={"trajectories": trajectories})
    dataset_id = dataset(lab, group)
    scored(lab, group)
    page = shown(dataset=dataset_id, annotator="ann")
    said = words({"all": components(page)})
    assert "secret-model" not in said
    assert not any(f'"{one.id}"' in said for one in trajectories if len(one.id) > 1)
    assert queue(page)["groups"][0]["said"] == ""
    order = lab.labelling.order(int(queue(page)["ids"][0]), "ann")
    answers = [parts[-1]["text"] for parts in queue(page)["groups"][0]["responses"]]
    assert answers == [trajectories[place].answer for place in order]


def test_who_asks_is_told_how_the_judges_of_a_run_ordered_the_group(lab: Lab) -> None:
    dataset_id = dataset(lab)
    run_id = scored(lab)
    page = shown(dataset=dataset_id, annotator="ann")
    page.toggle(key="calibrate-telling").set_value(True).run()
    first, second, *_ = queue(page)["ids"]
    event = sent(first, [*range(1, len(lab.labelling.group(int(first)).trajectories) + 1)])
    tell(page, place=second, wanted=[second], outbox=[event])
    said = queue(page)["results"][event["id"]]["said"]
    assert said.startswith(f"Run {run_id}: ")
    assert "as you did" in said


def test_a_label_is_saved_by_the_order_that_was_shown_and_once(lab: Lab) -> None:
    dataset_id = dataset(lab)
    scored(lab)
    page = shown(dataset=dataset_id, annotator="ann")
    first, second, *_ = queue(page)["ids"]
    ids = [one.id for one in lab.labelling.group(int(first)).trajectories]
    order = lab.labelling.order(int(first), "ann")
    ranks: list[int | None] = [*range(1, len(ids) + 1)]
    event = sent(first, ranks, comment="close", marks=["good", *[None] * (len(ids) - 1)])
    tell(page, place=second, wanted=[second, first], outbox=[event])
    label = saved(lab, first, "ann")
    assert label.label.comment == "close"
    assert [label.label.responses[ids[place]].rank for place in order] == ranks
    assert label.label.responses[ids[order[0]]].mark is Mark.GOOD
    data = queue(page)
    assert data["labelled"] == [first]
    assert [one["id"] for one in data["groups"]] == [second, first]
    assert data["groups"][1]["given"] == event["given"]
    outcome = data["results"][event["id"]]
    assert (outcome["version"], outcome["fault"]) == (1, "")
    assert outcome["said"] == "", "how the judges ordered it would lead the annotator"

    # A tab that outlived its server sends it again, from the version that it began with.
    again = shown(dataset=dataset_id, annotator="ann")
    tell(again, place=second, wanted=[second], outbox=[event])
    assert queue(again)["results"][event["id"]]["version"] == 1
    assert saved(lab, first, "ann").version == 1


def test_what_another_window_saved_is_not_overwritten(lab: Lab) -> None:
    dataset_id = dataset(lab)
    page = shown(dataset=dataset_id, annotator="ann")
    first = queue(page)["ids"][0]
    ranked(lab, int(first), "ann")
    before = saved(lab, first, "ann")
    count = len(before.label.responses)
    tell(page, outbox=[sent(first, [*range(1, count), None])])
    (outcome,) = queue(page)["results"].values()
    assert "another window" in outcome["fault"]
    assert saved(lab, first, "ann") == before


def test_a_label_goes_on_from_the_one_before_it(lab: Lab) -> None:
    dataset_id = dataset(lab)
    page = shown(dataset=dataset_id, annotator="ann")
    first = queue(page)["ids"][0]
    count = len(lab.labelling.group(int(first)).trajectories)
    one = sent(first, [*range(1, count + 1)])
    two = sent(first, [*range(count, 0, -1)]) | {"after": one["id"]}
    tell(page, outbox=[one, two])
    assert [outcome["version"] for outcome in queue(page)["results"].values()] == [1, 2]
    assert saved(lab, first, "ann").version == 2


def test_what_came_with_a_label_and_the_queue_does_not_show_stays(lab: Lab) -> None:
    dataset_id = dataset(lab, REFUND.group)
    (group_id,) = lab.datasets.group_ids(dataset_id)
    ranked(lab, group_id, "ann", comment="of one", criteria={"Is polite.": True})
    page = shown(dataset=dataset_id, annotator="ann")
    count = len(REFUND.group.trajectories)
    tell(page, outbox=[sent(str(group_id), [1] * count, version=1)])
    label = saved(lab, str(group_id), "ann").label
    assert {one.rank for one in label.responses.values()} == {1}
    assert {one.comment for one in label.responses.values()} == {"of one"}
    assert all(one.criteria == {"Is polite.": True} for one in label.responses.values())


def test_a_label_of_other_responses_is_refused_in_words(lab: Lab) -> None:
    dataset_id = dataset(lab)
    page = shown(dataset=dataset_id, annotator="ann")
    tell(page, outbox=[sent(queue(page)["ids"][0], [1]), sent("4711", [1, 2])])
    faults = [outcome["fault"] for outcome in queue(page)["results"].values()]
    assert "load the page again" in faults[0]
    assert "4711" in faults[1]


def test_at_the_end_stands_how_far_people_agree_and_the_way_to_the_table(lab: Lab) -> None:
    dataset_id = dataset(lab)
    scored(lab)
    for group_id in lab.datasets.group_ids(dataset_id):
        ranked(lab, group_id, "ann")
        ranked(lab, group_id, "bob", backwards=group_id == 1)
    page = shown(dataset=dataset_id, annotator="ann")
    assert queue(page)["start"] is None
    assert "Krippendorff's alpha is" in words(component(page, "Agreement between people"))
    (row,) = component(page, "Each two people")["rows"]
    assert row["title"] == "ann and bob"
    assert row["cells"]["groups"]["text"] == f"{len(GROUPS)} (few)"
    page.button(key="calibrate-to-judges").click().run()
    assert component(page, "Judges against labels")["rows"]


def test_one_person_alone_agrees_with_nobody(lab: Lab) -> None:
    dataset_id = dataset(lab)
    ranked(lab, lab.datasets.group_ids(dataset_id)[0], "ann")
    page = shown(dataset=dataset_id, pane="people")
    assert "No group is labelled by two people yet" in words(component(page, "Agreement between people"))


def test_the_groups_of_a_run_or_of_a_split_can_be_labelled(lab: Lab) -> None:
    run_id = scored(lab, *GROUPS[:2])
    assert len(queue(shown(run=run_id, annotator="ann"))["ids"]) == 2
    dataset_id = dataset(lab)
    lab.datasets.set_split(dataset_id, [lab.datasets.places(dataset_id)[0].position], Split.HOLDOUT)
    page = shown(dataset=dataset_id, split="holdout", annotator="ann")
    assert queue(page)["ids"] == [str(lab.datasets.group_ids(dataset_id)[0])]
    page.selectbox[1].select_index(0).run()
    assert len(queue(page)["ids"]) == len(GROUPS)
    assert "split" not in page.query_params


def test_runs_are_held_against_the_labels(lab: Lab) -> None:
    first, second = scored(lab), scored(lab, guidance="Prefer short answers.")
    unlabelled = scored(lab, Group.from_record({"id": "other", "trajectories": [{"text": "a"}, {"text": "b"}]}))
    for group_id in lab.scoring.run(first).group_ids[:3]:
        ranked(lab, group_id, "ann")
    page = shown(pane="judges")
    table = component(page, "Judges against labels")
    assert {row["id"].split("|")[0] for row in table["rows"]} == {str(first), str(second)}
    assert str(unlabelled) not in {row["id"].split("|")[0] for row in table["rows"]}
    assert [column["head"] for column in table["columns"]][:4] == [
        "Rubric version",
        "Accuracy",
        "Method",
        "95% interval",
    ]
    line = lab.calibrations.of([first, second]).rows[0]
    cells = table["rows"][0]["cells"]
    assert cells["accuracy"]["value"] == line.figures.accuracy.value
    assert cells["pairs"]["value"] == line.figures.pairs
    assert cells["groups"]["text"] == "3 (few)"
    said = words(component(page, "Result"))
    assert "Fewer than 30 groups" in said
    assert f"1 of run {first}" in said, "groups without a label"


def test_a_line_is_opened_beside_another_with_its_worst_disagreement(lab: Lab) -> None:
    first, second = scored(lab), scored(lab, guidance="Prefer short answers.")
    for group_id in lab.scoring.run(first).group_ids:
        ranked(lab, group_id, HOSTILE, backwards=True)
    page = shown(pane="judges", runs=f"{first},{second}")
    page.session_state["calibrate-table-highlight"] = page.session_state["calibrate-table-highlight"]._replace(
        event={"row": f"{first}|ruler|all", "column": None}
    )
    page.run()
    assert f"Run {first}, RULER" in words(component(page, "The chosen line"))
    (worst, *_) = component(page, "Pairs in the other order")["rows"]
    opened = component(page, "The open disagreement")
    assert worst["title"] in words(opened)
    assert HOSTILE in words(opened)
    assert "a reward that is" in words(opened)
    for by in ("people", "the judge"):
        assert "RULER" in words(component(page, f"Better by {by}"))
    assert len(page.get("vega_lite_chart")) == 1
    page.selectbox(key=f"calibrate-against-{first}|ruler|all").set_value(f"{second}|ruler|all").run()
    assert "points (" in words(component(page, "The difference"))
    assert not any("onerror" in element.value for element in (*page.markdown, *page.caption, *page.info))


def test_the_sentence_is_of_the_chosen_method(lab: Lab) -> None:
    first, second = scored(lab), scored(lab, guidance="Prefer short answers.")
    for group_id in lab.scoring.run(first).group_ids:
        ranked(lab, group_id, "ann")
    page = shown(pane="judges", runs=f"{first},{second}")
    found = lab.calibrations.of([first, second])
    assert found.sentence() in words(component(page, "Result"))
    for method in METHODS:
        page.selectbox(key=f"calibrate-method-{hash((first, second))}").set_value(method).run()
        assert found.sentence(method) in words(component(page, "Result"))


def test_people_and_a_dataset_are_chosen_and_stand_in_the_address(lab: Lab) -> None:
    run_id, dataset_id = scored(lab), dataset(lab, *GROUPS[:2])
    for group_id in lab.scoring.run(run_id).group_ids:
        ranked(lab, group_id, "ann")
        ranked(lab, group_id, "bob", backwards=True)
    page = shown(pane="judges", runs=run_id)
    assert component(page, "Judges against labels")["rows"][0]["cells"]["accuracy"]["text"] == "50%"
    page.multiselect[1].set_value(["bob"]).run()
    by_bob = component(page, "Judges against labels")["rows"][0]["cells"]
    assert (
        by_bob["accuracy"]["value"] == lab.calibrations.of([run_id], annotators=["bob"]).rows[0].figures.accuracy.value
    )
    assert page.query_params["by"] == "bob"
    page.selectbox[0].set_value(dataset_id).run()
    assert component(page, "Judges against labels")["rows"][0]["cells"]["groups"]["value"] == 2
    again = shown(pane="judges", runs=run_id, by="bob", dataset=dataset_id)
    assert component(again, "Judges against labels")["rows"] == component(page, "Judges against labels")["rows"]


def test_tune_and_holdout_stand_apart(lab: Lab) -> None:
    run_id, dataset_id = scored(lab), dataset(lab)
    positions = [place.position for place in lab.datasets.places(dataset_id)]
    lab.datasets.set_split(dataset_id, positions[:2], Split.TUNE)
    lab.datasets.set_split(dataset_id, positions[2:], Split.HOLDOUT)
    for group_id in lab.scoring.run(run_id).group_ids:
        ranked(lab, group_id, "ann")
    page = shown(pane="judges", dataset=dataset_id)
    rows = component(page, "Judges against labels")["rows"]
    assert {row["id"].rpartition("|")[2] for row in rows} == {"holdout"}
    control = next(one for one in page.button_group if one.label == "Figures of")
    control.set_value("tune").run()
    rows = component(page, "Judges against labels")["rows"]
    assert {row["id"].rpartition("|")[2] for row in rows} == {"tune"}


def test_criteria_that_people_labelled_have_precision_and_recall(lab: Lab) -> None:
    run_id = scored(lab, REFUND.group)
    (group_id,) = lab.scoring.run(run_id).group_ids
    statement = REFUND.rubric.criteria[0].description
    ranked(lab, group_id, "ann", criteria={statement: True})
    page = shown(pane="judges", runs=run_id)
    page.session_state["calibrate-table-highlight"] = page.session_state["calibrate-table-highlight"]._replace(
        event={"row": f"{run_id}|rar_explicit|all", "column": None}
    )
    page.run()
    (row,) = component(page, "Criteria against labels")["rows"]
    assert row["title"] == statement
    assert row["cells"]["n"]["value"] == len(REFUND.group.trajectories)
    assert row["cells"]["recall"]["note"] == f"of {len(REFUND.group.trajectories)}"


def test_runs_without_labels_say_what_to_do(lab: Lab) -> None:
    run_id = scored(lab, REFUND.group)
    assert "What is missing: label some groups" in told(shown(pane="judges"))
    other = dataset(lab, GROUPS[1])
    ranked(lab, lab.datasets.group_ids(other)[0], "ann")
    assert "None of the latest runs scored" in told(shown(pane="judges"))
    page = shown(pane="judges", runs=run_id)
    assert "label some of their groups first" in words(component(page, "Result"))
    page.button(key="calibrate-to-label").click().run()
    assert page.text_input[0].label == "Your name"


@pytest.mark.parametrize(
    "address",
    [{"dataset": "x"}, {"pane": "nothing"}, {"runs": "1e3,²"}, {"run": "9" * 30}, {"split": "tune"}],
)
def test_an_address_that_names_nothing_is_no_error(lab: Lab, address: dict[str, str]) -> None:
    dataset(lab)
    shown(**address)


def test_an_address_of_another_installation_is_told(lab: Lab) -> None:
    dataset(lab)
    for address in ({"dataset": 4711, "annotator": "ann"}, {"run": 4711, "annotator": "ann"}):
        assert any("4711" in element.value for element in shown(**address).text)
