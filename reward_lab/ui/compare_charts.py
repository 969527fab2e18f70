"""Charts of a comparison. The data hold letters, run numbers and figures alone, no text of anyone's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from reward_lab.core.comparison import Comparison, rewards_of
from reward_lab.services.comparison import OpenGroup
from reward_lab.ui.theme import colour_of, ink_on

if TYPE_CHECKING:
    import altair as alt

AnyChart: TypeAlias = "alt.Chart | alt.LayerChart | alt.FacetChart"

_HEIGHT = 240
_BINS = 20
_BADGE_STEP, _BADGES_WIDE = 19.0, 76.0
"""Pixels from a letter to the next that shares its rank, and over how many at most: many overlap a little."""
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 3])
"""A dash for each run beside its colour."""


class RankPoint(NamedTuple):
    """One response's rank in one run. Letters are the baseline's."""

    letter: str
    run: str
    rank: int


class Share(NamedTuple):
    """What share of a run's values lies in one bin, which begins at ``low``."""

    run: str
    low: float
    share: float
    values: int


class LengthPoint(NamedTuple):
    """One response: its length in characters, and the change of its reward."""

    run: str
    characters: int
    delta: float


def rank_points(opened: OpenGroup, run_ids: Sequence[int], method: str) -> list[RankPoint]:
    """The ranks of the open group's responses in each run that has it and the method."""
    found = [
        RankPoint(row.letter, run_name(run_ids[0]), rank)
        for row in opened.baseline.rows
        if method in row.cells and (rank := row.cells[method].rank) is not None
    ]
    for run_id, moved in zip(run_ids[1:], opened.movements, strict=True):
        found += [
            RankPoint(move.old_letter, run_name(run_id), rank)
            for move in (moved.rows if moved is not None else ())
            if method in move.cells and (rank := move.cells[method].new_rank) is not None
        ]
    return found


def reward_shares(found: Comparison, method: str) -> list[Share]:
    """The distribution of rewards of the groups in common, in each run; bins of 0.05 from 0 to 1, wider below 0."""
    of_runs = {run_id: [*rewards_of(found, place, method)] for place, run_id in enumerate(found.run_ids)}
    return _shares(of_runs, min([0.0, *(one for values in of_runs.values() for one in values)]), 1.0)


def delta_shares(found: Comparison, method: str) -> list[Share]:
    """The distribution over groups of the mean change of their rewards, for each run but the baseline."""
    of_runs = {
        run_id: [one.mean for one in found.changes(place, method) if one is not None and one.mean is not None]
        for place, run_id in enumerate(found.run_ids[1:])
    }
    widest = max((abs(one) for values in of_runs.values() for one in values), default=0.0) or 0.05
    return _shares(of_runs, -widest, widest)


def length_points(found: Comparison, method: str, lengths: dict[int, tuple[int, ...]]) -> list[LengthPoint]:
    """Length and change of each response that is scored on both sides; ``lengths`` by place of the group."""
    points = []
    for place, of_group in lengths.items():
        old = found.groups[place].rewards[0]
        for run, run_id in enumerate(found.run_ids[1:], start=1):
            new = found.groups[place].rewards[run]
            if old is None or new is None or method not in old or method not in new:
                continue
            points += [
                LengthPoint(run_name(run_id), characters, after - before)
                for characters, before, after in zip(of_group, old[method], new[method], strict=True)
                if before is not None and after is not None
            ]
    return points


def run_name(run_id: int) -> str:
    """How a run is called."""
    return f"Run {run_id}"


