"""The calibration plot: how often people agree with a judge, by how sure it is. The data hold figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reward_lab.core.reward_gaps import Bin
from reward_lab.ui.theme import colour_of

if TYPE_CHECKING:
    import altair as alt

_HEIGHT = 240


def gap_chart(bins: Sequence[Bin]) -> alt.LayerChart | alt.FacetChart:
    """A point with its interval for each bin of pairs; a dashed line at chance."""
    import altair as alt

    values = [
        {
            "gap": one.mean,
            "share": one.share,
            "low": one.share_low,
            "high": one.share_high,
            "pairs": one.n,
            "range": f"{one.low:.2f} to {one.high:.2f}",
        }
        for one in bins
    ]
    widest = max((one.high for one in bins), default=1.0) or 1.0
    x = alt.X("gap:Q", title="Reward gap of a pair", scale=alt.Scale(domain=[0, 1.04 * widest], nice=False))
    y_axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
    scale = alt.Scale(domain=[0, 1])
    tooltip = [
        alt.Tooltip("range:N", title="Reward gap"),
        alt.Tooltip("share:Q", title="People agree", format=".0%"),
        alt.Tooltip("pairs:Q", title="Pairs"),
    ]
    base = alt.Chart({"values": values})
    intervals = base.mark_rule(strokeWidth=2, color=colour_of(0), opacity=0.6).encode(
        x=x, y=alt.Y("low:Q", title="People agree", scale=scale, axis=y_axis), y2="high:Q"
    )
    points = base.mark_point(filled=True, size=70, opacity=1, color=colour_of(0)).encode(
        x=x, y=alt.Y("share:Q", scale=scale), tooltip=tooltip
    )
    chance = (
        alt.Chart({"values": [{"chance": 0.5}]})
        .mark_rule(strokeDash=[4, 4], color="#7F7F7F")
        .encode(y=alt.Y("chance:Q", scale=scale))
    )
    return alt.layer(chance, intervals, points).properties(height=_HEIGHT)


def gap_words(bins: Sequence[Bin]) -> str:
    """The plot in words, for those who cannot see it."""
    said = "; ".join(f"{one.low:.2f} to {one.high:.2f}: {one.share:.0%} of {one.n}" for one in bins)
    return f"How often people hold the response with the higher reward the better one, by reward gap. {said}."
