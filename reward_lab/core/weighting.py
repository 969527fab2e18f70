"""Weighting: weights that known-good and known-bad responses speak for, as a proposal with its evidence."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.agreement import bootstrap_interval, mean
from reward_lab.core.marks import Mark, Response, met_shares
from reward_lab.core.proportions import Interval, newcombe
from reward_lab.core.rubric import Rubric
from reward_lab.core.wording import counted

HALF_WAY = 10
"""Known-good and as many known-bad responses with which the data count as much as the present weights."""

FEWEST_GROUPS = 8
"""Groups from which the interval is by resampling them; below, responses are taken as independent."""


@dataclass(frozen=True, slots=True)
class Discrimination:
    """How much more often good responses meet a criterion than bad ones do: ``met_good - met_bad``, in [-1, 1].

    Both are means over ``groups`` that hold good and bad responses, of their means in the group; ``good`` and
    ``bad`` count responses. ``low`` and ``high`` are a 95% interval: by resampling groups, or with fewer than
    ``FEWEST_GROUPS`` by Newcombe's method, which takes the responses as independent.
    """

    met_good: float
    met_bad: float
    low: float
    high: float
    good: int
    bad: int
    groups: int

    @property
    def value(self) -> float:
        """The difference."""
        return self.met_good - self.met_bad

    @property
    def turned(self) -> bool:
        """Whether it speaks for the bad responses, beyond chance."""
        return self.high < 0


@dataclass(frozen=True, slots=True)
class WeightProposal:
    """The weight that is proposed for one criterion, on the scale of the present ones; never negative.

    ``discrimination`` is ``None`` where no group holds judged responses of both kinds. ``evidence`` says it in words.
    """

    position: int
    present: float
    proposed: float
    discrimination: Discrimination | None
    evidence: str

    @property
    def turned(self) -> bool:
        """Whether bad responses meet it more often, beyond chance: for a person to look at, and never turned round."""
        return self.discrimination is not None and self.discrimination.turned


def proposed_weights(
    rubric: Rubric, marks: Iterable[Mark], labels: Mapping[Response, float | None], *, seed: int = 0
) -> tuple[WeightProposal, ...]:
    """(C,) a weight for each criterion, from how it tells good responses from bad ones of the same group.

    The rule: the criteria with evidence share their present total in proportion to their discrimination, which
    counts as 0 where it is negative; the proposal is (1 - k) x present + k x this, where k = h / (h + 10) and h
    is the harmonic mean of the numbers of good and bad responses. So few data change little, a criterion without
    evidence keeps its weight, and the total stays. Where no criterion discriminates, all weights stay.

    Args:
        marks: verdicts under this rubric version.
        labels: 1 for known-good and 0 for known-bad, or any figures of which higher is better: in each group,
            those above the mean are good and those below are bad. ``None`` is unlabelled.
        seed: of the resampling.

    Raises:
        ValueError: a mark on a position that the rubric does not have, or a label that is not finite.
    """
    kinds = _kinds(labels)
    found = [_discrimination(met, kinds, seed) for met in met_shares(rubric, marks)]
    present = rubric.weights
    gains = [None if one is None else max(0.0, one.value) for one in found]
    total_gain = math.fsum(gain for gain in gains if gain is not None)
    shared = math.fsum(weight for weight, gain in zip(present, gains, strict=True) if gain is not None)
    targets = [
        weight if gain is None or total_gain == 0 else shared * gain / total_gain
        for weight, gain in zip(present, gains, strict=True)
    ]
    blended = [_blend(weight, target, one) for weight, target, one in zip(present, targets, found, strict=True)]
    # Criteria judged on different numbers of responses are blended unequally; the total is kept all the same.
    kept = math.fsum(weight for weight, gain in zip(blended, gains, strict=True) if gain is not None)
    proposals = []
    for position, (weight, new, one) in enumerate(zip(present, blended, found, strict=True)):
        proposed = new * shared / kept if one is not None and kept else new
        proposals.append(WeightProposal(position, weight, proposed, one, _evidence(weight, proposed, one)))
    return tuple(proposals)


def _kinds(labels: Mapping[Response, float | None]) -> dict[str, dict[Response, bool]]:
    """By group, which responses are good and which bad; groups without both are left out."""
    known: dict[str, dict[Response, float]] = defaultdict(dict)
    for response, label in labels.items():
        if label is None:
            continue
        if not math.isfinite(label):
            raise ValueError(f"the label of {response.trajectory!r} must be a finite number, got {label}")
        known[response.group][response] = label
    kinds = {}
    for group, values in known.items():
        centre = mean(list(values.values())) or 0.0
        kinds[group] = {one: label > centre for one, label in values.items() if label != centre}
    return {group: values for group, values in kinds.items() if len(set(values.values())) == 2}


@dataclass(frozen=True, slots=True)
class _Group:
    """How far the good and the bad responses of one group meet a criterion."""

    good: Sequence[float]
    bad: Sequence[float]

    @property
    def rates(self) -> tuple[float, float]:
        return mean(self.good) or 0.0, mean(self.bad) or 0.0


def _discrimination(
    met: Mapping[Response, float], kinds: Mapping[str, Mapping[Response, bool]], seed: int
) -> Discrimination | None:
    groups = []
    for values in kinds.values():
        good = [met[one] for one, is_good in values.items() if is_good and one in met]
        bad = [met[one] for one, is_good in values.items() if not is_good and one in met]
        if good and bad:
            groups.append(_Group(good, bad))
    if not groups:
        return None
    met_good = mean([group.rates[0] for group in groups]) or 0.0
    met_bad = mean([group.rates[1] for group in groups]) or 0.0
    good_n, bad_n = sum(len(group.good) for group in groups), sum(len(group.bad) for group in groups)
    low, high = _resampled(groups, seed) or newcombe(met_good, good_n, met_bad, bad_n)
    return Discrimination(met_good, met_bad, low, high, good_n, bad_n, len(groups))


def _resampled(groups: Sequence[_Group], seed: int) -> Interval | None:
    """The interval by resampling groups, ``None`` where they are too few for it."""
    if len(groups) < FEWEST_GROUPS:
        return None
    differences = [good - bad for good, bad in (group.rates for group in groups)]
    estimate = bootstrap_interval(differences, mean, seed=seed)
    return None if estimate.low is None or estimate.high is None else Interval(estimate.low, estimate.high)


def _blend(present: float, target: float, found: Discrimination | None) -> float:
    if found is None:
        return present
    harmonic = 2 / (1 / found.good + 1 / found.bad)
    counts = harmonic / (harmonic + HALF_WAY)
    return (1 - counts) * present + counts * target


def _evidence(present: float, proposed: float, found: Discrimination | None) -> str:
    if found is None:
        return "No group has judged responses of both kinds: the weight stays."
    good, bad = counted(found.good, "good response"), counted(found.bad, "bad one")
    figures = (
        f"Met by {100 * found.met_good:.0f}% of {good} and {100 * found.met_bad:.0f}% of {bad} in "
        f"{counted(found.groups, 'group')}: {100 * found.value:+.0f} points "
        f"(interval {100 * found.low:+.0f} to {100 * found.high:+.0f})."
    )
    if found.turned:
        return f"{figures} Bad responses meet it more often: check its polarity and wording before its weight."
    if found.low <= 0:
        return f"{figures} This may be chance."
    return figures
