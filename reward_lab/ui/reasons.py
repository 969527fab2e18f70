"""Why there is no score, in as few words as a cell holds and in as many as a sentence needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reward_lab.core.table import Cell, CellState, ScoreTable
from reward_lab.core.verdict import Reason, Unscored

SHORT: dict[Reason, str] = {
    Reason.NO_REFERENCE: "no ref.",
    Reason.NO_CRITERIA: "no criteria",
    Reason.NO_WEIGHT: "no weight",
    Reason.NO_VERIFIERS: "no checks",
    Reason.AUTHENTICATION: "no access",
    Reason.MODEL_NOT_FOUND: "no model",
    Reason.BAD_REQUEST: "rejected",
    Reason.CONTEXT_WINDOW: "too long",
    Reason.RATE_LIMITED: "rate limit",
    Reason.TIMEOUT: "timeout",
    Reason.CONNECTION: "no server",
    Reason.SERVER_ERROR: "server",
    Reason.EMPTY_REPLY: "empty",
    Reason.CUT_REPLY: "cut off",
    Reason.REFUSAL: "refused",
    Reason.UNREADABLE_REPLY: "unreadable",
    Reason.WRONG_IDS: "wrong ids",
    Reason.OUT_OF_RANGE: "off scale",
    Reason.BUDGET: "budget",
    Reason.CANCELLED: "cancelled",
}
"""At most eleven characters, which is what a cell is wide."""

NOT_ASKED = frozenset({Reason.NO_REFERENCE, Reason.NO_CRITERIA, Reason.NO_WEIGHT, Reason.NO_VERIFIERS})
"""The method cannot be applied to what was given: nothing failed, and asking again changes nothing."""

STOPPED = frozenset({Reason.BUDGET, Reason.CANCELLED})
"""The run ended first."""


@dataclass(frozen=True, slots=True)
class Lack:
    """One reason why scores are missing, and where: the heads of the methods, the letters of the responses."""

    reason: Reason
    detail: str
    heads: tuple[str, ...]
    letters: tuple[str, ...]


def fault_of(cell: Cell) -> Unscored | None:
    """The first verdict without a score behind a cell."""
    return next((one.verdict for one in cell.verdicts if isinstance(one.verdict, Unscored)), None)


def lacks(table: ScoreTable) -> tuple[Lack, ...]:
    """Every reason for which a cell has no score, those that bear on most cells first."""
    heads: dict[tuple[Reason, str], list[str]] = {}
    letters: dict[tuple[Reason, str], list[str]] = {}
    for head, letter, fault in _faults(table):
        heads.setdefault((fault.reason, fault.detail), []).append(head)
        letters.setdefault((fault.reason, fault.detail), []).append(letter)
    found = sorted(heads, key=lambda one: -len(heads[one]))
    return tuple(
        Lack(*one, tuple(dict.fromkeys(heads[one])), tuple(sorted(dict.fromkeys(letters[one])))) for one in found
    )


def _faults(table: ScoreTable) -> Iterator[tuple[str, str, Unscored]]:
    for column in table.columns:
        for row in table.rows:
            cell = row.cells[column.name]
            fault = fault_of(cell)
            if cell.state is CellState.UNSCORED and fault is not None:
                yield column.head, row.letter, fault
