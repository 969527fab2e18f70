"""How far the methods agree: tau-b of each pair, the spread of each one's rewards, and where they differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from reward_lab.core.table import MethodAgreement, ScoreTable
from reward_lab.core.wording import counted
from reward_lab.ui.grid import Cell, Column, Row

_GREY = "#7F7F7F"
_MOST_DISPUTES = 3


@dataclass(frozen=True, slots=True)
class Dispute:
    """One response whose ranks by two methods lie furthest apart."""

    letter: str
    high: str
    high_rank: int
    low: str
    low_rank: int


def columns(table: ScoreTable) -> list[Column]:
    """The method, one column a method to compare with, then figures of its own rewards."""
    return [
        Column("method", "Kendall's τ-b", "1: the same order, 0: no relation, −1: the reverse order", kind="text"),
        *(Column(column.name, column.head, column.title, kind="number") for column in table.columns),
        Column("std", "Std", "Standard deviation of the rewards: what a trainer has to go by", kind="number"),
        Column("distinct", "Levels", "Different scores, of the responses that are scored", kind="number"),
    ]


def rows(table: ScoreTable) -> list[Row]:
    """A row a method. A pair without a tau says on hover why."""
    pairs = {(pair.first, pair.second): pair for pair in table.agreement()}
    found = []
    for column in table.columns:
        cells = {
            other.name: _tau(table, _pair(pairs, column.name, other.name))
            for other in table.columns
            if other.name != column.name
        }
        cells[column.name] = Cell(state="empty", hover="A method agrees with itself.")
        if column.std is not None:
            cells["std"] = Cell(column.std, f"{column.std:.2f}")
        if column.scored:
            cells["distinct"] = Cell(float(column.distinct), f"{column.distinct} of {column.scored}")
        found.append(Row(column.name, "", _GREY, column.title, cells=cells))
    return found


def shared_count(table: ScoreTable) -> str:
    """How many responses each tau rests on, in words: one number where it is the same for all."""
    counts = {pair.n for pair in table.agreement() if pair.n}
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return counted(high, "response") if low == high else f"{low} to {counted(high, 'response')}"


def disputes(table: ScoreTable) -> tuple[Dispute, ...]:
    """The responses whose ranks differ most between two methods that ranked all the same, the furthest first.

    Only judged methods that can tell the responses apart have a say.
    """
    able = [column for column in table.columns if column.asks and column.distinct > 1 and not column.waiting]
    found = []
    for row in table.rows:
        ranked = [(rank, column.head) for column in able if (rank := row.cells[column.name].rank) is not None]
        if len(ranked) < 2:
            continue
        high, low = max(
            combinations(sorted(ranked, key=lambda one: one[0]), 2), key=lambda pair: pair[1][0] - pair[0][0]
        )
        if low[0] > high[0]:
            found.append(Dispute(row.letter, high[1], high[0], low[1], low[0]))
    return tuple(sorted(found, key=lambda one: one.high_rank - one.low_rank)[:_MOST_DISPUTES])


def _pair(pairs: Mapping[tuple[str, str], MethodAgreement], first: str, second: str) -> MethodAgreement:
    return pairs.get((first, second)) or pairs[second, first]


def _tau(table: ScoreTable, pair: MethodAgreement) -> Cell:
    if pair.tau is not None:
        return Cell(pair.tau, f"{pair.tau:.2f}".replace("-", "−"), hover=f"n = {counted(pair.n, 'response')}")
    if pair.n < 2:
        return Cell(
            state="empty", hover=f"Undefined: both methods scored {counted(pair.n, 'response')}, two are needed."
        )
    heads = " and ".join(
        table.column(name).head for name in (pair.first, pair.second) if table.column(name).distinct < 2
    )
    why = f"{heads} gives all the same score" if heads else "all that both scored is tied"
    return Cell(state="empty", hover=f"Undefined: {why}, so there is no order to agree on.")
