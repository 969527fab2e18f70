"""The app as a person meets it, and a second process's view of what it stores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reward_lab.settings import Settings
from reward_lab.wiring import Lab, open_lab
from tests.browser.served import ROOT, serving


@contextmanager
def installation(folder: Path) -> Iterator[tuple[str, Lab]]:
    """Serve the app from ``folder``; yields its address and the store beside it. Its log must hold no warning."""
    with serving(ROOT / "app.py", folder, REWARD_LAB_HOME=str(folder / "home")) as url:
        lab = open_lab(Settings(home=folder / "home"), trust_all_endpoints=False)
        yield url, lab
        lab.close()
    log = (folder / "server.log").read_text()
    assert not re.search("warning|Traceback", log, re.IGNORECASE), log
