"""Marks: the verdicts on single criteria, of any number of groups under one rubric version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from reward_lab.core.agreement import mean
from reward_lab.core.rubric import Rubric
from reward_lab.core.table import ScoreTable


class Response(NamedTuple):
    """A trajectory of a group, by their ids."""

    group: str
    trajectory: str


@dataclass(frozen=True, slots=True)
class Mark:
    """What one judge said of one criterion in one repeat: its truth, ``None`` where it gave no verdict.

    ``position`` is the criterion's place in the rubric version, from 0; ``truth`` is of its statement.
    """

    position: int
    response: Response
    truth: float | None
    judge: int = 0
    repeat: int = 0


def marks_of(table: ScoreTable, method: str) -> Iterator[Mark]:
    """The marks of one column of a score table. Raises ``KeyError`` for a method that is not a column."""
    for row in table.rows:
        response = Response(table.group.id, row.trajectory.id)
        for sampled in row.cells[method].verdicts:
            for verdict in sampled.verdict.criteria:
                yield Mark(verdict.position, response, verdict.truth, sampled.judge, sampled.repeat)


def met_shares(rubric: Rubric, marks: Iterable[Mark]) -> tuple[dict[Response, float], ...]:
    """(C,) for each criterion, by response, how far it is met: the mean over samples, in [0, 1].

    Polarity is taken into account. A response without a verdict on a criterion is left out of it.

    Raises:
        ValueError: a mark on a position that the rubric does not have, or a truth outside [0, 1].
    """
    said: list[dict[Response, list[float]]] = [{} for _ in rubric.criteria]
    for mark in marks:
        if not 0 <= mark.position < len(said):
            raise ValueError(f"a mark is on position {mark.position}, but the rubric has {len(said)} criteria")
        if mark.truth is None:
            continue
        if not 0 <= mark.truth <= 1:
            raise ValueError(f"a truth must lie between 0 and 1, got {mark.truth}")
        met = mark.truth if rubric.criteria[mark.position].meets_when else 1 - mark.truth
        said[mark.position].setdefault(mark.response, []).append(met)
    return tuple({one: mean(values) or 0.0 for one, values in responses.items()} for responses in said)
