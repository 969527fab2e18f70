"""Several processes write to one home at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from reward_lab.core.run import RunState
from reward_lab.store import Store
from tests.services import worker
from tests.services.kept import kept, newest_run
from tests.services.scene import Scene


def test_two_commands_score_into_one_home(scene: Scene, tmp_path: Path) -> None:
    """From the first moment on: neither finds a database or a cache."""
    names = ("odd", "even")
    processes = []
    for place, name in enumerate(names):
        source = tmp_path / f"{name}.jsonl"
        groups = worker.groups(40)[place::2]
        source.write_text("\n".join(json.dumps(group.to_record()) for group in groups), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "reward_lab", "score", str(source), "--method", "likert", "--method", "ruler"),
            *("--judge", "openai/scripted", "--api-base", scene.server.base_url),
            *("--out", str(tmp_path / f"{name}.out")),
        ]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    ended = [(*process.communicate(timeout=120), process.returncode) for process in processes]

    assert [(errors, status) for _, errors, status in ended] == [("", 0)] * 2
    with Store.open(scene.database) as store:
        page = store.runs()
        assert {run.name for run in page.rows} == set(names)
        for run in page.rows:
            lines = (tmp_path / f"{run.name}.out").read_text(encoding="utf-8").splitlines()
            assert [json.loads(line)["id"] for line in lines] == [
                group.id for group in worker.groups(40)[names.index(run.name) :: 2]
            ]
            assert all(one["status"] == "scored" for line in lines for one in json.loads(line)["results"])
            assert (run.state, run.progress.done, run.usage.calls) == (RunState.FINISHED, 60, 60)
            assert len(store.verdicts(run.id)) == 80
    assert set(Counter(scene.judge.asked).values()) == {1}
    assert len(scene.judge.asked) == 120
    kept_replies = kept(scene.home, page.rows[0].id, scene.judge).cached
    assert kept_replies == set(scene.judge.asked), "the shared cache holds the replies of both"


@pytest.mark.parametrize("count", [2, 3])
def test_of_those_who_resume_a_run_at_once_one_does(scene: Scene, count: int) -> None:
    process = worker.started(scene.home, scene.server.base_url, 10)
    scene.judge.wait_for(20)
    run_id = newest_run(scene.home)
    assert run_id is not None
    kill = scene.kill(process, run_id)
    together = worker.barrier(count)
    processes = [worker.resumed(scene.home, run_id, together) for _ in range(count)]
    for process in processes:
        process.join(60)

    assert sorted(process.exitcode or 0 for process in processes) == [0, *[worker.TAKEN] * (count - 1)]
    scene.assert_whole(run_id, [kill], groups=10)
    assert len(scene.judge.asked) == 10 * worker.CALLS_A_GROUP + len(kill.lost)
