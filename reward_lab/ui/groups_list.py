"""The groups of a dataset: found, listed a page at a time, changed many at once; the open one below, or its form."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.wording import counted
from reward_lab.errors import RewardLabError
from reward_lab.services.datasets import DatasetLine, Place, Split
from reward_lab.ui import groups_edit, groups_open
from reward_lab.ui.fields import show_fault
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.ui.groups_view import PAGE, SPLIT_NAMES, GroupsView

_BADGE = "#5b6270"
_OPENING = 64
"""Characters of a scenario's opening in the list: about a line."""
_ANY = "any"

_COLUMNS = (
    Column("group", "Group", kind="text"),
    Column("split", "Split", "Tune a rubric on one side; see on the other whether it became better.", kind="text"),
    Column("tags", "Tags", kind="text"),
    Column("responses", "Responses", kind="number"),
    Column("labels", "Labels", "People who labelled it.", kind="number"),
)


def draw(view: GroupsView) -> None:
    """Filters, a page of the list, and the open group."""
    dataset_id = view.dataset_id
    if dataset_id is None:
        return
    tags = view.lab.datasets.tags(dataset_id)
    if view.tag not in (None, *tags):
        view.keep_filters(view.search, None, view.split)
    found = view.found()
    if view.editing and view.group_id is not None:
        groups_edit.draw(view, dataset_id, view.group_id)
        return
    if not found and not view.filtered:
        _draw_empty(view)
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="groups-filters"):
        _filters(view, tags)
        _split_menu(view, dataset_id)
        _bulk_menu(view, dataset_id, found, tags)
    if not found:
        st.info("No group matches. Clear a filter above to see more.", icon=":material/filter_alt_off:")
        return
    _draw_list(view, dataset_id, found)
    _pager(view, found)
    groups_open.draw(view, dataset_id, found, tags)


def _draw_empty(view: GroupsView) -> None:
    def choose() -> None:
        view.pane = "import"

    with st.container(border=True, key="groups-empty"):
        st.markdown("**This dataset is empty.**")
        st.caption("Add groups from a file or from pasted text; what each column holds is guessed and can be mended.")
        st.button("Import groups", icon=":material/upload:", key="groups-to-import", type="primary", on_click=choose)


def _filters(view: GroupsView, tags: Sequence[str]) -> None:
    def changed() -> None:
        search, tag, side = (st.session_state[view.key(name)] for name in ("search", "tag-filter", "split-filter"))
        view.keep_filters(search, tag or None, None if side == _ANY else Split(side))

    st.text_input(
        "Search",
        view.search,
        placeholder="name, tag, anything said",
        key=view.key("search"),
        on_change=changed,
        max_chars=500,
        width=230,
    )
    options = ["", *tags]
    st.selectbox(
        "Tag",
        options,
        index=options.index(view.tag or ""),
        format_func=lambda tag: well_formed(tag) or _ANY,
        key=view.key("tag-filter"),
        on_change=changed,
        width=150,
    )
    sides = [_ANY, *Split]
    st.selectbox(
        "Split",
        sides,
        index=0 if view.split is None else sides.index(view.split),
        format_func=lambda side: side if side == _ANY else SPLIT_NAMES[Split(side)],
        key=view.key("split-filter"),
        on_change=changed,
        width=130,
    )


def _split_menu(view: GroupsView, dataset_id: int) -> None:
    with (
        st.popover("Draw a split", icon=":material/call_split:", width="content", key=view.key("draw")),
        st.form(view.key("draw-form"), border=False),
    ):
        st.caption(
            "Every group goes to tune or holdout, by its content: groups that ask the same stay on one side, and the "
            "same share and seed draw the same split again."
        )
        share = st.number_input("Held out, percent", 0, 100, 30, key=view.key("share"))
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key=view.key("seed"))
        if st.form_submit_button("Split the whole dataset", type="primary"):
            tune, holdout = view.lab.datasets.draw_split(dataset_id, share / 100, int(seed))
            st.toast(f"{tune:,} groups to tune on, {holdout:,} held out.", icon=":material/check:")
            view.generation += 1
            st.rerun()


