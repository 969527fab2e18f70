"""Estimates as cells of the grid: shares, figures, intervals, and how many groups stand behind them."""

from __future__ import annotations

from reward_lab.core.agreement import FEW_GROUPS, Estimate
from reward_lab.core.wording import counted
from reward_lab.ui.grid import Cell


def groups_cell(groups: int) -> Cell:
    """A number of groups, and whether it is few."""
    if groups >= FEW_GROUPS:
        return Cell(groups, f"{groups:,}")
    few = f"Below {FEW_GROUPS} groups an interval is itself unsure: label more before deciding."
    return Cell(groups, f"{groups} (few)", hover=few)


def share_cell(share: Estimate) -> Cell:
    """A share in percent with its bar, a dash where it is unknown."""
    if share.value is None:
        return Cell(state="empty", hover="There is nothing to tell it from.")
    return Cell(share.value, f"{share.value:.0%}", bar=min(1.0, max(0.0, share.value)))


def figure_cell(figure: Estimate) -> Cell:
    """A figure with two decimals, a dash where it is unknown."""
    if figure.value is None:
        return Cell(state="empty", hover="It is undefined here.")
    return Cell(figure.value, f"{figure.value:.2f}".replace("-", "−"))


def interval_cell(figure: Estimate, *, percent: bool = False) -> Cell:
    """The interval of an estimate, and the number of groups behind it where that is few."""
    if figure.low is None or figure.high is None:
        return Cell(state="empty", hover=f"An interval needs two groups; there is {counted(figure.n, 'group')}.")
    low, high = (f"{one:.0%}" if percent else f"{one:.2f}".replace("-", "−") for one in (figure.low, figure.high))
    return Cell(figure.low, f"{low} to {high}", hover=f"n = {counted(figure.n, 'group')}")
