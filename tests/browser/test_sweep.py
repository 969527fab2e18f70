"""A sweep over 300 groups in a browser, through everything that can happen to it: nothing is lost or asked twice."""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from reward_lab.core.rubric import Rubric
from reward_lab.services.drafts import JudgeDraft
from reward_lab.services.sweep_drafts import SweepDraft
from reward_lab.settings import Settings
from reward_lab.wiring import open_lab
from tests.browser.served import ROOT, free_port, started, wait_until_up
from tests.judges.server import Reply, ScriptedServer
from tests.services.kept import NumberedJudge, Question, kept
from tests.services.worker import groups

GROUPS, CONCURRENCY = 300, 8
RUNS = (1, 2)
CALLS = GROUPS * len(RUNS)
SLOW_S = 0.2
"""A judge that leaves time to press a button before all is asked."""


@dataclass
class Scene:
    """The app in a process of its own, over a home with a dataset, and the judge that it asks."""

    home: Path
    folder: Path
    judge: NumberedJudge = field(default_factory=NumberedJudge)
    delay_s: float = SLOW_S
    port: int = field(default_factory=free_port)
    process: Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, body: dict[str, Any], index: int) -> Reply:
        return self.judge(body, index).delayed(self.delay_s)

    def start(self) -> None:
        home, limit = {"REWARD_LAB_HOME": str(self.home)}, {"REWARD_LAB_CONCURRENCY": str(CONCURRENCY)}
        self.process, url = started(ROOT / "app.py", self.folder, port=self.port, **home, **limit)
        wait_until_up(url, self.process)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        assert self.process.wait(10) == -signal.SIGKILL

    def safe(self) -> frozenset[Question]:
        """The questions whose answers are stored, in either run or in the cache. Nobody may be at work on it."""
        return frozenset().union(*(kept(self.home, run_id, self.judge).safe for run_id in RUNS))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path / "home", tmp_path)
    with ScriptedServer() as server:
        server.script(scene.answer)
        lab = open_lab(Settings(home=scene.home), trust_all_endpoints=False)
        dataset_id = lab.datasets.create("Figures")
        lab.datasets.add_groups(dataset_id, groups(GROUPS))
        for guidance in ("Be brief.", "Be kind."):
            lab.library.save(Rubric(guidance=guidance), "Support")
        chosen = SweepDraft(
            versions=[("Support", 1), ("Support", 2)],
            score_rubric=False,
            score_judges=False,
            judges=[JudgeDraft(model="openai/scripted", api_base=server.base_url)],
            methods=["ruler"],
        )
        lab.sweep_drafts.save("sweep of dataset 1", chosen)
        lab.close()
        scene.start()
        yield scene
        if scene.process is not None:
            scene.process.kill()
            scene.process.wait(10)


def press(page: Page, name: str, until: str) -> None:
    """Press a button until what it leads to is there: a click that meets a page being redrawn is lost."""
    taken = page.get_by_role("button", name=re.compile(until)).or_(page.get_by_text(re.compile(until))).first
    for _ in range(8):
        with suppress(AssertionError):
            page.get_by_role("button", name=name, exact=True).click()
            expect(taken).to_be_visible(timeout=5_000)
            return
    expect(taken).to_be_visible()


def told(page: Page, words: str) -> None:
    expect(page.get_by_text(re.compile(words)).first).to_be_visible()


def test_a_sweep_survives_closed_tabs_pauses_cancels_and_kills(browser: Browser, scene: Scene) -> None:
    began = time.monotonic()
    first = browser.new_page(viewport={"width": 1440, "height": 900})
    first.goto(f"{scene.url}/groups?dataset=1")
    first.get_by_role("radio", name=re.compile("score them", re.IGNORECASE)).click()
    first.get_by_role("button", name=re.compile(f"Score {GROUPS} groups x 2 responses x 1 method in 2 runs")).click()
    first.wait_for_url(re.compile(r"/runs\?sweep=1"))
    scene.judge.wait_for_all(30)
    first.close()

    # Nobody looks, and it goes on; a second tab finds it where it is.
    scene.judge.wait_for(10)
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(f"{scene.url}/runs?sweep=1")
    told(page, "Scoring: ")
    expect(page.get_by_role("grid", name="Runs of the sweep").locator("tbody tr")).to_have_count(2)

    press(page, "Pause", "Pausing|Paused: ")
    told(page, "Paused: ")
    asked = len(scene.judge.asked)
    assert asked < CALLS
    assert scene.safe() == frozenset(scene.judge.asked), "what was in flight is kept"
    page.wait_for_timeout(700)
    assert len(scene.judge.asked) == asked, "a paused sweep asks nothing"

    press(page, "Resume", "Scoring: ")
    scene.judge.wait_for(40)
    scene.kill()
    page.close()
    lost = frozenset(scene.judge.asked) - scene.safe()
    assert len(lost) <= 2 * CONCURRENCY
    at_kill = len(scene.judge.asked)
    assert at_kill < CALLS

    scene.start()
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(f"{scene.url}/runs?sweep=1")
    told(page, "Interrupted: ")
    press(page, "Resume", "Scoring: ")
    scene.judge.wait_for(20)
    press(page, "Cancel", "Cancelling|Cancelled: ")
    told(page, "Cancelled: ")
    assert len(scene.judge.asked) < CALLS
    scene.delay_s = 0.0
    press(page, "Resume", "Scoring: |Finished: ")
    told(page, f"Finished: {CALLS} items in 2 runs")
    expect(page.get_by_role("grid", name="Runs of the sweep")).to_contain_text(f"n {2 * GROUPS}")
    page.close()
    assert failures == []

    for run_id in RUNS:
        end = kept(scene.home, run_id, scene.judge)
        assert (end.state, Counter(end.statuses.values())) == ("finished", {"scored": GROUPS})
        assert len(end.verdicts) == 2 * GROUPS
    times = Counter(scene.judge.asked)
    assert len(times) == CALLS
    assert {question for question, count in times.items() if count > 1} <= lost, "what was answered was asked again"
    print(f"\n{len(scene.judge.asked)} requests, {len(lost)} lost at the kill, {time.monotonic() - began:.0f} s")
