"""What the training view says: one sentence, and what to know before training, with the figures that say so."""

from __future__ import annotations

from collections.abc import Iterator

from reward_lab.core.advice import BLOWN_UP, BY_LENGTH, NO_ROOM, OUTWEIGHS
from reward_lab.core.agreement import FEW_GROUPS, Estimate
from reward_lab.core.cautions import CEILING, FEWEST, LARGE_ADVANTAGE, MOST, Caution
from reward_lab.core.training import Share, TrainingView
from reward_lab.core.wording import counted

_MANY_CONSTANT = 0.2
"""Share of groups that train nothing from which on it is a warning."""
_HIGH = 0.5
"""Share of responses at the ceiling above which it is a warning."""


def training_sentence(view: TrainingView, head: str) -> str:
    """The view in a sentence. ``head`` is the method's name in the UI.

    "RULER gives a mean reward of 0.52 (95% interval 0.48 to 0.55, n = 300 groups); 36 of 300 groups (12%, 9% to 16%)
    have equal rewards and train nothing."
    """
    if not view.responses:
        return f"{head} has given no reward yet, so there is nothing to train on."
    clauses = [f"{head} gives a mean reward of {estimate_text(view.mean)}"]
    if not view.groups:
        clauses.append("no group has two rewards to compare, so none of them can train")
    elif view.constant.count:
        verb = "has" if view.constant.count == 1 else "have"
        clauses.append(f"{share_text(view.constant)} {verb} equal rewards and train{'s' * (verb == 'has')} nothing")
    else:
        clauses.append("every group tells its responses apart")
    return "; ".join(clauses) + "."


def training_cautions(view: TrainingView) -> tuple[Caution, ...]:
    """Every caution that the view gives cause for, most weighty first. () if none."""
    rules = (_unknown, _alone, _constant, _ceiling, _length, _amplified, _large, _residue, _left, _sizes, _few)
    found = [one for rule in rules for one in rule(view)]
    return tuple(sorted(found, key=lambda one: one.level != "warning"))


def share_text(share: Share) -> str:
    """A share of groups with its interval.

    >>> share_text(Share(36, 300))
    '36 of 300 groups (12%, 9% to 16%)'
    """
    interval = share.interval
    if share.value is None or interval is None:
        return "0 of 0 groups"
    return (
        f"{share.count:,} of {counted(share.n, 'group')} ({share.value:.0%}, {interval.low:.0%} to {interval.high:.0%})"
    )


def _few(view: TrainingView) -> Iterator[Caution]:
    if 0 < view.groups < FEW_GROUPS:
        yield Caution(
            "few_groups",
            "note",
            f"Only {counted(view.groups, 'group')} can train, fewer than {FEW_GROUPS}.",
            "Shares and intervals of so few say little of the groups that training will sample.",
            f"Score {FEW_GROUPS} groups or more before you rely on them.",
        )


def _unknown(view: TrainingView) -> Iterator[Caution]:
    if view.unknown:
        of = counted(view.unknown + view.responses, "response")
        yield Caution(
            "unknown_rewards",
            "warning",
            f"No reward for {view.unknown:,} of {of}; in {counted(view.partial, 'group')} for some of them only.",
            "They never reach the trainer, and the advantages of the others would differ had they been scored.",
            "Retry what failed, or leave partial groups out of the export.",
        )


def _alone(view: TrainingView) -> Iterator[Caution]:
    if view.alone:
        yield Caution(
            "groups_alone",
            "warning",
            f"Fewer than two rewards in {counted(view.alone, 'group')}.",
            "Trainers learn from differences within a group; there is none.",
            "Retry what failed, or sample more responses.",
        )


def _constant(view: TrainingView) -> Iterator[Caution]:
    if view.constant.count:
        yield Caution(
            "constant_groups",
            "warning" if (view.constant.value or 0.0) >= _MANY_CONSTANT else "note",
            f"{share_text(view.constant)} give every response the same reward.",
            "Their advantages are all 0: rollouts that were paid for train nothing.",
            "Sharpen the rubric where they tie, use a finer scale, or take harder scenarios.",
        )


def _ceiling(view: TrainingView) -> Iterator[Caution]:
    if view.ceiling.value is not None and view.ceiling.value > _HIGH:
        title = f"{view.ceiling.value:.0%} of the responses are judged at {CEILING} or above."
        yield Caution("ceiling", "warning", title, *NO_ROOM)


def _length(view: TrainingView) -> Iterator[Caution]:
    rho = view.length
    if rho.value is None or rho.low is None or rho.high is None or rho.few or rho.low <= 0 <= rho.high:
        return
    how = "more" if rho.value > 0 else "less"
    title = f"Longer responses are rewarded {how} within their groups (mean rho {estimate_text(rho)})."
    yield Caution("length", "warning", title, *BY_LENGTH)


def _residue(view: TrainingView) -> Iterator[Caution]:
    if view.residue:
        yield Caution(
            "float_residue",
            "note",
            f"Equal rewards leave a residue in floats in {counted(view.residue, 'group')}.",
            "A trainer that drops groups by a std or an advantage of exactly 0 keeps these, and trains on rounding.",
            "Round rewards to 6 places, and filter constant groups before training.",
        )


def _amplified(view: TrainingView) -> Iterator[Caution]:
    if view.amplified:
        whose = f"the advantage of {counted(view.amplified, 'response')}"
        title = f"{view.convention.title} may blow up {whose}: all others of the group have equal rewards."
        yield Caution("float_hazard", "warning", title, *BLOWN_UP)


def _large(view: TrainingView) -> Iterator[Caution]:
    if view.large:
        given = f"{counted(view.large, 'response')} an advantage beyond {LARGE_ADVANTAGE:g}"
        yield Caution("large_advantage", "warning", f"{view.convention.title} gives {given}.", *OUTWEIGHS)


def _left(view: TrainingView) -> Iterator[Caution]:
    for one in view.left:
        when = f"With {one.by.setting} on, {one.by.trainer}" if one.by.setting else one.by.trainer
        whole = f", {counted(one.groups, 'group')} whole" if one.groups else ""
        yield Caution(
            "dropped",
            "note",
            f"{when} leaves out {counted(one.responses, 'response')}{whole}.",
            f"It drops {one.by.rule}: these samples cost a rollout and train nothing.",
            "Expect fewer training samples than responses, or choose a reward that tells them apart.",
        )


def _sizes(view: TrainingView) -> Iterator[Caution]:
    if view.small or view.big:
        said = [f"{counted(view.small, 'group')} below {FEWEST}"] * bool(view.small)
        said += [f"{counted(view.big, 'group')} above {MOST}"] * bool(view.big)
        yield Caution(
            "group_sizes",
            "note",
            f"RULER advises {FEWEST} to {MOST} responses a group; there are {' and '.join(said)}.",
            "Few responses say little of each other; many strain the judge's attention and its context.",
            "Sample groups of that size.",
        )


def estimate_text(one: Estimate) -> str:
    """A figure with its interval and the number of groups.

    >>> estimate_text(Estimate(0.5, 0.25, 0.75, 40)), estimate_text(Estimate(None, None, None, 0))
    ('0.50 (95% interval 0.25 to 0.75, n = 40 groups)', 'unknown')
    """
    if one.value is None:
        return "unknown"
    if one.low is None or one.high is None:
        return f"{one.value:.2f} (n = {counted(one.n, 'group')}, too few for an interval)"
    return f"{one.value:.2f} (95% interval {one.low:.2f} to {one.high:.2f}, n = {counted(one.n, 'group')})"
