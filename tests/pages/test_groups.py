"""The Groups page: begun, imported into, browsed, edited, tagged, split, cleaned of duplicates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from reward_lab.core.group import Group
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.core.split import Split
from reward_lab.exchange.groups import ImportedGroup
from reward_lab.services.examples import examples
from reward_lab.settings import read_settings
from reward_lab.ui.groups_reading import group_blocks
from reward_lab.ui.groups_view import GroupsView
from reward_lab.wiring import Lab, open_lab
from tests.pages.drawn import checked, opened_at

APP = Path(__file__).parents[2] / "app.py"
PAGE = APP.parent / "pages" / "groups.py"
TABLE = "prompt,answer,who,remark\nMay I?,Yes.,退款,x\nMay I?,No.,claude,y\nWhy?,So.,gpt,z\n"


@pytest.fixture
def lab(reward_lab_home: Path) -> Iterator[Lab]:
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    yield lab
    lab.close()


def asking(name: str, question: str = "May I?", answer: str = "Yes.") -> Group:
    return Group.from_record(
        {
            "id": name,
            "scenario": {"messages": [{"role": "user", "content": question}], "metadata": {"from": "file"}},
            "trajectories": [{"label": "one", "text": answer}, {"label": "two", "text": "No."}],
        }
    )


def filled(lab: Lab, *groups: Group, name: str = "Mine") -> int:
    dataset_id = lab.datasets.create(name)
    lab.datasets.add_groups(dataset_id, groups)
    return dataset_id


def opened(**address: object) -> AppTest:
    return opened_at(PAGE, **address)


def view(page: AppTest) -> GroupsView:
    found = page.session_state["groups-view"]
    assert isinstance(found, GroupsView)
    return found


def key(page: AppTest, name: str) -> str:
    return view(page).key(name)


def pane(page: AppTest, name: str) -> AppTest:
    return checked(page.button_group(key="groups-pane").set_value(name).run())


def press(page: AppTest, name: str) -> AppTest:
    return checked(page.button(key=name).click().run())


def components(page: AppTest) -> list[dict[str, Any]]:
    return [json.loads(one.proto.json) for one in page.get("bidi_component")]


def listed(page: AppTest) -> list[str]:
    (grid,) = (one for one in components(page) if "rows" in one)
    return [row["title"] for row in grid["rows"]]


def said(page: AppTest) -> str:
    shown = [*page.text, *page.caption, *page.info, *page.markdown, *page.toast, *page.subheader]
    read = (json.dumps(one, ensure_ascii=False) for one in components(page) if "blocks" in one)
    return "\n".join([*(str(element.value) for element in shown), *read])


def address(page: AppTest) -> list[str]:
    """Dataset and group. AppTest has what a test set as a list, and what the page set as it is."""
    given = (page.query_params[name] for name in ("dataset", "group"))
    return [one if isinstance(one, str) else one[0] for one in given]


def names(lab: Lab, dataset_id: int, **filters: Any) -> list[str]:
    return [line.name for line in lab.datasets.page(dataset_id, limit=100, **filters).rows]


def test_without_a_dataset_the_page_says_what_to_begin_with(lab: Lab) -> None:
    page = opened()
    assert "No dataset yet. Begin with one of these." in said(page)
    assert page.button(key="new-desk").disabled, "no Score page in this tab"
    press(page, "new-examples")
    assert listed(page) == [one.group.id for one in examples()]
    assert [one.name for one in lab.datasets.summaries()] == ["Examples"]
    press(page, "new-examples")
    assert [one.name for one in lab.datasets.summaries()] == ["Examples", "Examples 2"]


def test_an_empty_dataset_leads_to_the_import(lab: Lab) -> None:
    page = opened()
    checked(page.text_input(key=key(page, "new-name")).set_value("Fresh").run())
    press(page, "new-empty")
    assert "This dataset is empty." in said(page)
    assert [one.name for one in lab.datasets.summaries()] == ["Fresh"]
    press(page, "groups-to-import")
    assert "Nothing is stored before you add it." in said(page)


def test_a_table_is_mapped_corrected_and_added(lab: Lab) -> None:
    dataset_id = lab.datasets.create("Mine")
    page = pane(opened(dataset=dataset_id), "import")
    checked(page.text_area(key=key(page, "pasted")).set_value(f"{TABLE}broken\n").run())
    assert page.button(key="groups-add").label == "Add 2 groups"
    assert "1 line gave no group" in said(page)
    assert "Line 5" in said(page)
    correct(page)
    press(page, "groups-add")
    assert "2 groups were added." in said(page)
    group_ids = lab.datasets.group_ids(dataset_id)
    assert [one.label for one in lab.datasets.group(group_ids[0]).trajectories] == ["退款", "claude"]
    assert address(page) == [str(dataset_id), str(group_ids[0])]
    pane(page, "import")
    checked(page.text_area(key=key(page, "pasted")).set_value(TABLE).run())
    assert "2 stand there already, with the same question and responses: the groups are not added." in said(page)
    assert page.button(key="groups-add").disabled
    correct(page)
    checked(page.checkbox(key=key(page, "again")).check().run())
    press(page, "groups-add")
    assert "0 groups were added. 2 groups stood there already." in said(page), "with the same metadata as well"
    assert lab.datasets.group_ids(dataset_id) == group_ids


def test_groups_that_stand_there_with_other_metadata_bring_their_labels_unless_they_are_to_stand_again(
    lab: Lab,
) -> None:
    dataset_id = lab.datasets.create("Mine")
    first = "prompt,response,batch\nMay I?,Yes.,1\nMay I?,No.,1\n"
    lab.datasets.add(dataset_id, lab.importing.groups(first.encode(), "first.csv"))
    again = "prompt,response,batch,score\nMay I?,Yes.,2,5\nMay I?,No.,2,1\nWhy?,So.,2,3\n"
    page = pane(opened(dataset=dataset_id), "import")
    checked(page.text_area(key=key(page, "pasted")).set_value(again).run())
    assert "1 stands there already, with the same question and responses: its labels are added" in said(page)
    assert page.button(key="groups-add").label == "Add 1 group"
    press(page, "groups-add")
    assert "1 group was added. 1 group stood there already; 1 of them brought new labels." in said(page)
    (label,) = lab.datasets.labels(lab.datasets.group_ids(dataset_id)[0])
    assert label.levels(["1", "2"]) == (5.0, 1.0)
    pane(page, "import")
    checked(page.text_area(key=key(page, "pasted")).set_value(again).run())
    assert page.button(key="groups-add").label == "Add their labels"
    checked(page.checkbox(key=key(page, "again")).check().run())
    assert page.button(key="groups-add").label == "Add 2 groups"
    press(page, "groups-add")
    assert len(lab.datasets.group_ids(dataset_id)) == 3


def correct(page: AppTest) -> None:
    """Say that the third column has the responses' labels."""
    role = page.selectbox(key=key(page, "role-1-2"))
    assert role.value != "response label"
    checked(role.select_index(role.options.index("response label")).run())


