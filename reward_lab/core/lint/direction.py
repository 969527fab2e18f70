"""Direction: polarity that contradicts the wording, so that the fault is rewarded."""

from __future__ import annotations

from collections.abc import Iterator

from reward_lab.core.lint.finding import Finding
from reward_lab.core.lint.statement import Examined, Statement, excerpt
from reward_lab.core.polarity import stated_polarity
from reward_lab.core.rubric import Category


def turned(examined: Examined) -> Iterator[Finding]:
    """Criteria that are met by the fault that they describe, or missed by the merit.

    Where the wording shows nothing only a pitfall is doubted: "uses clinical terms" may be either.
    """
    for statement in examined.statements:
        criterion = statement.criterion
        pitfall = criterion.category is Category.PITFALL
        worded = statement.polarity
        if worded is None and pitfall:
            worded = stated_polarity(criterion.description, criterion.category)
        if worded is None or worded == criterion.meets_when:
            continue
        what = _fault(statement, pitfall) if criterion.meets_when else _merit(statement)
        met = "true" if criterion.meets_when else "false"
        yield Finding(
            "polarity",
            "warning",
            f"{statement.name} {what}, yet it is met when {met}: {excerpt(statement.text)}.",
            f"Set it to be met when {'false' if criterion.meets_when else 'true'}, or turn the wording round.",
            statement.position,
        )


def _fault(statement: Statement, pitfall: bool) -> str:
    if pitfall and statement.polarity is None:
        return "is a pitfall that says what not to do"
    return "describes a fault"


def _merit(statement: Statement) -> str:
    return "says that a fault is avoided" if statement.negated else "describes a merit"
