"""Criterion evidence: what verdicts show of each criterion: dead, against the rest, or unstable."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.agreement import mean
from reward_lab.core.lint.finding import Finding
from reward_lab.core.marks import Mark, Response, met_shares
from reward_lab.core.proportions import fisher, wilson
from reward_lab.core.rubric import Rubric
from reward_lab.core.wording import counted

FEW = 8
"""Below so many judged responses nothing is claimed of a criterion, but that there are too few."""

UNSTABLE = 0.2
"""The share of responses whose repeats disagree from which a criterion is called unstable: a choice.

For comparison, arXiv 2606.13685 finds 13.6% of pairs of runs to differ on average, and 28% of questions above 20%.
"""


@dataclass(frozen=True, slots=True)
class ItemRest:
    """The correlation of one criterion with the rest of the rubric over ``n`` responses of ``groups`` groups.

    Corrected item-total correlation, within groups: of how far the criterion is met with the weighted mean of
    the others, each less its mean in the group. ``low`` and ``high`` are Fisher's 95% interval, in which each
    group beyond the first counts as a variable held constant; approximate, since verdicts are not normal.
    All three are ``None`` where nothing varies or n is too small.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    groups: int


@dataclass(frozen=True, slots=True)
class Flips:
    """In how many of ``n`` responses with repeats a judge disagreed with itself, and Wilson's 95% interval."""

    count: int
    n: int
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        """The share of responses, ``None`` where none was judged twice by one judge."""
        return self.count / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class CriterionEvidence:
    """What the verdicts show of one criterion.

    ``met`` is the mean over the ``judged`` responses of how far it is met; ``unjudged`` responses have no verdict.
    """

    position: int
    judged: int
    unjudged: int
    met: float | None
    item_rest: ItemRest
    flips: Flips

    @property
    def few(self) -> bool:
        """Whether too few responses were judged to claim anything."""
        return self.judged < FEW

    @property
    def dead(self) -> bool | None:
        """Whether every response meets it, or none; ``None`` where too few were judged to say so."""
        return None if self.few else self.met in (0.0, 1.0)


def criterion_evidence(rubric: Rubric, marks: Iterable[Mark]) -> tuple[CriterionEvidence, ...]:
    """(C,) the evidence on each criterion of a rubric version.

    Raises:
        ValueError: a mark on a position that the rubric does not have, or a truth outside [0, 1].
    """
    told = list(marks)
    shares = met_shares(rubric, told)
    responses = {mark.response for mark in told}
    truths: dict[int, dict[tuple[Response, int], set[float]]] = defaultdict(lambda: defaultdict(set))
    repeats: dict[int, dict[tuple[Response, int], int]] = defaultdict(lambda: defaultdict(int))
    for mark in told:
        if mark.truth is not None:
            truths[mark.position][mark.response, mark.judge].add(mark.truth)
            repeats[mark.position][mark.response, mark.judge] += 1
    return tuple(
        CriterionEvidence(
            position,
            judged=len(met),
            unjudged=len(responses) - len(met),
            met=mean(list(met.values())),
            item_rest=_item_rest(position, shares, rubric.weights),
            flips=_flips(truths[position], repeats[position]),
        )
        for position, met in enumerate(shares)
    )


def evidence_findings(evidence: Sequence[CriterionEvidence]) -> tuple[Finding, ...]:
    """What the evidence gives cause to look at, criterion by criterion; () if nothing."""
    return tuple(finding for one in evidence for finding in _findings(one))