def test_a_columns_name_is_read_aloud_as_it_stands_without_signs_of_markup(lab: Lab) -> None:
    page = pane(opened(dataset=lab.datasets.create("Mine")), "import")
    table = "user_prompt,response_a,![x](y) **b** 退款\n1,2,3\n"
    checked(page.text_area(key=key(page, "pasted")).set_value(table).run())
    labels = [one.label for one in page.selectbox if one.label.startswith("What")]
    assert labels == ["What user_prompt holds", "What response_a holds", "What x (y) b 退款 holds"]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("groups.xlsx", b"PK\x03\x04", "is an Excel or zip file, which is not read here. Save the sheet as CSV"),
        ("groups.jsonl.gz", b"\x1f\x8b", "is packed with gzip, which is not read here. Unpack it"),
    ],
)
def test_a_file_of_another_kind_is_told_in_words(lab: Lab, name: str, data: bytes, why: str) -> None:
    page = pane(opened(dataset=lab.datasets.create("Mine")), "import")
    checked(page.file_uploader(key=key(page, "upload")).upload(name, data, "application/octet-stream").run())
    assert f"{name} {why}" in said(page)


def test_a_file_that_holds_no_groups_says_why(lab: Lab) -> None:
    page = pane(opened(dataset=lab.datasets.create("Mine")), "import")
    checked(page.text_area(key=key(page, "pasted")).set_value("no table").run())
    assert "neither JSONL, JSON, CSV, TSV nor parquet" in said(page)
    checked(page.text_area(key=key(page, "pasted")).set_value("a,b\n1,2\n").run())
    assert "No groups yet" in said(page)
    assert not [one for one in page.button if one.key == "groups-add"]


