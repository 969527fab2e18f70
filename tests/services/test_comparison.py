"""Stored runs compared: the refund example under its two prompts, by the offline judge; and what is missing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.ordering import Filter, Order, ordered
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.errors import InvalidRun, NotFound
from reward_lab.judges.completion import Transport
from reward_lab.judges.offline import OfflineTransport
from reward_lab.judges.scripted import ScriptedTransport
from reward_lab.services.comparison import Comparisons
from reward_lab.services.examples import examples
from tests.services.laboratory import JUDGE, Bench, group, new_run, opened

REFUND = examples()[0]
METHODS = ("ruler", "likert", "rar_explicit")
HARSH = Judge(model="scripted/harsh")


def _transport(judge: Judge) -> Transport:
    if judge.is_offline:
        return OfflineTransport()
    rating = 2 if judge == HARSH else 8
    return ScriptedTransport(lambda *_: json.dumps({"explanation": "because", "rating": rating}))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with opened(tmp_path, _transport) as bench:
        yield bench


@pytest.fixture
def comparisons(bench: Bench) -> Comparisons:
    return Comparisons(bench.store)


def refund(prompt: str) -> NewRun:
    scenario = REFUND.group.scenario.model_copy(update={"system_prompt": REFUND.prompts[prompt]})
    of_prompt = REFUND.group.model_copy(update={"scenario": scenario})
    return NewRun((of_prompt,), REFUND.rubric, (Judge(),), RunSettings(methods=METHODS))


def scored(bench: Bench, new: NewRun) -> int:
    run_id, future = bench.scoring.start(new)
    future.result(60)
    return run_id


def test_under_the_strict_prompt_the_hallucinated_response_falls(bench: Bench, comparisons: Comparisons) -> None:
    loose, strict = scored(bench, refund("loose")), scored(bench, refund("strict"))
    compared = comparisons.of([loose, strict])
    (changes,) = compared.changes
    assert [change.name for change in changes] == ["System prompt"]
    assert any("ONLY" in piece.text for piece in changes[0].pieces if piece.kind == "added")
    (change,) = compared.figures.changes(0, "ruler")
    assert change is not None
    assert REFUND.group.trajectories[change.member or 0].label == "hallucinated"
    assert change.largest is not None
    assert change.largest < -0.05
    assert compared.difference(0, "ruler").n == 1
    found = comparisons.group(compared, 0, method="ruler")
    (moved,) = found.movements
    assert moved is not None
    assert moved.rows[1].cells["ruler"].delta == pytest.approx(change.largest)
    assert moved.same_responses


def test_light_rewards_are_those_of_the_tables(bench: Bench, comparisons: Comparisons) -> None:
    runs = [scored(bench, refund(prompt)) for prompt in ("loose", "strict")]
    compared = comparisons.of(runs)
    for place, run_id in enumerate(runs):
        table = bench.results.of(run_id).table
        rewards = compared.figures.groups[0].rewards[place]
        assert rewards is not None
        for method in METHODS:
            levels = [None if cell.reward is None else cell.reward.judge for cell in table.cells(method)]
            assert rewards[method] == pytest.approx(levels, abs=1e-6)


def test_repeats_and_judges_are_means_and_judges_are_held_against_each_other(
    bench: Bench, comparisons: Comparisons
) -> None:
    both = replace(new_run((group(),), "likert", repeats=2), judges=(JUDGE, HARSH))
    first, second = scored(bench, both), scored(bench, new_run((group(),), "likert"))
    compared = comparisons.of([first, second])
    rewards = compared.figures.groups[0].rewards
    # Ratings 8 and 2 of 10: rewards 7/9 and 1/9, their mean 4/9, 6/9 apart.
    assert rewards[0] == {"likert": pytest.approx([4 / 9] * 3, abs=1e-6)}
    assert rewards[1] == {"likert": pytest.approx([7 / 9] * 3, abs=1e-6)}
    (line,) = ordered(compared.figures, Order.JUDGES, Filter(), method="likert")
    assert line.figure == pytest.approx(6 / 9, abs=1e-6)


def test_groups_of_one_run_only_are_named(bench: Bench, comparisons: Comparisons) -> None:
    first = scored(bench, new_run((group("a"), group("b", ("One.", "Two.")))))
    second = scored(bench, new_run((group("b", ("One.", "Two."), system_prompt="Be kind."), group("c", ("Three.",)))))
    figures = comparisons.of([first, second]).figures
    assert [one.group.name for one in figures.groups] == ["b"]
    assert [[one.name for one in groups] for groups in figures.unmatched] == [["a"], ["c"]]
    assert [one.name for one in comparisons.of([first, second]).changes[0]] == ["System prompt"]


def test_a_group_that_one_of_three_runs_lacks_is_none_there(bench: Bench, comparisons: Comparisons) -> None:
    both, one = (group("a"), group("b", ("One.", "Two."))), (group("a"),)
    compared = comparisons.of([scored(bench, new_run(groups)) for groups in (both, one, both)])
    found = comparisons.group(compared, 1)
    assert [table is None for table in found.tables] == [False, True, False]
    assert [moved is None for moved in found.movements] == [True, False]
    assert found.baseline.group.id == "b"
    assert comparisons.lengths(compared, [1]) == {1: (4, 4)}


def test_a_comparison_is_worked_out_once_and_anew_when_a_run_has_changed(
    bench: Bench, comparisons: Comparisons
) -> None:
    first, second = scored(bench, new_run((group(),))), scored(bench, new_run((group(),)))
    known = comparisons.of([first, second])
    assert comparisons.of([first, second]) is known
    assert comparisons.of([second, first]) is not known
    bench.store.reset_items(second, tuple(bench.store.run(second).progress.counts))
    assert comparisons.of([first, second]) is not known


def test_large_runs_are_read_one_method_first_and_whole_for_the_asking(bench: Bench) -> None:
    comparisons = Comparisons(bench.store, at_once=1, later_s=3600)
    runs = [scored(bench, refund(prompt)) for prompt in ("loose", "strict")]
    first = comparisons.of(runs, only="likert", whole=False)
    assert first.figures.methods == METHODS
    assert set(first.figures.groups[0].rewards[1] or ()) == {"likert"}
    assert comparisons.of(runs, only="likert", whole=False) is first
    whole = comparisons.of(runs)
    assert set(whole.figures.groups[0].rewards[1] or ()) == set(METHODS)
    assert comparisons.of(runs, only="ruler", whole=False) is whole
    assert whole.difference(0, "likert") == first.difference(0, "likert")


def test_the_rest_of_large_runs_comes_in_the_background(bench: Bench) -> None:
    comparisons = Comparisons(bench.store, at_once=1, later_s=0.0)
    runs = [scored(bench, refund(prompt)) for prompt in ("loose", "strict")]
    first = comparisons.of(runs, whole=False)
    until = time.monotonic() + 30
    while (found := comparisons.of(runs, whole=False)) is first:
        assert time.monotonic() < until, "the rest never came"
        time.sleep(0.01)
    assert set(found.figures.groups[0].rewards[0] or ()) == set(METHODS)


def test_one_run_or_seven_cannot_be_compared(bench: Bench, comparisons: Comparisons) -> None:
    first = scored(bench, new_run((group(),)))
    with pytest.raises(InvalidRun, match="1 runs were given"):
        comparisons.of([first, first])
    with pytest.raises(InvalidRun, match="7 runs"):
        comparisons.of(range(1, 8))
    with pytest.raises(NotFound):
        comparisons.of([first, 99])
