"""The open group of a dataset: read as conversations, tagged, split, edited, removed, taken to the Score page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.group import Group
from reward_lab.core.rubric import Rubric
from reward_lab.services.datasets import DatasetLine, Place
from reward_lab.services.drafts import Draft, new_id
from reward_lab.services.rubric_drafts import RubricFields
from reward_lab.ui.desk import Notice, asked_as, present_desk
from reward_lab.ui.groups_reading import LABELS, group_blocks, label_blocks
from reward_lab.ui.groups_view import SPLIT_NAMES, GroupsView
from reward_lab.ui.reading import Block, Fold, read


def draw(view: GroupsView, dataset_id: int, found: Sequence[Place], tags: Sequence[str]) -> None:
    """What can be done with it, then its texts. Only its own record is read."""
    place = view.place(found)
    lines = () if place is None else view.lab.datasets.lines(dataset_id, [place.position])
    if not lines:  # removed in another window since the list was read
        return
    (line,) = lines
    group = view.lab.datasets.group(line.group_id)
    _draw_actions(view, dataset_id, line, group, tags)
    blocks = group_blocks(group, view.opened)
    if line.labelled_by:
        blocks = (*blocks, _labels_block(view, line, group))
    read(blocks, key=f"groups-reading-{line.group_id}", label="The open group", on_open=view.opened.add)


def _labels_block(view: GroupsView, line: DatasetLine, group: Group) -> Block:
    """A click away: who labels the group next must not see what others said."""
    said = label_blocks(view.lab.datasets.labels(line.group_id), group) if LABELS in view.opened else None
    people = len(line.labelled_by)
    fold = Fold(LABELS, f"What {people} {'people' if people != 1 else 'person'} said of the responses", said)
    return Block("labels", "line", "Labels", folds=(fold,))


def _draw_actions(view: GroupsView, dataset_id: int, line: DatasetLine, group: Group, tags: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="groups-actions"):
        _split_choice(view, dataset_id, line)
        _tag_choice(view, dataset_id, line, tags)
        if st.button(
            "Score this group",
            icon=":material/balance:",
            key="groups-score",
            help="Opens it on the Score page as a draft, to be edited and scored there.",
        ):
            _score(view, group)
        st.button("Edit", icon=":material/edit:", key="groups-edit", on_click=_edit, args=(view,))
        with st.popover("Remove", icon=":material/delete:", width="content", key=view.key(f"remove-{line.group_id}")):
            st.caption("It leaves this dataset, with its split and tags here. Runs that hold it, and labels, stay.")
            if st.button("Remove it from the dataset", key="groups-remove", icon=":material/delete:"):
                view.lab.datasets.remove(dataset_id, [line.position])
                view.generation += 1
                st.rerun()


def _edit(view: GroupsView) -> None:
    view.editing = True


def _split_choice(view: GroupsView, dataset_id: int, line: DatasetLine) -> None:
    key = view.key(f"side-{line.group_id}")

    def changed() -> None:
        view.lab.datasets.set_split(dataset_id, [line.position], st.session_state[key])

    st.selectbox(
        "Split of this group",
        list(SPLIT_NAMES),
        index=list(SPLIT_NAMES).index(line.split),
        format_func=SPLIT_NAMES.__getitem__,
        key=key,
        on_change=changed,
        width=130,
    )


def _tag_choice(view: GroupsView, dataset_id: int, line: DatasetLine, tags: Sequence[str]) -> None:
    key = view.key(f"tags-{line.group_id}")

    def changed() -> None:
        chosen = [tag for tag in st.session_state[key] if tag.strip()]
        view.lab.datasets.set_tags(
            dataset_id,
            [line.position],
            add=[tag for tag in chosen if tag not in line.tags],
            remove=[tag for tag in line.tags if tag not in chosen],
        )

    st.multiselect(
        "Tags of this group",
        tags,
        line.tags,
        format_func=well_formed,
        accept_new_options=True,
        placeholder="Choose or write",
        key=key,
        on_change=changed,
        width=300,
    )


def _score(view: GroupsView, group: Group) -> None:
    """Take the group to the Score page. What stands there in this tab stays stored; its rubric and judge are used."""
    draft = Draft.of(group, Rubric())
    desk = present_desk()
    if desk is None:
        draft_id = new_id()
        view.lab.drafts.save(draft_id, draft)
    else:
        rubric = {name: getattr(desk.draft, name) for name in (*RubricFields.model_fields, "rubric_name")}
        written = desk.version > 0
        desk.replace(asked_as(draft, desk.draft).model_copy(update=rubric))
        desk.save()
        if written:
            desk.notices.append(Notice("Your draft is kept.", to_draft=True))
        draft_id = desk.draft_id
    st.switch_page("pages/score.py", query_params={"draft": draft_id})
