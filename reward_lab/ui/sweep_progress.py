"""The page of a sweep: its cells as they fill, and what can be done with all of them at once.

All of it is a fragment: while runs go on it asks the store for news, and its grid is updated in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.methods import METHODS
from reward_lab.core.run import ItemStatus, RunState
from reward_lab.core.wording import counted, listed
from reward_lab.errors import RewardLabError
from reward_lab.services.comparison import MOST_RUNS
from reward_lab.services.sweeps import CellStatus, Mean, SweepStatus
from reward_lab.ui.figures import ago, count, moment, money
from reward_lab.ui.frame import show_notice, shown_errors
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.reasons import NOT_ASKED, SHORT
from reward_lab.ui.run_list import STATE_MARKS, open_run
from reward_lab.ui.summaries import judged_by
from reward_lab.wiring import Lab

_POLL_S, _SLOW_POLL_S, _MANY_ITEMS = 1.0, 4.0, 20_000
_MOST_DIGITS = 10
_BADGE = "#5b6270"
_WRONG = "sweep-wrong"
_STOPPING = {RunState.PAUSED: "▶ pausing ...", RunState.CANCELLED: "▶ cancelling ..."}


def asked() -> int | None:
    """The sweep that the address names, ``None`` where it names none."""
    named = st.query_params.get("sweep", "")
    return int(named) if named.isascii() and named.isdecimal() and len(named) < _MOST_DIGITS else None


def draw(lab: Lab, sweep_id: int) -> None:
    """Draw the sweep. Raises :class:`NotFound`."""
    status = lab.sweeps.status(sweep_id)
    running = status.state is RunState.RUNNING
    often = _POLL_S if status.progress.total < _MANY_ITEMS else _SLOW_POLL_S
    st.fragment(_draw, run_every=often if running else None)(lab, sweep_id, running)


def _draw(lab: Lab, sweep_id: int, running: bool) -> None:
    with shown_errors():
        status = lab.sweeps.status(sweep_id)
        if (status.state is RunState.RUNNING) != running:
            # The whole page: only then does this fragment ask for news, or cease to.
            st.rerun()
        _draw_head(lab, status)
        told = [sentence_block(status), standing_block(status, datetime.now(UTC)), *lack_blocks(status)]
        read(told, key="sweep-told", label="State of the sweep")
        _draw_cells(status)
        _draw_links(status)


def _draw_head(lab: Lab, status: SweepStatus) -> None:
    with (
        st.container(key="headline"),
        st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"),
    ):
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="sweep-standing"):
            st.markdown(f"### Sweep {status.id}", width="content")
            st.text(well_formed(status.plan.name), width="content", wrap=False)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right", width="content"):
            _draw_actions(lab, status)
    wrong = st.session_state.pop(_WRONG, "")
    if wrong:
        show_notice(wrong)


def _draw_actions(lab: Lab, status: SweepStatus) -> None:
    sweeps = lab.sweeps
    stopping = {cell.stopping for cell in status.cells} - {None}
    if status.state is RunState.RUNNING:
        if stopping:
            word = "Cancelling ..." if RunState.CANCELLED in stopping else "Pausing ..."
            st.button(word, key="sweep-stopping", icon=":material/hourglass_top:", disabled=True)
        else:
            kept = "Calls in flight come back; what was not asked waits until you resume."
            _button("Pause", ":material/pause:", sweeps.pause, status, kept)
        if RunState.CANCELLED not in stopping:
            _button(
                "Cancel", ":material/stop_circle:", sweeps.cancel, status, "What is done stays, and can be resumed."
            )
        return
    failed = retryable(status)
    if failed:
        kept = "What is scored stays as it is."
        _button(f"Retry failed ({failed:,})", ":material/refresh:", sweeps.retry, status, kept, key="sweep-retry")
    if status.state in (RunState.PAUSED, RunState.INTERRUPTED):
        _button("Cancel", ":material/stop_circle:", sweeps.cancel, status, "What is done stays, and can be resumed.")
    if status.state is not RunState.FINISHED:
        kept = "Nothing finished is asked again."
        _button("Resume", ":material/play_arrow:", sweeps.resume, status, kept, primary=True)
    elif len(status.runs) > 1:
        few = [run.id for run in status.runs][:MOST_RUNS]
        label = "Compare these runs" if len(few) == len(status.runs) else f"Compare the first {len(few)} runs"
        if st.button(label, key="sweep-compare", icon=":material/compare_arrows:", type="primary"):
            st.switch_page("pages/compare.py", query_params={"runs": ",".join(map(str, few))})


def _button(
    label: str,
    icon: str,
    act: Callable[[int], None],
    status: SweepStatus,
    hint: str,
    *,
    key: str = "",
    primary: bool = False,
) -> None:
    def pressed() -> None:
        # Before the fragment runs: the first thing drawn after the click says that it was taken.
        try:
            act(status.id)
        except RewardLabError as error:
            st.session_state[_WRONG] = str(error)

    st.button(
        label,
        key=key or f"sweep-{label.lower()}",
        icon=icon,
        help=hint,
        type="primary" if primary else "secondary",
        on_click=pressed,
    )


def sentence_block(status: SweepStatus) -> Block:
    """How far the sweep is, and why it stands where it does."""
    progress, cells = status.progress, len(status.cells)
    far = f"{progress.done:,} of {counted(progress.total, 'item')} done in {counted(cells, 'run')}"
    waiting = cells - len(status.runs)
    if waiting:
        far = f"{far}, {waiting} of them not laid out yet"
    if status.state is RunState.FINISHED:
        said = f"Finished: {counted(progress.done, 'item')} in {counted(cells, 'run')}."
    elif status.state is RunState.RUNNING:
        said = f"Scoring: {far}."
    elif status.state is RunState.CANCELLED and status.budget_is_spent:
        budget = money(status.plan.settings.budget_usd)
        said = (
            f"Stopped at its budget of {budget}: {far}. To go on, start it again with a larger one: what was asked "
            "already comes from the cache."
        )
    else:
        said = f"{status.state.value.capitalize()}: {far}."
    return Block("sentence", "lead", pieces=plain(said))


def standing_block(status: SweepStatus, now: datetime) -> Block:
    """What is scored, how, since when, and what it took so far."""
    plan, usage = status.plan, status.usage
    asked = [
        f"{counted(len(plan.group_ids), 'group')}{f' of {plan.source}' if plan.source else ''}",
        *([counted(plan.settings.repeats, "repeat")] if plan.settings.repeats > 1 else []),
        f"started {ago(status.created_at, now)}",
        f"{count(usage.calls)} calls made, {count(usage.cached)} from the cache",
        _cost(status),
        judged_by(tuple({judge.key: judge for ensemble in plan.judges for judge in ensemble}.values())),
    ]
    return Block("standing", "line", pieces=plain(" · ".join(asked)), hover=f"Started {moment(status.created_at)}")


def _cost(status: SweepStatus) -> str:
    cost, budget = status.usage.cost_usd, status.plan.settings.budget_usd
    said = "cost unknown" if cost is None else f"cost {money(cost)}"
    return said if budget is None else f"{said} of a budget of {money(budget)} for all runs together"


def lack_blocks(status: SweepStatus) -> tuple[Block, ...]:
    """Why items are unscored, counted over all cells."""
    reasons = Counter[str]()
    for cell in status.cells:
        for reason, items in cell.failures.items():
            reasons[SHORT[reason]] += items
    if not reasons:
        return ()
    told = listed(f"{items:,} {word}" for word, items in reasons.most_common())
    return (Block("lacks", "line", "Unscored items", tone="warning", pieces=plain(told)),)


def retryable(status: SweepStatus) -> int:
    """Unscored items that could be asked again: not those whose method cannot be applied."""
    return sum(items for cell in status.cells for reason, items in cell.failures.items() if reason not in NOT_ASKED)


def columns(methods: Sequence[str]) -> list[Column]:
    """The cell, how far it is, the mean reward by each method, and what it took."""
    return [
        Column("cell", "Run", kind="text"),
        Column("state", "State", kind="text"),
        Column("done", "Items done", kind="number", help="One method on one response (RULER: on one group), once."),
        Column("unscored", "Unscored", kind="number", help="Items without a score, whole or in part"),
        *(
            Column(
                name,
                METHODS[name].head,
                f"{METHODS[name].title}: mean reward (0 to 1) over the responses scored so far, and how many they are",
            )
            for name in methods
        ),
        Column("cost", "Cost, USD", kind="number"),
    ]


def row_of(cell: CellStatus, methods: Sequence[str]) -> Row:
    """One cell as a row; its id is its place in the sweep."""
    run = cell.run
    place, title = str(cell.cell.place), well_formed(cell.cell.title)
    if run is None:
        return Row(place, "–", _BADGE, title, "not laid out yet", {"state": Cell(text="waiting")})
    progress, cost = run.progress, run.usage.cost_usd
    unscored = sum(progress.counts.get(status, 0) for status in (ItemStatus.UNSCORED, ItemStatus.PARTLY))
    lacks = "\n".join(f"{items:,} {SHORT[reason]}" for reason, items in cell.failures.items())
    going = run.state is RunState.RUNNING
    cells = {
        "state": Cell(text=STATE_MARKS[run.state] if cell.stopping is None else _STOPPING[cell.stopping]),
        "done": Cell(
            float(progress.done),
            f"{progress.done:,}/{progress.total:,}",
            bar=progress.done / progress.total if progress.total else None,
        ),
        "unscored": Cell(float(unscored), f"{unscored:,}", hover=lacks),
        "cost": Cell(cost, "unknown" if cost is None else f"{cost:.4f}" if cost else "0"),
    }
    means = {name: _mean_cell(cell.means.get(name), going=going) for name in methods}
    return Row(place, str(run.id), _BADGE, title, f"Run {run.id}", cells | means)


def _mean_cell(mean: Mean | None, *, going: bool) -> Cell:
    if mean is None:
        return Cell(state="running" if going else "empty")
    hover = f"Mean reward {mean.value:.4f} over {counted(mean.n, 'scored response')}{' so far' if going else ''}"
    return Cell(mean.value, f"{mean.value:.3f}", bar=min(1.0, max(0.0, mean.value)), note=f"n {mean.n:,}", hover=hover)


def _draw_cells(status: SweepStatus) -> None:
    methods = status.plan.settings.methods
    chosen = grid(
        columns(methods),
        [row_of(cell, methods) for cell in status.cells],
        key=f"sweep-cells-{status.id}",
        label="Runs of the sweep",
        selected=None,
    )
    if chosen is not None and (run := status.cells[int(chosen.row_id)].run) is not None:
        open_run(run)


def _draw_links(status: SweepStatus) -> None:
    said = "Choose a run to open it. Under each method stands the mean reward, from 0 to 1."
    if len(status.runs) > 1:
        said += f" Compare has run {status.runs[0].id} as the baseline; other runs can be chosen there."
    st.caption(said)
    st.page_link("pages/runs.py", label="All runs", icon=":material/history:")
