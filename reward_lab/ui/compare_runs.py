"""The choice of the runs that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.services.comparison import MOST_RUNS
from reward_lab.services.scoring import RunSummary
from reward_lab.ui.compare_view import address, addressed
from reward_lab.ui.figures import ago
from reward_lab.wiring import Lab

_OFFERED = 50
"""So many of the latest runs can be chosen; older ones by the address."""


def choose(lab: Lab) -> tuple[int, ...]:
    """The runs that the address names, the baseline first, and fields to choose others."""
    ids = addressed()
    known = {run.id: run for run in lab.scoring.runs(limit=_OFFERED).rows}
    now = datetime.now(UTC)
    offered = [*dict.fromkeys([*known, *ids])]

    def named(run_id: int) -> str:
        return _run_label(known[run_id], now) if run_id in known else f"Run {run_id}"

    def chosen() -> None:
        baseline, others = st.session_state[baseline_key], st.session_state[others_key]
        picked = [] if baseline is None else [baseline]
        address([*picked, *(one for one in others if one != baseline)])

    # Keyed by the address, so that a link opened in this tab is not overruled by what stood here before.
    baseline_key, others_key = (f"compare-{what}-{'-'.join(map(str, ids))}" for what in ("baseline", "others"))
    left, right = st.columns([2, 3], gap="small")
    left.selectbox(
        "Baseline",
        offered,
        index=offered.index(ids[0]) if ids else None,
        format_func=named,
        placeholder="Choose a run",
        key=baseline_key,
        on_change=chosen,
    )
    right.multiselect(
        f"Compared with (up to {MOST_RUNS - 1})",
        [one for one in offered if not ids or one != ids[0]],
        default=list(ids[1:]),
        format_func=named,
        placeholder="Choose runs",
        max_selections=MOST_RUNS - 1,
        key=others_key,
        on_change=chosen,
    )
    return ids


def _run_label(run: RunSummary, now: datetime) -> str:
    # What tells runs apart comes first: of a chosen one the page has room for no more.
    parts = (
        f"Run {run.id}",
        f"v{run.rubric_version}",
        run.name,
        run.rubric_name or "unnamed rubric",
        ", ".join(run.models),
        ago(run.created_at, now),
    )
    return well_formed(" · ".join(filter(None, parts)))


def draw_empty(ids: Sequence[int]) -> None:
    """What will stand here once two runs are chosen."""
    with st.container(border=True, key="compare-empty"):
        st.markdown("**Two runs will stand here side by side: what was asked otherwise, and which responses moved.**")
        if ids:
            st.caption("Choose another run above to compare with the baseline.")
        else:
            st.caption("Choose a baseline and another run above; with one run only, change a sentence and score again.")
    st.page_link("pages/score.py", label="Go to Score", icon=":material/balance:")
