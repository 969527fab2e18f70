"""The training view and the groups of a run, as rows of the grid and as charts of figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from reward_lab.core.agreement import Estimate
from reward_lab.core.cautions import CEILING
from reward_lab.core.chat import well_formed
from reward_lab.core.comparison import GroupFigures
from reward_lab.core.group_order import gap_between_methods
from reward_lab.core.training import GroupRewards, TrainingView
from reward_lab.core.wording import counted
from reward_lab.services.training import RunTraining
from reward_lab.ui.figures import signed
from reward_lab.ui.grid import Cell, Column, Row
from reward_lab.ui.theme import colour_of

if TYPE_CHECKING:
    import altair as alt

_BADGE = "#5b6270"
_HEIGHT = 220
_BINS = 24

FIGURE_COLUMNS = (
    Column("figure", "Over the groups", kind="text"),
    Column("value", "Value", kind="number"),
    Column("interval", "95%", "95% interval by group", kind="number"),
    Column("n", "Groups", "Groups that the figure rests on", kind="number"),
)


def figure_rows(view: TrainingView) -> list[Row]:
    """A row a figure of the training view, with what it means."""
    interval = view.constant.interval
    constant = Estimate(
        view.constant.value, interval.low if interval else None, interval.high if interval else None, view.constant.n
    )
    return [
        _row("mean", "Mean reward", "Of the groups' means", view.mean),
        _row("std", "Spread within groups", "Mean standard deviation: what advantages are made of", view.std),
        _row("constant", "Constant groups", "All rewards equal: they train nothing", constant, share=True),
        _row("ceiling", "At the ceiling", f"Responses judged at {CEILING} or above", view.ceiling, share=True),
        _row("length", "Reward and length", "Mean Spearman's rho within groups", view.length, sign=True),
        *_left_rows(view),
        _hazard_row(view),
    ]


def _left_rows(view: TrainingView) -> list[Row]:
    """What each filter of the trainer leaves out, also where that is nothing: that it was looked for is told too."""
    trainers = " and ".join(view.convention.trainers)
    if not view.convention.filters:
        return [
            _counted_row(
                "left", "Left out by the trainer", f"No filter of {trainers}: every response is kept", 0, view.responses
            )
        ]
    left = {one.by: one for one in view.left}
    rows = []
    for place, one in enumerate(view.convention.filters):
        when = f" with {one.setting} on" if one.setting else ""
        gone = left[one].responses if one in left else 0
        rows.append(
            _counted_row(
                f"left-{place}", f"Left out by {one.trainer}{when}", f"It drops {one.rule}", gone, view.responses
            )
        )
    return rows


def _hazard_row(view: TrainingView) -> Row:
    told = "Responses whose advantage floats or a small divisor may blow up"
    return _counted_row("hazards", "Float hazards", told, view.amplified + view.large, view.responses)


def _counted_row(row_id: str, title: str, meaning: str, count: int, of: int) -> Row:
    return Row(row_id, "", _BADGE, title, meaning, {"value": Cell(count, f"{count:,} of {of:,}")})


GROUP_COLUMNS = (
    Column("group", "Group", kind="text"),
    Column("mean", "Mean", "Mean reward of its responses", kind="number"),
    Column("std", "Spread", "Standard deviation of its rewards", kind="number"),
    Column("range", "Lowest to highest", kind="number"),
    Column(
        "gap", "Methods apart", "Difference of ranks between methods, share of all ranks; 0: same order", kind="number"
    ),
    Column("known", "Rewards", "Responses with a reward, of all", kind="number"),
)


def group_rows(found: RunTraining, places: Sequence[int]) -> list[Row]:
    """A row a group; its id is its place in the run, from 1."""
    return [_group_row(place, found.figures.groups[place], found.groups[place]) for place in places]


class Bin(NamedTuple):
    """What share of the values lies in one bin from ``low`` to ``high``."""

    low: float
    high: float
    share: float
    values: int


def bins(values: Sequence[float], *, low: float, high: float) -> list[Bin]:
    """The distribution of the values over equal bins; what lies outside counts in the first or the last.

    >>> [one.values for one in bins([0.0, 0.1, 1.0], low=0.0, high=1.0) if one.values]
    [1, 1, 1]
    """
    if not values or high <= low:
        return []
    width = (high - low) / _BINS
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, max(0, int((value - low) / width)))] += 1
    return [
        Bin(low + width * place, low + width * (place + 1), count / len(values), count)
        for place, count in enumerate(counts)
    ]


def distribution(found: RunTraining, what: str) -> tuple[list[Bin], str]:
    """The bins of one of :data:`CHARTS`, and their axis in words."""
    if what == "Advantages":
        values = list(found.view.advantages)
        widest = max((abs(one) for one in values), default=0.0)
        return bins(values, low=-widest, high=widest), f"Advantage by {found.view.convention.title}"
    if what == "Spread":
        values = [one for group in found.groups if (one := group.std) is not None]
        return bins(values, low=0.0, high=max([0.5, *values])), "Standard deviation of a group's rewards"
    values = [one for group in found.groups for one in group.known]
    return bins(values, low=min([0.0, *values]), high=max([1.0, *values])), "Reward of a response"


CHARTS = ("Advantages", "Spread", "Rewards")


def bin_chart(found: Sequence[Bin], title: str) -> alt.Chart:
    """A bar a bin."""
    import altair as alt

    drawn: alt.Chart = (
        alt.Chart({"values": [one._asdict() for one in found]})
        .mark_bar(color=colour_of(0))
        .encode(
            x=alt.X("low:Q", title=title, bin=alt.BinParams(binned=True)),
            x2="high:Q",
            y=alt.Y("share:Q", title="Share", axis=alt.Axis(format="%")),
            tooltip=[
                alt.Tooltip("low:Q", format=".2f", title="From"),
                alt.Tooltip("high:Q", format=".2f", title="to"),
                alt.Tooltip("values:Q", title="Count"),
            ],
        )
        .properties(height=_HEIGHT)
    )
    return drawn


def _row(row_id: str, title: str, meaning: str, figure: Estimate, *, share: bool = False, sign: bool = False) -> Row:
    def told(value: float) -> str:
        return f"{value:.0%}" if share else signed(value) if sign else f"{value:.2f}"

    low, high = figure.low, figure.high
    cells = {
        "value": Cell(text="unknown") if figure.value is None else Cell(figure.value, told(figure.value)),
        "interval": Cell(text="too few")
        if low is None or high is None
        else Cell(high - low, f"{told(low)} to {told(high)}"),
        "n": Cell(figure.n, f"{figure.n:,}", note="few" if figure.few else ""),
    }
    return Row(row_id, "", _BADGE, title, meaning, cells)


def _group_row(place: int, figures: GroupFigures, rewards: GroupRewards) -> Row:
    known, gap = rewards.known, gap_between_methods(figures)
    cells = {
        "mean": _number(rewards.mean),
        "std": _number(rewards.std, note="constant" if rewards.constant else ""),
        "range": Cell(max(known) - min(known), f"{min(known):.2f} to {max(known):.2f}")
        if known
        else Cell(text="unknown"),
        "gap": Cell(state="empty") if gap is None else Cell(gap, f"{gap:.2f}"),
        "known": Cell(
            len(known),
            f"{len(known)}/{len(rewards.totals)}",
            hover=""
            if len(known) == len(rewards.totals)
            else f"{counted(len(rewards.totals) - len(known), 'response')} without",
        ),
    }
    group = figures.group
    return Row(str(place + 1), "", _BADGE, well_formed(group.name), well_formed(group.opening), cells)


def _number(value: float | None, *, note: str = "") -> Cell:
    return Cell(text="unknown") if value is None else Cell(value, f"{value:.2f}", note=note)
