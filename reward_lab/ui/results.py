"""The right pane of the Score page: a run as it fills, and what came of it.

The pane is a fragment of its own: while a run goes on it asks the store for news, and what a
person does in it (choosing a cell, a convention) leaves the inputs alone.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.advantages import CONVENTIONS
from reward_lab.core.run import Call, RunState
from reward_lab.core.table import ScoreTable
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput
from reward_lab.services.results import Result
from reward_lab.services.scoring import Status
from reward_lab.ui import agreement_grid, criteria_grid, details, matrix, summaries
from reward_lab.ui.charts import described, method_chart, points
from reward_lab.ui.desk import Desk
from reward_lab.ui.frame import let_numbers_paint, shown_errors
from reward_lab.ui.grid import Selection, grid
from reward_lab.ui.headline import new_run
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.view import View, view_of
from reward_lab.wiring import Lab

_POLL_S = 0.6
_TARGET = '<div id="results"></div>'
"""Where the headline's link leads on a narrow screen."""


def draw(desk: Desk) -> None:
    """Draw the run that the desk shows, or what will stand here."""
    st.html(_TARGET)
    if desk.run_id is None:
        _draw_empty()
        return
    st.fragment(_draw_run, run_every=_POLL_S if desk.running else None)(desk, desk.run_id, desk.running)


def _draw_empty() -> None:
    with st.container(border=True, key="results-empty"):
        st.markdown("**Every method's scores will stand here side by side, each with its reason.**")
        st.caption("Press **Score** at the top. Then change one sentence, score again, and see what moved.")


def _draw_run(desk: Desk, run_id: int, running: bool) -> None:
    with shown_errors():
        status = desk.lab.scoring.status(run_id)
        if (status.state is RunState.RUNNING) != running:
            # The whole page: its button says Cancel while a run goes on and Score otherwise, and only then does this
            # pane ask for news. It may have changed since the headline was drawn, a moment ago.
            st.rerun()
        view = view_of(run_id)
        result = view.result(desk.lab, status)
        _draw_words(desk, view, result, status)
        _choose_group(desk, view, result)
        _draw_matrix(view, result, status.state)
        _choose_reward(view, result)
        letter = view.selection.row_id if view.selection else result.table.rows[0].letter
        _draw_details(desk.lab, view, result, letter)
        _draw_criteria(view, result, status.state)
        if not running:
            let_numbers_paint(view)
            _draw_chart(view, result.table)
            _draw_agreement(result.table)
            _draw_cautions(result)
            _draw_usage(desk.lab, view, result)


def _draw_words(desk: Desk, view: View, result: Result, status: Status) -> None:
    _draw_stale(desk, result)
    read([summaries.sentence_block(result, status)], key="results-sentence", label="Result")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        standing = summaries.standing_block(result.run, status.state, status.progress, datetime.now(UTC))
        read([standing], key="results-standing", label="State of the run")
        _draw_actions(desk, result, status)
    lacking = summaries.lack_blocks(result.table)
    if lacking and status.state is not RunState.RUNNING:  # meanwhile the cells tell, and the table keeps its place
        read(lacking, key="results-lacking", label="What is missing")
    _draw_moved(desk.lab, view, result, status.state)


def _draw_stale(desk: Desk, result: Result) -> None:
    """That the results are not of what stands at the left any more."""
    try:
        edits = desk.lab.results.edits(result.run, new_run(desk))
    except InvalidInput:
        edits = ("what stands at the left",)
    if edits:
        read([summaries.stale_block(edits)], key="results-stale", label="Changed since this run")


def _draw_moved(lab: Lab, view: View, result: Result, state: RunState) -> None:
    """What moved, and the choice of the run that it is told against."""
    blocks = summaries.moved_blocks(result.moved, result.incomparable, state)
    if not blocks:
        return
    candidates = view.candidates(lab)
    key = f"results-since-{view.run_id}"

    def chosen() -> None:
        view.since = st.session_state[key] or None

    with st.container(horizontal=True, vertical_alignment="top", gap="small", key="results-movement"):
        read(blocks, key="results-moved", label="What moved")
        if len(candidates) > 1:
            st.selectbox(
                "Compare with",
                [0, *candidates],
                index=0 if view.since is None else candidates.index(view.since) + 1,
                format_func=lambda run_id: f"Since run {run_id}" if run_id else "Since the last alike",
                key=key,
                on_change=chosen,
                label_visibility="collapsed",
                width=190,
            )


