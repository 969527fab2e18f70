"""The list of groups of a comparison, as rows of the grid."""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.advantages import rounded
from reward_lab.core.chat import well_formed
from reward_lab.core.comparison import GroupChange
from reward_lab.core.ordering import Order, Ordered
from reward_lab.core.table import letter
from reward_lab.services.comparison import Compared
from reward_lab.ui.figures import change as written_change
from reward_lab.ui.figures import signed
from reward_lab.ui.grid import Cell, Column, Row, Tone

_BADGE = "#5b6270"
_FIGURE = "figure"
_TOLD = {
    Order.METHODS: Column(
        _FIGURE,
        "Methods apart",
        "Difference of ranks between methods, mean share of all ranks; 0: same order",
        kind="number",
    ),
    Order.JUDGES: Column(
        _FIGURE, "Judges apart", "Mean difference of rewards between the judges of an ensemble", kind="number"
    ),
    Order.SPREAD: Column(
        _FIGURE, "Lowest std", "Standard deviation of the group's rewards, the lowest of the runs", kind="number"
    ),
}


def columns(compared: Compared, order: Order) -> list[Column]:
    """The group, what it is ordered by where no other column says it, then the changes in each other run."""
    found = [Column("group", "Group", kind="text")]
    if order in _TOLD:
        found.append(_TOLD[order])
    for run in compared.runs[1:]:
        of = f" of run {run.id}" if len(compared.runs) > 2 else ""
        found += [
            Column(f"mean-{run.id}", f"Mean Δ{of}", "Mean change of the responses' rewards", kind="number"),
            Column(f"largest-{run.id}", f"Largest Δ{of}", "The response whose reward changed most", kind="number"),
            Column(f"flips-{run.id}", f"Flips{of}", "Pairs of responses that changed places", kind="number"),
        ]
    return found


def rows(compared: Compared, listed: Sequence[Ordered], order: Order, method: str) -> list[Row]:
    """A row a group; its id is its place in the comparison."""
    return [_row(compared, one, order, method) for one in listed]


def _row(compared: Compared, one: Ordered, order: Order, method: str) -> Row:
    group = compared.figures.groups[one.place]
    cells: dict[str, Cell] = {}
    if order in _TOLD:
        cells[_FIGURE] = Cell(state="empty") if one.figure is None else Cell(one.figure, f"{one.figure:.2f}")
    for place, run in enumerate(compared.runs[1:]):
        change = compared.figures.changes(place, method)[one.place]
        if change is not None:
            cells |= _change_cells(change, run.id)
    return Row(str(one.place), "", _BADGE, well_formed(group.group.name), well_formed(group.group.opening), cells)


def _change_cells(change: GroupChange, run_id: int) -> dict[str, Cell]:
    lost = f"{change.lost} lost, {change.gained} gained" if change.lost or change.gained else ""
    if change.mean is None or change.largest is None or change.member is None:
        nothing = Cell(text="unscored", hover=f"No response is scored in both runs ({lost or 'none in either'}).")
        return {f"mean-{run_id}": nothing}
    return {
        f"mean-{run_id}": _delta(change.mean, note="partial" if lost else "", hover=f"Scores: {lost}" if lost else ""),
        f"largest-{run_id}": _delta(
            change.largest, whose=f"{letter(change.member)} " if rounded(change.largest) else ""
        ),
        f"flips-{run_id}": Cell(change.flips, str(change.flips)),
    }


def _delta(value: float, *, whose: str = "", note: str = "", hover: str = "") -> Cell:
    moved = rounded(value)
    tone: Tone = "" if not moved else "better" if moved > 0 else "worse"
    return Cell(value, f"{whose}{written_change(moved) or signed(moved)}", note=note, tone=tone, hover=hover)
