"""The results matrix: a score table as columns and rows of the grid."""

from __future__ import annotations

from collections.abc import Iterator

from reward_lab.core import table as scores
from reward_lab.core.advantages import convention_named
from reward_lab.core.chat import transcript, well_formed
from reward_lab.core.movement import CellMovement, Movement, RowMovement
from reward_lab.core.reasons import sentence_of, told_to_judge
from reward_lab.core.run import RunState
from reward_lab.core.table import CellState, ScoreTable
from reward_lab.core.verdict import Scored
from reward_lab.core.wording import counted
from reward_lab.ui.figures import change, decimals_for, scored_head, signed
from reward_lab.ui.grid import Cell, Column, Row, Tone
from reward_lab.ui.reasons import NOT_ASKED, SHORT, STOPPED, fault_of
from reward_lab.ui.theme import colour_of

SPREAD, REWARD, ADVANTAGE = "spread", "reward", "advantage"

_MOST_HOVER = 700
_EMPTY = Cell(state="empty")


def columns(table: ScoreTable) -> list[Column]:
    """The response, a column a method, then what is made of them."""
    method = table.column(table.reward_method)
    parts = f"{method.head}, weighted, with verifiers added" if method.asks else "the verifiers' sum"
    convention = convention_named(table.convention)
    return [
        Column("response", "Response", kind="text"),
        *(_method_column(column) for column in table.columns),
        Column(SPREAD, "Spread", "Largest less smallest of the methods' rewards: where they disagree", kind="number"),
        Column(REWARD, "Reward", f"What the trainer gets: {parts}", kind="number"),
        Column(ADVANTAGE, "Advantage", f"{convention.title}: {convention.formula}", kind="number"),
    ]


def rows(table: ScoreTable, state: RunState, moved: Movement | None = None, *, since: str = "") -> list[Row]:
    """A row a response. ``state`` is the run's, which says what a waiting cell waits for.

    ``moved`` is what changed against an earlier run, ``since`` how that one is called ("run 3").
    """
    moves = {row.letter: row for row in moved.rows} if moved else {}
    return [_row(index, row, table, state, moves.get(row.letter), since) for index, row in enumerate(table.rows)]


def first_line(row: scores.Row) -> str:
    """How a response begins: the first line that says something, of its answer or of all that was said and called."""
    spoken = row.trajectory.answer.strip() or transcript(row.trajectory.messages).strip()
    return well_formed(spoken[:300].split("\n", 1)[0].strip())


def name_of(row: scores.Row) -> str:
    """A response's label, or its letter in words."""
    return well_formed(row.trajectory.label) or f"Response {row.letter}"


def decimals_of(table: ScoreTable, column: scores.Column) -> int:
    """How many decimals the scores of one method are shown with."""
    known = (score for cell in table.cells(column.name) if (score := cell.score) is not None)
    return decimals_for(known, column.scale)


def cell_hover(
    cell: scores.Cell, column: scores.Column, move: CellMovement | None = None, since: str = "", *, decimals: int = 2
) -> str:
    """The reason behind a cell, in words: how it stands, what it was, and what the judge said."""
    return _clipped("\n".join(filter(None, _hover_lines(cell, column, move, since, decimals))))


def _method_column(column: scores.Column) -> Column:
    low, high = column.scale
    notes = [f"{column.title}, {low:g} to {high:g}"]
    if column.samples > 1:
        notes.append(f"mean of up to {column.samples} samples")
    if column.partial:
        notes.append("partial: ranks and advantages leave out what is not scored")
    return Column(column.name, scored_head(column.head, column.scale), "; ".join(notes))


def _row(index: int, row: scores.Row, table: ScoreTable, state: RunState, move: RowMovement | None, since: str) -> Row:
    cells = {
        column.name: _score_cell(
            row.cells[column.name],
            column,
            state,
            decimals_of(table, column),
            move.cells.get(column.name) if move else None,
            since,
        )
        for column in table.columns
    }
    chosen = row.cells[table.reward_method]
    if row.spread is not None:
        cells[SPREAD] = Cell(row.spread, f"{row.spread:.2f}")
    elif any(cell.state is CellState.WAITING for cell in row.cells.values()) and state is RunState.RUNNING:
        cells[SPREAD] = Cell(state="running")
    if chosen.state is CellState.WAITING and state is RunState.RUNNING:
        cells[REWARD] = cells[ADVANTAGE] = Cell(state="running")
    else:
        cells[REWARD] = _reward_cell(row, move)
        cells[ADVANTAGE] = _advantage_cell(row, move)
    subtitle = first_line(row)
    return Row(row.letter, row.letter, colour_of(index), name_of(row), subtitle, cells)