def test_groups_are_paged_searched_and_walked_through(lab: Lab) -> None:
    dataset_id = filled(lab, *(asking(f"g{number}", f"问题 {number}?") for number in range(20)))
    page = opened(dataset=dataset_id)
    assert listed(page) == [f"g{number}" for number in range(8)]
    assert "Group 1 of 20 groups" in said(page)
    press(page, "groups-on")
    assert listed(page) == [f"g{number}" for number in range(8, 16)]
    press(page, "groups-before")
    assert "Group 8 of 20 groups" in said(page)
    assert address(page) == [str(dataset_id), str(lab.datasets.group_ids(dataset_id)[7])]
    checked(page.text_input(key=key(page, "search")).set_value("问题 1").run())
    assert listed(page)[:2] == ["g1", "g10"]
    assert "Group 1 of 11 found" in said(page)
    checked(page.text_input(key=key(page, "search")).set_value("nowhere").run())
    assert "No group matches" in said(page)


def test_a_permalink_opens_its_group_and_a_lost_one_is_told(lab: Lab) -> None:
    other = filled(lab, asking("other"), name="Other")
    dataset_id = filled(lab, *(asking(f"g{number}", f"Question {number}?") for number in range(20)))
    group_id = lab.datasets.group_ids(dataset_id)[17]
    page = opened(dataset=dataset_id, group=group_id)
    assert "Group 18 of 20 groups" in said(page)
    assert "Question 17?" in said(page)
    page.query_params["dataset"], page.query_params["group"] = str(other), "999"
    checked(page.run())
    assert "Group 999 does not stand in this dataset" in said(page)
    assert listed(page) == ["other"]
    assert "Dataset 999 is not stored here" in said(opened(dataset=999))


def test_tags_and_split_of_the_open_group_and_of_all_that_are_found(lab: Lab) -> None:
    dataset_id = filled(lab, *(asking(f"g{number}", f"Question {number}?") for number in range(4)))
    group_id = lab.datasets.group_ids(dataset_id)[1]
    page = opened(dataset=dataset_id, group=group_id)
    lab.datasets.set_tags(dataset_id, [1], add=["late"])
    checked(page.run())
    checked(page.multiselect(key=key(page, f"tags-{group_id}")).set_value(["late"]).run())
    checked(page.selectbox(key=key(page, f"side-{group_id}")).set_value(Split.HOLDOUT).run())
    assert names(lab, dataset_id, split=Split.HOLDOUT, tag="late") == ["g1"]
    checked(page.selectbox(key=key(page, "split-filter")).set_value(Split.NONE).run())
    assert listed(page) == ["g0", "g2", "g3"]
    press(page, "groups-bulk-put")
    assert names(lab, dataset_id, split=Split.TUNE) == ["g0", "g2", "g3"]
    assert "No group matches" in said(page), "the filter stays"
    checked(page.selectbox(key=key(page, "split-filter")).set_value(Split.TUNE).run())
    checked(page.selectbox(key=key(page, "bulk-tag")).set_value("late").run())
    press(page, "groups-bulk-tag")
    assert names(lab, dataset_id, tag="late") == ["g0", "g1", "g2", "g3"]
    checked(page.selectbox(key=key(page, "bulk-tag")).set_value("late").run())
    press(page, "groups-bulk-untag")
    assert names(lab, dataset_id, tag="late") == ["g1"]
    checked(page.checkbox(key=key(page, "bulk-sure")).check().run())
    press(page, "groups-bulk-remove")
    assert names(lab, dataset_id) == ["g1"]


def test_the_next_group_takes_the_place_of_one_that_is_removed(lab: Lab) -> None:
    dataset_id = filled(lab, *(asking(f"g{number}", f"Question {number}?") for number in range(3)))
    page = opened(dataset=dataset_id, group=lab.datasets.group_ids(dataset_id)[1])
    press(page, "groups-remove")
    assert listed(page) == ["g0", "g2"]
    assert "Group 2 of 2 groups" in said(page)
    assert "Question 2?" in said(page)


def test_an_edited_group_takes_the_old_ones_place_and_keeps_what_the_form_does_not_show(lab: Lab) -> None:
    hard = asking("g", answer="Ja \ud800.")
    dataset_id = filled(lab, hard, asking("h", "Why?"))
    lab.datasets.set_split(dataset_id, [0], Split.TUNE)
    (old, _) = lab.datasets.group_ids(dataset_id)
    page = press(opened(dataset=dataset_id, group=old), "groups-edit")

    def field(name: str) -> str:
        return key(page, f"edit-{old}-{name}")

    page.text_area(key=field("user")).set_value("May I now?")
    page.checkbox(key=field("out-1")).check()
    page.text_area(key=field("more")).set_value("Perhaps.")
    save(page)
    (new, _) = lab.datasets.group_ids(dataset_id)
    edited = lab.datasets.group(new)
    assert edited.scenario.messages == ({"role": "user", "content": "May I now?"},)
    assert edited.scenario.metadata == {"from": "file"}
    assert [one.answer for one in edited.trajectories] == ["Ja \ud800.", "Perhaps."]
    assert edited.trajectories[0] == hard.trajectories[0]
    assert names(lab, dataset_id, split=Split.TUNE) == ["g"]
    assert address(page) == [str(dataset_id), str(new)]
    assert lab.datasets.group(old) == hard


