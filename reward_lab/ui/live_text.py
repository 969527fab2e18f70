"""Text areas that tell the page what stands in them while a person types, so that a reload or a restart loses none."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_PAUSE_MS = 600

LIVE = f"{_PAUSE_MS}ms"
"""``live`` of a one-line field: the same pause in typing, in Streamlit's own words."""

_component = st.components.v2.component(
    "reward_lab_live_text", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
)


def tell_while_typing() -> None:
    """Let the text areas of this page tell their text after a pause in typing."""
    _component(key="live-text", data={"pause_ms": _PAUSE_MS})
