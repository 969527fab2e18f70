"""Why there is no score, in as few words as a cell holds; and every reason of a table, with where it bears."""

from __future__ import annotations

from dataclasses import dataclass

from reward_lab.core.reasons import sentence_of, told_to_judge
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
    """One reason why scores are missing, and where: the heads of the methods, the letters of the responses.

    ``told`` is what the judge was told of its replies, where it was.
    """

    reason: Reason
    sentence: str
    heads: tuple[str, ...]
    letters: tuple[str, ...]
    told: tuple[str, ...] = ()


def fault_of(cell: Cell) -> Unscored | None:
    """The first verdict without a score behind a cell."""
    return next((one.verdict for one in cell.verdicts if isinstance(one.verdict, Unscored)), None)


def lacks(table: ScoreTable) -> tuple[Lack, ...]:
    """Every reason for which a cell has no score, those that bear on most cells first."""
    found: dict[tuple[Reason, str], list[tuple[str, str, str]]] = {}
    for column in table.columns:
        for row in table.rows:
            cell = row.cells[column.name]
            fault = fault_of(cell)
            if cell.state is CellState.UNSCORED and fault is not None:
                place = (column.head, row.letter, told_to_judge(fault))
                found.setdefault((fault.reason, sentence_of(fault, column.name)), []).append(place)
    ordered = sorted(found.items(), key=lambda one: -len(one[1]))
    return tuple(
        Lack(
            reason,
            sentence,
            heads=tuple(dict.fromkeys(head for head, _, _ in places)),
            letters=tuple(sorted({letter for _, letter, _ in places})),
            told=tuple(dict.fromkeys(told for _, _, told in places if told)),
        )
        for (reason, sentence), places in ordered
    )
