"""The training view of stored runs: the full rewards that the score tables have, for whole runs at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reward_lab.core.group import Group
from reward_lab.core.rubric import Contains, Rubric, Scoring
from reward_lab.errors import InvalidRun, NotFound
from reward_lab.judges.scripted import ScriptedTransport
from reward_lab.services.results import Results
from reward_lab.services.training import Trainings
from tests.services.laboratory import Bench, group, new_run, opened

WITH_CHECK = Rubric(verifiers=(Contains(value="yes", weight=0.5),), scoring=Scoring(judge_weight=2.0))


def _rated(*_: object) -> str:
    return json.dumps({"explanation": "because", "rating": 7})


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with opened(tmp_path, lambda _: ScriptedTransport(_rated)) as bench:
        yield bench


@pytest.fixture
def trainings(bench: Bench) -> Trainings:
    return Trainings(bench.store)


def scored(bench: Bench, groups: tuple[Group, ...], *methods: str, rubric: Rubric | None = None) -> int:
    run_id, future = bench.scoring.start(new_run(groups, *methods, rubric=rubric))
    future.result(60)
    return run_id


def of_tables(results: Results, run_id: int, method: str) -> list[tuple[float | None, ...]]:
    return [tuple(cell.total for cell in table.cells(method)) for table in results.tables(run_id)]


@pytest.mark.parametrize("methods", [("likert",), ("likert", "verifier"), ("verifier",)])
def test_rewards_are_those_of_the_score_tables(bench: Bench, trainings: Trainings, methods: tuple[str, ...]) -> None:
    """Judge's weight, verifiers, and a method that is itself the verifiers."""
    run_id = scored(bench, (group("one"), group("two", ("yes", "no"))), *methods, rubric=WITH_CHECK)
    for method in methods:
        found = trainings.of(run_id, method=method)
        assert [one.totals for one in found.groups] == of_tables(bench.results, run_id, method)


def test_independent_rewards_are_added_where_the_rubric_says_so(bench: Bench, trainings: Trainings) -> None:
    rewarded = Group.from_record({"trajectories": [{"text": "a", "independent_reward": 1.0}, {"text": "b"}]})
    run_id = scored(bench, (rewarded,), "likert", rubric=Rubric(scoring=Scoring(add_independent=True)))
    (one,) = trainings.of(run_id).groups
    assert [one.totals] == of_tables(bench.results, run_id, "likert")
    assert one.totals[1] is None  # it came without one: unknown, not 0
    assert trainings.of(run_id).view.unknown == 1


def test_levels_and_lengths_come_along(bench: Bench, trainings: Trainings) -> None:
    run_id = scored(bench, (group("one", ("Yes.", "No, never.")),), "likert")
    (one,) = trainings.of(run_id).groups
    assert one.levels == pytest.approx((6 / 9, 6 / 9), abs=1e-12)
    assert one.lengths is not None
    assert one.lengths[1] - one.lengths[0] == len("No, never.") - len("Yes.")


def test_equal_rewards_train_nothing(bench: Bench, trainings: Trainings) -> None:
    run_id = scored(bench, tuple(group(str(name), ("a", f"b {name}")) for name in range(5)), "likert")
    view = trainings.of(run_id, convention="art_local").view
    assert (view.constant.count, view.constant.n, view.advantages) == (5, 5, ())


def test_a_method_that_was_not_scored_is_refused(bench: Bench, trainings: Trainings) -> None:
    run_id = scored(bench, (group(),), "likert")
    with pytest.raises(InvalidRun, match="has no 'ruler': choose from likert"):
        trainings.of(run_id, method="ruler")
    with pytest.raises(NotFound):
        trainings.of(run_id + 1)
