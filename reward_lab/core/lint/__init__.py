"""Lint: what can be said of a rubric before any judge is asked.

A finding is worth more than its absence: the rules know English turns, and say nothing of what they do not
know. A rule family is a file; its rules stand in ``RULES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from reward_lab.core.lint import balance, context, direction, likeness, parts, vagueness
from reward_lab.core.lint.finding import Finding, Level
from reward_lab.core.lint.statement import Examined, Statement
from reward_lab.core.rubric import Rubric

__all__ = ["RULES", "Finding", "Level", "findings"]

Rule: TypeAlias = Callable[[Examined], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    balance.size,
    balance.kinds,
    balance.weights,
    balance.long_guidance,
    direction.turned,
    likeness.duplicates,
    likeness.near_duplicates,
    likeness.reference_given_away,
    context.leaning,
    parts.compounds,
    parts.long_lists,
    vagueness.vague,
)


def findings(rubric: Rubric, *, reference: str | None = None) -> tuple[Finding, ...]:
    """Every finding on a rubric: of the whole first, then criterion by criterion, warnings before notes.

    Args:
        reference: the scenario's reference answer, where there is one.

    >>> [one.rule for one in findings(Rubric())]
    ['empty']
    """
    statements = tuple(Statement(position, criterion) for position, criterion in enumerate(rubric.criteria))
    examined = Examined(rubric, statements, reference)
    found = [finding for rule in RULES for finding in rule(examined)]
    return tuple(sorted(found, key=_place))


def _place(finding: Finding) -> tuple[int, bool]:
    return (-1 if finding.position is None else finding.position, finding.level == "note")