def _bulk_menu(view: GroupsView, dataset_id: int, found: Sequence[Place], tags: Sequence[str]) -> None:
    if not found:
        return
    positions = [place.position for place in found]
    every = f"All {len(found):,}" if len(found) > 1 else "The one"
    label = f"{every} found" if view.filtered else every
    with st.popover(label, icon=":material/checklist:", width="content", key=view.key("bulk")):
        st.caption(f"What is done here is done with {counted(len(found), 'group')}.")
        side = st.selectbox("Put them in", list(SPLIT_NAMES), 1, SPLIT_NAMES.__getitem__, key=view.key("bulk-split"))
        if st.button("Put", key="groups-bulk-put", icon=":material/call_split:"):
            view.lab.datasets.set_split(dataset_id, positions, side)
            _done(view)
        tag = st.selectbox(
            "Tag",
            tags,
            index=None,
            format_func=well_formed,
            placeholder="Choose or write",
            accept_new_options=True,
            key=view.key("bulk-tag"),
        )
        with st.container(horizontal=True):
            give = st.button("Give it", key="groups-bulk-tag", icon=":material/label:", disabled=not tag)
            take = st.button("Take it away", key="groups-bulk-untag", icon=":material/label_off:", disabled=not tag)
        if tag and (give or take):
            try:
                chosen = [tag]
                view.lab.datasets.set_tags(
                    dataset_id, positions, add=chosen if give else (), remove=chosen if take else ()
                )
            except RewardLabError as error:
                show_fault(error)
            else:
                _done(view)
        sure = st.checkbox(f"Remove {counted(len(found), 'group')} from the dataset", key=view.key("bulk-sure"))
        if st.button("Remove them", key="groups-bulk-remove", icon=":material/delete:", disabled=not sure):
            view.lab.datasets.remove(dataset_id, positions)
            _done(view)


def _done(view: GroupsView) -> None:
    view.generation += 1  # the menu closes, and its fields are empty again
    st.rerun()


def _draw_list(view: GroupsView, dataset_id: int, found: Sequence[Place]) -> None:
    shown = found[view.page * PAGE : (view.page + 1) * PAGE]
    lines = view.lab.datasets.lines(dataset_id, [place.position for place in shown])
    picked = grid(
        _COLUMNS,
        [row_of(line) for line in lines],
        key="groups-grid",
        label="Groups of the dataset",
        selected=(str(view.group_id), None),
        sortable=False,
        wrapped=True,
    )
    if picked is not None and picked.row_id != str(view.group_id):
        view.open(int(picked.row_id))
        st.rerun()


def row_of(line: DatasetLine) -> Row:
    """A group as a row of the list; its id is the group's."""
    tags = well_formed(", ".join(line.tags))
    people = well_formed(", ".join(line.labelled_by))
    empty = Cell(state="empty")
    return Row(
        str(line.group_id),
        "",
        _BADGE,
        well_formed(line.name),
        well_formed(line.opening if len(line.opening) <= _OPENING else f"{line.opening[:_OPENING]} …"),
        {
            "responses": Cell(float(line.responses), str(line.responses)),
            "split": Cell(text=line.split.value) if line.split else empty,
            "tags": Cell(text=tags, hover=tags) if tags else empty,
            "labels": Cell(float(len(line.labelled_by)), str(len(line.labelled_by)), hover=people) if people else empty,
        },
    )


def _pager(view: GroupsView, found: Sequence[Place]) -> None:
    last = (len(found) - 1) // PAGE
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="groups-pager"):
        st.button(
            "Previous group",
            icon=":material/keyboard_arrow_up:",
            key="groups-before",
            shortcut="K",
            disabled=view.line == 0,
            on_click=view.step,
            args=(found, -1),
            type="tertiary",
        )
        st.button(
            "Next group",
            icon=":material/keyboard_arrow_down:",
            key="groups-after",
            shortcut="J",
            disabled=view.line == len(found) - 1,
            on_click=view.step,
            args=(found, 1),
            type="tertiary",
        )
        what = "found" if view.filtered else f"group{'s' if len(found) != 1 else ''}"
        st.caption(f"Group {view.line + 1:,} of {len(found):,} {what}", width="content")
        if last:
            st.button(
                "Page back",
                key="groups-back",
                disabled=view.page == 0,
                on_click=view.turn,
                args=(found, -1),
                type="tertiary",
            )
            st.caption(f"Page {view.page + 1:,} of {last + 1:,}", width="content")
            st.button(
                "Page on",
                key="groups-on",
                disabled=view.page == last,
                on_click=view.turn,
                args=(found, 1),
                type="tertiary",
            )
