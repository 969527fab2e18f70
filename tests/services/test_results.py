"""What moved is told against an earlier run that can be compared with, and a broken one stops nobody."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.judges.scripted import ScriptedTransport
from reward_lab.services.results import Result
from tests.services.laboratory import JUDGE, Bench, group, new_run, opened

OTHER = Judge(model="scripted/other")


@dataclass
class Mood:
    """What the judge rates everything with; ``None``: it says that it cannot."""

    rating: int | None = 7


@pytest.fixture
def mood() -> Mood:
    return Mood()


@pytest.fixture
def bench(tmp_path: Path, mood: Mood) -> Iterator[Bench]:
    def reply(*_: object) -> str:
        return "No." if mood.rating is None else json.dumps({"explanation": "because", "rating": mood.rating})

    with opened(tmp_path, lambda _: ScriptedTransport(reply)) as bench:
        yield bench


def new(*groups: Group, judge: Judge = JUDGE, guidance: str = "", methods: tuple[str, ...] = ("likert",)) -> NewRun:
    rubric = Rubric(guidance=guidance)
    made = new_run(groups or (group(),), *methods, rubric=rubric, ask_again=True)
    return replace(made, judges=(judge,), draft_id="d")


def scored(bench: Bench, made: NewRun | None = None) -> int:
    run_id, future = bench.scoring.start(made or new())
    future.result(60)
    return run_id


def since(result: Result) -> int | None:
    return None if result.moved is None else result.moved.since.id


def test_a_run_that_failed_is_passed_over(bench: Bench, mood: Mood) -> None:
    first = scored(bench)
    mood.rating = None
    scored(bench)
    mood.rating = 4
    result = bench.results.of(scored(bench))
    assert since(result) == first
    assert result.moved is not None
    assert result.moved.sentence == f"A falls from 7 to 4 since run {first}; 2 other scores moved."
    assert result.incomparable == ()


def test_a_run_by_the_same_model_comes_before_a_later_one_by_another(bench: Bench) -> None:
    first = scored(bench)
    other = scored(bench, new(judge=OTHER))
    warm = JUDGE.model_copy(update={"parameters": {"temperature": 1}})
    assert since(bench.results.of(scored(bench, new(judge=warm)))) == first
    assert since(bench.results.of(other)) == first, "there is none by this model, and one with scores in common"


def test_methods_that_differ_have_no_scores_in_common(bench: Bench) -> None:
    first = scored(bench)
    scored(bench, new(methods=("rar_implicit",)))
    assert since(bench.results.of(scored(bench))) == first


def test_another_earlier_run_can_be_chosen(bench: Bench, mood: Mood) -> None:
    first, second = scored(bench), scored(bench, new(guidance="Be brief."))
    mood.rating = 9
    last = scored(bench)
    assert bench.results.earlier(last) == (second, first)
    assert since(bench.results.of(last)) == second
    chosen = bench.results.of(last, since=first)
    assert since(chosen) == first
    assert chosen.moved is not None
    assert chosen.moved.changes == ()


def test_one_that_shares_nothing_says_so_where_it_was_chosen(bench: Bench) -> None:
    first = scored(bench, new(group("other", ("Quite another.",))))
    result = bench.results.of(scored(bench), since=first)
    assert result.moved is None
    assert [(one.run_id, one.why) for one in result.incomparable] == [
        (first, f"Run {first} has no response in common with this group: choose another run.")
    ]


def test_a_broken_earlier_run_is_named_and_the_one_before_it_is_taken(bench: Bench, tmp_path: Path) -> None:
    first = scored(bench)
    broken = scored(bench, new(guidance="Be brief."))
    with sqlite3.connect(tmp_path / "lab.db") as connection:
        changed = connection.execute(
            "UPDATE rubric_versions SET content = ? WHERE content LIKE '%Be brief.%'", ('{"guidance": 3}',)
        ).rowcount
    assert changed == 1
    result = bench.results.of(scored(bench))
    assert since(result) == first
    ((run_id, why),) = [(one.run_id, one.why) for one in result.incomparable]
    assert run_id == broken
    assert why.startswith("what is stored of it cannot be read (")


def test_what_was_edited_since_a_run(bench: Bench) -> None:
    made = new()
    run = bench.scoring.run(scored(bench, made))
    (asked,) = made.groups
    renamed = asked.model_copy(update={"id": "another name"})
    assert bench.results.edits(run, replace(made, groups=(renamed,), name="another name")) == ()
    assert bench.results.edits(run, new(guidance="Be brief.")) == ("the rubric",)
    more = group("g", ("Yes.", "No."), system_prompt="Be brief.")
    settings = RunSettings(methods=("likert", "ruler"))
    edited = replace(new(more, judge=OTHER), settings=settings)
    assert bench.results.edits(run, edited) == ("the scenario", "the judge", "how it is asked", "the responses")


def test_equal_explanations_of_repeats_are_told_once(bench: Bench) -> None:
    made = new()
    repeated = replace(made, settings=made.settings.model_copy(update={"repeats": 3}))
    (record,) = bench.results.records(scored(bench, repeated))
    assert {one["explanation"] for one in record["results"]} == {"because (3 times)"}
