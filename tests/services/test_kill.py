"""A process that is killed loses nothing that was finished, and nothing is asked again that was answered.

The judge is a server in the test's process, so that what it was asked survives every kill; the run's rows are read
straight from the files. The moments are printed: `pytest -s` shows them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reward_lab.core.run import RunState
from reward_lab.store import Store
from tests.judges.server import Reply
from tests.services import worker
from tests.services.kept import kept, newest_run, question_of
from tests.services.scene import Kill, Scene, end

GROUPS = 40
assert GROUPS * worker.ITEMS_A_GROUP == 200


def tell(seed: int, kills: list[Kill], scene: Scene) -> None:
    print(f"\nseed {seed}, {len(kills)} kills; items done at each: {[kill.kept.done for kill in kills]}")
    print(f"asked in vain at each: {[len(kill.lost) for kill in kills]}; {len(scene.judge.asked)} requests in all")


@pytest.mark.parametrize(("cache_stays", "seed"), [(True, 20), (False, 21)], ids=["with-cache", "cache-deleted"])
def test_a_run_that_is_killed_time_and_again_is_whole_in_the_end(scene: Scene, cache_stays: bool, seed: int) -> None:
    moments = random.Random(seed)
    kills: list[Kill] = []
    process = worker.started(scene.home, scene.server.base_url, GROUPS)
    scene.judge.wait_for(1)
    run_id = newest_run(scene.home)
    assert run_id is not None
    while len(kills) < 20:
        # After so many questions, at any moment of the next few; or at any moment of taking the run up.
        more = moments.choice((0, *range(1, 17)))
        scene.judge.wait_for(more)
        time.sleep(moments.uniform(0, 0.02 if more else 0.2))
        kills.append(scene.kill(process, run_id, cache_stays=cache_stays))
        process = worker.resumed(scene.home, run_id)
    process.join(60)
    assert process.exitcode == 0
    tell(seed, kills, scene)
    scene.assert_whole(run_id, kills, groups=GROUPS)


@pytest.mark.parametrize("seed", range(3))
def test_a_fresh_run_is_taken_up_wherever_it_was_killed(scene: Scene, seed: int) -> None:
    moments = random.Random(seed)
    process = worker.started(scene.home, scene.server.base_url, GROUPS)
    scene.judge.wait_for(moments.randrange(20, 400))
    time.sleep(moments.uniform(0, 0.02))
    run_id = newest_run(scene.home)
    assert run_id is not None
    kill = scene.kill(process, run_id)
    process = worker.resumed(scene.home, run_id)
    process.join(60)
    assert process.exitcode == 0
    tell(seed, [kill], scene)
    scene.assert_whole(run_id, [kill], groups=GROUPS)


def test_the_command_is_taken_up_too(scene: Scene, tmp_path: Path) -> None:
    groups, rubric = tmp_path / "groups.jsonl", tmp_path / "rubric.json"
    groups.write_text("\n".join(json.dumps(group.to_record()) for group in worker.groups(GROUPS)), encoding="utf-8")
    rubric.write_text(worker.RUBRIC.model_dump_json(), encoding="utf-8")
    methods = [argument for method in worker.METHODS for argument in ("--method", method)]
    command = [
        *(sys.executable, "-m", "reward_lab", "score", str(groups), *methods, "--rubric", str(rubric)),
        *("--judge", "openai/scripted", "--api-base", scene.server.base_url),
        *("--concurrency", str(worker.CONCURRENCY), "--out", str(tmp_path / "out.jsonl")),
    ]
    with subprocess.Popen(command) as process:
        scene.judge.wait_for(150)
        process.kill()
    scene.wait_for_the_last_byte()
    run_id = newest_run(scene.home)
    assert run_id is not None
    left = kept(scene.home, run_id, scene.judge)
    kill = Kill(len(scene.judge.asked), left, frozenset(scene.judge.asked) - left.safe)
    resumed = worker.resumed(scene.home, run_id)
    resumed.join(60)
    assert resumed.exitcode == 0
    tell(0, [kill], scene)
    scene.assert_whole(run_id, [kill], groups=GROUPS)


def test_a_process_that_is_killed_while_it_starts_leaves_a_home_that_works(scene: Scene) -> None:
    """While the database is made, the run is planned and the first questions are prepared."""
    moments = random.Random(23)
    for _ in range(6):
        process = worker.started(scene.home, scene.server.base_url, 2)
        time.sleep(moments.uniform(0, 0.3))
        end(process)
    process = worker.started(scene.home, scene.server.base_url, 2)
    process.join(60)
    assert process.exitcode == 0
    newest = newest_run(scene.home)
    assert newest is not None
    with Store.open(scene.database) as store:
        states = [store.run(run_id).state for run_id in range(1, newest + 1)]
    assert set(states[:-1]) <= {RunState.INTERRUPTED, RunState.FINISHED}
    assert states[-1] is RunState.FINISHED
    for run_id in range(1, newest):
        process = worker.resumed(scene.home, run_id)
        process.join(60)
        assert process.exitcode == (0 if states[run_id - 1] is RunState.INTERRUPTED else worker.TAKEN)


Answer = Callable[[dict[str, Any]], Reply | None]


def hanging(scene: Scene, answer: Answer) -> None:
    """Let the judge answer so; where `answer` gives nothing, as it would by itself."""
    scene.server.script(lambda body, index: (scene.judge(body, index), answer(body))[1] or scene.judge.reply)


def last_message(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])
