"""A process that is killed loses nothing that was finished, and nothing is asked again that was answered.

The judge is a server in the test's process, so that what it was asked survives every kill; the run's rows are read
straight from the files. The moments are printed: `pytest -s` shows them.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reward_lab.core.run import RunState
from reward_lab.store import Store
from tests.judges.server import Reply
from tests.services import worker
from tests.services.kept import Messages, kept, newest_run
from tests.services.scene import Kill, Scene, kill

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
        more = moments.choice((0, *range(1, 33)))
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
        kill(process)
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


def about_figure_3(messages: Messages) -> bool:
    return '"Names figure 3."' in messages[1]["content"]


def wait_for_calls(scene: Scene, count: int) -> int:
    """Until so many calls are stored; the id of their run."""
    until = time.monotonic() + 20
    while (run_id := newest_run(scene.home)) is None or kept(scene.home, run_id, scene.judge).call_rows < count:
        assert time.monotonic() < until, f"{count} calls should be stored by now"
        time.sleep(0.02)
    return run_id


def test_the_answers_of_an_unfinished_item_are_kept(scene: Scene) -> None:
    scene.judge.instead = lambda messages: Reply.hang() if about_figure_3(messages) else None
    process = worker.started(scene.home, scene.server.base_url, 1)
    run_id = wait_for_calls(scene, worker.CALLS_A_GROUP - 2)
    scene.judge.wait_for_all(worker.CALLS_A_GROUP)
    kill = scene.kill(process, run_id, cache_stays=False)
    assert sorted(kill.kept.statuses.values()) == ["running", "running", "scored", "scored", "scored"]
    assert len(kill.lost) == 2

    scene.judge.instead = lambda _: None
    process = worker.resumed(scene.home, run_id)
    process.join(60)
    assert process.exitcode == 0
    assert frozenset(scene.judge.asked[kill.asked :]) == kill.lost
    scene.assert_whole(run_id, [kill], groups=1)


def test_a_reply_that_was_sent_back_is_not_asked_for_again(scene: Scene) -> None:
    """It could not be used and was stored; the kill came while the judge was correcting it."""

    def unreadable(messages: Messages) -> Reply | None:
        return Reply.text("No idea.") if about_figure_3(messages) and len(messages) == 2 else None

    scene.judge.instead = lambda messages: unreadable(messages) or (Reply.hang() if about_figure_3(messages) else None)
    process = worker.started(scene.home, scene.server.base_url, 1)
    run_id = wait_for_calls(scene, worker.CALLS_A_GROUP)
    scene.judge.wait_for_all(worker.CALLS_A_GROUP + 2)
    kill = scene.kill(process, run_id, cache_stays=False)
    assert len(kill.lost) == 2

    scene.judge.instead = unreadable
    process = worker.resumed(scene.home, run_id)
    process.join(60)
    assert process.exitcode == 0
    assert frozenset(scene.judge.asked[kill.asked :]) == kill.lost, "the question itself was asked again"
    end = kept(scene.home, run_id, scene.judge)
    assert (end.state, set(end.statuses.values())) == ("finished", {"scored"})
    assert end.call_rows == worker.CALLS_A_GROUP + 2
