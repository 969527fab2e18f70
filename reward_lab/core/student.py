"""Student's t, which an interval from few groups takes in the place of the normal deviate."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=256)
def t_deviate(freedom: int, level: float = 0.95) -> float:
    """What Student's t with ``freedom`` degrees stays within, either side of 0, with probability ``level``.

    Raises:
        ValueError: no degree of freedom, or a level outside (0, 1).

    >>> round(t_deviate(29), 4), round(t_deviate(1), 3)
    (2.0452, 12.706)
    """
    from scipy.special import stdtrit

    if freedom < 1 or not 0 < level < 1:
        raise ValueError(f"there is no t for {freedom} degrees of freedom and a level of {level}")
    return float(stdtrit(freedom, (1 + level) / 2))
