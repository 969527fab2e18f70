"""The page of one run over many groups: how far it is, what a trainer would make of it, and its groups.

All below the headline is a fragment: while the run goes on it asks for news, and what a person does in it leaves the
rest alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.group_order import GroupOrder
from reward_lab.core.methods import METHODS
from reward_lab.core.run import ItemStatus, Run, RunState
from reward_lab.core.training_sentences import training_cautions, training_sentence
from reward_lab.core.wording import counted
from reward_lab.services.scoring import Status
from reward_lab.services.training import RunTraining
from reward_lab.ui import run_figures, summaries
from reward_lab.ui.choices import choose_reward
from reward_lab.ui.frame import let_numbers_paint, shown_errors
from reward_lab.ui.grid import grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.run_view import PAGE, RunView, view_of
from reward_lab.wiring import Lab

_POLL_S, _SLOW_POLL_S, _MANY_ITEMS = 1.5, 15.0, 5_000
_MOST_DIGITS = 10
_FAILED = (ItemStatus.UNSCORED, ItemStatus.PARTLY)


def asked() -> int | None:
    """The run that the address names, ``None`` where it names none."""
    named = st.query_params.get("run", "")
    return int(named) if named.isascii() and named.isdecimal() and len(named) < _MOST_DIGITS else None


def draw(lab: Lab, run_id: int) -> None:
    """Draw the run. Raises :class:`NotFound`."""
    status = lab.scoring.status(run_id)
    running = status.state is RunState.RUNNING
    often = _POLL_S if status.total < _MANY_ITEMS else _SLOW_POLL_S
    st.fragment(_draw, run_every=often if running else None)(lab, run_id, running)


def _draw(lab: Lab, run_id: int, running: bool) -> None:
    with shown_errors():
        status = lab.scoring.status(run_id)
        if (status.state is RunState.RUNNING) != running:
            st.rerun()
        view = view_of(run_id)
        found = view.of(lab)
        _draw_head(lab, found.run, status)
        _draw_words(found, status)
        _choose(view, found)
        _draw_training(view, found)
        _draw_groups(view, found)


def _draw_head(lab: Lab, run: Run, status: Status) -> None:
    with (
        st.container(key="headline"),
        st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"),
    ):
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="run-standing"):
            st.markdown(f"### Run {run.id}", width="content")
            st.text(well_formed(run.name), width="content", wrap=False)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right", width="content"):
            _draw_actions(lab, run, status)
            st.page_link("pages/runs.py", label="All runs", icon=":material/history:", width="content")
    standing = summaries.standing_block(run, status.state, status.progress, datetime.now(UTC))
    read([standing], key="run-state", label="State of the run")


def _draw_actions(lab: Lab, run: Run, status: Status) -> None:
    failed = sum(one.counts.get(state, 0) for one in status.progress.values() for state in _FAILED)
    if status.state is RunState.RUNNING:
        asked = status.cancelling or status.pausing
        if st.button("Pause", key="run-pause", icon=":material/pause:", disabled=asked):
            lab.scoring.pause(run.id)
            st.rerun(scope="fragment")
        if st.button("Cancel", key="run-cancel", icon=":material/stop:", disabled=asked):
            lab.scoring.cancel(run.id)
            st.rerun(scope="fragment")
        return
    if status.done < status.total:
        kept = "Nothing finished is asked again."
        if st.button("Resume", key="run-resume", icon=":material/play_arrow:", help=kept):
            lab.scoring.resume(run.id)
            st.rerun()
    elif failed:
        kept = "What is scored stays as it is."
        if st.button(f"Retry failed ({failed})", key="run-retry", icon=":material/refresh:", help=kept):
            lab.scoring.retry(run.id)
            st.rerun()


def _draw_words(found: RunTraining, status: Status) -> None:
    said = training_sentence(found.view, METHODS[found.method].head)
    if status.done < status.total:
        said = f"{status.done:,} of {counted(status.total, 'item')} done. So far: {said}"
    read([Block("sentence", "lead", pieces=plain(said))], key="run-sentence", label="Result")


def _choose(view: RunView, found: RunTraining) -> None:
    def chosen() -> None:
        view.method = st.session_state[method_key]
        view.convention = st.session_state["run-convention"]

    methods = found.run.settings.methods
    method_key = f"run-method-{view.run_id}"
    choose_reward(
        "Method whose reward the trainer gets",
        methods,
        found.method,
        view.convention,
        keys=(method_key, "run-convention"),
        on_change=chosen,
    )


def _draw_training(view: RunView, found: RunTraining) -> None:
    left, right = st.columns([7, 6], gap="medium")
    with left:
        st.subheader("Before you train on this", anchor=False)
        grid(
            run_figures.FIGURE_COLUMNS,
            run_figures.figure_rows(found.view),
            key="run-figures",
            label="What a trainer would see",
            selected=None,
            sortable=False,
            wrapped=True,
        )
    with right:
        _draw_chart(view, found)
    cautions = training_cautions(found.view)
    if cautions:
        read(summaries.caution_blocks(cautions), key="run-cautions", label="Cautions")


def _draw_chart(view: RunView, found: RunTraining) -> None:
    def chosen() -> None:
        view.chart = st.session_state["run-chart"]

    st.segmented_control(
        "Distribution of",
        run_figures.CHARTS,
        default=view.chart,
        required=True,
        key="run-chart",
        on_change=chosen,
    )
    bins, title = run_figures.distribution(found, view.chart)
    if not bins:
        st.caption("Nothing to draw: no value differs from 0, or none is known yet.")
        return
    let_numbers_paint(view)
    said = f"{title}, distribution over {counted(sum(one.values for one in bins), 'value')}."
    st.altair_chart(run_figures.bin_chart(bins, title), width="stretch", alt=said, key="run-drawn")


def _draw_groups(view: RunView, found: RunTraining) -> None:
    st.subheader(counted(len(found.groups), "group"), anchor=False)

    def chosen() -> None:
        view.order, view.search = st.session_state["run-order"], st.session_state["run-search"]
        view.page = 0

    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        st.selectbox(
            "Order by",
            list(GroupOrder),
            index=list(GroupOrder).index(view.order),
            key="run-order",
            on_change=chosen,
            width=260,
        )
        st.text_input(
            "Search", view.search, placeholder="group or question", key="run-search", on_change=chosen, width=220
        )
    listed = view.listed(found)
    if not listed:
        st.info("No group matches. Clear the search to see all.", icon=":material/filter_alt_off:")
        return
    start = view.page * PAGE
    picked = grid(
        run_figures.GROUP_COLUMNS,
        run_figures.group_rows(found, listed[start : start + PAGE]),
        key=f"run-groups-{view.page}",
        label="Groups of the run",
        selected=None,
        sortable=False,
    )
    _draw_pager(view, listed)
    if picked is not None:
        st.switch_page("pages/score.py", query_params={"run": str(view.run_id), "group": picked.row_id})


def _draw_pager(view: RunView, listed: Sequence[int]) -> None:
    def turn(by: int) -> None:
        view.page += by

    last = (len(listed) - 1) // PAGE
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Choose a group to read its scores and reasons.", width="content")
        if last:
            st.button("Page back", key="run-back", disabled=view.page == 0, on_click=turn, args=(-1,), type="tertiary")
            st.caption(f"Page {view.page + 1} of {last + 1}", width="content")
            st.button("Page on", key="run-on", disabled=view.page == last, on_click=turn, args=(1,), type="tertiary")
