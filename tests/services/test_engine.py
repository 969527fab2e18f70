"""Runs go through, stop, go on, and ask nothing twice."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reward_lab.core.chat import Message
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.run import ItemStatus, NewRun, RunState
from reward_lab.core.verdict import Fault, Reason, Scored, Unscored
from reward_lab.errors import InvalidGroup, StoreError
from reward_lab.judges.completion import CallFault, Completion
from reward_lab.judges.scripted import ScriptedTransport
from reward_lab.settings import read_settings
from reward_lab.store import Store
from reward_lab.wiring import open_lab
from tests.judges.server import Reply, ScriptedServer
from tests.services.laboratory import JUDGE, Bench, group, new_run, opened

CRITERIA = Rubric(
    criteria=(Criterion(description="Says yes."), Criterion(description="Says no.", meets_when=False)),
)


def obedient(question: Question, messages: Sequence[Message]) -> str:
    """A judge that answers every kind of question."""
    task = question.task
    match task.kind:
        case "listwise":
            scores = [
                {"trajectory_id": one, "explanation": "e", "score": round(0.1 * place, 2)}
                for place, (one, _) in enumerate(task.members)
            ]
            return json.dumps({"scores": scores})
        case "rating":
            return json.dumps({"explanation": "because", "rating": 7})
        case "criteria":
            marks = [{"id": one, "explanation": "m", "met": True} for one, _ in task.criteria]
            return json.dumps({"criteria": marks})
        case _:
            return json.dumps({"explanation": "m", "met": True})


def _finish(bench: Bench, new: NewRun) -> int:
    run_id, future = bench.scoring.start(new)
    assert future.result(20) is RunState.FINISHED
    return run_id


def test_every_method_gives_one_verdict_a_trajectory(tmp_path: Path) -> None:
    methods = ("ruler", "likert", "likert_reference", "rar_explicit", "rar_implicit", "rar_predefined")
    whole = group(reference_answer="Yes.")
    with opened(tmp_path, lambda _: ScriptedTransport(obedient)) as bench:
        run_id = _finish(bench, new_run((whole,), *methods, rubric=CRITERIA))
        verdicts = bench.store.verdicts(run_id)
        assert sorted((one.method, one.verdict.trajectory_id) for one in verdicts) == sorted(
            (method, str(number)) for method in methods for number in (1, 2, 3)
        )
        assert all(isinstance(one.verdict, Scored) for one in verdicts)
        run = bench.scoring.run(run_id)
        assert (run.state, run.progress.done, run.progress.total) == (RunState.FINISHED, 16, 16)
        assert run.usage.calls == 16


def test_what_cannot_be_applied_is_unscored_and_nothing_is_asked(tmp_path: Path) -> None:
    transport = ScriptedTransport([])
    with opened(tmp_path, lambda _: transport) as bench:
        run_id = _finish(bench, new_run((group(),), "likert_reference", "rar_explicit", "verifier"))
        reasons = {one.method: one.verdict.reason for one in bench.store.verdicts(run_id)}  # type: ignore[union-attr]  # all are unscored
        assert reasons == {
            "likert_reference": Reason.NO_REFERENCE,
            "rar_explicit": Reason.NO_CRITERIA,
            "verifier": Reason.NO_VERIFIERS,
        }
        assert transport.asked == []


def test_a_second_run_of_the_same_asks_nothing(tmp_path: Path) -> None:
    transport = ScriptedTransport(obedient)
    with opened(tmp_path, lambda _: transport) as bench:
        _finish(bench, new_run((group(),), "ruler", "likert"))
        assert len(transport.asked) == 4
        again = _finish(bench, new_run((group(),), "ruler", "likert"))
        assert len(transport.asked) == 4
        assert (bench.scoring.run(again).usage.calls, bench.scoring.run(again).usage.cached) == (0, 4)
        _finish(bench, new_run((group(),), "likert", ask_again=True))
        assert len(transport.asked) == 7


def test_equal_responses_are_asked_once(tmp_path: Path) -> None:
    transport = ScriptedTransport(obedient)
    with opened(tmp_path, lambda _: transport) as bench:
        _finish(bench, new_run((group(texts=("same", "same", "other")),), "likert"))
        assert len(transport.asked) == 2


def test_repeats_are_samples_of_their_own(tmp_path: Path) -> None:
    transport = ScriptedTransport(obedient)
    with opened(tmp_path, lambda _: transport) as bench:
        run_id = _finish(bench, new_run((group(),), "ruler", repeats=3))
        assert len(transport.asked) == 3
        cells = bench.results.of(run_id).table.cells("ruler")
        assert [cell.n for cell in cells] == [3, 3, 3]


class Gate:
    """A judge that answers so many questions and then waits until it is let go on."""

    def __init__(self, free: int) -> None:
        self.free = free
        self.asked = 0
        self.waiting = threading.Event()
        self.open = threading.Event()

    async def prepare(self) -> None: ...

    async def complete(
        self, question: Question, messages: Sequence[Message], judge: Judge, *, max_tokens: int | None
    ) -> Completion:
        self.asked += 1
        if self.asked > self.free:
            self.waiting.set()
            await asyncio.to_thread(self.open.wait)
        return Completion(obedient(question, messages), "stop", latency_s=0.0)

    async def aclose(self) -> None: ...


def test_a_cancelled_run_keeps_what_is_done_and_goes_on_where_it_was(tmp_path: Path) -> None:
    gate = Gate(free=5)
    groups = tuple(group(f"g{number}", (f"text {number}",)) for number in range(20))
    with opened(tmp_path, lambda _: gate, workers=4) as bench:
        run_id, future = bench.scoring.start(new_run(groups, "likert"))
        assert gate.waiting.wait(10)
        bench.scoring.cancel(run_id)
        threading.Timer(1.0, gate.open.set).start()
        assert future.result(20) is RunState.CANCELLED
        run = bench.scoring.run(run_id)
        done = run.progress.done
        # Those in flight when the run was cancelled were waited for: nine were asked, nine are kept.
        assert done == gate.asked
        assert run.progress.counts[ItemStatus.CANCELLED] == 20 - done
        assert bench.scoring.resume(run_id).result(20) is RunState.FINISHED
        assert gate.asked == 20
        assert len(bench.store.verdicts(run_id)) == 20


@pytest.mark.usefixtures("reward_lab_home")
def test_a_judge_that_never_answers_holds_a_cancelled_run_up_no_longer_than_the_page_says() -> None:
    """Over the real client, while every thread that the event loop lends is taken, as slow look-ups of names do."""
    groups = tuple(group(f"g{number}", (f"text {number}",)) for number in range(20))
    busy = threading.Event()
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    with ScriptedServer() as server:
        server.script(lambda _body, _index: Reply.hang())
        judge = Judge(model="openai/m", api_base=server.base_url)
        try:
            run_id, future = lab.scoring.start(replace(new_run(groups, "likert", "ruler", repeats=3), judges=(judge,)))
            until = time.monotonic() + 60
            while server.in_flight < 16:
                assert time.monotonic() < until
                time.sleep(0.05)
            lab.judging.loop.submit(_occupied(busy)).result(10)
            asked_at = time.monotonic()
            lab.scoring.cancel(run_id)
            assert future.result(20) is RunState.CANCELLED
            took_s = time.monotonic() - asked_at
        finally:
            busy.set()
            lab.close()
    assert 4.9 < took_s < 6.0


async def _occupied(busy: threading.Event) -> None:
    """Take every thread of the loop's own until ``busy`` is set."""
    loop = asyncio.get_running_loop()
    for _ in range(64):
        loop.run_in_executor(None, busy.wait, 10.0)


