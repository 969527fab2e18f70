"""The open group of a comparison: responses by runs, and what each judge said, old and new next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reward_lab.core import table as scores
from reward_lab.core.advantages import convention_named
from reward_lab.core.chat import transcript, well_formed
from reward_lab.core.differences import word_diff
from reward_lab.core.labelled import Holding
from reward_lab.core.labels import Measure
from reward_lab.core.methods import METHODS
from reward_lab.core.movement import Movement, RowMovement
from reward_lab.core.reasons import sentence_of
from reward_lab.core.run import Run, RunState
from reward_lab.core.table import CellState, ScoreTable
from reward_lab.core.verdict import Scored
from reward_lab.core.wording import listed
from reward_lab.services.comparison import OpenGroup
from reward_lab.ui.figures import change, scored_head, signed
from reward_lab.ui.grid import Cell, Column, Row, Tone
from reward_lab.ui.matrix import cell_hover, decimals_of, first_line, name_of
from reward_lab.ui.reading import Block, plain
from reward_lab.ui.reasons import SHORT, fault_of
from reward_lab.ui.theme import colour_of


def columns(opened: OpenGroup, runs: Sequence[Run], method: str) -> list[Column]:
    """The response, then for each run its score (with rank) and advantage under one method."""
    found = [Column("response", "Response", kind="text")]
    convention = convention_named(opened.baseline.convention)
    for place, (run, table) in enumerate(zip(runs, opened.tables, strict=True)):
        if table is None or method not in run.settings.methods:
            continue
        of = f"run {run.id}" + (", baseline" if place == 0 else "")
        column = table.column(method)
        partial = "; partial: ranks leave out what is not scored" if column.partial else ""
        head = f"{scored_head(column.head, column.scale)}, {of}"
        found.append(Column(f"score-{run.id}", head, f"{column.title}{partial}"))
        if table.reward_method == method:
            found.append(Column(f"advantage-{run.id}", f"Advantage, run {run.id}", convention.formula, kind="number"))
    return found


def rows(opened: OpenGroup, runs: Sequence[Run], method: str) -> list[Row]:
    """A row a response of the baseline, by its letter there."""
    baseline = opened.baseline
    moves = [{move.old_letter: move for move in moved.rows} if moved else {} for moved in opened.movements]
    others = [{row.letter: row for row in table.rows} if table else {} for table in opened.tables[1:]]
    found = []
    for index, row in enumerate(baseline.rows):
        cells = _run_cells(row, baseline, runs[0], method, None, "")
        for run, table, of_run, known in zip(runs[1:], opened.tables[1:], moves, others, strict=True):
            move = of_run.get(row.letter)
            if table is not None and move is not None and method in run.settings.methods:
                cells |= _run_cells(known[move.letter], table, run, method, move, f"run {runs[0].id}")
        found.append(Row(row.letter, row.letter, colour_of(index), name_of(row), first_line(row), cells))
    return found


def annotator_columns(labels: Sequence[Holding]) -> list[Column]:
    """A column an annotator, for the same grid."""
    told = "What this annotator says of the responses, the same ones under any system prompt"
    return [
        Column(f"label-{place}", well_formed(one.annotator), told, kind="number") for place, one in enumerate(labels)
    ]


def with_labels(rows: Sequence[Row], labels: Sequence[Holding]) -> list[Row]:
    """The rows with what annotators say of each response."""
    return [
        replace(row, cells={**row.cells, **{f"label-{at}": _label(one, place) for at, one in enumerate(labels)}})
        for place, row in enumerate(rows)
    ]


def _label(said: Holding, place: int) -> Cell:
    level = said.levels[place]
    if level is None:
        return Cell(state="empty")
    if said.measure is Measure.RANK:
        return Cell(level, f"rank {-level:.0f}")
    if said.measure is Measure.SCORE:
        return Cell(level, f"{level:g}")
    return Cell(level, "good") if level else Cell(level, "bad")


def other_responses(opened: OpenGroup, runs: Sequence[Run]) -> tuple[Block, ...]:
    """Which responses only one of two runs has, and which were rewritten."""
    blocks = []
    for run, moved in zip(runs[1:], opened.movements, strict=True):
        if moved is None:
            said = "has no such group"
        elif moved.same_responses:
            continue
        else:
            told = {"only there": moved.appeared, "missing": moved.vanished, "rewritten": moved.rewritten}
            said = "; ".join(f"{listed(letters)} {what}" for what, letters in told.items() if letters)
        blocks.append(Block(f"others-{run.id}", "line", f"Run {run.id}", tone="note", pieces=plain(said)))
    return tuple(blocks)


def response_blocks(opened: OpenGroup, letter: str, against: int) -> tuple[Block, ...]:
    """The response in full; where the other run has it rewritten, what changed in it."""
    index, row = _placed(opened.baseline, letter)
    said = transcript(row.trajectory.messages)
    pieces = plain(said)
    move = _move(opened.movements[against], letter)
    note = ""
    if move is not None and move.rewritten:
        pieces, note = word_diff(said, transcript(move.trajectory.messages)), "rewritten in the other run"
    return (
        Block(f"head-{letter}", "line", name_of(row), badge=letter, colour=colour_of(index), note=note),
        Block(f"said-{letter}", "message", pieces=pieces),
    )


def explanation_blocks(
    opened: OpenGroup, runs: Sequence[Run], letter: str, methods: Sequence[str], against: int | None
) -> tuple[Block, ...]:
    """What each method said of a response (its letter in the baseline) in one run; ``None`` is the baseline."""
    if against is None:
        _, row = _placed(opened.baseline, letter)
        table, run, move = opened.baseline, runs[0], None
    else:
        other, run = opened.tables[against + 1], runs[against + 1]
        move = _move(opened.movements[against], letter)
        if other is None or move is None:
            missing = plain(f"Run {run.id} has no such response.")
            return (Block(f"missing-{run.id}", "line", pieces=missing),)
        table = other
        _, row = _placed(table, move.letter)
    head = Block(f"run-{run.id}", "line", f"Run {run.id}", note="baseline" if against is None else "")
    return (head, *(_card(table, row, run, name, move) for name in methods if name in row.cells))


def _run_cells(
    row: scores.Row, table: ScoreTable, run: Run, method: str, move: RowMovement | None, since: str
) -> dict[str, Cell]:
    if method not in row.cells:
        return {}
    cells = {f"score-{run.id}": _score_cell(row, table, run, method, move, since)}
    if table.reward_method == method:
        delta = move.advantage_delta if move else None
        cells[f"advantage-{run.id}"] = (
            Cell(state="empty")
            if row.advantage is None
            else Cell(row.advantage, signed(row.advantage), delta=change(delta), tone=_tone(delta))
        )
    return cells


def _score_cell(
    row: scores.Row, table: ScoreTable, run: Run, method: str, move: RowMovement | None, since: str
) -> Cell:
    cell, column = row.cells[method], table.column(method)
    moved = move.cells[method] if move else None
    decimals = decimals_of(table, column)
    if cell.state is CellState.WAITING:
        return Cell(state="running" if run.state is RunState.RUNNING else "cancelled", text="")
    hover = cell_hover(cell, column, moved, since, decimals=decimals)
    if cell.score is None:
        fault = fault_of(cell)
        return Cell(state="failed", text=SHORT[fault.reason] if fault else "", hover=hover)
    delta = moved.delta if moved else None
    climbed = moved.climbed if moved else None
    return Cell(
        value=cell.score,
        text=f"{cell.score:.{decimals}f}",
        bar=None if cell.reward is None else min(1.0, max(0.0, cell.reward.judge)),
        note=_rank(cell.rank, climbed),
        delta=change(delta),
        tone=_tone(delta),
        hover=hover,
    )


def _rank(rank: int | None, climbed: int | None) -> str:
    """A rank with how far it came, such as "#3 ↓2"."""
    if rank is None:
        return ""
    return f"#{rank}" + ("" if not climbed else f" {'↑' if climbed > 0 else '↓'}{abs(climbed)}")


def _card(table: ScoreTable, row: scores.Row, run: Run, method: str, move: RowMovement | None) -> Block:
    cell, column = row.cells[method], table.column(method)
    moved = move.cells[method] if move else None
    identity = f"card-{run.id}-{row.letter}-{method}"
    if cell.state is CellState.WAITING:
        waits = "running …" if run.state is RunState.RUNNING else "not asked"
        return Block(identity, title=METHODS[method].title, note=waits)
    if cell.score is None:
        fault = fault_of(cell)
        pieces = plain(sentence_of(fault, method) if fault else "")
        return Block(identity, title=column.title, figure="unscored", tone="worse", pieces=pieces)
    rank = "" if cell.rank is None else f"rank {cell.rank}"
    if moved is not None and moved.climbed and moved.old_rank is not None:
        rank = f"rank {moved.old_rank} → {cell.rank}"
    delta = change(moved.delta) if moved else ""
    written = f"{cell.score:.{decimals_of(table, column)}f}"
    figure = written if column.scale == (0.0, 1.0) else f"{written} of {column.scale[1]:g}"
    said = (one.verdict.explanation for one in cell.verdicts if isinstance(one.verdict, Scored))
    words = next((text for text in said if text), "The judge gave no explanation.")
    return Block(
        identity,
        title=column.title,
        note=" · ".join(filter(None, (rank, delta))),
        figure=figure,
        tone=_tone(moved.delta if moved else None),
        pieces=plain(words),
    )


def _placed(table: ScoreTable, letter: str) -> tuple[int, scores.Row]:
    return next((index, row) for index, row in enumerate(table.rows) if row.letter == letter)


def _move(moved: Movement | None, letter: str) -> RowMovement | None:
    return next((move for move in moved.rows if move.old_letter == letter), None) if moved else None


def _tone(delta: float | None) -> Tone:
    return "" if not delta else "better" if delta > 0 else "worse"
