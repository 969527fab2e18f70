"""The left pane of the Score page: what is scored, and by whom."""

from __future__ import annotations

import streamlit as st

from reward_lab.ui import judge_inputs, response_inputs, rubric_inputs, scenario_inputs
from reward_lab.ui.desk import Desk

_PANES = {
    "scenario": scenario_inputs.draw,
    "responses": response_inputs.draw,
    "rubric": rubric_inputs.draw,
    "judge": judge_inputs.draw,
}


def draw(desk: Desk) -> None:
    """Draw the chosen pane only: the others' widgets are neither sent nor painted."""
    chosen = st.segmented_control(
        "Inputs",
        list(_PANES),
        format_func=lambda pane: _label(desk, pane),
        default="scenario",
        required=True,
        key="inputs-pane",
        label_visibility="collapsed",
        on_change=_remount,
        args=(desk,),
        width="stretch",
        wrap=True,
    )
    _PANES[chosen or "scenario"](desk)


def _label(desk: Desk, pane: str) -> str:
    draft = desk.draft
    written = sum(1 for row in draft.criteria if row.description.strip())
    counts = {"responses": len(draft.responses), "rubric": written, "judge": len(draft.methods)}
    count = f" ({counts[pane]})" if pane in counts else ""
    return f"{pane.capitalize()}{count}"


def _remount(desk: Desk) -> None:
    # A pane that comes back is drawn from the draft anew: a data editor would show its first rows again.
    desk.generation += 1
