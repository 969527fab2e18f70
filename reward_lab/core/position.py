"""Position effect: whether a judge favours a slot, and how often its favourite changes between repeats.

MT-Bench found GPT-4 to keep its verdict in 65% of swapped pairs; a reward that depends on the
order of the responses trains on the order. Slots are recomputed from the arrangement under
which each question was asked.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.advantages import rounded
from reward_lab.core.agreement import centred_ranks, dot, mean

PERMUTATIONS = 199
"""Permutations behind a p-value: its step is 0.005, fine enough to tell 0.05 from more."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The scores of one sample: one judge's, in one repeat, by trajectory id.

    ``order`` are the ids as they were shown to the judge; empty where each response was
    judged alone and so stood in no slot.
    """

    scores: Mapping[str, float]
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in the order, counted from 1.

    ``mean`` is the mean score there; ``offset`` the mean difference of those scores from each
    response's own mean, which does not depend on which responses happened to stand there.
    """

    number: int
    mean: float
    offset: float
    n: int


@dataclass(frozen=True, slots=True)
class PositionEffect:
    """Scores by slot over the repeats of one method.

    ``rho`` is Spearman's correlation of slot and offset over ``n`` scores, ``p_value`` the share
    of random orders with one as strong. Both are ``None`` where no score depends on its sample.
    """

    slots: tuple[Slot, ...]
    rho: float | None
    p_value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class TopFlips:
    """In how many of ``n`` complete samples none of the overall best responses came first."""

    flips: int
    n: int


def position_effect(readings: Sequence[Reading], *, seed: int = 0) -> PositionEffect | None:
    """Scores by slot; ``None`` where nothing was shown in an order or all was shown in one and the same."""
    shown = [reading for reading in readings if reading.order]
    if len({reading.order for reading in shown}) < 2:
        return None
    by_response: dict[str, list[float]] = defaultdict(list)
    for reading in shown:
        for trajectory_id, score in reading.scores.items():
            by_response[trajectory_id].append(score)
    own = {trajectory_id: sum(scores) / len(scores) for trajectory_id, scores in by_response.items()}
    rows = [
        [
            (slot, reading.scores[trajectory_id], reading.scores[trajectory_id] - own[trajectory_id])
            for slot, trajectory_id in enumerate(reading.order, start=1)
            if trajectory_id in reading.scores
        ]
        for reading in shown
    ]
    seen = [entry for row in rows for entry in row]
    slots = []
    for number in sorted({slot for slot, _, _ in seen}):
        here = [(score, offset) for slot, score, offset in seen if slot == number]
        slots.append(
            Slot(number, mean([score for score, _ in here]) or 0.0, mean([one for _, one in here]) or 0.0, len(here))
        )
    rho, p_value = _correlation(rows, seed)
    return PositionEffect(tuple(slots), rho, p_value, len(seen))


def _correlation(rows: Sequence[Sequence[tuple[int, float, float]]], seed: int) -> tuple[float | None, float | None]:
    """Spearman's rho of slot and offset, and the share of orders, shuffled within samples, with one as strong.

    The ranks of slots and offsets are the same in every order, so only their products are summed anew.
    """
    slots = centred_ranks([slot for row in rows for slot, _, _ in row])
    offsets = centred_ranks([rounded(offset) for row in rows for _, _, offset in row])
    scale = math.sqrt(dot(slots, slots) * dot(offsets, offsets))
    if scale == 0:
        return None, None
    strength = dot(slots, offsets)
    source = random.Random(seed)
    left = iter(slots)
    by_sample = [[next(left) for _ in row] for row in rows]
    as_strong = 1  # the order that was shown is one of them
    for _ in range(PERMUTATIONS):
        shuffled = [slot for row in by_sample for slot in source.sample(row, len(row))]
        as_strong += abs(dot(shuffled, offsets)) >= abs(strength) - 1e-9
    return strength / scale, as_strong / (PERMUTATIONS + 1)


def top_flips(readings: Sequence[Reading], members: Sequence[str]) -> TopFlips | None:
    """How often the favourite changed over the samples that scored all of ``members``.

    The favourite is the response with the best mean over those samples; ties at the top, of the
    mean or of a sample, count in the judge's favour. ``None`` with fewer than two samples or members.
    """
    complete = [reading for reading in readings if all(one in reading.scores for one in members)]
    if len(complete) < 2 or len(members) < 2:
        return None
    means = {one: mean([reading.scores[one] for reading in complete]) or 0.0 for one in members}
    favourites = _best(means)
    flips = sum(favourites.isdisjoint(_best({one: reading.scores[one] for one in members})) for reading in complete)
    return TopFlips(flips, len(complete))


def _best(scores: Mapping[str, float]) -> set[str]:
    top = max(rounded(score) for score in scores.values())
    return {one for one, score in scores.items() if rounded(score) == top}
