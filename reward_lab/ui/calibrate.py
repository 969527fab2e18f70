"""The Calibrate page: people label groups, blind to the judges; judges are held against what people said."""

from __future__ import annotations

import streamlit as st

from reward_lab.ui import calibrate_judges, calibrate_label, calibrate_people
from reward_lab.ui.calibrate_view import PANES, CalibrateView, open_view
from reward_lab.wiring import Lab

_DRAWN = {"label": calibrate_label.draw, "people": calibrate_people.draw, "judges": calibrate_judges.draw}


def draw(lab: Lab) -> None:
    """The chosen pane below the page's name."""
    view = open_view()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="calibrate-head"):
        st.markdown("### Calibrate", width="content")
        _choose_pane(view)
    _DRAWN[view.pane](lab, view)


def _choose_pane(view: CalibrateView) -> None:
    key = "calibrate-pane"

    def choose() -> None:
        view.pane = st.session_state[key] or view.pane

    st.session_state[key] = view.pane
    st.segmented_control(
        "Pane",
        list(PANES),
        format_func=PANES.__getitem__,
        required=True,
        key=key,
        on_change=choose,
        label_visibility="collapsed",
        wrap=True,
    )
