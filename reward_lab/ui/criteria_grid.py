"""Criteria by responses: which statement each response meets, with the reason for every mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core import table as scores
from reward_lab.core.chat import well_formed
from reward_lab.core.methods import method_named
from reward_lab.core.methods.explicit import Checklist
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Run, RunState
from reward_lab.core.table import CellState, Consensus, ScoreTable
from reward_lab.core.verdict import CriterionVerdict
from reward_lab.ui.grid import Cell, Column, Row
from reward_lab.ui.matrix import name_of
from reward_lab.ui.reading import Block, Tone, plain
from reward_lab.ui.theme import colour_of

_GREY = "#7F7F7F"
_MOST_HOVER = 700


@dataclass(frozen=True, slots=True)
class Line:
    """One criterion or verifier: its share of all weight in [0, 1], and for which truth value it counts as met."""

    title: str
    description: str
    category: str
    share: float | None
    meets_when: bool


def lines(table: ScoreTable, method: str) -> tuple[Line, ...]:
    """(C,) what a method judges one by one; () for one that only gives a score."""
    statements = table.criteria_of(method)
    kinds = list(_kinds(table.rubric, method)) if statements else []
    total = sum(weight for _, weight, _ in kinds)
    return tuple(
        Line(
            _title(statement, named=method_named(method).asks),
            well_formed(statement.description),
            category,
            weight / total if total else None,
            meets_when,
        )
        for statement, (category, weight, meets_when) in zip(statements, kinds, strict=True)
    )


def columns(table: ScoreTable) -> list[Column]:
    """The criterion, then a column a response under its letter."""
    return [
        Column("criterion", "Criterion", kind="text"),
        *(
            Column(row.letter, name_of(row), kind="mark", badge=row.letter, colour=colour_of(index))
            for index, row in enumerate(table.rows)
        ),
    ]


def rows(table: ScoreTable, method: str, state: RunState) -> list[Row]:
    """A row a criterion, in the order of the rubric."""
    return [
        Row(
            str(position),
            str(position + 1),
            _GREY,
            line.title,
            _told(line),
            {row.letter: _mark(row.cells[method], position, line, state) for row in table.rows},
        )
        for position, line in enumerate(lines(table, method))
    ]


def reason_blocks(table: ScoreTable, run: Run, method: str, position: int, letter: str | None) -> tuple[Block, ...]:
    """A criterion in full, and why it is met or not: by the chosen response, or by all where none is chosen."""
    line = lines(table, method)[position]
    rule = "" if line.meets_when else " Counts as met when it is false."
    title = f"{position + 1}. {line.title}"
    described = line.description if line.description != line.title else ""
    head = Block(f"{method}-{position}", "line", title, pieces=plain(f"{described}{rule}".strip()))
    said = [
        block
        for index, row in enumerate(table.rows)
        if letter in (None, row.letter)
        for block in _reasons(row, run, method, position, line, colour_of(index))
    ]
    return head, *said


def _title(statement: scores.Statement, *, named: bool) -> str:
    """A criterion's own title; a verifier with what it looks for, since several may be of one kind."""
    parts = [statement.title] if named and statement.title else [statement.title, statement.description]
    return well_formed(" ".join(filter(None, parts)))


def _kinds(rubric: Rubric, method: str) -> Iterator[tuple[str, float, bool]]:
    """Category, weight and polarity of each statement."""
    found = method_named(method)
    if isinstance(found, Checklist):
        for criterion, weight in zip(found.criteria(rubric), found.weights(rubric), strict=True):
            yield (
                criterion.category.value if found.criteria(rubric) is rubric.criteria else "",
                weight,
                criterion.meets_when,
            )
    else:
        for verifier in rubric.verifiers:
            yield "", verifier.weight, True


def _told(line: Line) -> str:
    parts = [
        "" if line.share is None else f"{line.share:.0%}",
        line.category,
        "" if line.meets_when else "met when false",
    ]
    return " · ".join(filter(None, parts))


def _mark(cell: scores.Cell, position: int, line: Line, state: RunState) -> Cell:
    if cell.state is CellState.WAITING:
        return Cell(state="running" if state is RunState.RUNNING else "empty")
    said = next((one for one in cell.criteria if one.position == position), None)
    if said is None:
        return Cell(state="empty", hover="No verdict on this one.")
    met = share_met(said, line)
    hover = _clipped(next((mark.explanation for mark in _marks(cell, position) if mark.explanation), ""))
    if met is None:
        return Cell(state="unknown", hover=hover or "The judge gave no verdict on it.")
    agreed = said.judged * max(met, 1 - met)
    text = f"{agreed:.0f}/{said.judged + said.unjudged}" if said.judged + said.unjudged > 1 else ""
    return Cell(met, text, state="unknown" if met == 0.5 else "met" if met > 0.5 else "unmet", hover=hover)


def share_met(said: Consensus, line: Line) -> float | None:
    """The share of the judged samples in which the criterion is met."""
    return None if said.share is None else said.share if line.meets_when else 1 - said.share


def _marks(cell: scores.Cell, position: int) -> Iterator[CriterionVerdict]:
    for one in cell.verdicts:
        for mark in one.verdict.criteria:
            if mark.position == position:
                yield mark


def _reasons(row: scores.Row, run: Run, method: str, position: int, line: Line, colour: str) -> Iterator[Block]:
    cell = row.cells[method]
    for number, one in enumerate(cell.verdicts):
        for mark in one.verdict.criteria:
            if mark.position != position:
                continue
            met = None if mark.truth is None else mark.truth if line.meets_when else 1 - mark.truth
            yield Block(
                f"{method}-{position}-{row.letter}-{number}",
                "message",
                _SAID.get(met, "½ partly met"),
                note=_source(run, one.judge, one.repeat, len(cell.verdicts)),
                badge=row.letter,
                colour=colour,
                tone=_TONES.get(met, ""),
                pieces=plain(mark.explanation or ("" if mark.truth is None else _literally(mark.truth))),
            )


_SAID = {None: "no verdict", 1.0: "✓ met", 0.0: "✗ not met"}
_TONES: dict[float | None, Tone] = {1.0: "better", 0.0: "worse"}


def _literally(truth: float) -> str:
    return f"The statement is {_TRUTHS.get(truth, 'partly true')} of the response."


_TRUTHS = {1.0: "true", 0.0: "false"}


def _source(run: Run, judge: int, repeat: int, of: int) -> str:
    parts: Sequence[str] = [
        run.judges[judge].model if len(run.judges) > 1 else "",
        f"repeat {repeat + 1}" if of > 1 else "",
    ]
    return " · ".join(filter(None, parts))


def _clipped(text: str) -> str:
    shown = well_formed(text)
    return shown if len(shown) <= _MOST_HOVER else f"{shown[:_MOST_HOVER]} …"
