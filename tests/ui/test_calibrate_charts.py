"""The calibration plot: each bin is drawn with its interval, and told in words."""

from __future__ import annotations

from typing import Any

from reward_lab.core.reward_gaps import Bin
from reward_lab.ui.calibrate_charts import gap_chart, gap_words

BINS = (Bin(0.05, 0.1, 0.08, 0.5, 10, 0.24, 0.76), Bin(0.2, 0.6, 0.4, 0.9, 10, 0.6, 0.98))


def test_each_bin_is_drawn_at_its_mean_gap_with_its_interval() -> None:
    drawn = gap_chart(BINS).to_dict()

    def values(layer: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = drawn["datasets"][layer["data"]["name"]]
        return found

    (intervals,) = (layer for layer in drawn["layer"] if "y2" in layer["encoding"])
    assert (intervals["encoding"]["y"]["field"], intervals["encoding"]["y2"]["field"]) == ("low", "high")
    assert [(one["gap"], one["low"], one["high"]) for one in values(intervals)] == [
        (0.08, 0.24, 0.76),
        (0.4, 0.6, 0.98),
    ]
    (points,) = (layer for layer in drawn["layer"] if layer["mark"]["type"] == "point")
    assert (points["encoding"]["x"]["field"], points["encoding"]["y"]["field"]) == ("gap", "share")
    assert [(one["share"], one["pairs"]) for one in values(points)] == [(0.5, 10), (0.9, 10)]
    assert points["encoding"]["x"]["scale"]["domain"][1] > 0.6


def test_the_plot_is_told_in_words() -> None:
    assert "0.05 to 0.10: 50% of 10; 0.20 to 0.60: 90% of 10." in gap_words(BINS)
