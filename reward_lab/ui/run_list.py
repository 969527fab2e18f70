"""The list of stored runs, a sweep on one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.methods import METHODS
from reward_lab.core.run import ItemStatus, Progress, RunState, Usage
from reward_lab.core.sweep import progress_together, state_together, usage_together
from reward_lab.core.wording import counted
from reward_lab.services.scoring import RunFilter, RunSummary
from reward_lab.services.sweeps import SweepSummary
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.wiring import Lab

_PAGE = 25
_BADGE = "#5b6270"

STATE_MARKS = {
    RunState.RUNNING: "▶ running",
    RunState.PAUSED: "❚❚ paused",
    RunState.FINISHED: "✓ finished",
    RunState.CANCELLED: "■ cancelled",
    RunState.INTERRUPTED: "! interrupted",
}

_ITEM = "An item is one method on one response (RULER: on one group), by one judge, once."

_COLUMNS = (
    Column("run", "Run", kind="text"),
    Column("started", "Started", kind="text", help="Hover for the date (UTC)."),
    Column("state", "State", kind="text"),
    Column("judge", "Judge", kind="text"),
    Column("methods", "Methods", kind="text"),
    Column("rubric", "Rubric", kind="text"),
    Column("groups", "Groups", kind="number"),
    Column("done", "Items done", kind="number", help=f"Items judged, of all. {_ITEM}"),
    Column("unscored", "Items unscored", kind="number", help=f"Items without a score, whole or in part. {_ITEM}"),
    Column("cost", "Cost, USD", kind="number"),
)


def draw(lab: Lab) -> None:
    """Filters, a page of runs, and a click that opens one."""
    st.markdown("### Runs")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search", key="runs-search", placeholder="name, rubric or scenario", persist_state="session"
        )
        method = st.selectbox(
            "Method",
            [None, *METHODS],
            format_func=lambda name: "all" if name is None else METHODS[name].head,
            key="runs-method",
        )
        model = st.text_input("Judge", key="runs-model", placeholder="all", persist_state="session")
        state = st.selectbox(
            "State",
            [None, *RunState],
            format_func=lambda state: "all" if state is None else state.value,
            key="runs-state",
        )
    filters = (search, method, model, state)
    if st.session_state.get("runs-filters") != filters:
        st.session_state["runs-filters"], st.session_state["runs-offset"] = filters, 0
    offset = st.session_state["runs-offset"]
    wanted = RunFilter(search, method, model.strip() or None, state)
    page = lab.sweeps.listing(wanted, offset=offset, limit=_PAGE)
    if not page.rows:
        _empty(filtered=any(filters))
        return
    now = datetime.now(UTC)
    lines = {row.id: (row, one) for one in page.rows for row in [_line(one, now)]}
    rows = [row for row, _ in lines.values()]
    chosen = grid(_COLUMNS, rows, key=f"runs-{offset}", label="Stored runs", selected=None)
    _pager(offset, page.total, swept=any(isinstance(one, SweepSummary) for one in page.rows))
    if chosen is not None:
        _, one = lines[chosen.row_id]
        if isinstance(one, SweepSummary):
            st.switch_page("pages/runs.py", query_params={"sweep": str(one.id)})
        open_run(one)


def open_run(run: RunSummary) -> None:
    """Go to a run: one group is read beside its inputs, many are first looked at together."""
    st.switch_page("pages/runs.py" if run.groups > 1 else "pages/score.py", query_params={"run": str(run.id)})


def _empty(*, filtered: bool) -> None:
    if filtered:
        st.info("No run matches. Clear a filter above to see more.", icon=":material/filter_alt_off:")
        return
    st.info("No run is stored yet. Press Score on the Score page: it opens on an example.", icon=":material/history:")
    st.page_link("pages/score.py", label="Go to Score", icon=":material/balance:")


def _pager(offset: int, total: int, *, swept: bool) -> None:
    once = ", a sweep counted once" if swept else ""
    if total <= _PAGE:
        st.caption(f"{counted(total, 'run')}{once}")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Newer", icon=":material/chevron_left:", disabled=offset == 0):
            st.session_state["runs-offset"] = max(0, offset - _PAGE)
            st.rerun()
        st.caption(f"{offset + 1} to {min(offset + _PAGE, total)} of {total} runs{once}", width="content")
        if st.button("Older", icon=":material/chevron_right:", disabled=offset + _PAGE >= total):
            st.session_state["runs-offset"] = offset + _PAGE
            st.rerun()


def row_of(run: RunSummary, now: datetime) -> Row:
    """One run as a row of the list. ``now`` is aware, UTC."""
    rubric = f"{run.rubric_name or 'unnamed'}, version {run.rubric_version}"
    return Row(
        id=str(run.id),
        badge=str(run.id),
        colour=_BADGE,
        title=well_formed(run.name) or "unnamed",
        subtitle=well_formed(run.opening),
        cells=_cells(run.created_at, now, run.state, run.progress, run.usage)
        | {"rubric": _words([rubric]), "groups": Cell(float(run.groups), str(run.groups))}
        | _asked([run]),
    )


def sweep_row(sweep: SweepSummary, now: datetime) -> Row:
    """A sweep as a row of the list. ``now`` is aware, UTC."""
    runs = sweep.runs
    groups = max((run.groups for run in runs), default=0)
    rubrics = dict.fromkeys(f"{run.rubric_name or 'unnamed'}, version {run.rubric_version}" for run in runs)
    progress, usage = progress_together(run.progress for run in runs), usage_together([run.usage for run in runs])
    return Row(
        id=f"sweep-{sweep.id}",
        badge=f"{len(runs)}×",
        colour=_BADGE,
        title=well_formed(sweep.name) or f"Sweep {sweep.id}",
        subtitle=f"Sweep {sweep.id} of {counted(len(runs), 'run')}",
        cells=_cells(sweep.created_at, now, state_together({run.state for run in runs}), progress, usage)
        | {"rubric": _words(list(rubrics)), "groups": Cell(float(groups), str(groups))}
        | _asked(runs),
    )


def _line(one: RunSummary | SweepSummary, now: datetime) -> Row:
    return sweep_row(one, now) if isinstance(one, SweepSummary) else row_of(one, now)


def _cells(started: datetime, now: datetime, state: RunState, progress: Progress, usage: Usage) -> dict[str, Cell]:
    unscored = sum(progress.counts.get(status, 0) for status in (ItemStatus.UNSCORED, ItemStatus.PARTLY))
    cost = usage.cost_usd
    return {
        "started": Cell(started.timestamp(), ago(started, now), hover=f"{started:%Y-%m-%d %H:%M:%S} UTC"),
        "state": Cell(text=STATE_MARKS[state]),
        "done": Cell(float(progress.done), f"{progress.done:,}/{progress.total:,}"),
        "unscored": Cell(float(unscored), str(unscored)),
        "cost": Cell(cost, "unknown" if cost is None else f"{cost:.4f}" if cost else "0"),
    }


def _asked(runs: Sequence[RunSummary]) -> dict[str, Cell]:
    """The judges and the methods of runs, each once."""
    models = list(dict.fromkeys(model for run in runs for model in run.models))
    methods = [name for name in METHODS if any(name in run.methods for run in runs)]
    heads = ", ".join(METHODS[name].head for name in methods)
    return {"judge": _words(models), "methods": Cell(float(len(methods)), heads, hover=heads)}


def _words(words: Sequence[str]) -> Cell:
    """One or more names: the first with how many more there are, all of them on hover."""
    shown = [well_formed(word) for word in words]
    text = f"{shown[0]} and {len(shown) - 1} more" if len(shown) > 2 else ", ".join(shown)
    return Cell(text=text, hover=", ".join(shown))


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in words.

    >>> from datetime import timedelta
    >>> now = datetime(2026, 1, 2, tzinfo=UTC)
    >>> ago(now - timedelta(seconds=20), now), ago(now - timedelta(minutes=3), now), ago(now - timedelta(days=2), now)
    ('just now', '3 minutes ago', '2 days ago')
    """
    seconds = (now - then).total_seconds()
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' if count != 1 else ''} ago"
    return "just now"
