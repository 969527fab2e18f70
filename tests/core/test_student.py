from __future__ import annotations

import pytest
from scipy import stats

from reward_lab.core.student import t_deviate


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 29, 30, 99, 1999])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_deviate_is_scipys(freedom: int, level: float) -> None:
    assert t_deviate(freedom, level) == pytest.approx(stats.t.ppf((1 + level) / 2, freedom), rel=1e-10)


@pytest.mark.parametrize(("freedom", "level"), [(0, 0.95), (-1, 0.95), (5, 0.0), (5, 1.0)])
def test_there_is_none_without_a_degree_of_freedom_or_a_level(freedom: int, level: float) -> None:
    with pytest.raises(ValueError, match="there is no t"):
        t_deviate(freedom, level)