def _findings(one: CriterionEvidence) -> Iterator[Finding]:
    name = f"Criterion {one.position + 1}"
    if one.few:
        if one.judged and one.met in (0.0, 1.0):
            every = "met by all" if one.met else "met by none"
            yield Finding(
                "dead",
                "note",
                f"{name} is {every} of {counted(one.judged, 'judged response')}: "
                f"too few to call it dead (below {FEW}).",
                "Score more responses before you change it.",
                one.position,
            )
        return
    if one.dead:
        every, cause = ("all", "too easy") if one.met else ("none", "too hard, or not about this task")
        yield Finding(
            "dead",
            "warning",
            f"{name} is met by {every} of {one.judged} judged responses ({100 * (one.met or 0):.0f}%).",
            f"It moves no advantage: it may be {cause}. Sharpen it, or drop it.",
            one.position,
        )
    yield from _against_the_rest(name, one)
    if (share := one.flips.share) is not None and share >= UNSTABLE and one.flips.n >= FEW:
        yield Finding(
            "unstable",
            "warning",
            f"{name} flips between repeats in {one.flips.count} of {one.flips.n} responses "
            f"({100 * share:.0f}%, interval {100 * (one.flips.low or 0):.0f} to {100 * (one.flips.high or 0):.0f}%).",
            "The judge reads it in two ways: say what decides, or split it.",
            one.position,
        )


def _against_the_rest(name: str, one: CriterionEvidence) -> Iterator[Finding]:
    item_rest = one.item_rest
    if item_rest.value is None or item_rest.low is None or item_rest.high is None or item_rest.n < FEW:
        return
    figures = f"r = {item_rest.value:.2f}, interval {item_rest.low:.2f} to {item_rest.high:.2f}, n = {item_rest.n}"
    if item_rest.high < 0:
        yield Finding(
            "against_the_rest",
            "warning",
            f"{name} goes against the other criteria: responses that meet it do worse on the rest ({figures}).",
            "Check its polarity and its wording; if both are meant, it trades off with the rest.",
            one.position,
        )
    elif item_rest.value <= 0:
        yield Finding(
            "against_the_rest",
            "note",
            f"{name} does not go with the other criteria ({figures}; the interval does not rule out that it does).",
            "Look at the responses that meet it and are poor otherwise.",
            one.position,
        )


def _item_rest(position: int, shares: Sequence[Mapping[Response, float]], weights: Sequence[float]) -> ItemRest:
    """Pooled within groups: both sides less their means in the group, over groups of at least two responses."""
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for response, met in shares[position].items():
        rest = _rest(position, response, shares, weights)
        if rest is not None:
            pairs[response.group].append((met, rest))
    groups = [rows for rows in pairs.values() if len(rows) > 1]
    n = sum(map(len, groups))
    own: list[float] = []
    others: list[float] = []
    for rows in groups:
        own += _centred([met for met, _ in rows])
        others += _centred([rest for _, rest in rows])
    value = _correlation(own, others)
    interval = None if value is None else fisher(value, n, held=len(groups) - 1)
    low, high = interval or (None, None)
    return ItemRest(value, low, high, n, len(groups))


def _rest(
    position: int, response: Response, shares: Sequence[Mapping[Response, float]], weights: Sequence[float]
) -> float | None:
    """The weighted mean of the other criteria; ``None`` where one of them has no verdict or none has a weight."""
    others = [
        (weight, share.get(response))
        for place, (weight, share) in enumerate(zip(weights, shares, strict=True))
        if place != position
    ]
    known = [(weight, met) for weight, met in others if met is not None]
    total = math.fsum(weight for weight, _ in known)
    if len(known) < len(others) or total == 0:
        return None
    return math.fsum(weight * met for weight, met in known) / total


def _centred(values: Sequence[float]) -> list[float]:
    """The values less their mean; those of a constant list are exact zeros."""
    centre = mean(values) or 0.0
    return [value - centre for value in values]


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    scale = math.hypot(*first) * math.hypot(*second)
    if not first or scale < _NOTHING:
        return None
    product = math.fsum(one * other for one, other in zip(first, second, strict=True))
    return min(1.0, max(-1.0, product / scale))


_NOTHING = 1e-12
"""What rounding leaves of a spread of zero."""


def _flips(truths: Mapping[tuple[Response, int], set[float]], repeats: Mapping[tuple[Response, int], int]) -> Flips:
    judged_again = {response for (response, judge), count in repeats.items() if count > 1}
    flipped = {response for (response, _), values in truths.items() if len(values) > 1}
    if not judged_again:
        return Flips(0, 0, None, None)
    low, high = wilson(len(flipped) / len(judged_again), len(judged_again))
    return Flips(len(flipped), len(judged_again), low, high)
