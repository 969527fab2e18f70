"""Charts of results. Altair is imported when a chart is made: a page without one never pays for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reward_lab.core.table import ScoreTable
from reward_lab.ui.theme import colour_of, ink_on

if TYPE_CHECKING:
    import altair as alt

Measure = Literal["reward", "rank"]

_HEIGHT = 260
_HEAD_ROOM = 66
"""Pixels that the longest head takes on one line."""
_LABEL_GAP = 24 / _HEIGHT
"""Of the chart's height: what a letter needs."""


@dataclass(frozen=True, slots=True)
class Point:
    """One response under one method: its reward in [0, 1], or its rank."""

    letter: str
    head: str
    value: float


def points(table: ScoreTable, measure: Measure) -> list[Point]:
    """Every scored cell, methods in the order of the columns."""
    found = []
    for column in table.columns:
        for row in table.rows:
            cell = row.cells[column.name]
            value = cell.rank if measure == "rank" else cell.reward.judge if cell.reward is not None else None
            if value is not None:
                found.append(Point(row.letter, column.head, float(value)))
    return found


def described(table: ScoreTable, measure: Measure) -> str:
    """The chart in words: each response with its figures, for those who cannot see it."""
    said = []
    for row in table.rows:
        of_row = [one for one in points(table, measure) if one.letter == row.letter]
        figures = ", ".join(f"{one.head} {_figure(one.value, measure)}" for one in of_row)
        said.append(f"{row.letter}: {figures or 'not scored'}")
    what = "Rank" if measure == "rank" else "Reward from 0 to 1"
    return f"{what} of each response by method. {'; '.join(said)}."


def spread(values: Sequence[float], gap: float) -> list[float]:
    """The values moved apart until each two are ``gap`` apart, in the order they have; where to put their labels.

    >>> [round(one, 3) for one in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(values)), key=lambda index: values[index])
    # Blocks of labels that touch, each centred on the mean of its values, merged until none overlap.
    blocks: list[list[int]] = []
    for index in order:
        blocks.append([index])
        while len(blocks) > 1 and _top(blocks[-2], values, gap) > _bottom(blocks[-1], values, gap):
            last = blocks.pop()
            blocks[-1] += last
    placed = [0.0] * len(values)
    for block in blocks:
        start = _centre(block, values) - gap * (len(block) - 1) / 2
        for place, index in enumerate(block):
            placed[index] = start + gap * place
    return placed


def method_chart(table: ScoreTable, measure: Measure) -> alt.LayerChart | alt.FacetChart:
    """A line a response across the methods, in its colour and with its letter at the end.

    The data holds letters, heads and figures alone, no text of anyone's.
    """
    import altair as alt

    drawn = points(table, measure)
    heads = [column.head for column in table.columns if any(one.head == column.head for one in drawn)]
    letters = [row.letter for row in table.rows]
    places = len(letters)
    values = [
        {"letter": one.letter, "method": one.head, "value": one.value, "shown": _figure(one.value, measure)}
        for one in drawn
    ]
    # Rewards by points can lie below 0.
    lowest = min([0.0, *(one.value for one in drawn)])
    domain = [places + 0.4, 0.6] if measure == "rank" else [lowest, 1.0]
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1] if lowest == 0 else None
    # Where a head has less room than it needs, all of them slant: a chart's width is known in the browser alone.
    slanted = f"width / {max(1, len(heads))} < {_HEAD_ROOM}"
    x = alt.X(
        "method:N",
        sort=heads,
        title=None,
        axis=alt.Axis(
            labelAngle=alt.ExprRef(f"{slanted} ? -40 : 0"),
            labelAlign=alt.ExprRef(f"{slanted} ? 'right' : 'center'"),
            labelBaseline=alt.ExprRef(f"{slanted} ? 'middle' : 'top'"),
            labelLimit=90,
            labelOverlap=False,
        ),
    )
    y = alt.Y(
        "value:Q",
        title="Rank (1 is best)" if measure == "rank" else f"Reward, {lowest:.2g} to 1",
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(
            values=list(range(1, places + 1)) if measure == "rank" else ticks or alt.Undefined,
            format="d" if measure == "rank" else ".1f",
            labelOverlap=False,
        ),
    )
    colour = alt.Color(
        "letter:N",
        scale=alt.Scale(domain=letters, range=[colour_of(index) for index in range(places)]),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("letter:N", title="Response"),
        alt.Tooltip("method:N", title="Method"),
        alt.Tooltip("shown:N", title="Rank" if measure == "rank" else "Reward"),
    ]
    base = alt.Chart({"values": values}).encode(x=x, y=y, color=colour)
    ends = alt.Chart({"values": _labels(drawn, letters, domain)}).encode(x=x, y=y)
    lines = base.mark_line(strokeWidth=2, opacity=0.75).encode(detail="letter:N")
    marks = base.mark_point(filled=True, size=64, opacity=1).encode(tooltip=tooltip)
    badges = ends.mark_point(filled=True, size=260, opacity=1, xOffset=22).encode(color=colour)
    named = ends.mark_text(xOffset=22, fontWeight="bold", fontSize=11, baseline="middle").encode(
        text="letter:N", color=alt.Color("ink:N", scale=None)
    )
    return alt.layer(lines, marks, badges, named).properties(height=_HEIGHT)


def _labels(drawn: Sequence[Point], letters: Sequence[str], domain: Sequence[float]) -> list[dict[str, str | float]]:
    """A letter beside the last point of each line, moved apart where they would cover each other."""
    last: dict[str, Point] = {one.letter: one for one in drawn}
    labels: list[dict[str, str | float]] = []
    for head in dict.fromkeys(one.head for one in last.values()):
        ends = [one for one in last.values() if one.head == head]
        gap = _LABEL_GAP * abs(domain[1] - domain[0])
        for one, value in zip(ends, spread([one.value for one in ends], gap), strict=True):
            ink = ink_on(colour_of(letters.index(one.letter)))
            labels.append({"letter": one.letter, "method": head, "value": value, "ink": ink})
    return labels


def _figure(value: float, measure: Measure) -> str:
    return f"{value:.0f}" if measure == "rank" else f"{value:.2f}"


def _centre(block: Sequence[int], values: Sequence[float]) -> float:
    return sum(values[index] for index in block) / len(block)


def _top(block: Sequence[int], values: Sequence[float], gap: float) -> float:
    return _centre(block, values) + gap * len(block) / 2


def _bottom(block: Sequence[int], values: Sequence[float], gap: float) -> float:
    return _centre(block, values) - gap * len(block) / 2