def test_of_a_cancelled_run_the_sentence_names_what_is_not_done_and_cells_how_far_they_are(tmp_path: Path) -> None:
    gate = Gate(free=7)
    with opened(tmp_path, lambda _: gate, workers=1) as bench:
        run_id, future = bench.scoring.start(new_run((group(),), "ruler", "likert", repeats=3))
        assert gate.waiting.wait(10)
        bench.scoring.cancel(run_id)
        threading.Timer(1.0, gate.open.set).start()
        assert future.result(20) is RunState.CANCELLED
        # Three group calls, then Likert repeat by repeat: 3 responses, then two of the second repeat.
        result = bench.results.of(run_id)
        assert [cell.standing for cell in result.table.cells("ruler")] == ["3 of 3"] * 3
        assert [cell.standing for cell in result.table.cells("likert")] == ["2 of 3", "2 of 3", "1 of 3"]
        assert result.sentence.endswith("; Likert is not done.")
        assert "all alike" not in result.sentence
        assert bench.scoring.resume(run_id).result(20) is RunState.FINISHED
        assert "not done" not in bench.results.of(run_id).sentence


def test_a_database_that_was_busy_for_once_leaves_the_run_to_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = Store.stop_requested
    failed = threading.Event()

    def busy_once(store: Store, run_id: int) -> RunState | None:
        if not failed.is_set():
            failed.set()
            raise StoreError("the database is locked")
        return looked_up(store, run_id)

    monkeypatch.setattr(Store, "stop_requested", busy_once)
    gate = Gate(free=0)
    with opened(tmp_path, lambda _: gate, workers=1) as bench:
        run_id, future = bench.scoring.start(new_run((group(),), "likert"))
        assert failed.wait(10)
        assert gate.waiting.wait(10)
        bench.scoring.cancel(run_id)
        threading.Timer(1.0, gate.open.set).start()
        assert future.result(20) is RunState.CANCELLED
        assert gate.asked == 1