def _score_cell(
    cell: scores.Cell, column: scores.Column, state: RunState, decimals: int, move: CellMovement | None, since: str
) -> Cell:
    if cell.state is CellState.WAITING:
        if state is RunState.RUNNING:
            return Cell(state="running")
        happened = {RunState.CANCELLED: "was cancelled", RunState.PAUSED: "was paused"}.get(state, "ended")
        hover = f"The run {happened} before this was asked. Resume goes on with it."
        return Cell(state="cancelled", text="" if state is RunState.CANCELLED else "not asked", hover=hover)
    hover = cell_hover(cell, column, move, since, decimals=decimals)
    if cell.score is None:
        fault = fault_of(cell)
        calm = fault is not None and fault.reason in NOT_ASKED | STOPPED
        return Cell(state="cancelled" if calm else "failed", text=SHORT[fault.reason] if fault else "", hover=hover)
    delta = move.delta if move else None
    return Cell(
        value=cell.score,
        text=f"{cell.score:.{decimals}f}",
        bar=None if cell.reward is None else min(1.0, max(0.0, cell.reward.judge)),
        note=f"#{cell.rank}" if cell.rank else "",
        # What moved stays on hover until the mean is whole.
        delta=cell.standing
        if cell.missing
        else change(delta, decimals if delta and round(delta, 6).is_integer() else 2),
        tone="" if cell.missing else _tone(delta),
        hover=hover,
    )


def _reward_cell(row: scores.Row, move: RowMovement | None) -> Cell:
    if row.reward is None:
        return _EMPTY
    if row.reward.total is None:
        return Cell(
            text="unknown", hover="A part of this reward is unknown: a verifier's value or the independent reward."
        )
    delta = move.reward_delta if move else None
    return Cell(row.reward.total, f"{row.reward.total:.2f}", delta=change(delta), tone=_tone(delta))


def _advantage_cell(row: scores.Row, move: RowMovement | None) -> Cell:
    if row.advantage is None:
        return _EMPTY
    delta = move.advantage_delta if move else None
    return Cell(row.advantage, signed(row.advantage), delta=change(delta), tone=_tone(delta))


def _tone(delta: float | None) -> Tone:
    return "" if not delta else "better" if delta > 0 else "worse"


def _hover_lines(
    cell: scores.Cell, column: scores.Column, move: CellMovement | None, since: str, decimals: int
) -> Iterator[str]:
    if cell.score is not None:
        rank = f", rank {cell.rank}" if cell.rank else ""
        yield f"{column.title}: {cell.score:.{decimals}f} on {column.scale[0]:g} to {column.scale[1]:g}{rank}"
        if cell.n > 1:
            spread = "" if cell.std is None else f", std {cell.std:.2f}"
            yield f"Mean of {counted(cell.n, 'sample')}{spread}"
        if cell.missing:
            yield f"Not done: {cell.standing} samples so far"
        if cell.unscored:
            yield f"{counted(cell.unscored, 'sample')} without a score"
    if move is not None and move.old_score is not None:
        rank = f", rank {move.old_rank}" if move.old_rank else ""
        yield f"{move.old_score:.{decimals_for((move.old_score,), column.scale)}f}{rank} in {since}"
    for one in cell.verdicts[:1]:
        verdict = one.verdict
        if isinstance(verdict, Scored):
            yield verdict.explanation
        else:
            yield sentence_of(verdict, column.name)
            yield told_to_judge(verdict)


def _clipped(text: str) -> str:
    shown = well_formed(text)
    return shown if len(shown) <= _MOST_HOVER else f"{shown[:_MOST_HOVER]} …"
