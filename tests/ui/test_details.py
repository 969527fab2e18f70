from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Contains, Rubric, Scoring
from reward_lab.core.run import Call, Progress, Run, RunSettings, RunState, Usage
from reward_lab.core.table import ScoreTable
from reward_lab.core.verdict import Fault, Reason
from reward_lab.ui import details
from reward_lab.ui.reading import Block
from tests.core.tables import group_of, table_of


def run_of(table: ScoreTable, state: RunState = RunState.FINISHED) -> Run:
    return Run(
        id=7,
        name="",
        state=state,
        created_at=datetime(2026, 5, 1, tzinfo=UTC),
        finished_at=datetime(2026, 5, 1, 0, 1, tzinfo=UTC),
        rubric=table.rubric,
        rubric_name="",
        rubric_version=1,
        judges=(Judge(),),
        settings=RunSettings(methods=tuple(column.name for column in table.columns)),
        method_versions={},
        draft_id=None,
        group_ids=(1,),
        progress=Progress(),
        usage=Usage(),
    )


def text(block: Block) -> str:
    return "".join(piece.text for piece in block.pieces)


def cards(table: ScoreTable, letter: str, chosen: str | None = None, **known: list[Call]) -> dict[str, Block]:
    blocks = details.method_blocks(table, run_of(table), letter, chosen, known.get)
    return {block.title: block for block in blocks}


def test_every_method_in_the_order_of_the_columns_then_the_reward() -> None:
    table = table_of({"likert": [9.0, 3.0], "ruler": [0.95, None]})
    found = cards(table, "A", chosen="ruler")
    assert list(found) == ["Direct Likert", "RULER", "Reward"]
    assert (found["Direct Likert"].figure, found["Direct Likert"].note) == ("9 of 10", "rank 1 of 2")
    assert [title for title, block in found.items() if block.marked] == ["RULER"]
    failed = cards(table, "B")["RULER"]
    assert (failed.figure, failed.tone, text(failed)) == ("unscored", "worse", "The judge refused.")


def test_a_card_with_samples_to_come_says_how_many_there_are() -> None:
    found = cards(table_of({"likert": [[9.0, 3.0]] * 2}, planned=3), "A")
    assert found["Direct Likert"].note == "rank 1 of 2 · mean of 2, std 0.00 · 2 of 3 samples so far"


def test_the_reward_is_told_with_its_arithmetic() -> None:
    members = tuple(one.model_copy(update={"independent_reward": 0.3}) for one in group_of(2).trajectories)
    group = Group(id="g", scenario=Scenario(), trajectories=members)
    scoring = Scoring(judge_weight=0.5, add_independent=True)
    rubric = Rubric(verifiers=(Contains(value="number 1", weight=2.0),), scoring=scoring)
    table = table_of({"ruler": [0.9, 0.1]}, group=group, rubric=rubric, convention="mean_only")
    told = cards(table, "A", chosen="reward")["Reward"]
    assert told.figure == "2.75"
    assert told.marked
    # 0.5 x 0.9 + 2 + 0.3 = 2.75, and 0.5 x 0.1 + 0 + 0.3 = 0.35 for the other: mean 1.55.
    assert text(told).splitlines() == [
        "2.75 = 0.5 × 0.90 (RULER) + 2.00 (contains) + 0.30 (independent)",
        "Advantage +1.20 by Mean only (Dr. GRPO): r − mean",
    ]


def test_repeats_show_every_sample() -> None:
    table = table_of({"ruler": [[0.9, 0.1], [0.7, None]]})
    card = cards(table, "B")["RULER"]
    assert card.note == "rank 2 of 2 · 1 unscored"
    samples = next(fold for fold in card.folds if fold.label == "All 2 samples")
    assert samples.blocks is not None
    assert [(block.title, block.figure) for block in samples.blocks] == [("Repeat 1", "0.1"), ("Repeat 2", "unscored")]


def test_prompt_and_raw_reply_come_when_they_are_asked_for() -> None:
    table = table_of({"ruler": [0.9, 0.1]})
    asked = Call("k", ({"role": "system", "content": "Judge."},), "no JSON", prompt_tokens=1200, cached=True)
    faulty = Call("k", (), "", fault=Fault(Reason.TIMEOUT, "It took 60 s."))
    closed = cards(table, "A")["RULER"].folds[-1]
    assert (closed.id, closed.blocks) == (details.fold_id("A", "ruler"), None)
    opened = cards(table, "A", ruler=[asked, faulty])["RULER"].folds[-1]
    assert opened.blocks is not None
    told = [(block.title, text(block)) for block in opened.blocks]
    assert told == [
        ("Call 1 of 2", "1,200 tokens in, unknown out · cost unknown · from the cache"),
        ("Prompt, system", "Judge."),
        ("Raw reply", "no JSON"),
        ("Call 2 of 2", "unknown tokens in, unknown out · cost unknown"),
        ("Fault", "timeout: It took 60 s."),
        ("Raw reply", "(empty)"),
    ]


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.CANCELLED])
def test_what_waits_has_a_card_already(state: RunState) -> None:
    table = table_of({"ruler": [0.9, 0.1]}, waiting=["likert"])
    card = details.method_blocks(table, run_of(table, state), "A", None, lambda method: None)[1]
    assert card.note == ("running …" if state is RunState.RUNNING else "not asked")


def test_a_plain_answer_has_no_heading_and_a_trajectory_is_a_conversation() -> None:
    plain = details.response_blocks(table_of({"ruler": [0.9, 0.1]}), "B")
    assert [(block.title, block.badge, text(block)) for block in plain] == [
        ("Response B", "B", ""),
        ("", "", "Response number 2."),
    ]
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
    messages = (
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "<b>none</b>"},
        {"role": "assistant", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {}}]},
    )
    group = Group(id="g", trajectories=(Trajectory(id="a", messages=messages),))
    told = details.response_blocks(table_of({"ruler": [0.9]}, group=group), "A")[1:]
    assert [(block.title, block.mono, text(block)) for block in told] == [
        ("Call of find", True, '{\n  "q": 1\n}'),
        ("Result of find", True, "<b>none</b>"),
        ("Assistant", False, "See\n[image_url]"),
    ]
    assert len({block.id for block in told}) == 3
