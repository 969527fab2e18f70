"""One Chromium for each module of browser tests.

It is closed after the last of them: while Playwright runs, its event loop would be in the way of other tests' own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Without these Chromium asks its maker's hosts, and as root it does not start at all."""


expect.set_options(timeout=180_000)  # a busy machine paints late; a test that fails waits once


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(QUIET))
        yield found
        found.close()