def test_an_edit_that_makes_no_group_is_refused_and_stays_in_the_form(lab: Lab) -> None:
    dataset_id = filled(lab, asking("g"))
    (old,) = lab.datasets.group_ids(dataset_id)
    page = press(opened(dataset=dataset_id), "groups-edit")
    page.text_area(key=key(page, f"edit-{old}-tools")).set_value("{not json")
    checked(next(one for one in page.button if one.label == "Save the group").click().run())
    assert "Tools: this is not valid JSON" in said(page)
    assert page.text_area(key=key(page, f"edit-{old}-tools")).value == "{not json"
    assert lab.datasets.group_ids(dataset_id) == (old,)


def save(page: AppTest) -> AppTest:
    return checked(next(one for one in page.button if one.label == "Save the group").click().run())


def test_an_edit_of_a_group_that_another_window_changed_stays_in_the_form(lab: Lab) -> None:
    dataset_id = filled(lab, asking("g"), asking("h", "Why?"))
    (old, other) = lab.datasets.group_ids(dataset_id)
    page = press(opened(dataset=dataset_id), "groups-edit")
    page.text_area(key=key(page, f"edit-{old}-user")).set_value("Mine")
    lab.datasets.replace(dataset_id, 0, asking("g", "Theirs"))
    save(page)
    assert "The group 'g' was changed or removed in another window meanwhile" in said(page)
    assert page.text_area(key=key(page, f"edit-{old}-user")).value == "Mine"
    lab.datasets.remove(dataset_id, [0])
    assert page.text_area(key=key(save(page), f"edit-{old}-user")).value == "Mine"
    press(page, "groups-stop-editing")
    assert listed(page) == ["h"]
    assert lab.datasets.group_ids(dataset_id) == (other,)


def test_while_a_group_is_edited_nothing_beside_it_takes_the_form_away(lab: Lab) -> None:
    dataset_id = filled(lab, asking("g"), asking("h", "Why?"))
    page = opened(dataset=dataset_id)
    checked(page.text_input(key=key(page, "search")).set_value("May").run())
    press(page, "groups-edit")
    assert not [one for one in components(page) if "rows" in one]
    assert not [one.key for one in page.button if one.key in ("groups-after", "groups-before", "groups-score")]
    page.text_area(key=key(page, f"edit-{view(page).group_id}-user")).set_value("Must I?")
    save(page)
    assert names(lab, dataset_id) == ["g", "h"]
    assert "No group matches" in said(page), "the filter stays, and the group no longer says May"


def test_the_form_tells_that_an_edited_group_begins_without_labels(lab: Lab) -> None:
    group = asking("g")
    dataset_id = filled(lab, group)
    assert "labelled it" not in said(press(opened(dataset=dataset_id), "groups-edit"))
    label = Label(annotator="Ann", responses={group.trajectories[0].id: ResponseLabel(rank=1)})
    lab.datasets.add(dataset_id, [ImportedGroup(group, (label,))])
    page = press(opened(dataset=dataset_id), "groups-edit")
    assert "1 person labelled it: the saved group has no labels yet." in said(page)


def test_a_response_goes_by_its_label_or_id_unless_that_only_counts() -> None:
    trajectories = [{"text": "x"}, {"id": "7", "text": "y"}, {"id": "c", "label": "short", "text": "z"}]
    blocks = group_blocks(Group.from_record({"trajectories": trajectories}), ())
    assert [(one.badge, one.title) for one in blocks if one.badge] == [("A", ""), ("B", "7"), ("C", "short")]


def test_labels_are_a_click_away(lab: Lab) -> None:
    group = asking("g")
    dataset_id = filled(lab, group)
    one, two = (member.id for member in group.trajectories)
    label = Label(annotator="Ann-Sophie", responses={one: ResponseLabel(rank=2), two: ResponseLabel(rank=1)})
    lab.datasets.add(dataset_id, [ImportedGroup(group, (label,))])
    page = opened(dataset=dataset_id)
    shown = next(one for one in components(page) if one.get("label") == "The open group")
    assert "What 1 person said" in json.dumps(shown)
    assert "Ann-Sophie" not in json.dumps(shown)
    view(page).opened.add("labels-said")
    assert "B > A." in said(checked(page.run()))