def test_a_run_that_is_cancelled_as_it_ends_is_finished(tmp_path: Path) -> None:
    gate = Gate(free=0)
    with opened(tmp_path, lambda _: gate) as bench:
        run_id, future = bench.scoring.start(new_run((group(),), "likert"))
        assert gate.waiting.wait(10)
        bench.scoring.cancel(run_id)
        threading.Timer(1.0, gate.open.set).start()
        assert future.result(20) is RunState.FINISHED
        assert bench.scoring.run(run_id).progress.done == 3


def test_what_failed_is_retried_and_what_is_scored_stays(tmp_path: Path) -> None:
    broken = [True]

    def sometimes(question: Question, messages: Sequence[Message]) -> str:
        text = str(messages)
        return "no idea" if broken[0] and "Perhaps." in text else obedient(question, messages)

    transport = ScriptedTransport(sometimes)
    with opened(tmp_path, lambda _: transport) as bench:
        run_id = _finish(bench, new_run((group(),), "likert"))
        states = {one.verdict.trajectory_id: type(one.verdict) for one in bench.store.verdicts(run_id)}
        assert states == {"1": Scored, "2": Scored, "3": Unscored}
        asked = len(transport.asked)
        broken[0] = False
        assert bench.scoring.retry(run_id).result(20) is RunState.FINISHED
        assert len(transport.asked) == asked + 1
        assert all(isinstance(one.verdict, Scored) for one in bench.store.verdicts(run_id))


def test_a_budget_stops_the_run_before_the_next_call(tmp_path: Path) -> None:
    def costly(question: Question, messages: Sequence[Message]) -> Completion:
        return Completion(obedient(question, messages), "stop", cost_usd=0.4, latency_s=0.0)

    groups = tuple(group(f"g{number}", (f"text {number}",)) for number in range(10))
    with opened(tmp_path, lambda _: ScriptedTransport(costly), workers=1) as bench:
        run_id, future = bench.scoring.start(new_run(groups, "likert", budget_usd=1.0))
        assert future.result(20) is RunState.CANCELLED
        run = bench.scoring.run(run_id)
        assert run.progress.done == 3
        assert run.usage.cost_usd == 3 * 0.4


def test_criteria_asked_one_by_one_survive_a_failure_in_between(tmp_path: Path) -> None:
    rubric = CRITERIA.model_copy(
        update={"scoring": CRITERIA.scoring.model_copy(update={"explicit_calls": "per_criterion"})}
    )

    def second_fails(question: Question, messages: Sequence[Message]) -> str | CallFault:
        if "Says no." in str(messages):
            return CallFault(Fault(Reason.SERVER_ERROR, "down"), retryable=False)
        return obedient(question, messages)

    with opened(tmp_path, lambda _: ScriptedTransport(second_fails)) as bench:
        run_id = _finish(bench, new_run((group(texts=("Yes.",)),), "rar_explicit", rubric=rubric))
        (stored,) = bench.store.verdicts(run_id)
        assert isinstance(stored.verdict, Unscored)
        assert stored.verdict.reason is Reason.SERVER_ERROR
    mended = ScriptedTransport(obedient)
    with opened(tmp_path, lambda _: mended) as bench:
        assert bench.scoring.retry(run_id).result(20) is RunState.FINISHED
        (stored,) = bench.store.verdicts(run_id)
        assert isinstance(stored.verdict, Scored)
        assert len(mended.asked) == 1


def test_a_fault_of_the_program_is_loud_and_leaves_the_run_to_be_resumed(tmp_path: Path) -> None:
    def buggy(question: Question, messages: Sequence[Message]) -> str:
        raise ZeroDivisionError("a bug")

    with opened(tmp_path, lambda _: ScriptedTransport(buggy)) as bench:
        run_id, future = bench.scoring.start(new_run((group(),), "likert"))
        assert isinstance(future.exception(20), ZeroDivisionError)
        assert bench.scoring.run(run_id).state is RunState.INTERRUPTED


def test_an_ensemble_is_averaged(tmp_path: Path) -> None:
    strict = Judge(model="scripted/strict")

    def rated(rating: int) -> ScriptedTransport:
        return ScriptedTransport(lambda *_: json.dumps({"explanation": "", "rating": rating}))

    transports = {JUDGE.model: rated(8), strict.model: rated(4)}
    with opened(tmp_path, lambda judge: transports[judge.model]) as bench:
        new = new_run((group(),), "likert")
        run_id = _finish(bench, NewRun(new.groups, new.rubric, (JUDGE, strict), new.settings))
        assert [cell.score for cell in bench.results.of(run_id).table.cells("likert")] == [6.0, 6.0, 6.0]


def test_a_group_given_twice_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    with opened(tmp_path, lambda _: ScriptedTransport(obedient)) as bench:
        with pytest.raises(InvalidGroup, match="more than once"):
            bench.scoring.start(new_run((group(), group()), "ruler"))
        assert bench.scoring.runs().total == 0
