"""The intervals of a calibration cover the truth: a quick part of ``tests.benchmarks.coverage``."""

from __future__ import annotations

from functools import lru_cache

import pytest

from tests.benchmarks.coverage import JUDGES, OURS, POOL, Part, covered, plain, pool


@lru_cache
def parts_of(judge: int) -> dict[str, list[Part]]:
    return pool(JUDGES[judge], POOL)


@pytest.mark.parametrize("figure", OURS)
@pytest.mark.parametrize(
    ("judge", "size"), [(0, 30), (1, 30), (2, 30), (1, 100)], ids=["weak-30", "middling-30", "pairs-30", "middling-100"]
)
def test_at_least_93_of_100_intervals_hold_the_truth(judge: int, size: int, figure: str) -> None:
    assert covered(parts_of(judge)[figure], OURS[figure], size, repeats=2000) >= 0.93


def test_plain_percentiles_would_not() -> None:
    """Of a judge that is nearly always right most samples have no wrong pair, and their percentiles no width."""
    parts = parts_of(4)["AUC"]
    assert covered(parts, plain, 30, repeats=100) < 0.6
    assert covered(parts, OURS["AUC"], 30, repeats=1000) >= 0.93
