"""Rubrics of plain statements, and the rules that find something in them."""

from __future__ import annotations

from reward_lab.core.lint import Finding, findings
from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring


def rubric_of(*descriptions: str) -> Rubric:
    return Rubric(criteria=tuple(Criterion(description=one) for one in descriptions))


def weighted(*weights: float) -> Rubric:
    criteria = tuple(
        Criterion(description=f"States fact number {place}.", weight=weight) for place, weight in enumerate(weights)
    )
    return Rubric(criteria=criteria, scoring=Scoring(weights="own"))


def categorised(*categories: Category) -> Rubric:
    return Rubric(
        criteria=tuple(
            Criterion(description=f"States fact number {place}.", category=one) for place, one in enumerate(categories)
        )
    )


def found(rubric: Rubric, rule: str, *, reference: str | None = None) -> list[Finding]:
    return [one for one in findings(rubric, reference=reference) if one.rule == rule]
