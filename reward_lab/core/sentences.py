"""Words before figures: the sentence that a person would say about a result.

A sentence claims only what the ranks show. Ties are named as ties, responses without a score
as such, and "everywhere" means in every method, each with that response scored. Of a run that
was stopped, methods with samples to come have no say beside those that are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reward_lab.core.advantages import PLACES, rounded
from reward_lab.core.movement import CellMovement, Movement, RowMovement
from reward_lab.core.table import CellState, Column, ScoreTable
from reward_lab.core.wording import counted, listed


def result_sentence(table: ScoreTable) -> str:
    """What the table says, in one sentence, deterministic.

    "RULER and RaR exp agree that A is best; Likert cannot tell A from D; C is last everywhere."
    """
    states = [cell.state for row in table.rows for cell in row.cells.values()]
    if CellState.SCORED not in states:
        if CellState.WAITING in states:
            return "Nothing is scored yet."
        return "No response could be scored; open a cell to see why."
    done = [column for column in table.columns if not column.unfinished]
    standings = [standing for column in done if (standing := _standing(table, column)).order]
    so_far = "" if standings else "So far "
    if so_far:
        standings = [standing for column in table.columns if (standing := _standing(table, column)).order]
    comparing = [standing for standing in standings if len(standing.order) > 1 or len(standing.order[0]) > 1]
    clauses = [*_alone(table, standings, comparing), *_best(comparing), *_last(table, comparing), *_gaps(table)]
    return f"{so_far if comparing else ''}{_sentence(clauses)}"


def movement_sentence(movement: Movement, since: str) -> str:
    """What moved since a previous run, in one sentence; ``since`` names that run ("run 3").

    "B falls from 0.45 to 0.20 in RULER since run 3; 2 other scores moved." The largest change of
    the reward method leads, or the largest of all where that one did not move. The method is
    named where there are several.
    """
    if not movement.rows:
        return f"No response is shared with {since}, so nothing can be compared."
    cells = [(row, cell) for row in movement.rows for cell in row.cells.values()]
    moved = [(row, cell) for row, cell in cells if cell.delta]
    lost = [
        row.letter for row, cell in cells if cell.old_state is CellState.SCORED and cell.new_state is CellState.UNSCORED
    ]
    clauses = []
    if moved:
        row, cell = max(
            moved, key=lambda one: (one[1].method == movement.reward_method, abs(one[1].reward_delta or 0.0))
        )
        clauses.append(_moved(row, cell, since, named=len(row.cells) > 1))
        if len(moved) > 1:
            clauses.append(f"{counted(len(moved) - 1, 'other score')} moved")
    elif any(cell.comparable for _, cell in cells):
        clauses.append(f"No score moved since {since}")
    else:
        clauses.append(f"No score can be compared with {since}")
    if lost:
        clauses.append(f"{listed(dict.fromkeys(lost))} lost a score")
    return _sentence([*clauses, *_other_responses(movement, since)])


def _other_responses(movement: Movement, since: str) -> list[str]:
    """Which responses only one of the two runs has."""
    clauses = []
    if movement.appeared:
        clauses.append(f"{listed(movement.appeared)} {_were(movement.appeared)} added")
    if movement.vanished:
        clauses.append(f"{listed(movement.vanished)} of {since} {_were(movement.vanished)} removed")
    return clauses


def _were(letters: Sequence[str]) -> str:
    return "was" if len(letters) == 1 else "were"


def _moved(row: RowMovement, cell: CellMovement, since: str, *, named: bool) -> str:
    verb = "rises" if (cell.delta or 0.0) > 0 else "falls"
    subject = f"{row.letter}, rewritten," if row.rewritten else row.letter
    method = f" in {cell.head}" if named else ""
    before, after = _told_apart(cell.old_score or 0.0, cell.new_score or 0.0, cell.scale)
    clause = f"{subject} {verb} from {before} to {after}{method} since {since}"
    return f"{clause}, from rank {cell.old_rank} to {cell.new_rank}" if cell.climbed else clause


_MOST_FAVOURITES = 3
"""More favourites than these are not listed: a sentence that names six methods says less, not more."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """Letters by rank under one method, the best first; ties stand together."""

    head: str
    asks: bool
    order: tuple[tuple[str, ...], ...]
    complete: bool

    @property
    def of_those(self) -> str:
        """Among how many it ranks, where that is not all."""
        return "" if self.complete else f"of the {sum(map(len, self.order))} scored"

    @property
    def flat(self) -> bool:
        return len(self.order) == 1

    @property
    def top(self) -> tuple[str, ...]:
        return self.order[0]

    @property
    def bottom(self) -> tuple[str, ...]:
        return self.order[-1]


def _standing(table: ScoreTable, column: Column) -> _Standing:
    by_rank: dict[int, list[str]] = {}
    for row in table.rows:
        rank = row.cells[column.name].rank
        if rank is not None:
            by_rank.setdefault(rank, []).append(row.letter)
    order = tuple(tuple(letters) for _, letters in sorted(by_rank.items()))
    return _Standing(column.head, column.asks, order, column.scored == len(table.rows))


def _alone(table: ScoreTable, standings: Sequence[_Standing], comparing: Sequence[_Standing]) -> list[str]:
    """What is left to say where no method scored two responses."""
    if comparing:
        return []
    if len(table.rows) == 1:
        return [f"{table.rows[0].letter} is the only response, so there is nothing to compare"]
    heads = listed(standing.head for standing in standings)
    return [f"{heads} scored one response only, so there is nothing to compare"]


def _best(comparing: Sequence[_Standing]) -> list[str]:
    """Who is best, by the methods that say so together; then the methods that cannot tell."""
    clear: dict[tuple[str, ...], list[_Standing]] = {}
    tied: dict[tuple[str, ...], list[_Standing]] = {}
    flat: list[_Standing] = []
    for standing in comparing:
        if standing.flat:
            flat.append(standing)
        elif len(standing.top) == 1 or not standing.asks:
            clear.setdefault(standing.top, []).append(standing)
        else:
            tied.setdefault(standing.top, []).append(standing)
    favoured = sorted(clear.items(), key=lambda item: -len(item[1]))
    told = favoured if len(favoured) <= _MOST_FAVOURITES else favoured[: _MOST_FAVOURITES - 1]
    clauses = [_favours(letters, ones) for letters, ones in told]
    rest = [standing for _, ones in favoured[len(told) :] for standing in ones]
    if rest:
        clauses.append(f"{len(rest)} methods favour yet others")
    clauses += [f"{_heads(ones)} cannot tell {_apart(letters)}" for letters, ones in tied.items()]
    if flat:
        clauses.append(f"{_heads(flat)} {_verb(flat, 'scores', 'score')} all alike")
    return clauses


def _favours(letters: Sequence[str], standings: Sequence[_Standing]) -> str:
    if len(standings) == 1:
        of_those = f" {standings[0].of_those}" if standings[0].of_those else ""
        return f"{standings[0].head} {_verb(standings, 'puts', 'put')} {listed(letters)} first{of_those}"
    be = "is" if len(letters) == 1 else "are"
    shared = {standing.of_those for standing in standings}
    if len(shared) == 1:
        of_those = f" {one}" if (one := shared.pop()) else ""
        return f"{listed(standing.head for standing in standings)} agree that {listed(letters)} {be} best{of_those}"
    return f"{_heads(standings)} agree that {listed(letters)} {be} best"


def _last(table: ScoreTable, comparing: Sequence[_Standing]) -> list[str]:
    """The response that every method, or every judged one, puts last by itself.

    Of two responses the best one says it all.
    """
    judged = [standing for standing in comparing if standing.asks]
    asking = [column for column in table.columns if column.asks]
    scopes = ((comparing, table.columns, "everywhere"), (judged, asking, "in every judged method"))
    for standings, columns, where in scopes:
        bottoms = {standing.bottom for standing in standings}
        if len(table.rows) < 3 or len(standings) < len(columns) or len(bottoms) != 1:
            continue
        (bottom,) = bottoms
        if len(bottom) == 1 and all(standing.complete and not standing.flat for standing in standings):
            return [f"{bottom[0]} is last" + (f" {where}" if len(standings) > 1 else "")]
    return []


def _gaps(table: ScoreTable) -> list[str]:
    """What is missing: responses that some methods could not score, and methods still at work."""
    clauses = []
    missing: dict[tuple[str, ...], list[str]] = {}
    for column in table.columns:
        letters = tuple(row.letter for row in table.rows if row.cells[column.name].state is CellState.UNSCORED)
        if letters:
            missing.setdefault(letters, []).append(column.head)
    for letters, heads in missing.items():
        what = "any response" if len(letters) == len(table.rows) > 1 else listed(letters, "or")
        clauses.append(f"{listed(heads)} could not score {what}")
    going = [column.head for column in table.columns if column.unfinished]
    if going:
        clauses.append(f"{listed(going)} {'is' if len(going) == 1 else 'are'} not done")
    return clauses


def _sentence(clauses: Sequence[str]) -> str:
    return "; ".join(clauses) + "."


def _heads(standings: Sequence[_Standing]) -> str:
    return listed(
        f"{standing.head} ({standing.of_those})" if standing.of_those else standing.head for standing in standings
    )


def _verb(standings: Sequence[_Standing], one: str, many: str) -> str:
    """The verb's form; the column of checks is plural by itself."""
    return one if len(standings) == 1 and standings[0].asks else many


def _apart(letters: Sequence[str]) -> str:
    return f"{letters[0]} from {letters[1]}" if len(letters) == 2 else f"{listed(letters)} apart"


def _told_apart(first: float, second: float, scale: tuple[float, float]) -> tuple[str, str]:
    """Two scores: whole ones of a scale beyond 1 as such, others with the decimals it takes to read differently."""
    if scale[1] > 1 and rounded(first).is_integer() and rounded(second).is_integer():
        return f"{first:.0f}", f"{second:.0f}"
    for places in range(2, PLACES):
        if f"{first:.{places}f}" != f"{second:.{places}f}":
            return f"{first:.{places}f}", f"{second:.{places}f}"
    return f"{first:.{PLACES}f}", f"{second:.{PLACES}f}"
