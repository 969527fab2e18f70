"""The right of the Groups page: one dataset's groups, imports into it, its duplicates, and its scoring."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.errors import RewardLabError
from reward_lab.services.datasets import DatasetSummary
from reward_lab.ui import groups_duplicates, groups_import, groups_list, sweep_plan
from reward_lab.ui.fields import show_fault
from reward_lab.ui.frame import show_notice
from reward_lab.ui.groups_library import counts_of
from reward_lab.ui.groups_view import GroupsView

_KEY = "groups-pane"
_SCORING = "score them"
"""The pane that has a primary action of its own, as importing has."""


def draw_headline(view: GroupsView, summaries: Sequence[DatasetSummary]) -> None:
    """The page's name, the open dataset with its counts, and the one primary action."""
    summary = next((one for one in summaries if one.id == view.dataset_id), None)
    with (
        st.container(key="headline"),
        st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"),
    ):
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="groups-standing"):
            st.markdown("### Groups", width="content")
            if summary is not None:
                st.text(well_formed(summary.name), width="content", wrap=False)
                st.caption(counts_of(summary), width="content")
        if summary is not None:
            with st.container(
                horizontal=True, vertical_alignment="center", horizontal_alignment="right", width="content", wrap=False
            ):
                _menu(view, summary)
                if summary.groups and view.pane != _SCORING:
                    st.button(
                        "Score them",
                        icon=":material/balance:",
                        key="groups-score-them",
                        type="secondary" if view.pane == "import" else "primary",
                        on_click=_show_scoring,
                        args=(view,),
                    )
    for notice in view.notices:
        show_notice(notice)
    view.notices.clear()


def _show_scoring(view: GroupsView) -> None:
    view.pane = _SCORING


def _menu(view: GroupsView, summary: DatasetSummary) -> None:
    with st.popover("Manage", icon=":material/edit:", width="content", key=view.key("menu")):
        with st.form(view.key("rename"), border=False):
            name = st.text_input("Name of the dataset", well_formed(summary.name), key=view.key("name"), max_chars=200)
            renamed = st.form_submit_button("Rename", icon=":material/edit:")
        if renamed:
            try:
                view.lab.datasets.rename(summary.id, name)
            except RewardLabError as error:
                show_fault(error)
            else:
                view.generation += 1
                st.rerun()
        st.caption("Deleting removes its splits and tags. Groups that runs hold stay with them, and so do labels.")
        sure = st.checkbox("It cannot be brought back", key=view.key("delete-sure"))
        if st.button("Delete the dataset", icon=":material/delete:", key="groups-delete", disabled=not sure):
            view.lab.datasets.delete(summary.id)
            view.open_dataset(None)
            st.rerun()


def draw(view: GroupsView) -> None:
    """The chosen pane; the others' widgets are neither sent nor painted."""
    if view.dataset_id is None:
        _draw_empty()
        view.show_in_address()
        return

    def choose() -> None:
        view.pane = st.session_state[_KEY] or view.pane

    st.session_state[_KEY] = view.pane
    st.segmented_control(
        "Pane",
        list(_PANES),
        format_func=str.capitalize,
        required=True,
        key=_KEY,
        on_change=choose,
        label_visibility="collapsed",
        width="stretch",
        wrap=True,
    )
    _PANES[view.pane](view)
    view.show_in_address()


def _draw_empty() -> None:
    with st.container(border=True, key="groups-empty"):
        st.markdown("**Groups will stand here: a scenario and the responses to it, which a judge compares.**")
        st.caption(
            "Begin at the left: with a file of prompts and responses (JSONL, JSON, CSV, TSV or parquet), or with the "
            "four examples. A dataset is then browsed, split into tune and holdout, and scored as a whole."
        )


def _draw_scoring(view: GroupsView) -> None:
    if view.dataset_id is not None:
        sweep_plan.draw(view.lab, view.dataset_id)


_PANES: dict[str, Callable[[GroupsView], None]] = {
    "groups": groups_list.draw,
    "import": groups_import.draw,
    "duplicates": groups_duplicates.draw,
    _SCORING: _draw_scoring,
}
