"""The left of the Groups page: every dataset, and the ways to begin one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.group import Group
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput, RewardLabError
from reward_lab.exchange.groups import ImportedGroup
from reward_lab.services.datasets import DatasetSummary
from reward_lab.services.examples import labelled_examples
from reward_lab.ui.desk import present_desk
from reward_lab.ui.fields import show_fault
from reward_lab.ui.groups_view import GroupsView
from reward_lab.ui.rubric_library import escaped

_LISTED = 40
"""More are found by searching: each is a widget of its own."""
_RUNS_OFFERED = 20


def draw(view: GroupsView, summaries: Sequence[DatasetSummary]) -> None:
    """What to begin, then the list. While there is no dataset, what to begin with is all there is to show."""
    if not summaries:
        st.caption("No dataset yet. Begin with one of these.")
        _begin(view, summaries)
        return
    with st.popover("New dataset", icon=":material/add:", width="stretch", key=view.key("new")):
        _begin(view, summaries)
    _list(view, summaries)


def counts_of(summary: DatasetSummary) -> str:
    """What a dataset holds, in words.

    >>> from datetime import datetime
    >>> counts_of(DatasetSummary(1, "mine", 2000, 1400, 600, 12, datetime(2026, 1, 1)))
    '2,000 groups · 1,400 tune, 600 holdout · 12 labelled'
    """
    parts = [f"{summary.groups:,} group{'s' if summary.groups != 1 else ''}"]
    if summary.tune or summary.holdout:
        parts.append(f"{summary.tune:,} tune, {summary.holdout:,} holdout")
    if summary.labelled:
        parts.append(f"{summary.labelled:,} labelled")
    return " · ".join(parts)


def _begin(view: GroupsView, summaries: Sequence[DatasetSummary]) -> None:
    name = st.text_input("Name", key=view.key("new-name"), placeholder="optional", max_chars=200)
    if st.button("Empty", icon=":material/draft:", key="new-empty", type="tertiary", width="stretch"):
        _create(view, summaries, name or "Dataset", pane="groups")
    if st.button(
        "From a file or pasted text", icon=":material/upload:", key="new-import", type="tertiary", width="stretch"
    ):
        _create(view, summaries, name or "Imported groups", pane="import")
    if st.button("The four examples", icon=":material/school:", key="new-examples", type="tertiary", width="stretch"):
        _create(view, summaries, name or "Examples", imported=labelled_examples())
    _begin_with_desk(view, summaries, name)
    _begin_with_run(view, summaries, name)


def _begin_with_desk(view: GroupsView, summaries: Sequence[DatasetSummary], name: str) -> None:
    desk = present_desk()
    pressed = st.button(
        "The group on the Score page",
        icon=":material/balance:",
        key="new-desk",
        type="tertiary",
        width="stretch",
        disabled=desk is None,
        help=None if desk is not None else "Open the Score page in this tab first.",
    )
    if pressed and desk is not None:
        try:
            group = desk.draft.group()
        except InvalidInput as error:
            show_fault(error)
            return
        _create(view, summaries, name or desk.draft.name or "From the Score page", groups=[group])


def _begin_with_run(view: GroupsView, summaries: Sequence[DatasetSummary], name: str) -> None:
    runs = {run.id: run for run in view.lab.scoring.runs(limit=_RUNS_OFFERED).rows}
    if not runs:
        return
    chosen = st.selectbox(
        "Or the groups of a run",
        list(runs),
        index=None,
        format_func=lambda run_id: well_formed(
            f"Run {run_id} · {runs[run_id].name or 'unnamed'} · {counted(runs[run_id].groups, 'group')}"
        ),
        placeholder="Choose a run",
        key=view.key("new-run"),
    )
    if chosen is not None:
        named = free_name(summaries, name or runs[chosen].name or f"Run {chosen}")
        try:
            view.open_dataset(view.lab.datasets.save_run(chosen, named))
        except RewardLabError as error:
            show_fault(error)
        else:
            st.rerun()


def _create(
    view: GroupsView,
    summaries: Sequence[DatasetSummary],
    name: str,
    *,
    groups: Iterable[Group] = (),
    imported: Iterable[ImportedGroup] = (),
    pane: str = "groups",
) -> None:
    try:
        dataset_id = view.lab.datasets.create(free_name(summaries, name))
        view.lab.datasets.add_groups(dataset_id, groups)
        view.lab.datasets.add(dataset_id, imported)
    except RewardLabError as error:
        show_fault(error)
        return
    view.open_dataset(dataset_id, pane=pane)
    st.rerun()


def free_name(summaries: Sequence[DatasetSummary], name: str) -> str:
    """The name, with a number where a dataset is called so already."""
    name = name.strip()
    taken = {summary.name for summary in summaries}
    names = (name, *(f"{name} {number}" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one not in taken)


def _list(view: GroupsView, summaries: Sequence[DatasetSummary]) -> None:
    search = ""
    if len(summaries) > 8:
        search = st.text_input(
            "Search", key="datasets-search", placeholder="Search", label_visibility="collapsed", max_chars=200
        )
    found = [summary for summary in summaries if search.casefold() in summary.name.casefold()]
    if not found:
        st.caption("No dataset is called so.")
    with st.container(key="library", gap=None):
        for index, summary in enumerate(found[:_LISTED]):
            _line(view, summary, index)
    if len(found) > _LISTED:
        st.caption(f"{counted(len(found) - _LISTED, 'more dataset')}: search for it by name.")


def _line(view: GroupsView, summary: DatasetSummary, index: int) -> None:
    is_open = summary.id == view.dataset_id
    label = f"{'● ' if is_open else ''}{escaped(well_formed(summary.name))} :gray[{summary.groups:,}]"
    with st.container(horizontal=True, gap=None, wrap=False):
        st.button(
            label,
            key=f"library-open-{index}",
            type="tertiary",
            width="stretch",
            help=counts_of(summary),
            on_click=view.open_dataset,
            args=(summary.id,),
        )
