"""Movement: what differs between two runs over the same responses, in scores and in settings."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.advantages import rounded
from reward_lab.core.group import Trajectory
from reward_lab.core.matching import Member, matched_members
from reward_lab.core.table import Cell, CellState, Column, Row, ScoreTable


@dataclass(frozen=True, slots=True)
class CellMovement:
    """One response under one method, then and now. What either table lacks is ``None``; ``scale`` is the new table's.

    ``comparable`` says that both tables scored it on one scale; only then is there a ``delta``,
    in that scale. ``reward_delta`` is the change of the method's reward in [0, 1] and stands
    across scales too. ``climbed`` counts ranks gained, negative where they were lost, and is
    ``None`` where the two ranks are not among the same responses.
    """

    method: str
    head: str
    scale: tuple[float, float]
    old_state: CellState | None
    new_state: CellState
    old_score: float | None
    new_score: float | None
    comparable: bool
    delta: float | None
    reward_delta: float | None
    old_rank: int | None
    new_rank: int | None
    climbed: int | None


@dataclass(frozen=True, slots=True)
class RowMovement:
    """One response in both tables. ``rewritten`` says that its text changed and its id did not.

    ``reward_delta`` and ``advantage_delta`` are by each table's own reward method and
    convention, and ``None`` where those differ.
    """

    letter: str
    old_letter: str
    trajectory: Trajectory
    old_trajectory: Trajectory
    rewritten: bool
    cells: Mapping[str, CellMovement]
    reward_delta: float | None
    advantage_delta: float | None


@dataclass(frozen=True, slots=True)
class Movement:
    """What moved: the responses in both tables in the new one's order, and the letters found in only one."""

    rows: tuple[RowMovement, ...]
    appeared: tuple[str, ...]
    vanished: tuple[str, ...]
    reward_method: str

    @property
    def rewritten(self) -> tuple[str, ...]:
        """The letters of the responses whose text changed."""
        return tuple(row.letter for row in self.rows if row.rewritten)

    @property
    def same_responses(self) -> bool:
        """Whether both tables hold the same responses, word for word."""
        return not (self.appeared or self.vanished or self.rewritten)

    @property
    def any_moved(self) -> bool:
        """Whether any score differs."""
        return any(cell.delta for row in self.rows for cell in row.cells.values())


def movement(old: ScoreTable, new: ScoreTable) -> Movement:
    """Compare two tables of the same responses.

    Responses are matched by content first, those equal in content by id and then in order;
    what is left is matched by id, as rewritten.
    """
    pairs = _matched(old.rows, new.rows)
    matched_old = {id(before) for before, _ in pairs}
    matched_new = {id(after) for _, after in pairs}
    ranked_alike = _ranked_alike(pairs, old, new)
    rows = tuple(
        _row(before, after, old, new, ranked_alike) for after in new.rows for before, other in pairs if other is after
    )
    return Movement(
        rows=rows,
        appeared=tuple(row.letter for row in new.rows if id(row) not in matched_new),
        vanished=tuple(row.letter for row in old.rows if id(row) not in matched_old),
        reward_method=new.reward_method,
    )


def in_common(old: ScoreTable, new: ScoreTable) -> bool:
    """Whether the old table has a score that one of the new table can be compared with, now or once it is there."""
    scales = {column.name: column.scale for column in old.columns}
    shared = {column.name for column in new.columns if scales.get(column.name) == column.scale}
    return any(before.cells[name].score is not None for before, _ in _matched(old.rows, new.rows) for name in shared)


def _matched(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[Row, Row]]:
    places = matched_members([_member(row) for row in old], [_member(row) for row in new])
    return [(before, new[place]) for before, place in zip(old, places, strict=True) if place is not None]


def _member(row: Row) -> Member:
    return Member(row.trajectory.key, row.trajectory.id)


def _ranked_alike(pairs: Sequence[tuple[Row, Row]], old: ScoreTable, new: ScoreTable) -> set[str]:
    """The methods that rank the same responses in both tables."""
    if not len(pairs) == len(old.rows) == len(new.rows):
        return set()
    shared = {column.name for column in old.columns} & {column.name for column in new.columns}
    return {
        name
        for name in shared
        if all((one.cells[name].rank is None) == (other.cells[name].rank is None) for one, other in pairs)
    }


def _row(before: Row, after: Row, old: ScoreTable, new: ScoreTable, ranked_alike: Container[str]) -> RowMovement:
    old_columns = {column.name: column for column in old.columns}
    cells = {
        column.name: _cell(
            before.cells.get(column.name),
            after.cells[column.name],
            old_columns.get(column.name),
            column,
            column.name in ranked_alike,
        )
        for column in new.columns
    }
    same_reward = old.reward_method == new.reward_method
    old_total = before.reward.total if before.reward else None
    new_total = after.reward.total if after.reward else None
    return RowMovement(
        letter=after.letter,
        old_letter=before.letter,
        trajectory=after.trajectory,
        old_trajectory=before.trajectory,
        rewritten=before.trajectory.key != after.trajectory.key,
        cells=cells,
        reward_delta=_difference(old_total, new_total) if same_reward else None,
        advantage_delta=(
            _difference(before.advantage, after.advantage) if same_reward and old.convention == new.convention else None
        ),
    )


def _cell(
    before: Cell | None, after: Cell, old_column: Column | None, column: Column, ranked_alike: bool
) -> CellMovement:
    old_score = before.score if before else None
    old_rank = before.rank if before else None
    comparable = (
        old_column is not None
        and old_column.scale == column.scale
        and old_score is not None
        and after.score is not None
    )
    old_level = before.reward.judge if before and before.reward else None
    new_level = after.reward.judge if after.reward else None
    return CellMovement(
        method=column.name,
        head=column.head,
        scale=column.scale,
        old_state=before.state if before else None,
        new_state=after.state,
        old_score=old_score,
        new_score=after.score,
        comparable=comparable,
        delta=_difference(old_score, after.score) if comparable else None,
        reward_delta=_difference(old_level, new_level),
        old_rank=old_rank,
        new_rank=after.rank,
        climbed=old_rank - after.rank if ranked_alike and old_rank is not None and after.rank is not None else None,
    )


def _difference(old: float | None, new: float | None) -> float | None:
    """New less old, to the places to which scores are equal: what did not move is exactly 0."""
    return None if old is None or new is None else rounded(new - old)