def _draw_actions(desk: Desk, result: Result, status: Status) -> None:
    run_id = result.run.id
    stopped = status.state is RunState.CANCELLED and status.done < status.total
    if stopped or status.state in (RunState.INTERRUPTED, RunState.PAUSED):
        kept = "Nothing finished is asked again."
        if st.button("Resume", key="results-resume", icon=":material/play_arrow:", help=kept):
            desk.lab.scoring.resume(run_id)
            st.rerun()
        return
    failed = summaries.retryable(result.table, status.progress)
    if status.state is not RunState.RUNNING and failed:
        kept = "What is scored stays as it is."
        if st.button(f"Retry failed ({failed})", key="results-retry", icon=":material/refresh:", help=kept):
            desk.lab.scoring.retry(run_id)
            st.rerun()


def _choose_group(desk: Desk, view: View, result: Result) -> None:
    """The group, by its place; a run made by the CLI may have hundreds."""
    total = len(result.run.group_ids)
    if total == 1:
        return

    def show(group: int) -> None:
        view.show_group(group)
        desk.show_in_address()

    def step(by: int) -> None:
        show(view.group + by)

    def chosen() -> None:
        show(int(st.session_state[key]) - 1)

    key = f"results-group-{view.run_id}-{view.group}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Previous group",
            icon=":material/chevron_left:",
            key="results-before",
            disabled=view.group == 0,
            on_click=step,
            args=(-1,),
            type="tertiary",
        )
        st.number_input(
            "Group", 1, total, view.group + 1, key=key, on_change=chosen, label_visibility="collapsed", width=140
        )
        st.caption(f"of {total} groups", width="content")
        st.button(
            "Next group",
            icon=":material/chevron_right:",
            icon_position="right",
            key="results-after",
            disabled=view.group == total - 1,
            on_click=step,
            args=(1,),
            type="tertiary",
        )
    read([Block("group", "line", "Group", pieces=plain(result.table.group.id))], key="results-group-id", label="Group")


def _draw_matrix(view: View, result: Result, state: RunState) -> None:
    table, moved = result.table, result.moved
    since = f"run {moved.since.id}" if moved else ""
    rows = matrix.rows(table, state, moved.movement if moved else None, since=since)
    selected = view.selection or Selection(table.rows[0].letter, None)
    view.selection = grid(
        matrix.columns(table), rows, key="results-matrix", label="Scores of each response by method", selected=selected
    )


def _choose_reward(view: View, result: Result) -> None:
    methods = result.run.settings.methods
    heads = {column.name: column.head for column in result.table.columns}
    reward_key, convention_key = f"results-reward-{view.run_id}", "results-convention"

    def chosen() -> None:
        view.reward_method = st.session_state[reward_key]
        view.convention = st.session_state[convention_key]

    with st.container(horizontal=True, gap="small"):
        st.selectbox(
            "Method whose reward the trainer gets",
            methods,
            index=methods.index(result.table.reward_method),
            format_func=lambda name: f"Reward by {heads[name]}",
            key=reward_key,
            on_change=chosen,
            label_visibility="collapsed",
            width=230,
        )
        st.selectbox(
            "Trainer's convention for the advantage",
            list(CONVENTIONS),
            index=list(CONVENTIONS).index(view.convention),
            format_func=lambda name: f"Advantage by {CONVENTIONS[name].title}",
            key=convention_key,
            on_change=chosen,
            label_visibility="collapsed",
            width=300,
        )
    st.caption(
        "Spread: the largest less the smallest of the methods' rewards, 0 where they agree, 1 where they oppose."
    )


def _draw_details(lab: Lab, view: View, result: Result, letter: str) -> None:
    run, table = result.run, result.table
    chosen = view.selection.column_id if view.selection else None
    trajectory = next(row.trajectory for row in table.rows if row.letter == letter)

    def calls(method: str) -> list[Call] | None:
        if details.fold_id(letter, method) not in view.opened:
            return None
        return lab.results.calls(run.id, result.group_id, method, trajectory.id)

    said, judged = st.columns(2, gap="medium")
    with said:
        read(details.response_blocks(table, letter), key="results-response", label=f"Response {letter}")
    with judged:
        read(
            details.method_blocks(table, run, letter, chosen, calls),
            key="results-explanations",
            label=f"What each method said of response {letter}",
            on_open=view.opened.add,
        )


