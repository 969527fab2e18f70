"""What a comparison says, in a sentence: how far it moved, whether that is more than noise, where most of it is."""

from __future__ import annotations

from reward_lab.core.agreement import Estimate
from reward_lab.core.comparison import Comparison
from reward_lab.core.table import letter
from reward_lab.core.wording import counted


def comparison_sentence(found: Comparison, run: int, method: str, head: str, difference: Estimate) -> str:
    """One other run (0 is the first) against the baseline under one method, whose name in the UI is ``head``.

    "B falls from 0.83 to 0.33 in RULER, from run 3 to run 4; 2 other rewards moved." Of several groups the mean comes
    first, with its interval. Rewards are in [0, 1].
    """
    baseline, other = found.run_ids[0], found.run_ids[run + 1]
    changes = found.changes(run, method)
    known = [(place, one) for place, one in enumerate(changes) if one is not None]
    if not any(group.rewards[run + 1] is not None for group in found.groups):
        return f"Run {other} has no response in common with run {baseline}, so nothing can be compared."
    if not any(one.paired for _, one in known):
        return f"No {head} score of run {other} can be compared with one of run {baseline}."
    clauses = [] if difference.n < 2 else [_mean_clause(head, difference, baseline, other)]
    place, widest = max(known, key=lambda item: abs(item[1].largest or 0.0))
    if not widest.largest or widest.member is None:
        return f"No {head} reward moved from run {baseline} to run {other}."
    before, after = (_reward(found, place, at, method, widest.member) for at in (0, run + 1))
    whose = letter(widest.member) + ("" if len(found.groups) == 1 else f" of {found.groups[place].group.name}")
    verb = "rises" if widest.largest > 0 else "falls"
    most = " most," if clauses else ""
    clause = f"{whose} {verb}{most} from {before} to {after}"
    clauses.append(clause if clauses else f"{clause} in {head}, from run {baseline} to run {other}")
    flips = sum(one.flips for _, one in known)
    if flips:
        clauses.append(f"{counted(flips, 'pair')} changed places")
    lost = sum(one.lost for _, one in known)
    if lost:
        clauses.append(f"{counted(lost, 'score')} of run {baseline} {'is' if lost == 1 else 'are'} missing")
    return "; ".join(clauses) + "."


def is_clear(difference: Estimate) -> bool | None:
    """Whether the interval leaves out 0, so that it is more than noise; ``None`` where there is no interval."""
    if difference.low is None or difference.high is None:
        return None
    return difference.low > 0 or difference.high < 0


def _mean_clause(head: str, difference: Estimate, baseline: int, other: int) -> str:
    value = difference.value or 0.0
    verb = "rises" if value > 0 else "falls"
    interval = f"95% interval {_signed(difference.low)} to {_signed(difference.high)}, n = {difference.n:,} groups"
    said = f"The mean {head} reward {verb} by {abs(value):.3f} from run {baseline} to run {other} ({interval})"
    if value == 0:
        said = f"The mean {head} reward is the same in run {baseline} and run {other} ({interval})"
    elif not is_clear(difference):
        said += ", which may be noise"
    return said


def _reward(found: Comparison, place: int, run: int, method: str, member: int) -> str:
    rewards = found.groups[place].rewards[run]
    reward = None if rewards is None else rewards[method][member]
    return "unknown" if reward is None else f"{reward:.2f}"


def _signed(value: float | None) -> str:
    return "unknown" if value is None else f"{'−' if value < 0 else '+'}{abs(value):.3f}"
