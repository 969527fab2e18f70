"""What frames every page: the open installation, and errors in words."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager

from reward_lab.core.judge import Ensemble
from reward_lab.errors import RewardLabError
from reward_lab.settings import read_settings
from reward_lab.ui.live_text import tell_while_typing
from reward_lab.wiring import Lab, open_lab

_FIRST_PAINT_S = 1.0
_NUMBERS_FIRST_S = 0.6
_STYLE = Path(__file__).with_name("page.css")


@st.cache_resource(show_spinner=False)
def open_laboratory() -> Lab:
    """The installation, opened once for the process. Endpoints typed in a browser get no key of the server's."""
    return open_lab(read_settings(), trust_all_endpoints=False)


@contextmanager
def page_frame() -> Iterator[None]:
    """The room of a page, and its errors in words."""
    _hand_over()
    st.html(_STYLE)
    tell_while_typing()
    with shown_errors():
        yield
    if st.runtime.exists():  # a page that is driven without a server has no next visitor to get ready for
        _warm_up()


def _hand_over() -> None:
    """Start again with app.py where Streamlit began with the page itself, as its older navigation does.

    ``st.navigation`` turns that off for the process, but there it was not called yet, and called
    here it would need to know every page. See ``showSidebarNavigation`` in config.toml.
    """
    app_has_run = st.get_option("client.showSidebarNavigation")
    if st.runtime.exists() and PagesManager.uses_pages_directory and not app_has_run:
        PagesManager.uses_pages_directory = False
        st.rerun()


@cache
def _warm_up() -> None:
    """Load what the first result will need, in the background, once the first page is painted."""
    timer = threading.Timer(_FIRST_PAINT_S, _load)
    timer.daemon = True
    timer.start()


def _load() -> None:
    for name in ("pandas", "pyarrow", "altair", "scipy.special"):
        import_module(name)
    _settle()


def warm_up(lab: Lab, judges: Ensemble) -> None:
    """Begin what the first call to these judges would otherwise wait for; return at once."""
    begun = lab.judging.warm_up(judges)
    if begun is not None:
        begun.add_done_callback(lambda _: _settle())


class Charted(Protocol):
    """How a tab looks at something. ``charted``: a chart was drawn in it, so that the browser has what it takes."""

    charted: bool


def let_numbers_paint(view: Charted) -> None:
    """Wait a moment with a tab's first chart: the numbers would wait in the browser while its library is read."""
    if not view.charted:
        view.charted = True
        time.sleep(_NUMBERS_FIRST_S)


def _settle() -> None:
    """Take what is loaded by now, which stays for ever, out of garbage collection.

    Streamlit collects after each rerun, and a client's library takes it longer than the rerun took.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show an error of ours as its message; a bug stays loud in the log."""
    try:
        yield
    except RewardLabError as error:
        show_error(error)


def show_notice(text: str) -> DeltaGenerator:
    """Something to be told that is no error, as plain text; more can be put into the container."""
    box = st.container(border=True, gap="xsmall", key=f"notice-{abs(hash(text))}")
    with box, st.container(horizontal=True, gap="small", wrap=False):
        st.markdown(":blue[:material/info:]", width="content")
        st.text(text, width="stretch")
    return box


def show_error(error: RewardLabError) -> None:
    """One error on the page. Its text may quote what a user typed, so it is never read as Markdown."""
    with st.container(border=True, key=f"error-{abs(hash(str(error)))}"):
        st.markdown(":red[:material/error:] **This cannot be done as it stands**")
        st.text(str(error))