def _draw_criteria(view: View, result: Result, state: RunState) -> None:
    table = result.table
    for column in table.columns:
        rows = criteria_grid.rows(table, column.name, state)
        if not rows:
            continue
        st.subheader(f"{column.title}: {'criteria' if column.asks else 'checks'} met", anchor=False)
        picked = grid(
            criteria_grid.columns(table),
            rows,
            key=f"results-criteria-{column.name}",
            label=f"{column.title}: criteria by responses",
            selected=view.marks.get(column.name),
        )
        if picked is None:
            st.caption("Choose a mark for its reason.")
            continue
        view.marks[column.name] = picked
        blocks = criteria_grid.reason_blocks(table, result.run, column.name, int(picked.row_id), picked.column_id)
        read(blocks, key=f"results-reasons-{column.name}", label="Reasons")


def _draw_chart(view: View, table: ScoreTable) -> None:
    if len({one.head for one in points(table, view.measure)}) < 2:
        return
    key = "results-measure"

    def chosen() -> None:
        view.measure = st.session_state[key]

    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader("Methods against each other", anchor=False, width="content")
        st.segmented_control(
            "Measure",
            ["reward", "rank"],
            default=view.measure,
            required=True,
            format_func=str.capitalize,
            key=key,
            on_change=chosen,
            label_visibility="collapsed",
            width="content",
        )
    chart = method_chart(table, view.measure)
    st.altair_chart(chart, width="stretch", alt=described(table, view.measure), key="results-chart")


def _draw_agreement(table: ScoreTable) -> None:
    scored = [column for column in table.columns if column.scored]
    if not scored or len(table.rows) < 2:
        return
    st.subheader("Agreement between methods", anchor=False)
    grid(
        agreement_grid.columns(table),
        agreement_grid.rows(table),
        key="results-agreement",
        label="Agreement between methods",
        selected=None,
    )
    shared = agreement_grid.shared_count(table)
    if shared:
        st.caption(f"Over {shared}, by rank: each method has a scale of its own.")
    disputes = agreement_grid.disputes(table)
    if disputes:
        told = "; ".join(
            f"{one.letter}: {one.high} rank {one.high_rank}, {one.low} rank {one.low_rank}" for one in disputes
        )
        read(
            [Block("disputes", "line", "Furthest apart", pieces=plain(told))], key="results-disputes", label="Disputes"
        )


def _draw_cautions(result: Result) -> None:
    if not result.cautions:
        return
    warnings = sum(one.level == "warning" for one in result.cautions)
    notes = len(result.cautions) - warnings
    said = " and ".join(counted(count, word) for count, word in ((warnings, "warning"), (notes, "note")) if count)
    st.subheader(f"Before you train on this: {said}", anchor=False)
    read(summaries.caution_blocks(result.cautions), key="results-cautions", label="Cautions")


def _draw_usage(lab: Lab, view: View, result: Result) -> None:
    run = result.run
    st.subheader("What it took", anchor=False)
    read(summaries.usage_blocks(run), key="results-usage", label="What the run took")

    def records() -> str:
        found = lab.results.records(run.id, convention=view.convention)
        return "".join(f"{json.dumps(record)}\n" for record in found)

    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.download_button(
            "Download as JSONL",
            records,
            file_name=f"reward-lab-run-{run.id}.jsonl",
            mime="application/jsonl",
            icon=":material/download:",
            on_click="ignore",
            key="results-download",
        )
        st.markdown(f"[Link to run {run.id}](?run={run.id})", width="content")
        if result.moved is not None:
            before = result.moved.since.id
            st.page_link(
                "pages/compare.py",
                label=f"Compare with run {before}",
                icon=":material/compare_arrows:",
                query_params={"runs": f"{before},{run.id}"},
            )
        st.page_link("pages/runs.py", label="All runs", icon=":material/history:")
