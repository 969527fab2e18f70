"""Balance: how many criteria there are, of which kinds, and what each weighs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reward_lab.core.lint.finding import Finding
from reward_lab.core.lint.statement import Examined, Statement
from reward_lab.core.rubric import Category

USUAL = (7, 20)
"""Criteria of a rubric as RaR generates them (arXiv 2507.17746)."""

MANY = 40
TOO_MANY = 100

_FEW = 3
"""Below so many criteria nothing is said of their balance."""

_MOST_GUIDANCE = 1000
"""Words of guidance that a judge can be expected to keep in mind; RULER's own has 72."""


def size(examined: Examined) -> Iterator[Finding]:
    """Too many criteria to be judged well, or nothing to judge by at all."""
    rubric = examined.rubric
    count = len(rubric.criteria)
    if not count and not rubric.verifiers and not rubric.guidance.strip():
        yield Finding(
            "empty",
            "note",
            "The rubric is empty: RULER then judges by its own general guidance, and RaR has nothing to check.",
            "Say in the guidance what a good response does, or add criteria.",
        )
    if count > MANY:
        lowest, highest = USUAL
        yield Finding(
            "many_criteria",
            "warning" if count > TOO_MANY else "note",
            f"The rubric has {count} criteria, each of {100 / count:.3g}% of the weight on average; "
            f"{lowest} to {highest} are usual.",
            "Judges lose track in long lists: merge or drop what decides little, or ask one call a criterion.",
        )


def kinds(examined: Examined) -> Iterator[Finding]:
    """No pitfall, or no essential criterion where categories are the weights."""
    rubric = examined.rubric
    if len(rubric.criteria) < _FEW:
        return
    if not any(map(_guards, examined.statements)):
        yield Finding(
            "no_pitfall",
            "note",
            "No criterion is about a fault: a response that says everything and invents the rest loses nothing.",
            "Add a pitfall for the fault that you fear most.",
        )
    essential = any(criterion.category is Category.ESSENTIAL for criterion in rubric.criteria)
    if rubric.scoring.weights == "category" and not essential:
        yield Finding(
            "no_essential",
            "note",
            "No criterion is Essential: a response can miss the point and still come out well.",
            "Make the one without which an answer is worthless Essential.",
        )


def weights(examined: Examined) -> Iterator[Finding]:
    """Weights that are all equal, or zero."""
    values = examined.rubric.weights
    if values and not any(values):
        yield Finding(
            "no_weight",
            "warning",
            "All weights are 0, so the criteria make no score.",
            "Give at least one criterion a weight above 0, or weigh by category.",
        )
        return
    for position, value in enumerate(values):
        if value == 0:
            yield Finding(
                "zero_weight",
                "warning",
                f"Criterion {position + 1} has weight 0: it is judged and paid for, and never counts.",
                "Give it a weight, or drop it.",
                position,
            )
    if len(values) >= _FEW and len(set(values)) == 1:
        yield Finding(
            "equal_weights",
            "note",
            f"All {len(values)} criteria weigh the same ({100 / len(values):.3g}% each).",
            "If a missed detail should cost less than a missed point, give them different weights.",
        )


def long_guidance(examined: Examined) -> Iterator[Finding]:
    """Guidance that is longer than a judge can follow."""
    count = len(examined.rubric.guidance.split())
    if count > _MOST_GUIDANCE:
        yield Finding(
            "long_guidance",
            "note",
            f"The guidance has {count:,} words, and is sent with every question.",
            "Keep what decides between good and better responses; make checks of the rest as criteria.",
        )


_ABSENT = re.compile(r"\b(?:no|not|nothing|never|avoids?|free\sof)\b|n't\b")


def _guards(statement: Statement) -> bool:
    """Whether a criterion is about a fault, in either polarity."""
    criterion = statement.criterion
    if criterion.category is Category.PITFALL or not criterion.meets_when:
        return True
    return statement.polarity is not None or bool(_ABSENT.search(statement.plain))
