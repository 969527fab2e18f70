"""Fields that write into the draft as they change."""

from __future__ import annotations

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.errors import RewardLabError
from reward_lab.ui.editing import Editing
from reward_lab.ui.live_text import LIVE


def text_field(
    desk: Editing, field: str, label: str, *, height: int | None = None, hint: str = "", placeholder: str = ""
) -> None:
    """A text area (or, without ``height``, a line) over one text field of the draft."""
    key = desk.key(field)

    def changed() -> None:
        desk.change(**{field: st.session_state[key]})

    value = well_formed(getattr(desk.draft, field))
    if height is None:
        typed = st.text_input(
            label, value, key=key, help=hint or None, placeholder=placeholder, on_change=changed, live=LIVE
        )
    else:
        typed = st.text_area(
            label, value, key=key, help=hint or None, placeholder=placeholder, on_change=changed, height=height
        )
    if typed != value:
        # A tab that outlived its server's session brings its text along, and nothing tells of a change.
        desk.change(**{field: typed})
        st.rerun()


def show_fault(error: RewardLabError) -> None:
    """What is wrong with the field above. The text quotes what was typed, so it is shown as it is."""
    with st.container(horizontal=True, gap="small"):
        st.markdown(":red[:material/error:]", width="content")
        st.text(str(error))
