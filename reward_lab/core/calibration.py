"""Calibration: how far a judge's rewards put responses in the order that people put them in.

Labels and rewards are held against each other within a group only: RULER's scores are relative to their group, ranks
are people's within a group, and a trainer uses nothing else. Intervals are by group (:mod:`reward_lab.core.intervals`).
What is not scored or not labelled is in no figure; it never counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from reward_lab.core.advantages import rounded
from reward_lab.core.agreement import Estimate
from reward_lab.core.comparison import Rewards
from reward_lab.core.intervals import difference_interval, share_interval
from reward_lab.core.labelled import Holding, Pair


@dataclass(frozen=True, slots=True)
class CalibrationFigures:
    """One run's rewards by one method against the labels of some annotators. ``n`` of an estimate counts its groups.

    Of several annotators each one's pairs count: a group's pairs are those of all of them together, and its tau-b and
    top-1 the mean of theirs.

    ``accuracy`` is the share of ``pairs`` (pairs of responses that an annotator put in an order and the judge scored)
    that the judge puts in the same order, its ties 0.5; ``tie_rate`` the share that it ties. ``tau_b`` is the mean of
    the groups' Kendall tau-b, ties of both sides corrected for; it is undefined where the judge ties all of a group.
    ``top_1`` is the share of groups whose best by the judge is among the people's best; where the judge has several
    best ones, the share of them. ``auc`` is the probability that a response marked good has a higher reward than one
    marked bad *of the same group*, ties 0.5: across groups it would tell hard questions from easy ones too, which no
    advantage does, and RULER's scores do not compare.
    ``margin`` is the smallest reward of a good one less the largest of a bad one, in the group where that is least;
    below 0 some bad response is held above some good one. ``groups`` counts the groups with an ordered pair.
    """

    accuracy: Estimate
    pairs: int
    tie_rate: float | None
    tau_b: Estimate
    top_1: Estimate
    auc: Estimate
    margin: float | None
    groups: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A line of the table: one run, one method, one split ("all", "tune" or "holdout").

    ``rubric_name`` is "" for a rubric that was never named; ``models`` are the run's judges. ``prompt`` is what its
    sweep calls its system prompt, "" where the sweep has one choice or the run is of none.
    """

    run_id: int
    method: str
    models: tuple[str, ...]
    rubric_name: str
    rubric_version: int
    split: str
    figures: CalibrationFigures
    prompt: str = ""

    @property
    def version(self) -> tuple[str, int]:
        """The rubric version, by name and number."""
        return self.rubric_name, self.rubric_version


@dataclass(frozen=True, slots=True)
class GroupCalibration:
    """One group's rewards by one method against what annotators say of it, to be summed over groups.

    Of ``pairs`` ordered by people ``correct`` are ordered so by the judge, its ``ties`` counted half. ``taus`` and
    ``tops`` have one figure an annotator whose is defined. Of ``marked`` pairs, one marked good and one bad,
    ``separated`` have the good one higher, ties half; ``margin`` is the least distance of such a pair.
    """

    correct: float
    pairs: int
    ties: int
    taus: tuple[float, ...]
    tops: tuple[float, ...]
    separated: float
    marked: int
    margin: float | None


def group_calibration(rewards: Rewards, labels: Iterable[Holding]) -> GroupCalibration:
    """Hold (G,) rewards against what annotators say of the same responses.

    Rewards are rounded to the places to which they are equal.
    """
    correct = separated = 0.0
    pairs = ties = marked = 0
    taus: list[float] = []
    tops: list[float] = []
    margins: list[float] = []
    for label in labels:
        concordant, discordant, tied = _orders(rewards, label.ordered)
        here = concordant + discordant + tied
        if here:
            correct += concordant + tied / 2
            pairs += here
            ties += tied
            tops.append(_top(rewards, label.levels))
            apart = here - tied + sum(_orders(rewards, label.tied)[:2])
            if apart:
                taus.append((concordant - discordant) / math.sqrt(here * apart))
        if label.good and label.bad:
            above, below, level = _orders(rewards, product(label.good, label.bad))
            separated += above + level / 2
            marked += above + below + level
            margins += _gaps(rewards, label)
    return GroupCalibration(
        correct, pairs, ties, tuple(taus), tuple(tops), separated, marked, min(margins, default=None)
    )


