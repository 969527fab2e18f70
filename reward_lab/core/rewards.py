"""From scores to rewards: RaR's aggregation, Likert's normalising, and the sum with verifiers.

Unknown stays unknown: where a part of a reward has no value its total is ``None``, never a
figure with the part left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reward_lab.core.rubric import Rubric


def explicit_score(weights: Sequence[float], truths: Sequence[float], meets_when: Sequence[bool]) -> float:
    """RaR's explicit aggregation in its safe form, always within [0, 1].

    All three are (C,): the weight of each criterion, how far its statement is literally true
    of the response (0 or 1; 0.5 for partly), and for which of the two the criterion is met. ::

        R = [ sum_{+} w*g + sum_{-} |w|*(1-g) ] / sum |w|,    g = truth

    Eq. 1 of RaR (arXiv 2507.17746), r = sum(w*c) / sum(w), leaves [0, 1] with the negative
    pitfall weights of its own released data: weights 5, 3, -1, -2 with both positives met
    give 8/5. Polarity is therefore on the criterion and a weight counts by its size.

    Raises:
        ValueError: lengths differ, a weight is NaN or infinite, or all weights are 0.

    >>> explicit_score([5, 3, -1, -2], [True, True, False, True], [True, True, False, False])
    0.8181818181818181
    """
    shares = _relative(weights, truths, meets_when)
    if not any(shares):
        raise ValueError("at least one weight must differ from 0")
    met = (
        share * (truth if when else 1.0 - truth) for share, truth, when in zip(shares, truths, meets_when, strict=True)
    )
    return math.fsum(met) / math.fsum(shares)


def points_score(weights: Sequence[float], truths: Sequence[float], meets_when: Sequence[bool]) -> float:
    """HealthBench's score: points won over points possible; at most 1, and may be negative.

    The arguments are those of :func:`explicit_score`. A criterion that is met when false
    describes a fault: its weight is what the fault costs. ::

        S = [ sum_{+} w*g - sum_{-} |w|*g ] / sum_{+} w

    HealthBench (arXiv 2505.08775, openai/simple-evals ``healthbench_eval.calculate_score``)
    clips only the mean over examples to [0, 1]; so here nothing is clipped.

    Raises:
        ValueError: as :func:`explicit_score`, or no criterion that is met when true has a weight.

    >>> points_score([7, 5, 3, 8], [1.0, 0.0, 1.0, 1.0], [True, True, True, False])
    0.13333333333333333
    """
    shares = _relative(weights, truths, meets_when)
    possible = math.fsum(share for share, when in zip(shares, meets_when, strict=True) if when)
    if possible == 0:
        raise ValueError("at least one criterion that is met when true must have a weight")
    won = (share * truth * (1 if when else -1) for share, truth, when in zip(shares, truths, meets_when, strict=True))
    return math.fsum(won) / possible


def _relative(weights: Sequence[float], truths: Sequence[float], meets_when: Sequence[bool]) -> list[float]:
    """(C,) sizes of the weights, relative to the largest: neither huge nor tiny ones leave the range of a float."""
    sizes = [abs(weight) for weight in weights]
    if not len(sizes) == len(truths) == len(meets_when):
        raise ValueError(f"{len(sizes)} weights, {len(truths)} verdicts and {len(meets_when)} polarities do not match")
    if not all(map(math.isfinite, sizes)):
        raise ValueError(f"weights must be finite numbers, got {list(weights)}")
    if not all(0 <= truth <= 1 for truth in truths):
        raise ValueError(f"truths must lie between 0 and 1, got {list(truths)}")
    largest = max(sizes, default=0.0)
    return [size / largest for size in sizes] if largest else sizes


def likert_reward(rating: float, top: int, normalising: Literal["from_one", "share"]) -> float:
    """A rating of 1..``top`` brought to [0, 1].

    The RaR paper gives no formula; two are in use: ``from_one`` is (r-1)/(top-1), ``share`` is r/top.

    Raises:
        ValueError: a rating outside 1..``top``, NaN included.

    >>> likert_reward(7, 10, "from_one"), likert_reward(7, 10, "share")
    (0.6666666666666666, 0.7)
    """
    if not 1 <= rating <= top:
        raise ValueError(f"a rating must lie between 1 and {top}, got {rating}")
    return (rating - 1) / (top - 1) if normalising == "from_one" else rating / top


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward and the figures it is the sum of, each kept as its own.

    ``judge`` is the method's reward in [0, 1] before its weight; ``verifiers`` (V,) are
    weight x value, ``None`` where one could not be computed; ``independent`` came with the
    trajectory and is ``None`` where it is not added. ``total`` is ``None`` where a part of
    it is unknown.
    """

    total: float | None
    judge: float
    judge_weight: float
    verifiers: tuple[float | None, ...] = ()
    independent: float | None = None


def compose(
    rubric: Rubric, judge: float, *, verified: Sequence[bool | None] = (), independent: float | None = None
) -> Reward:
    """reward = judge_weight x judge + sum of verifiers (weight x value) + the independent reward, if it is added.

    ``judge`` is a method's reward in [0, 1]. ``verified`` (V,) says for each of the rubric's
    verifiers whether it holds, ``None`` where that is unknown. RULER's users add a verifier's
    0 or 1 to the judge's score in this way.

    Raises:
        ValueError: a figure is NaN or infinite, or ``verified`` does not match the rubric's verifiers.
    """
    for name, figure in (("judge's", judge), ("independent", independent)):
        if figure is not None and not math.isfinite(figure):
            raise ValueError(f"the {name} reward must be a finite number, got {figure}")
    if len(verified) != len(rubric.verifiers):
        raise ValueError(f"the rubric has {len(rubric.verifiers)} verifiers, but {len(verified)} values were given")
    scoring = rubric.scoring
    verifiers = tuple(
        None if holds is None else verifier.weight * holds
        for verifier, holds in zip(rubric.verifiers, verified, strict=True)
    )
    added = independent if scoring.add_independent else None
    parts = [scoring.judge_weight * judge, *verifiers, *([added] if scoring.add_independent else ())]
    known = [part for part in parts if part is not None]
    return Reward(
        total=math.fsum(known) if len(known) == len(parts) else None,
        judge=judge,
        judge_weight=scoring.judge_weight,
        verifiers=verifiers,
        independent=added,
    )