def test_a_long_conversation_is_sent_once_it_is_opened() -> None:
    messages = [{"role": "user", "content": f"Turn {number}"} for number in range(40)]
    group = Group.from_record({"trajectories": [{"messages": messages}, {"text": "x" * 100}]})
    folded, opened = (str(group_blocks(group, of)) for of in ((), ("whole-A",)))
    assert "Turn 7" not in folded
    assert "Turn 7" in opened
    assert "Turn 39" in folded, "how it ends"
    assert "x" * 100 in folded


def ranked(annotator: str, ids: list[str]) -> Label:
    return Label(annotator=annotator, responses={one: ResponseLabel(rank=rank) for rank, one in enumerate(ids, 1)})


def test_only_the_first_of_equal_groups_is_kept(lab: Lab) -> None:
    dataset_id = filled(lab, asking("a"), asking("again"), asking("b", answer="Never."), asking("c", "Why?", "So."))
    ids = [member.id for member in asking("again").trajectories]
    lab.datasets.add(dataset_id, [ImportedGroup(asking("again"), (ranked("Ann", ids),))])
    page = pane(opened(dataset=dataset_id), "duplicates")
    assert "The same group (1)" in said(page)
    assert "The same question (1)" in said(page)
    press(page, "alike-remove-GROUP")
    assert names(lab, dataset_id) == ["a", "b", "c"]
    assert "1 label of removed groups went to the kept ones." in said(page)
    assert lab.datasets.labels(lab.datasets.group_ids(dataset_id)[0]) == (ranked("Ann", ids),)
    press(page, "alike-remove-QUESTION")
    assert "No group of this dataset is like another." in said(page)


def test_a_split_is_drawn(lab: Lab) -> None:
    dataset_id = filled(lab, *(asking(f"g{number}", f"Question {number}?") for number in range(10)))
    page = opened(dataset=dataset_id)
    page.number_input(key=key(page, "share")).set_value(40)
    checked(next(one for one in page.button if one.label == "Split the whole dataset").click().run())
    (summary,) = lab.datasets.summaries()
    assert (summary.tune, summary.holdout) == (6, 4)
    assert "6 tune, 4 holdout" in said(page)


def test_a_dataset_is_renamed_and_deleted(lab: Lab) -> None:
    filled(lab, asking("g"), name="Other")
    dataset_id = filled(lab, asking("g"))
    page = opened(dataset=dataset_id)
    page.text_input(key=key(page, "name")).set_value("Other")
    checked(next(one for one in page.button if one.label == "Rename").click().run())
    assert "There is a dataset named 'Other' already" in said(page)
    page.text_input(key=key(page, "name")).set_value("**Bold** :red[x]")
    checked(next(one for one in page.button if one.label == "Rename").click().run())
    assert [one.name for one in lab.datasets.summaries()] == ["**Bold** :red[x]", "Other"]
    labels = [one.label for one in page.button if str(one.key).startswith("library-open")]
    assert any(r"\*\*Bold\*\* \:red\[x\]" in label for label in labels), "a name is text"
    assert page.button(key="groups-delete").disabled
    checked(page.checkbox(key=key(page, "delete-sure")).check().run())
    press(page, "groups-delete")
    assert [one.name for one in lab.datasets.summaries()] == ["Other"]
    assert listed(page) == ["g"]


def test_the_score_pages_group_begins_a_dataset_and_a_group_is_taken_there(lab: Lab) -> None:
    page = checked(AppTest.from_file(str(APP), default_timeout=60).run())
    desk = page.session_state["desk"]
    desk.change(name="Written here")
    checked(page.switch_page("pages/groups.py").run())
    press(page, "new-desk")
    assert listed(page) == ["Written here"]
    assert [one.name for one in lab.datasets.summaries()] == ["Written here"]
    rubric = desk.draft.guidance
    (dataset,) = lab.datasets.summaries()
    lab.datasets.add_groups(dataset.id, [asking("brought", "Brought?")])
    checked(page.run())
    press(page, "groups-after")
    press(page, "groups-score")
    assert (desk.draft.name, desk.draft.user, desk.draft.guidance) == ("brought", "Brought?", rubric)


def test_a_runs_groups_begin_a_dataset(lab: Lab) -> None:
    page = checked(AppTest.from_file(str(APP), default_timeout=60).run())
    checked(page.button(key="score").click().run())
    page = opened()
    checked(page.selectbox(key=key(page, "new-run")).select_index(0).run())
    assert len(lab.datasets.summaries()) == 1
    assert listed(page) == [examples()[0].name]
