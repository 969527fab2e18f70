"""Each test of a page meets a process that has opened nothing yet, and a home of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st


@pytest.fixture(autouse=True)
def _fresh_process(reward_lab_home: Path) -> Iterator[None]:
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()