def calibration_figures(groups: Iterable[GroupCalibration]) -> CalibrationFigures:
    """The figures of all groups together; of several annotators in one group tau-b and top-1 are their mean."""
    told = list(groups)
    pairs = sum(one.pairs for one in told)
    return CalibrationFigures(
        accuracy=share_interval([(one.correct, one.pairs) for one in told]),
        pairs=pairs,
        tie_rate=sum(one.ties for one in told) / pairs if pairs else None,
        tau_b=share_interval([(_mean(one.taus), 1) for one in told if one.taus], least=-1.0),
        top_1=share_interval([(_mean(one.tops), 1) for one in told if one.tops]),
        auc=share_interval([(one.separated, one.marked) for one in told]),
        margin=min((one.margin for one in told if one.margin is not None), default=None),
        groups=sum(one.pairs > 0 for one in told),
    )


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a difference in one group: its rewards and what annotators say of its responses.

    ``places`` has for each response of the first side its own place, ``None`` where it does not have it.
    """

    rewards: Rewards
    labels: Sequence[Holding]
    places: Sequence[int | None]


def accuracy_difference(groups: Iterable[tuple[Side, Side]]) -> Estimate:
    """The accuracy of the first side less that of the second, over the pairs that both scored and people ordered.

    ``n`` counts the groups with such a pair. A pair counts where the labels of both sides put it in the same order.
    """
    return difference_interval([_difference(first, second) for first, second in groups])


def _difference(first: Side, second: Side) -> tuple[float, float]:
    """How many more pairs of one group the first side has right, and of how many."""
    more, pairs = 0.0, 0
    known = {one.annotator: frozenset(one.ordered) for one in second.labels}
    for label in first.labels:
        others = known.get(label.annotator, frozenset())
        for better, worse in label.ordered:
            other_better, other_worse = second.places[better], second.places[worse]
            if other_better is None or other_worse is None or (other_better, other_worse) not in others:
                continue
            one = _right(first.rewards[better], first.rewards[worse])
            other = _right(second.rewards[other_better], second.rewards[other_worse])
            if one is not None and other is not None:
                more += one - other
                pairs += 1
    return more, pairs


def _right(better: float | None, worse: float | None) -> float | None:
    if better is None or worse is None:
        return None
    return 0.5 if better == worse else float(better > worse)


def _orders(rewards: Rewards, pairs: Iterable[Pair]) -> tuple[int, int, int]:
    """Of pairs of places how many have the first higher, the second higher, and neither; the unscored left out."""
    above = below = level = 0
    for first, second in pairs:
        one, other = rewards[first], rewards[second]
        if one is None or other is None:
            continue
        if one > other:
            above += 1
        elif one < other:
            below += 1
        else:
            level += 1
    return above, below, level


def _top(rewards: Rewards, levels: Sequence[float | None]) -> float:
    """The share of the judge's best that are among the people's best, of what has both a reward and a label."""
    highest, best = -math.inf, -math.inf
    chosen: list[float] = []
    for reward, level in zip(rewards, levels, strict=True):
        if reward is None or level is None:
            continue
        best = max(best, level)
        if reward > highest:
            highest, chosen = reward, [level]
        elif reward == highest:
            chosen.append(level)
    return chosen.count(best) / len(chosen)


def _gaps(rewards: Rewards, label: Holding) -> list[float]:
    """The least reward of a good response less the largest of a bad one, where there are both."""
    good = [one for place in label.good if (one := rewards[place]) is not None]
    bad = [one for place in label.bad if (one := rewards[place]) is not None]
    return [rounded(min(good) - max(bad))] if good and bad else []


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
