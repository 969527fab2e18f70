"""A judge and a home that processes come and go in: what each kill left, and whether the whole came through."""

from __future__ import annotations

import shutil
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from reward_lab.core.run import RunState
from reward_lab.core.verdict import Scored
from reward_lab.store import Store
from tests.judges.server import ScriptedServer
from tests.services import worker
from tests.services.kept import Kept, NumberedJudge, Question, kept

ITEMS_AT_ONCE = 2 * worker.CONCURRENCY
"""Items in progress at a kill, at most; only their requests may have been made in vain."""


@dataclass(frozen=True)
class Kill:
    """One kill: the number of questions asked until then, what was stored, and what the process asked in vain."""

    asked: int
    kept: Kept
    lost: frozenset[Question]


@dataclass
class Scene:
    """`judge` answers on `server`; the home holds what processes store."""

    server: ScriptedServer
    judge: NumberedJudge
    home: Path
    asked: int = 0
    """Questions asked until the last kill."""

    @property
    def database(self) -> str:
        return f"sqlite:///{self.home / 'reward_lab.db'}"

    def kill(self, process: BaseProcess, run_id: int, *, cache_stays: bool = True) -> Kill:
        """End a process by SIGKILL, perhaps remove its cache, and look at what is left. The run is free at once."""
        kill(process)
        self.wait_for_the_last_byte()
        if not cache_stays:
            shutil.rmtree(self.home / "cache", ignore_errors=True)
        left = kept(self.home, run_id, self.judge)
        with Store.open(self.database) as store:
            assert store.run(run_id).state is RunState.INTERRUPTED
        since, self.asked = self.asked, len(self.judge.asked)
        return Kill(self.asked, left, frozenset(self.judge.asked[since:]) - left.safe)

    def wait_for_the_last_byte(self) -> None:
        """Until everything has arrived that processes sent before they ended."""
        until = time.monotonic() + 10
        while self.server.connections > self.server.in_flight:
            assert time.monotonic() < until, "a process is still there"
            time.sleep(0.002)

    def assert_whole(self, run_id: int, kills: Sequence[Kill], *, groups: int) -> None:
        """The run is finished, nothing is there twice, and no reply that a kill left was asked for again."""
        items, calls = worker.ITEMS_A_GROUP * groups, worker.CALLS_A_GROUP * groups
        end = kept(self.home, run_id, self.judge)
        assert end.state == "finished"
        assert len(end.statuses) == items
        assert set(end.statuses.values()) == {"scored"}
        assert {item for item, _ in end.verdicts} == end.statuses.keys()
        told = Counter(row[:3] for row in end.verdicts.values())  # of a group, by a method, on a response
        assert len(told) == len(worker.METHODS) * 2 * groups
        assert set(told.values()) == {1}
        assert end.call_rows == len(end.calls) == len({question for _, question in end.calls}) == calls

        item_of = {question: item for item, question in end.calls}
        for kill in kills:
            assert {key: end.verdicts.get(key) for key in kill.kept.verdicts} == kill.kept.verdicts
            assert {key: end.calls.get(key) for key in kill.kept.calls} == kill.kept.calls
            assert kill.kept.safe.isdisjoint(self.judge.asked[kill.asked :]), "what was answered was asked again"
            running = {item for item, status in kill.kept.statuses.items() if status == "running"}
            assert len(running) <= ITEMS_AT_ONCE
            assert {item_of[question] for question in kill.lost} <= running, "asked in vain, and not in flight"
        again = Counter(self.judge.asked)
        again.subtract(item_of.keys())
        assert min(again.values()) == 0, "a question was not asked, or a stored one never"
        assert again <= Counter(question for kill in kills for question in kill.lost)
        assert {len(bodies) for bodies in self.judge.bodies.values()} == {1}  # equal messages were equal requests

        with Store.open(self.database) as store:
            run = store.run(run_id)
            assert (run.state, run.progress.done, run.progress.total) == (RunState.FINISHED, items, items)
            assert run.usage.calls + run.usage.cached == calls
            assert all(isinstance(stored.verdict, Scored) for stored in store.verdicts(run_id))


def kill(process: BaseProcess) -> None:
    """SIGKILL."""
    process.kill()
    process.join(10)
    assert process.exitcode == -signal.SIGKILL, f"it ended by itself ({process.exitcode}) before it was killed"
