"""Two benchmarks, one of them in a browser, run in their smallest form and print their tables; the others are read.

What the figures are is nobody's test, and each of the rest would take most of a minute.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks.rig import Figure

ROOT = Path(__file__).parents[2]

_FIGURE = re.compile(r"-?\d+(\.\d+)? \(-?\d+(\.\d+)?–-?\d+(\.\d+)?\)")


@pytest.mark.parametrize(
    ("name", "options", "rows"),
    [
        ("rescore", ["--groups=1", "--rounds=1"], ["rescore from the cache, stored"]),
        pytest.param(
            "first_paint",
            ["--rounds=1", "--loads=2"],
            ["first load of a fresh server", "later loads"],
            marks=pytest.mark.browser,
        ),
    ],
)
def test_it_runs_and_prints_its_table(name: str, options: Sequence[str], rows: Sequence[str]) -> None:
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *options]
    ended = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=300)

    assert (ended.returncode, ended.stderr) == (0, "")
    table = {line.split("|")[1].strip(): line for line in ended.stdout.splitlines() if line.startswith("|")}
    assert all(_FIGURE.search(table[row]) for row in rows)


@pytest.mark.parametrize("name", ["call_overhead", "throughput", "cached_score", "compare"])
def test_it_says_what_it_measures(name: str) -> None:
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", "--help"]
    ended = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"python -m tests.benchmarks.{name}" in ended.stdout


def test_a_figure_is_the_median_and_what_lies_around_it() -> None:
    assert Figure.of([3.0, 1.0, 2.0]).shown(1) == "2.0 (1.0–3.0)"
    assert Figure.of([5.0, 1.0, 2.0, 3.0, 4.0]).shown(0) == "3 (2–4)"
