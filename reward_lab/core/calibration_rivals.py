"""Which two lines of a calibration a reader wants held against each other: like with like, by one method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reward_lab.core.calibration import Judged


def highest(rows: Sequence[Judged]) -> Judged | None:
    """The line of highest accuracy, the first of equals; ``None`` where no line has any."""
    known = [row for row in rows if row.figures.accuracy.value is not None]
    return max(known, key=lambda row: row.figures.accuracy.value or 0.0, default=None)


def rivals(rows: Sequence[Judged], alike: Callable[[Judged, Judged], bool]) -> tuple[Judged | None, Judged | None]:
    """The best line of one split and the one to hold it against, ``None`` where there is none.

    By the method of the best line that is the best of another rubric version; where all have one version, of another
    judge or system prompt, else of another run; and where the best line's run is the only one, of another method.
    Lines that are ``alike``, with equal rewards throughout, count as one: such a one is chosen only where every other
    version, judge or system prompt has the rewards of the best, which is worth saying.
    """
    first = highest(rows)
    if first is None:
        return None, None
    runs = [row for row in rows if row.method == first.method and row.run_id != first.run_id]
    kinds = (
        [row for row in runs if row.version != first.version],
        [row for row in runs if (row.models, row.prompt) != (first.models, first.prompt)],
        [row for row in runs if not alike(first, row)],
        [row for row in rows if row.run_id == first.run_id and row.method != first.method],
    )
    for kind in kinds:
        second = highest([row for row in kind if not alike(first, row)]) or highest(kind)
        if second is not None:
            return first, second
    return first, None