def slope_chart(points: Sequence[RankPoint]) -> alt.LayerChart | alt.FacetChart:
    """A line a response from run to run, its letter at each; rank 1 on top."""
    import altair as alt

    letters = sorted({one.letter for one in points}, key=lambda one: (len(one), one))
    places = max((one.rank for one in points), default=1)
    runs = list(dict.fromkeys(one.run for one in points))
    base = alt.Chart({"values": [one._asdict() for one in points]}).encode(
        x=alt.X("run:N", sort=runs, title=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y(
            "rank:Q",
            title="Rank (1 is best)",
            scale=alt.Scale(domain=[places + 0.4, 0.6], nice=False),
            axis=alt.Axis(values=list(range(1, places + 1)), format="d"),
        ),
        color=alt.Color(
            "letter:N",
            scale=alt.Scale(domain=letters, range=[colour_of(_index(one)) for one in letters]),
            legend=None,
        ),
    )
    lines = base.mark_line(strokeWidth=2, opacity=0.75).encode(detail="letter:N")
    layers: list[alt.Chart] = [lines]
    # A letter on its own colour is read on light and on dark ground; letters that share a rank stand side by side.
    for offset, shared in _badges(points).items():
        values = [{**one._asdict(), "ink": ink_on(colour_of(_index(one.letter)))} for one in shared]
        placed = base.properties(data=alt.InlineData(values=values))
        layers += [
            placed.mark_point(filled=True, size=260, opacity=1, xOffset=offset),
            placed.mark_text(xOffset=offset, fontWeight="bold", fontSize=11, baseline="middle").encode(
                text="letter:N", color=alt.Color("ink:N", scale=None)
            ),
        ]
    return alt.layer(*layers).properties(height=_HEIGHT)


def _badges(points: Sequence[RankPoint]) -> dict[float, list[RankPoint]]:
    """The points by how many pixels beside their place they are marked, so that none of one rank covers another."""
    at: dict[tuple[str, int], list[RankPoint]] = {}
    for one in sorted(points, key=lambda one: (len(one.letter), one.letter)):
        at.setdefault((one.run, one.rank), []).append(one)
    found: dict[float, list[RankPoint]] = {}
    for shared in at.values():
        step = min(_BADGE_STEP, _BADGES_WIDE / max(1, len(shared) - 1))
        for place, one in enumerate(shared):
            found.setdefault(step * (place - (len(shared) - 1) / 2), []).append(one)
    return dict(sorted(found.items()))


def share_chart(shares: Sequence[Share], title: str) -> alt.Chart:
    """A stepped line a run, each with a dash of its own."""
    import altair as alt

    runs = list(dict.fromkeys(one.run for one in shares))
    drawn: alt.Chart = (
        alt.Chart({"values": [one._asdict() for one in shares]})
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("low:Q", title=title),
            y=alt.Y("share:Q", title="Share", axis=alt.Axis(format="%")),
            color=_run_colour(runs),
            strokeDash=alt.StrokeDash(
                "run:N", scale=alt.Scale(domain=runs, range=list(_DASHES[: len(runs)])), legend=None
            ),
            tooltip=[alt.Tooltip("run:N"), alt.Tooltip("low:Q", format=".2f"), alt.Tooltip("values:Q")],
        )
        .properties(height=_HEIGHT)
    )
    return drawn


def length_chart(points: Sequence[LengthPoint]) -> alt.Chart:
    """A mark a response."""
    import altair as alt

    runs = list(dict.fromkeys(one.run for one in points))
    drawn: alt.Chart = (
        alt.Chart({"values": [one._asdict() for one in points]})
        .mark_point(size=30, opacity=0.6)
        .encode(
            x=alt.X("characters:Q", title="Length, characters"),
            y=alt.Y("delta:Q", title="Change of reward", axis=alt.Axis(format="+.2f")),
            color=_run_colour(runs),
            shape=alt.Shape("run:N", scale=alt.Scale(domain=runs), legend=None),
            tooltip=[alt.Tooltip("run:N"), alt.Tooltip("characters:Q"), alt.Tooltip("delta:Q", format="+.2f")],
        )
        .properties(height=_HEIGHT)
    )
    return drawn


def _run_colour(runs: Sequence[str]) -> alt.Color:
    import altair as alt

    colours = [colour_of(index) for index in range(len(runs))]
    return alt.Color("run:N", title=None, scale=alt.Scale(domain=runs, range=colours), legend=alt.Legend(orient="top"))


def _shares(of_runs: dict[int, list[float]], low: float, high: float) -> list[Share]:
    width = (high - low) / _BINS
    found = []
    for run_id, values in of_runs.items():
        counts = [0] * _BINS
        for value in values:
            counts[min(_BINS - 1, max(0, int((value - low) / width)))] += 1
        if values:
            found += [
                Share(run_name(run_id), low + width * place, count / len(values), count)
                for place, count in enumerate(counts)
            ]
    return found


def _index(letter: str) -> int:
    """The place of a letter: A is 0, AA 26."""
    index = 0
    for one in letter:
        index = 26 * index + ord(one) - ord("A") + 1
    return index - 1
