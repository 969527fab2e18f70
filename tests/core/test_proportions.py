from __future__ import annotations

import pytest
from scipy import stats

from reward_lab.core.proportions import exact_interval, fisher, newcombe, wilson


@pytest.mark.parametrize(("count", "n"), [(0, 1), (0, 8), (1, 8), (4, 8), (8, 8), (37, 120)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_is_scipys(count: int, n: int, level: float) -> None:
    theirs = stats.binomtest(count, n).proportion_ci(level, method="wilson")
    assert wilson(count / n, n, level=level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(("share", "n"), [(0.5, 0), (0.5, -1), (-0.1, 5), (1.1, 5)])
def test_wilson_of_nothing(share: float, n: float) -> None:
    with pytest.raises(ValueError, match="has no interval"):
        wilson(share, n)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        # Newcombe 1998, table II, method 10.
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
    ],
)
def test_newcombe_is_as_published(first: tuple[int, int], second: tuple[int, int], low: float, high: float) -> None:
    interval = newcombe(first[0] / first[1], first[1], second[0] / second[1], second[1])
    assert interval == pytest.approx((low, high), abs=5e-5)


def test_fisher_is_scipys() -> None:
    x, y = [0.1, 0.4, 0.35, 0.8, 0.6, 0.9, 0.2], [0.3, 0.2, 0.5, 0.6, 0.9, 0.7, 0.1]
    theirs = stats.pearsonr(x, y)
    low, high = theirs.confidence_interval(0.95)
    assert fisher(theirs.statistic, 7) == pytest.approx((low, high), abs=1e-12)


def test_fisher_with_something_held() -> None:
    # One variable held constant costs one observation.
    assert fisher(0.5, 12, held=2) == fisher(0.5, 10)
    assert fisher(0.5, 3) is None
    assert fisher(0.5, 6, held=3) is None
    assert fisher(-1.0, 9) == (-1.0, -1.0)


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (1, 7), (9, 12), (40, 40), (486, 500)])
def test_the_exact_interval_is_scipys(hits: int, n: int) -> None:
    theirs = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert exact_interval(hits / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(("share", "n"), [(0.5, 0), (-0.1, 5), (1.1, 5)])
def test_what_is_no_share_has_no_exact_interval(share: float, n: int) -> None:
    with pytest.raises(ValueError, match="has no interval"):
        exact_interval(share, n)
