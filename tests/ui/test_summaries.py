from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from reward_lab.core.cautions import Caution
from reward_lab.core.changes import Change
from reward_lab.core.judge import Judge
from reward_lab.core.movement import movement
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemStatus, Progress, RunState, Usage
from reward_lab.core.table import Sample, ScoreTable, score_table
from reward_lab.core.verdict import Reason, Unscored
from reward_lab.services import engine
from reward_lab.services.results import Incomparable, Moved, Result
from reward_lab.services.scoring import Status
from reward_lab.ui import summaries
from reward_lab.ui.reasons import SHORT, lacks
from tests.core.tables import group_of, table_of
from tests.ui.test_details import run_of, text

NOW = datetime(2026, 5, 1, 0, 4, tzinfo=UTC)
TABLE = table_of({"ruler": [0.9, None], "likert": [9.0, 3.0]})
PROGRESS = {
    "likert": Progress({ItemStatus.SCORED: 3, ItemStatus.CANCELLED: 1}),
    "ruler": Progress({ItemStatus.PARTLY: 1}),
}


def test_how_a_run_stands() -> None:
    run = run_of(TABLE)
    finished = summaries.standing_block(run, RunState.FINISHED, PROGRESS, NOW)
    assert (finished.title, text(finished)) == (
        "Run 7",
        "finished 3 minutes ago · offline judge: lexical evidence, no LLM",
    )
    assert "2026" in finished.hover
    running = summaries.standing_block(run, RunState.RUNNING, PROGRESS, NOW)
    assert text(running) == "running · RULER 1/1 · Likert 3/4"
    model = replace(run, judges=(Judge(model="openai/gpt-4.1"), Judge()))
    cancelled = summaries.standing_block(model, RunState.CANCELLED, PROGRESS, NOW)
    assert text(cancelled).endswith(
        "· 4 of 5 done · judged by openai/gpt-4.1 and offline, lexical evidence without an LLM"
    )


def test_only_what_could_be_asked_again_is_retried() -> None:
    table = table_of({"ruler": [0.9, None], "likert_reference": [None, None]})
    progress = {
        "ruler": Progress({ItemStatus.PARTLY: 1}),
        "likert_reference": Progress({ItemStatus.UNSCORED: 2}),
    }
    assert summaries.retryable(table, progress) == 1, "without a reference answer asking again changes nothing"


def test_why_scores_are_missing_and_where() -> None:
    group = group_of(2)
    long = "The server said no. " * 20
    samples = [
        Sample(
            "likert_reference",
            0,
            0,
            tuple(Unscored(one.id, Reason.NO_REFERENCE, "Add one.") for one in group.trajectories),
        ),
        Sample("ruler", 0, 0, (Unscored(group.trajectories[1].id, Reason.SERVER_ERROR, long),)),
    ]
    table = score_table(
        group, Rubric(), samples, methods=["likert_reference", "ruler"], convention="rloo", reward_method="ruler"
    )
    calm, failed = summaries.lack_blocks(table)
    assert (calm.title, calm.tone, text(calm)) == ("Likert+ref not applied", "", "Add one.")
    assert (failed.title, failed.tone, failed.hover) == ("RULER unscored: B", "worse", long)
    assert len(text(failed)) < 160
    assert [lack.letters for lack in lacks(table)] == [("A", "B"), ("B",)]


def test_one_reason_for_several_replies_is_told_once() -> None:
    group = group_of(2)
    details = [f"The score {value} of the response lies outside the scale from 1 to 10." for value in (11, 12)]
    samples = [
        Sample("likert", 0, 0, tuple(Unscored(one.id, Reason.OUT_OF_RANGE, told) for one, told in pairs))
        for pairs in [list(zip(group.trajectories, details, strict=True))]
    ]
    table = score_table(group, Rubric(), samples, methods=["likert"], convention="rloo", reward_method="likert")
    (block,) = summaries.lack_blocks(table)
    assert block.title == "Likert unscored"
    assert block.hover.splitlines()[1:] == details


def test_every_reason_has_a_word_that_fits_a_cell() -> None:
    assert set(SHORT) == set(Reason)
    assert max(map(len, SHORT.values())) <= 11


def test_what_moved_with_the_word_diff_of_what_changed() -> None:
    old = table_of({"ruler": [0.5, 0.45]})
    changes = (
        Change("System prompt", "x" * 99 + " use the context", "x" * 99 + " use only the context", prose=True),
        Change("Judge: model", "offline", "openai/gpt-4.1"),
        Change("Run: repeats", "1", "3"),
    )
    moved = Moved(run_of(old), "B falls.", changes, movement(old, TABLE))
    head, prompt, judge, rest = summaries.moved_blocks(moved, (), RunState.FINISHED)
    assert (head.title, text(head)) == ("Since run 7", "B falls.")
    assert [piece.text for piece in prompt.pieces if piece.kind == "added"] == ["only "]
    assert prompt.pieces[0].text.startswith("… x")
    assert len(prompt.pieces[0].text) < 70
    assert text(judge) == "offline → openai/gpt-4.1"
    assert rest.folds[0].label == "1 more change"
    going = summaries.moved_blocks(moved, (), RunState.RUNNING)[0]
    assert text(going) == "What moves is marked in the table as it arrives."


