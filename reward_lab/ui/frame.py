"""What frames every page: the open installation, and errors in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from reward_lab.errors import RewardLabError
from reward_lab.settings import read_settings
from reward_lab.wiring import Lab, open_lab

_STYLE = Path(__file__).with_name("page.css")


@st.cache_resource(show_spinner=False)
def open_laboratory() -> Lab:
    """The installation, opened once for the process. Endpoints typed in a browser get no key of the server's."""
    return open_lab(read_settings(), trust_all_endpoints=False)


@contextmanager
def page_frame() -> Iterator[None]:
    """The room of a page, and its errors in words."""
    st.html(_STYLE)
    with shown_errors():
        yield


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show an error of ours as its message; a bug stays loud in the log."""
    try:
        yield
    except RewardLabError as error:
        show_error(error)


def show_error(error: RewardLabError) -> None:
    """One error on the page. Its text may quote what a user typed, so it is never read as Markdown."""
    with st.container(border=True, key=f"error-{abs(hash(str(error)))}"):
        st.markdown(":red[:material/error:] **This cannot be done as it stands**")
        st.text(str(error))
