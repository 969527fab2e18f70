"""What a calibration says in a sentence: which iteration orders responses best, and whether that is more than noise."""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.agreement import FEW_GROUPS, Estimate
from reward_lab.core.calibration import Judged
from reward_lab.core.comparison_sentences import is_clear
from reward_lab.core.methods import METHODS
from reward_lab.core.wording import counted, isolated, listed


def calibration_sentence(rows: Sequence[Judged], first: Judged, second: Judged, difference: Estimate) -> str:
    """The best line of a split against the next, by the difference of their accuracies.

    "v4 is better than v3 by 6 points (0 to 12, n = 48 groups)." Both are lines of ``rows``, among which ``first`` was
    chosen as the best, perhaps in another split: on tune, where the figures are of the holdout.
    """
    name, other = _names(rows, first, second)
    held_out = any(row.split == "tune" for row in rows) and first.split == "holdout"
    where = "On the holdout " if held_out else ""
    if difference.value is None:
        return f"{where}{name} and {other} cannot be compared: they have no pair that both scored and people ordered."
    figures = f"({_interval(difference)}n = {counted(difference.n, 'group')})"
    points = _points(abs(difference.value), difference)
    clear = is_clear(difference)
    if clear:
        verb = "better" if difference.value > 0 else "worse"
        said = f"{where}{name} is {verb} than {other} by {points} {figures}."
    elif not difference.value:
        said = f"{where}{name} and {other} cannot be told apart: they are right equally often {figures}."
    else:
        ahead = name if difference.value > 0 else other
        said = f"{where}{name} and {other} cannot be told apart: {ahead} is ahead by {points} {figures}."
    if held_out:
        said += f" {name} was the best on tune."
    return said + _few(difference.n) + _luck(rows, first, held_out=held_out)


def single_sentence(row: Judged) -> str:
    """The one line that has figures."""
    found = row.figures.accuracy
    if found.value is None:
        return NOTHING
    interval = "" if found.low is None or found.high is None else f"{_whole(found.low)} to {_whole(found.high)}%, "
    said = f"{_head(row)} of run {row.run_id} orders {_whole(found.value)}% of pairs as people do "
    return f"{said}({interval}n = {counted(found.n, 'group')}).{_few(found.n)}"


NOTHING = "No two responses that people put in an order are scored by these runs: label some of their groups first."


def _names(rows: Sequence[Judged], first: Judged, second: Judged) -> tuple[str, str]:
    """What to call two lines: by what tells them apart, the rubric version first."""
    heads = (_head(first), _head(second))
    if first.run_id == second.run_id:
        return heads
    names = [_run_name(rows, one, other) for one, other in ((first, second), (second, first))]
    if first.method != second.method:
        names = [f"{name} by {head}" for name, head in zip(names, heads, strict=True)]
    return names[0], names[1]


def _run_name(rows: Sequence[Judged], one: Judged, other: Judged) -> str:
    """By rubric version; where both have one, or runs of the line's version are many, by what tells it from those."""
    if one.version == other.version:
        return _among([one, other], one)
    name = f"v{one.rubric_version}"
    if one.rubric_name != other.rubric_name:
        name = f"{isolated(one.rubric_name) or 'the unnamed rubric'} {name}"
    alike = [row for row in rows if row.version == one.version]
    if len({row.run_id for row in alike}) == 1:
        return name
    told = _among(alike, one)
    return f"{name} ({told})" if told.startswith("run ") else f"{name}, {told}"


def _among(rows: Sequence[Judged], one: Judged) -> str:
    """What one line's run is called among those of its rubric version: by judge and system prompt, else its number."""
    names: dict[int, list[str]] = {}
    for row in rows:
        named = names.setdefault(row.run_id, [])
        if not named:
            named.extend((listed(row.models), row.prompt))
    varying = [at for at in (0, 1) if len({name[at] for name in names.values()}) > 1]
    told = {run_id: ", ".join(name[at] for at in varying if name[at]) for run_id, name in names.items()}
    mine = told[one.run_id]
    return mine if mine and [*told.values()].count(mine) == 1 else f"run {one.run_id}"


def _head(row: Judged) -> str:
    return METHODS[row.method].head if row.method in METHODS else row.method


def _interval(difference: Estimate) -> str:
    """The interval towards which the sentence is worded: both ends of the lead's size where it is clear."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return ""
    if (difference.value or 0) < 0:
        low, high = -high, -low
    return f"{_number(low, difference)} to {_number(high, difference)}, "


def _points(size: float, difference: Estimate) -> str:
    told = _number(size, difference)
    return f"{told} point" if told == "1" else f"{told} points"


def _number(share: float, difference: Estimate) -> str:
    """Points, in tenths where whole ones would hide on which side of 0 an end or the difference lies."""
    ends = [one for one in (difference.value, difference.low, difference.high) if one]
    tenths = any(round(100 * abs(one)) == 0 for one in ends)
    told = f"{100 * abs(share):.1f}" if tenths else f"{100 * abs(share):.0f}"
    return f"−{told}" if share < 0 and float(told) else told


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"


def _few(groups: int) -> str:
    if groups >= FEW_GROUPS:
        return ""
    return f" Fewer than {FEW_GROUPS} groups: label more before you rely on it."


def _luck(rows: Sequence[Judged], first: Judged, *, held_out: bool) -> str:
    """The best of many looks better than it is on the groups that it was chosen on."""
    many = sum(row.split == first.split and row.figures.accuracy.value is not None for row in rows)
    if held_out or many <= 2:
        return ""
    return f" It is the best of {many} on the groups it was chosen on: a holdout tells how much of that is luck."
