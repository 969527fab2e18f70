"""Sweeps go through cell by cell, share what they ask, stop and go on, and tell where they are."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reward_lab.core.chat import Message
from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.run import ItemStatus, RunSettings, RunState
from reward_lab.core.sweep import SweepPlan, SweptRubric
from reward_lab.core.verdict import Fault, Reason
from reward_lab.errors import InvalidRun, NotFound, StoreError
from reward_lab.judges.completion import CallFault, Completion
from reward_lab.judges.scripted import ScriptedTransport
from reward_lab.services.planning import estimate
from reward_lab.services.sweeps import Mean, SweepStatus
from reward_lab.store import Store
from tests.services.laboratory import JUDGE, Bench, group, opened
from tests.services.test_engine import Gate, obedient

BRIEF = SweptRubric(rubric=Rubric(guidance="Be brief."), name="Support", number=1)
KIND = SweptRubric(rubric=Rubric(guidance="Be kind."), name="Support", number=2)


def stored(bench: Bench, count: int = 3, **scenario: object) -> tuple[int, ...]:
    """So many groups of two responses, none alike."""
    groups = [group(f"g{number}", (f"yes {number}", f"no {number}"), **scenario) for number in range(count)]
    return tuple(bench.store.add_group(one) for one in groups)


def plan(group_ids: Sequence[int], *methods: str, **changed: object) -> SweepPlan:
    budget, repeats = changed.pop("budget_usd", None), changed.pop("repeats", 1)
    settings = {"methods": methods or ("likert",), "budget_usd": budget, "repeats": repeats}
    given = {"group_ids": tuple(group_ids), "rubrics": (BRIEF, KIND), "judges": ((JUDGE,),), "settings": settings}
    return SweepPlan.model_validate({**given, **changed})


def until(bench: Bench, sweep_id: int, holds: Callable[[SweepStatus], bool], *, at_most_s: float = 20) -> SweepStatus:
    deadline = time.monotonic() + at_most_s
    while not holds(status := bench.sweeps.status(sweep_id)):
        assert time.monotonic() < deadline, f"waited in vain; it is {status.state}"
        time.sleep(0.02)
    return status


def open_later(gate: Gate) -> None:
    """Let calls in flight come back once the runs had the time to hear that they are to stop."""
    threading.Timer(0.8, gate.open.set).start()


def ended(status: SweepStatus) -> bool:
    return status.state is not RunState.RUNNING


def finished(bench: Bench, plan: SweepPlan) -> SweepStatus:
    status = until(bench, bench.sweeps.start(plan), ended)
    assert status.state is RunState.FINISHED
    return status


def test_each_cell_is_an_ordinary_run_that_tells_which_one_it_is(tmp_path: Path) -> None:
    other = Judge(model="scripted/other")
    with opened(tmp_path, lambda _: ScriptedTransport(obedient)) as bench:
        ids = stored(bench, system_prompt="Be fair.")
        status = finished(bench, plan(ids, judges=((JUDGE,), (other,)), prompts=(None, "Be strict."), name="Night"))
        assert [run.name for run in status.runs] == [
            f"Night · Support v{version} · scripted/{judge} · {prompt}"
            for version in (1, 2)
            for judge in ("judge", "other")
            for prompt in ("own prompts", "prompt 1 (Be strict.)")
        ]
        runs = [bench.scoring.run(run.id) for run in status.runs]
        assert [run.rubric.guidance for run in runs] == ["Be brief."] * 4 + ["Be kind."] * 4
        assert [(run.rubric_name, run.rubric_version) for run in runs] == [("Support", 1)] * 4 + [("Support", 2)] * 4
        assert [run.judges for run in runs] == [(JUDGE,), (JUDGE,), (other,), (other,)] * 2
        assert {run.sweep_id for run in runs} == {status.id}
        prompts = [{one.scenario.system_prompt for one in bench.store.groups(run.group_ids).values()} for run in runs]
        assert prompts == [{"Be fair."}, {"Be strict."}] * 4
        assert {run.group_ids for run in runs[::2]} == {ids}
        assert all(run.progress.counts == {ItemStatus.SCORED: 6} for run in status.runs)


def test_equal_questions_of_two_cells_are_asked_once(tmp_path: Path) -> None:
    """RULER and Likert see the guidance alone, so two versions that differ in their criteria ask them the same."""
    same = [
        SweptRubric(rubric=Rubric(guidance="Be brief.", criteria=(Criterion(description=text),)))
        for text in ("Says yes.", "Says no.")
    ]
    transport = ScriptedTransport(obedient)
    with opened(tmp_path, lambda _: transport) as bench:
        swept = plan(stored(bench), "ruler", "likert", "rar_explicit", rubrics=same)
        expected = bench.sweeps.estimate(swept).total.calls
        status = finished(bench, swept)
        assert expected == 2 * (3 + 6 + 6)
        assert len(transport.asked) == 3 + 6 + 2 * 6
        assert status.usage.calls == len(transport.asked)
        assert status.usage.cached == expected - len(transport.asked)


def test_the_mean_reward_is_over_the_responses_that_have_a_score(tmp_path: Path) -> None:
    """Rating 10 is reward 1, rating 1 is reward 0; of six responses three are rated 10, two 1, and one is not."""

    def rated(question: Question, messages: Sequence[Message]) -> str:
        text = str(messages)
        if "no 2" in text:
            return "No idea."
        return json.dumps({"explanation": "", "rating": 10 if "yes" in text else 1})

    with opened(tmp_path, lambda _: ScriptedTransport(rated)) as bench:
        (cell,) = finished(bench, plan(stored(bench), rubrics=(BRIEF,))).cells
        assert cell.means == {"likert": Mean(pytest.approx(3 / 5, abs=1e-12), 5)}
        assert cell.failures == {Reason.UNREADABLE_REPLY: 1}


def test_of_repeats_and_judges_each_response_counts_once(tmp_path: Path) -> None:
    def by(rating: int) -> ScriptedTransport:
        return ScriptedTransport(lambda *_: json.dumps({"explanation": "", "rating": rating}))

    strict = Judge(model="scripted/strict")
    transports = {JUDGE.model: by(10), strict.model: by(1)}
    with opened(tmp_path, lambda judge: transports[judge.model]) as bench:
        ids = stored(bench)
        (cell,) = finished(bench, plan(ids, rubrics=(BRIEF,), judges=((JUDGE, strict),), repeats=2)).cells
        assert cell.means == {"likert": Mean(pytest.approx(0.5, abs=1e-12), 6)}


def test_light_figures_are_those_of_the_compare_page(tmp_path: Path) -> None:
    methods = ("ruler", "likert", "rar_explicit", "rar_implicit")
    rubric = Rubric(criteria=(Criterion(description="Says yes."), Criterion(description="Lies.", meets_when=False)))
    with opened(tmp_path, lambda _: ScriptedTransport(obedient)) as bench:
        (cell,) = finished(bench, plan(stored(bench), *methods, rubrics=(SweptRubric(rubric=rubric),))).cells
        assert cell.run is not None
        for method in methods:
            rewards = [
                one.reward.judge
                for group_id in bench.scoring.run(cell.run.id).group_ids
                for one in bench.results.of(cell.run.id, group_id=group_id).table.cells(method)
                if one.reward is not None
            ]
            assert cell.means[method] == Mean(pytest.approx(sum(rewards) / 6, abs=1e-9), 6)


def test_groups_that_differ_by_their_prompt_alone_are_one_under_the_same_prompt(tmp_path: Path) -> None:
    with opened(tmp_path, lambda _: ScriptedTransport(obedient)) as bench:
        ids = [bench.store.add_group(group("g", ("yes",), system_prompt=prompt)) for prompt in ("loose", "strict")]
        own, shared = finished(bench, plan(ids, rubrics=(BRIEF,), prompts=(None, "New."))).runs
        assert (own.groups, shared.groups) == (2, 1)


def test_a_paused_sweep_asks_nothing_more_and_goes_on_where_it_was(tmp_path: Path) -> None:
    gate = Gate(free=5)
    with opened(tmp_path, lambda _: gate, workers=2) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench, 8)))
        assert gate.waiting.wait(10)
        until(bench, sweep_id, lambda status: not status.laying_out)
        bench.sweeps.pause(sweep_id)
        assert {cell.stopping for cell in bench.sweeps.status(sweep_id).cells} == {RunState.PAUSED}
        open_later(gate)
        status = until(bench, sweep_id, ended)
        assert status.state is RunState.PAUSED
        assert sum(run.progress.done for run in status.runs) == gate.asked < 32
        assert all(set(run.progress.counts) <= {ItemStatus.SCORED, ItemStatus.PENDING} for run in status.runs)
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).state is RunState.FINISHED
        assert gate.asked == 32


def test_a_paused_run_is_paused_for_the_next_process_too(tmp_path: Path) -> None:
    gate = Gate(free=3)
    with opened(tmp_path, lambda _: gate, workers=2) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench, 8), rubrics=(BRIEF,)))
        assert gate.waiting.wait(10)
        bench.sweeps.pause(sweep_id)
        open_later(gate)
        assert until(bench, sweep_id, ended).state is RunState.PAUSED
    with opened(tmp_path, lambda _: gate) as bench:
        assert bench.sweeps.status(sweep_id).state is RunState.PAUSED
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).state is RunState.FINISHED
    assert gate.asked == 16


def test_another_process_pauses_it(tmp_path: Path) -> None:
    gate = Gate(free=3)
    with opened(tmp_path, lambda _: gate, workers=2) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench, 8)))
        assert gate.waiting.wait(10)
        until(bench, sweep_id, lambda status: len(status.runs) == 2 and not status.laying_out)
        with opened(tmp_path, lambda _: gate) as other:
            other.sweeps.pause(sweep_id)
            open_later(gate)
            assert until(other, sweep_id, ended).state is RunState.PAUSED
            other.sweeps.resume(sweep_id)
            assert until(other, sweep_id, ended).state is RunState.FINISHED
    assert gate.asked == 32


def test_a_cancelled_sweep_is_cancelled_in_every_cell_and_can_be_resumed(tmp_path: Path) -> None:
    gate = Gate(free=5)
    with opened(tmp_path, lambda _: gate, workers=2) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench, 8)))
        assert gate.waiting.wait(10)
        until(bench, sweep_id, lambda status: not status.laying_out)
        bench.sweeps.cancel(sweep_id)
        open_later(gate)
        status = until(bench, sweep_id, ended)
        assert {run.state for run in status.runs} == {RunState.CANCELLED}
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).state is RunState.FINISHED
        assert gate.asked == 32


def test_cells_that_could_not_be_laid_out_are_on_resuming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Store.create_cell

    def first_only(store: Store, place: int, *given: Any) -> int | None:
        if place:
            raise StoreError("The disk is full.")
        return create(store, place, *given)

    transport = ScriptedTransport(obedient)
    with opened(tmp_path, lambda _: transport) as bench:
        monkeypatch.setattr(Store, "create_cell", first_only)
        sweep_id = bench.sweeps.start(plan(stored(bench)))
        status = until(bench, sweep_id, ended)
        assert [cell.run is None for cell in status.cells] == [False, True]
        assert status.state is RunState.INTERRUPTED
    monkeypatch.undo()
    with opened(tmp_path, lambda _: transport) as bench:
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).state is RunState.FINISHED
    assert len(transport.asked) == 12


def test_two_processes_that_lay_out_at_once_make_each_cell_once(tmp_path: Path) -> None:
    transport = ScriptedTransport(obedient)
    judges = tuple((Judge(model=f"scripted/{number}"),) for number in range(6))
    with opened(tmp_path, lambda _: transport) as bench, opened(tmp_path, lambda _: transport) as other:
        sweep_id = bench.sweeps.start(plan(stored(bench), judges=judges))
        other.sweeps.resume(sweep_id)
        for one in (bench, other):
            until(one, sweep_id, lambda status: len(status.runs) == 12 and ended(status))
        assert len(bench.store.sweep_runs(sweep_id)) == 12
        assert [run.progress.done for run in bench.sweeps.status(sweep_id).runs] == [6] * 12


def test_a_sweep_that_is_stopped_while_it_is_laid_out_begins_no_further_cell(tmp_path: Path) -> None:
    gate = Gate(free=0)
    judges = tuple((Judge(model=f"scripted/{number}"),) for number in range(12))
    with opened(tmp_path, lambda _: gate) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench), judges=judges))
        bench.sweeps.pause(sweep_id)
        gate.open.set()
        status = until(bench, sweep_id, ended)
        assert len(status.runs) < 24
        assert {run.state for run in status.runs} <= {RunState.PAUSED}
        asked = gate.asked
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).state is RunState.FINISHED
        assert asked <= gate.asked == 24 * 6


def test_after_a_restart_everything_that_is_left_is_taken_up(tmp_path: Path) -> None:
    gate = Gate(free=4)
    with opened(tmp_path, lambda _: gate, workers=2) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench, 6)))
        assert gate.waiting.wait(10)
        until(bench, sweep_id, lambda status: not status.laying_out)
    gate.open.set()
    asked = gate.asked
    with opened(tmp_path, lambda _: gate) as bench:
        status = bench.sweeps.status(sweep_id)
        assert status.state is RunState.INTERRUPTED
        done = sum(run.progress.done for run in status.runs)
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).state is RunState.FINISHED
        # What was in flight when the process ended was not answered to anybody, and is asked once more.
        assert gate.asked == 24 + (asked - done)


def test_what_failed_is_retried_in_every_cell_and_what_is_scored_stays(tmp_path: Path) -> None:
    broken = [True]

    def sometimes(question: Question, messages: Sequence[Message]) -> str | CallFault:
        if broken[0] and "no 1" in str(messages):
            return CallFault(Fault(Reason.SERVER_ERROR, "down"), retryable=False)
        return obedient(question, messages)

    transport = ScriptedTransport(sometimes)
    with opened(tmp_path, lambda _: transport) as bench:
        status = finished(bench, plan(stored(bench)))
        assert [cell.failures for cell in status.cells] == [{Reason.SERVER_ERROR: 1}] * 2
        asked, broken[0] = len(transport.asked), False
        bench.sweeps.retry(status.id)
        status = until(bench, status.id, lambda status: ended(status) and not any(one.failures for one in status.cells))
        assert len(transport.asked) == asked + 2
        assert [cell.means["likert"].n for cell in status.cells] == [6, 6]


def test_a_budget_is_that_of_all_cells_together(tmp_path: Path) -> None:
    def costly(question: Question, messages: Sequence[Message]) -> Completion:
        return Completion(obedient(question, messages), "stop", cost_usd=0.4, latency_s=0.0)

    with opened(tmp_path, lambda _: ScriptedTransport(costly), workers=1) as bench:
        ids = stored(bench, 10)
        sweep_id = bench.sweeps.start(plan(ids, budget_usd=1.0))
        status = until(bench, sweep_id, ended)
        assert status.state is RunState.CANCELLED
        assert status.usage.cost_usd == pytest.approx(3 * 0.4)
        assert status.budget_is_spent
        bench.sweeps.resume(sweep_id)
        status = until(bench, sweep_id, ended)
        assert status.usage.cost_usd == pytest.approx(3 * 0.4), "nothing more is spent"
    with opened(tmp_path, lambda _: ScriptedTransport(costly), workers=1) as bench:
        bench.sweeps.resume(sweep_id)
        assert until(bench, sweep_id, ended).usage.cost_usd == pytest.approx(3 * 0.4), "nor by another process"


def test_many_cells_ask_one_judge_no_more_at_once_than_one_run_does(tmp_path: Path) -> None:
    gate = Gate(free=0)
    rubrics = tuple(SweptRubric(rubric=Rubric(guidance=f"Rule {number}.")) for number in range(8))
    with opened(tmp_path, lambda _: gate, workers=3) as bench:
        sweep_id = bench.sweeps.start(plan(stored(bench, 6), rubrics=rubrics))
        status = until(bench, sweep_id, lambda status: len(status.runs) == 8 and not status.laying_out)
        time.sleep(0.3)
        running = [run.progress.counts.get(ItemStatus.RUNNING, 0) for run in bench.sweeps.status(sweep_id).runs]
        assert sum(running) == gate.asked == 3
        gate.open.set()
        status = until(bench, sweep_id, ended)
        assert [run.progress.done for run in status.runs] == [12] * 8


def test_an_estimate_is_that_of_each_run_and_their_sum(tmp_path: Path) -> None:
    priced, unknown = Judge(model="openai/gpt-4o-mini"), Judge(model="openai/mine", api_base="http://127.0.0.1:9/v1")
    with opened(tmp_path, lambda _: ScriptedTransport([])) as bench:
        ids = stored(bench, 5)
        found = bench.sweeps.estimate(plan(ids, "ruler", "likert", judges=((priced,),), repeats=2))
        groups = [bench.store.groups(ids)[one] for one in ids]
        for cell, rubric in zip(found.cells, (BRIEF, KIND), strict=True):
            settings = RunSettings(methods=("ruler", "likert"), repeats=2)
            assert cell == estimate(groups, rubric.rubric, (priced,), settings)
        assert (found.groups, found.responses, found.exact) == (5, 10, True)
        assert found.total.calls == 2 * 2 * (5 + 10)
        assert found.total.cost_usd == pytest.approx(sum(cell.cost_usd or 0 for cell in found.cells))
        assert bench.sweeps.estimate(plan(ids, judges=((priced,), (unknown,)))).total.cost_usd is None
        assert bench.sweeps.estimate(plan(ids, judges=((Judge(),),))).total.cost_usd == 0


def test_an_estimate_of_many_groups_is_taken_from_some_spread_over_all(tmp_path: Path) -> None:
    """The later half has four responses, the first half two: a sample of the beginning would be half of it."""
    with opened(tmp_path, lambda _: ScriptedTransport([])) as bench:
        small = stored(bench, 40)
        large = [bench.store.add_group(group(f"l{n}", tuple(f"{n} {side}" for side in "abcd"))) for n in range(40)]
        found = bench.sweeps.estimate(plan([*small, *large], rubrics=(BRIEF,)))
        assert (found.groups, found.responses, found.exact) == (80, 240, False)
        assert found.total.calls == 240


def test_an_estimate_says_how_many_keep_a_system_message_of_their_own(tmp_path: Path) -> None:
    own = {"messages": [{"role": "system", "content": "Mine."}, {"role": "assistant", "content": "Yes."}]}
    mixed = Group.from_record({"id": "g", "trajectories": [own, {"text": "No."}]})
    with opened(tmp_path, lambda _: ScriptedTransport([])) as bench:
        found = bench.sweeps.estimate(plan([bench.store.add_group(mixed)], prompts=("New.",)))
        assert (found.own_prompts, found.looked_at) == (1, 2)


def test_nothing_is_stored_of_a_sweep_that_cannot_be(tmp_path: Path) -> None:
    with opened(tmp_path, lambda _: ScriptedTransport([])) as bench:
        ids = stored(bench)
        with pytest.raises(NotFound, match="Group 404 is not stored"):
            bench.sweeps.start(plan([*ids, 404]))
        with pytest.raises(InvalidRun, match="vibes"):
            bench.sweeps.start(plan(ids, "vibes"))
        with pytest.raises(InvalidRun, match="24 at most"):
            bench.sweeps.start(plan(ids, prompts=tuple(map(str, range(13)))))
        with pytest.raises(NotFound, match="Sweep 1 is not stored"):
            bench.sweeps.status(1)
        for ask in (bench.sweeps.pause, bench.sweeps.cancel, bench.sweeps.resume, bench.sweeps.retry):
            with pytest.raises(NotFound, match="Sweep 7 is not stored"):
                ask(7)


def test_the_figures_of_a_finished_cell_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    counts = Store.score_counts

    def counted(store: Store, run_id: int, *, sampled: bool) -> dict[str, dict[float, int]]:
        read.append(run_id)
        return counts(store, run_id, sampled=sampled)

    with opened(tmp_path, lambda _: ScriptedTransport(obedient)) as bench:
        first = finished(bench, plan(stored(bench)))
        monkeypatch.setattr(Store, "score_counts", counted)
        assert bench.sweeps.status(first.id).cells == first.cells
        assert read == []