def test_noise_is_spoken_of_only_where_nothing_else_differs() -> None:
    def unchanged(old: ScoreTable, new: ScoreTable) -> str:
        moved = Moved(run_of(old), "B falls.", (), movement(old, new))
        return text(summaries.moved_blocks(moved, (), RunState.FINISHED)[1])

    old = table_of({"ruler": [0.5, 0.45]}, group=group_of(2, texts=["One.", "Two."]))
    assert unchanged(old, old) == "Nothing was changed."
    noisy = table_of({"ruler": [0.5, 0.4]}, group=group_of(2, texts=["One.", "Two."]))
    assert unchanged(old, noisy) == "Nothing was changed: what moved is the judge's own noise."
    other = table_of({"ruler": [0.5, 0.4]}, group=group_of(2, texts=["One, better.", "New."], ids=["t1", "t9"]))
    assert unchanged(old, other) == (
        "Only the responses were changed: B added, B of run 7 removed, A rewritten. "
        "RULER scores them against each other, so others may move too."
    )


def test_what_cannot_be_compared_is_told_beside_what_can() -> None:
    broken = Incomparable(5, "what is stored of it cannot be read (no field 'guidance').")
    (alone,) = summaries.moved_blocks(None, (broken,), RunState.FINISHED)
    assert (alone.title, text(alone)) == ("Run 5 cannot be compared", broken.why)
    moved = Moved(run_of(TABLE), "B falls.", (), movement(TABLE, TABLE))
    assert [block.title for block in summaries.moved_blocks(moved, (broken,), RunState.FINISHED)] == [
        "Since run 7",
        "",
        "Run 5 cannot be compared",
    ]
    assert summaries.moved_blocks(None, (), RunState.FINISHED) == ()


def test_what_was_changed_after_the_run() -> None:
    assert text(summaries.stale_block(("the rubric", "the judge"))) == (
        "You changed the rubric and the judge since this run; score again to see what moves."
    )


def test_a_run_that_is_being_stopped_says_what_it_waits_for() -> None:
    result = Result(run_of(TABLE), 1, TABLE, "RULER puts A first.", (), None)
    flying = {"ruler": Progress({ItemStatus.RUNNING: 1}), "likert": Progress({ItemStatus.RUNNING: 3})}
    block = summaries.sentence_block(result, Status(RunState.RUNNING, flying, cancelling=True))
    assert text(block) == "Cancelling: waits up to 5 s for 4 calls in flight."
    assert engine._GRACE_S == summaries.GRACE_S
    paused = summaries.sentence_block(result, Status(RunState.RUNNING, flying, pausing=True))
    assert text(paused) == "Pausing: waits up to 5 s for 4 calls in flight."
    idle = summaries.sentence_block(result, Status(RunState.RUNNING, {"ruler": Progress({})}, cancelling=True))
    assert text(idle) == "Cancelling."


def test_cautions_with_warnings_first_and_those_alike_together() -> None:
    note = Caution("few_samples", "note", "One sample.", "Noise.", "Repeat.")
    ties = [Caution("top_tied", "warning", f"{head} ties.", "Alike.", "Say why.") for head in ("RULER", "Likert")]
    first, second = summaries.caution_blocks([note, *ties])
    assert (first.title, first.tone) == ("⚠ RULER ties.\n⚠ Likert ties.", "warning")
    assert text(first) == "Alike.\n→ Say why."
    assert (second.title, second.tone) == ("One sample.", "note")


def test_unknown_is_said_to_be_unknown() -> None:
    usage = Usage(calls=4, cached=1, prompt_tokens=None, completion_tokens=9120, cost_usd=None, latency_s=None)
    run = replace(run_of(TABLE), usage=usage, judges=(Judge(model="ollama_chat/qwen3"),))
    told = {block.title: text(block) for block in summaries.usage_blocks(run)}
    assert told["Calls"] == "4, of which 1 from the cache"
    assert told["Tokens"] == "unknown in, 9,120 out"
    assert told["Cost"] == "unknown: no price is known for this model"
    assert told["Latency"] == "unknown a call"
    assert told["Judge"] == "ollama_chat/qwen3"
    offline = {block.title: text(block) for block in summaries.usage_blocks(run_of(TABLE))}
    assert offline["Cost"] == "$0: the offline judge calls no model"
