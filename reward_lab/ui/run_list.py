"""The list of stored runs."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.methods import METHODS
from reward_lab.core.run import ItemStatus, RunState
from reward_lab.services.scoring import RunSummary
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.wiring import Lab

_PAGE = 25

_STATE_MARKS = {
    RunState.RUNNING: "▶ running",
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
    page = lab.scoring.runs(
        search=search.strip(), method=method, model=model.strip() or None, state=state, offset=offset, limit=_PAGE
    )
    if not page.rows:
        _empty(filtered=any(filters))
        return
    now = datetime.now(UTC)
    chosen = grid(
        _COLUMNS, [row_of(run, now) for run in page.rows], key=f"runs-{offset}", label="Stored runs", selected=None
    )
    _pager(offset, page.total)
    if chosen is not None:
        st.switch_page("pages/score.py", query_params={"run": chosen.row_id})


def _empty(*, filtered: bool) -> None:
    if filtered:
        st.info("No run matches. Clear a filter above to see more.", icon=":material/filter_alt_off:")
        return
    st.info("No run is stored yet. Press Score on the Score page: it opens on an example.", icon=":material/history:")
    st.page_link("pages/score.py", label="Go to Score", icon=":material/balance:")


def _pager(offset: int, total: int) -> None:
    if total <= _PAGE:
        st.caption(f"{total} run{'s' if total != 1 else ''}")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Newer", icon=":material/chevron_left:", disabled=offset == 0):
            st.session_state["runs-offset"] = max(0, offset - _PAGE)
            st.rerun()
        st.caption(f"{offset + 1} to {min(offset + _PAGE, total)} of {total} runs", width="content")
        if st.button("Older", icon=":material/chevron_right:", disabled=offset + _PAGE >= total):
            st.session_state["runs-offset"] = offset + _PAGE
            st.rerun()


def row_of(run: RunSummary, now: datetime) -> Row:
    """One run as a row of the list. ``now`` is aware, UTC."""
    unscored = sum(run.progress.counts.get(status, 0) for status in (ItemStatus.UNSCORED, ItemStatus.PARTLY))
    cost = run.usage.cost_usd
    rubric = f"{run.rubric_name or 'unnamed'}, version {run.rubric_version}"
    models = well_formed(", ".join(run.models))
    methods = ", ".join(METHODS[name].head for name in run.methods if name in METHODS)
    return Row(
        id=str(run.id),
        badge=str(run.id),
        colour="#5b6270",
        title=well_formed(run.name) or "unnamed",
        subtitle=well_formed(run.opening),
        cells={
            "started": Cell(
                run.created_at.timestamp(), ago(run.created_at, now), hover=f"{run.created_at:%Y-%m-%d %H:%M:%S} UTC"
            ),
            "state": Cell(text=_STATE_MARKS[run.state]),
            "judge": Cell(text=models, hover=models),
            "methods": Cell(float(len(run.methods)), methods, hover=methods),
            "rubric": Cell(text=well_formed(rubric), hover=well_formed(rubric)),
            "groups": Cell(float(run.groups), str(run.groups)),
            "done": Cell(float(run.progress.done), f"{run.progress.done}/{run.progress.total}"),
            "unscored": Cell(float(unscored), str(unscored)),
            "cost": Cell(cost, "unknown" if cost is None else f"{cost:.4f}" if cost else "0"),
        },
    )


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
