"""What the benchmarks share: a judge in a process of its own, groups to score, and figures with their spread."""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from reward_lab.core.chat import Json
from reward_lab.core.methods import METHODS
from reward_lab.core.rubric import Category, Criterion, Rubric

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

ROOT = Path(__file__).parents[2]
MODEL = "openai/scripted"
GROUP_SIZE = 8
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
JUDGED = tuple(name for name in METHODS if METHODS[name].asks)
"""The six methods that ask a judge."""

RUBRIC = Rubric(
    guidance="A good answer says what the policy allows, and nothing that it does not say.",
    criteria=(
        Criterion(
            title="Window", description="Says within how many days a refund can be had.", category=Category.ESSENTIAL
        ),
        Criterion(title="Proof", description="Says that a receipt is needed.", category=Category.IMPORTANT),
        Criterion(title="Tone", description="Speaks to the customer politely.", category=Category.OPTIONAL),
        Criterion(title="Invented", description="Promises something the policy does not.", category=Category.PITFALL),
    ),
)

_SENTENCE = "The policy allows a refund within thirty days of the purchase, on showing the receipt, to the same card."


@contextmanager
def judge_server(latency_ms: float) -> Iterator[str]:
    """An obedient judge's base URL. It has a process of its own, so that its CPU is not the client's."""
    command = [sys.executable, "-m", "tests.judges.server", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@contextmanager
def scratch_home(concurrency: int) -> Iterator[Path]:
    """A home of its own for database and cache, as processes started from here find it, with so many calls in flight.

    Keys and proxies are left out of the environment, so that nothing but loopback is asked.
    """
    kept = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="reward-lab-benchmark-", ignore_cleanup_errors=True) as folder:
        for name in kept:
            if name.upper().endswith(("_API_KEY", "_PROXY", "_API_BASE", "_BASE_URL")) or name.startswith("REWARD_LAB"):
                del os.environ[name]
        os.environ["REWARD_LAB_HOME"] = folder
        os.environ["REWARD_LAB_CONCURRENCY"] = str(concurrency)
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        try:
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(kept)


@contextmanager
def own_process() -> Iterator[ProcessPoolExecutor]:
    """A fresh process that runs one function after another, and keeps what they open in between."""
    pool = ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown()


@dataclass(frozen=True, slots=True)
class Served:
    """A server: where it is, and its process."""

    url: str
    process: subprocess.Popen[bytes]

    def wait_until_idle(self) -> None:
        """Wait until it has taken hardly any CPU for a second: what it does in the background is done."""
        now, before = self._cpu_ticks(), 0
        while now - before > _IDLE_TICKS:
            time.sleep(1)
            now, before = self._cpu_ticks(), now

    def _cpu_ticks(self) -> int:
        """CPU time so far in Linux's ticks, a hundredth of a second each."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])


_IDLE_TICKS = 5


@contextmanager
def served(arguments: Sequence[str], *, log: Path) -> Iterator[Served]:
    """A Streamlit server, ``python *arguments``, once it is healthy. What it says goes to ``log``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STREAMLIT_SERVER_PORT": port}
    environment |= {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "STREAMLIT_SERVER_HEADLESS": "true"}
    command = [sys.executable, *(argument.format(port=port) for argument in arguments)]
    # In the log's own folder, so that no configuration of another place is read.
    with (
        log.open("w") as lines,
        subprocess.Popen(command, cwd=log.parent, env=environment, stderr=lines, stdout=lines) as server,
    ):
        try:
            _wait_until_healthy(f"http://127.0.0.1:{port}/_stcore/health", server, log)
            yield Served(f"http://127.0.0.1:{port}/", server)
        finally:
            server.terminate()


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server at {url} does not answer; it said:\n{log.read_text()}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def group_records(count: int, *, first: int) -> list[dict[str, Json]]:
    """Groups of 8 as a group file has them, numbered from ``first``: no two numbers share a prompt.

    An answer has about 500 characters, a RULER prompt about 6,000.
    """
    return [_group_record(number) for number in range(first, first + count)]


def message_lists(record: dict[str, Json]) -> list[list[dict[str, Json]]]:
    """The whole conversation of each trajectory of a group, as RULER's users pass them."""
    scenario = record["scenario"]
    start = [{"role": "system", "content": scenario["system_prompt"]}, *scenario["messages"]]
    return [[*start, {"role": "assistant", "content": one["text"]}] for one in record["trajectories"]]


def _group_record(number: int) -> dict[str, Json]:
    answers = [
        f"Answer {place} to case {number}: " + " ".join([_SENTENCE] * 4) + f" Reference {number * GROUP_SIZE + place}."
        for place in range(1, GROUP_SIZE + 1)
    ]
    return {
        "id": f"case-{number}",
        "scenario": {
            "system_prompt": "You answer customers. Use nothing but the retrieved policy.",
            "messages": [
                {"role": "user", "content": f"Case {number}: can I have my money back?\n\nPolicy: {_SENTENCE}"}
            ],
            "reference_answer": _SENTENCE,
        },
        "trajectories": [{"id": str(place), "text": text} for place, text in enumerate(answers, start=1)],
    }


@dataclass(frozen=True, slots=True)
class Figure:
    """A median over rounds, and the quartiles around it (the extremes where there are fewer than four rounds)."""

    median: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        """The figure of one measurement a round."""
        if len(values) < 4:
            return cls(statistics.median(values), min(values), max(values), len(values))
        low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(middle, low, high, len(values))

    def shown(self, digits: int) -> str:
        """The median with its spread, such as ``0.42 (0.40–0.45)``."""
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}–{self.high:.{digits}f})"


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table: words to the left, figures to the right."""
    print(f"| {' | '.join(head)} |")
    print(f"|{'|'.join([' --- '] + [' ---: '] * (len(head) - 1))}|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
