"""The chosen response beside what every method said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reward_lab.core import table as scores
from reward_lab.core.advantages import convention_named
from reward_lab.core.cells import SampledVerdict
from reward_lab.core.reasons import sentence_of, told_to_judge
from reward_lab.core.run import Call, Run, RunState
from reward_lab.core.table import CellState, ScoreTable
from reward_lab.core.verdict import Scored, Unscored
from reward_lab.ui.figures import UNKNOWN, count, money, seconds, signed
from reward_lab.ui.matrix import ADVANTAGE, REWARD, SPREAD, decimals_of, name_of
from reward_lab.ui.reading import Block, Fold, plain
from reward_lab.ui.reasons import NOT_ASKED, STOPPED, fault_of
from reward_lab.ui.theme import colour_of
from reward_lab.ui.transcripts import conversation_blocks

Calls = Callable[[str], Sequence[Call] | None]
"""Method -> the calls behind its cell, ``None`` where they were not asked for yet."""


def response_blocks(table: ScoreTable, letter: str) -> tuple[Block, ...]:
    """One response in full; a single plain answer without a heading of its own."""
    index, row = _placed(table, letter)
    messages = row.trajectory.messages
    head = Block(f"head-{letter}", "line", name_of(row), badge=letter, colour=colour_of(index))
    said = conversation_blocks(messages, prefix=f"said-{letter}")
    if len(said) == 1:
        return head, Block(said[0].id, "message", pieces=said[0].pieces, mono=said[0].mono)
    return head, *said


def method_blocks(table: ScoreTable, run: Run, letter: str, chosen: str | None, calls: Calls) -> tuple[Block, ...]:
    """What each method said, in the order of the columns, then the reward with its parts. ``chosen``: a column's id."""
    _, row = _placed(table, letter)
    cards = [_card(table, run, row, column, column.name == chosen, calls) for column in table.columns]
    return (*cards, *_reward_card(table, row, chosen in (SPREAD, REWARD, ADVANTAGE)))


def fold_id(letter: str, method: str) -> str:
    """The id of the fold with the calls behind one cell."""
    return f"calls {letter} {method}"


def call_blocks(calls: Sequence[Call], prefix: str) -> tuple[Block, ...]:
    """Each call: what it took, the prompt as it was sent, the reply as it came."""
    if not calls:
        return (Block(f"{prefix}-none", "line", pieces=plain("No judge was asked.")),)
    return tuple(block for index, call in enumerate(calls) for block in _call(call, index, len(calls), prefix))


def _placed(table: ScoreTable, letter: str) -> tuple[int, scores.Row]:
    return next((index, row) for index, row in enumerate(table.rows) if row.letter == letter)


def _card(table: ScoreTable, run: Run, row: scores.Row, column: scores.Column, marked: bool, calls: Calls) -> Block:
    cell = row.cells[column.name]
    identity = f"card-{row.letter}-{column.name}"
    folds = tuple(_folds(run, row, column, calls))
    if cell.state is CellState.WAITING:
        word = "running …" if run.state is RunState.RUNNING else "not asked"
        return Block(identity, title=column.title, note=word, marked=marked)
    if cell.score is None:
        fault = fault_of(cell)
        calm = fault is not None and fault.reason in NOT_ASKED | STOPPED
        return Block(
            identity,
            title=column.title,
            figure="not scored" if calm else "unscored",
            tone="" if calm else "worse",
            pieces=plain(sentence_of(fault, column.name) if fault else ""),
            marked=marked,
            folds=() if fault is not None and fault.reason in NOT_ASKED else (*_told(row, column, fault), *folds),
        )
    return Block(
        identity,
        title=column.title,
        note=_standing(table, cell),
        figure=_figure(table, column, cell.score),
        pieces=plain(_first_words(cell)),
        marked=marked,
        folds=folds,
    )


def _figure(table: ScoreTable, column: scores.Column, score: float) -> str:
    written = f"{score:.{decimals_of(table, column)}f}"
    return written if column.scale == (0.0, 1.0) else f"{written} of {column.scale[1]:g}"


def _standing(table: ScoreTable, cell: scores.Cell) -> str:
    ranked = sum(row.cells[cell.method].rank is not None for row in table.rows)
    parts = [f"rank {cell.rank} of {ranked}"] if cell.rank and ranked > 1 else []
    if cell.n > 1:
        parts.append(f"mean of {cell.n}" + ("" if cell.std is None else f", std {cell.std:.2f}"))
    if cell.missing:
        parts.append(f"{cell.standing} samples so far")
    if cell.unscored:
        parts.append(f"{cell.unscored} unscored")
    return " · ".join(parts)


