from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges.server import ScriptedServer
from tests.services.kept import NumberedJudge
from tests.services.scene import Scene

collect_ignore = ["preloaded.py"]  # imports litellm, for another process


@pytest.fixture
def scene(reward_lab_home: Path) -> Iterator[Scene]:
    judge = NumberedJudge()
    with ScriptedServer() as server:
        server.script(judge)
        yield Scene(server, judge, reward_lab_home)
