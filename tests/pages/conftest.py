"""Each test of a page meets a process that has opened nothing yet, and a home of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from reward_lab.settings import read_settings
from reward_lab.wiring import Lab, open_lab


@pytest.fixture(autouse=True)
def _fresh_process(reward_lab_home: Path) -> Iterator[None]:
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def lab(_fresh_process: None) -> Iterator[Lab]:
    """The installation that the page will open too."""
    opened = open_lab(read_settings(), trust_all_endpoints=False)
    yield opened
    opened.close()
