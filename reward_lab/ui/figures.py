"""Figures as they are read: scores in their own scale, changes with a sign, money, times. Unknown is "unknown"."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from reward_lab.core.advantages import rounded
from reward_lab.core.wording import counted

UNKNOWN = "unknown"

_STEPS = ((60, "minute"), (3600, "hour"), (86400, "day"))


def decimals_for(values: Iterable[float], scale: tuple[float, float]) -> int:
    """How many decimals a column of scores has: none where the scale goes beyond 1 and all are whole, else two.

    >>> decimals_for([7.0, 9.0], (1, 10)), decimals_for([7.0, 8.5], (1, 10)), decimals_for([1.0, 0.0], (0, 1))
    (0, 2, 2)
    """
    return 0 if scale[1] > 1 and all(rounded(value).is_integer() for value in values) else 2


def scored_head(head: str, scale: tuple[float, float]) -> str:
    r"""A method's head with the top of its scale, where that is not 1; the two words do not part at a line's end.

    >>> scored_head("RULER", (0.0, 1.0)), scored_head("Likert", (1.0, 10.0))
    ('RULER', 'Likert of\xa010')
    """
    return head if scale == (0.0, 1.0) else f"{head} of\u00a0{scale[1]:g}"


def signed(value: float, decimals: int = 2) -> str:
    """A figure with its sign; what rounds to 0 has none.

    >>> signed(0.456), signed(-1.0, 0), signed(-0.001)
    ('+0.46', '\u22121', '0.00')
    """
    written = f"{abs(value):.{decimals}f}"
    if float(written) == 0:
        return written
    return f"{'+' if value > 0 else '−'}{written}"


def change(delta: float | None, decimals: int = 2) -> str:
    """What moved, with an arrow and a sign; "" where nothing did.

    >>> change(0.12), change(-0.25), change(0.0), change(0.001)
    ('▲ +0.12', '▼ \u22120.25', '', '▲ <0.01')
    """
    if not delta:
        return ""
    written = signed(delta, decimals)
    small = float(f"{abs(delta):.{decimals}f}") == 0
    return f"{'▲' if delta > 0 else '▼'} {'<' + format(10**-decimals, 'g') if small else written}"


def money(usd: float | None) -> str:
    """A cost.

    >>> money(None), money(0.0), money(0.0004), money(0.021), money(12.5)
    ('unknown', '$0', 'under $0.001', '$0.021', '$12.50')
    """
    if usd is None:
        return UNKNOWN
    if usd == 0:
        return "$0"
    if usd < 0.001:
        return "under $0.001"
    return f"${usd:.3f}" if usd < 1 else f"${usd:,.2f}"


def count(value: int | None) -> str:
    """A count with its thousands apart.

    >>> count(9120), count(None)
    ('9,120', 'unknown')
    """
    return UNKNOWN if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """A time taken.

    >>> seconds(0.0004), seconds(0.35), seconds(12.3), seconds(None)
    ('under 1 ms', '350 ms', '12.3 s', 'unknown')
    """
    if value is None:
        return UNKNOWN
    if value < 0.001:
        return "under 1 ms"
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def ago(when: datetime, now: datetime) -> str:
    """How long ago, in the largest whole unit.

    >>> from datetime import timedelta
    >>> now = datetime(2026, 5, 1, 12)
    >>> [ago(now - timedelta(seconds=passed), now) for passed in (3, 65, 7200, 200_000)]
    ['just now', '1 minute ago', '2 hours ago', '2 days ago']
    """
    passed = (now - when).total_seconds()
    said = "just now"
    for size, unit in _STEPS:
        if passed >= size:
            said = f"{counted(int(passed // size), unit)} ago"
    return said


def moment(when: datetime) -> str:
    """The date in full, in the server's zone."""
    return when.astimezone().strftime("%A, %d %B %Y, %H:%M:%S %Z")