def _first_words(cell: scores.Cell) -> str:
    said = (one.verdict.explanation for one in cell.verdicts if isinstance(one.verdict, Scored))
    return next((text for text in said if text), "The judge gave no explanation.")


def _told(row: scores.Row, column: scores.Column, fault: Unscored | None) -> Iterator[Fold]:
    """What was wrong with the reply, in the words in which the judge was told."""
    told = "" if fault is None else told_to_judge(fault)
    if told:
        identity = f"told {row.letter} {column.name}"
        yield Fold(identity, "What the judge was told", (Block(identity, "line", pieces=plain(told)),))


def _folds(run: Run, row: scores.Row, column: scores.Column, calls: Calls) -> Iterator[Fold]:
    cell = row.cells[column.name]
    if len(cell.verdicts) > 1:
        identity = f"samples {row.letter} {column.name}"
        samples = tuple(_sample(run, column, one, identity) for one in cell.verdicts)
        yield Fold(identity, f"All {len(samples)} samples", samples)
    if column.asks and cell.state is not CellState.WAITING:
        identity = fold_id(row.letter, column.name)
        known = calls(column.name)
        yield Fold(identity, "Prompt and raw reply", None if known is None else call_blocks(known, identity))


def _sample(run: Run, column: scores.Column, sample: SampledVerdict, prefix: str) -> Block:
    verdict = sample.verdict
    judge = run.judges[sample.judge].model if len(run.judges) > 1 else ""
    return Block(
        f"{prefix} {sample.judge} {sample.repeat}",
        "message",
        f"Repeat {sample.repeat + 1}",
        note=judge,
        figure=f"{verdict.score:g}" if isinstance(verdict, Scored) else "unscored",
        pieces=plain(verdict.explanation if isinstance(verdict, Scored) else sentence_of(verdict, column.name)),
    )


def _reward_card(table: ScoreTable, row: scores.Row, marked: bool) -> Iterator[Block]:
    """The arithmetic of the reward and the advantage by the chosen method and convention."""
    reward = row.reward
    if reward is None:
        return
    column = table.column(table.reward_method)
    convention = convention_named(table.convention)
    parts = _parts(table, column, row)
    total = UNKNOWN if reward.total is None else f"{reward.total:.2f}"
    lines = [f"{total} = {parts}"] if parts != total else []
    if row.advantage is None:
        lines.append("No advantage: the reward is unknown, so the response is left out of its group.")
    else:
        lines.append(f"Advantage {signed(row.advantage)} by {convention.title}: {convention.formula}")
    yield Block(
        f"reward-{row.letter}",
        title="Reward",
        note=f"by {column.head}",
        figure=total,
        pieces=plain("\n".join(lines)),
        marked=marked,
    )


def _parts(table: ScoreTable, column: scores.Column, row: scores.Row) -> str:
    reward = row.reward
    if reward is None:
        return ""
    written = []
    if column.asks:
        judged = f"{reward.judge:.2f}"
        written.append(judged if reward.judge_weight == 1 else f"{reward.judge_weight:g} × {judged} ({column.head})")
    written += [
        f"{UNKNOWN if value is None else format(value, '.2f')} ({verifier.kind})"
        for verifier, value in zip(table.rubric.verifiers, reward.verifiers, strict=True)
    ]
    if table.rubric.scoring.add_independent:
        written.append(f"{UNKNOWN if reward.independent is None else format(reward.independent, '.2f')} (independent)")
    return " + ".join(written)


def _call(call: Call, index: int, of: int, prefix: str) -> Iterator[Block]:
    place = f"{prefix} {index}"
    took = [
        f"{count(call.prompt_tokens)} tokens in, {count(call.completion_tokens)} out",
        f"cost {money(call.cost_usd)}",
        seconds(call.latency_s) if call.latency_s is not None else "",
        "from the cache" if call.cached else "",
        f"ended by {call.finish_reason}" if call.finish_reason not in (None, "stop") else "",
    ]
    title = f"Call {index + 1} of {of}" if of > 1 else "Call"
    yield Block(place, "line", title, pieces=plain(" · ".join(filter(None, took))))
    if call.fault is not None:
        fault = f"{call.fault.reason.value}: {call.fault.detail}"
        yield Block(f"{place} fault", "line", "Fault", tone="worse", pieces=plain(fault))
    for block in conversation_blocks(call.messages, prefix=f"{place} asked"):
        yield Block(block.id, "message", f"Prompt, {block.title.lower()}", pieces=block.pieces, mono=True)
    yield Block(f"{place} reply", "message", "Raw reply", pieces=plain(call.reply or "(empty)"), mono=True, marked=True)
