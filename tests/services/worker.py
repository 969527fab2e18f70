"""Workers to be killed: processes of their own that carry out runs as the app does, through the real litellm client.

They are forked from a process that has done the imports (`tests.services.preloaded`), so that a test can afford
dozens. What they do, and how they end, is theirs alone: no memory, no lock and no connection is shared.
"""

from __future__ import annotations

import multiprocessing
import sys
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings, RunState
from reward_lab.errors import InvalidRun
from reward_lab.settings import Settings
from reward_lab.wiring import open_lab

CONCURRENCY = 8
"""Requests in flight at once; twice as many items are in progress."""

METHODS = ("ruler", "likert", "rar_explicit")

TAKEN = 3
"""Exit status of a worker that found another one at work on its run."""

RUBRIC = Rubric.from_record(
    {
        "criteria": [{"description": f"Names figure {number}."} for number in range(4)],
        "scoring": {"explicit_calls": "per_criterion"},
    }
)
ITEMS_A_GROUP = 1 + 2 + 2
CALLS_A_GROUP = 1 + 2 + 2 * len(RUBRIC.criteria)


def groups(count: int) -> tuple[Group, ...]:
    """Groups of two responses, no two alike, so that no two questions of a run are."""
    return tuple(
        Group.from_record(
            {
                "id": f"g{number}",
                "scenario": {"messages": [{"role": "user", "content": f"What is figure {number}?"}]},
                "trajectories": [{"text": f"Figure {number} is {side}."} for side in ("left", "right")],
            }
        )
        for number in range(count)
    )


def start(home: Path, base_url: str, count: int) -> None:
    """Begin a run over `count` groups and carry it out."""
    lab = open_lab(Settings(home=home, concurrency=CONCURRENCY), trust_all_endpoints=True)
    judge = Judge(model="openai/scripted", api_base=base_url)
    _, future = lab.scoring.start(NewRun(groups(count), RUBRIC, (judge,), RunSettings(methods=METHODS)))
    state = future.result()
    lab.close()
    sys.exit(state is not RunState.FINISHED)


def resume(home: Path, run_id: int, together: Barrier | None = None) -> None:
    """Take a run up where it was left; with `together`, at the same moment as another worker."""
    lab = open_lab(Settings(home=home, concurrency=CONCURRENCY), trust_all_endpoints=True)
    if together is not None:
        together.wait()
    try:
        state = lab.scoring.resume(run_id).result()
    except InvalidRun:
        state = None
    lab.close()
    sys.exit(TAKEN if state is None else state is not RunState.FINISHED)


_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.services.preloaded"])


def started(home: Path, base_url: str, count: int) -> BaseProcess:
    """A worker that does `start`."""
    return _begun(_processes.Process(target=start, args=(home, base_url, count), daemon=True))


def resumed(home: Path, run_id: int, together: Barrier | None = None) -> BaseProcess:
    """A worker that does `resume`."""
    return _begun(_processes.Process(target=resume, args=(home, run_id, together), daemon=True))


def barrier(parties: int) -> Barrier:
    """For workers to wait for each other."""
    return _processes.Barrier(parties)


def _begun(process: BaseProcess) -> BaseProcess:
    process.start()
    return process
