"""RaR predefined: four fixed criteria of equal weight for every prompt.

The "predefined rubric" baseline of RaR (arXiv 2507.17746): what generic criteria are worth
(HealthBench 12.5 there, against 29.7 for criteria written for the prompt).
"""

from __future__ import annotations

from reward_lab.core.group import Group
from reward_lab.core.methods.explicit import Checklist
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.verdict import Fault

CRITERIA = (
    Criterion(
        title="Factual",
        description="What the response states is correct, and nothing in it is made up.",
    ),
    Criterion(
        title="Complete",
        description="The response answers every essential part of what was asked, in enough detail.",
    ),
    Criterion(
        title="Concise",
        description="The response is concise: it has no repetition, padding or digressions.",
    ),
    Criterion(
        title="Helpful",
        description="The response is of practical help: the person who asked can act on it.",
    ),
)
"""The four criteria, in the order of the positions in this method's verdicts."""


class Predefined(Checklist):
    """See the module. The rubric plays no part."""

    name = "rar_predefined"
    head = "RaR pre"
    title = "RaR predefined"
    version = "rar_predefined-1"

    def criteria(self, rubric: Rubric) -> tuple[Criterion, ...]:
        """(4,) always the same."""
        return CRITERIA

    def weights(self, rubric: Rubric) -> tuple[float, ...]:
        """(4,) all equal."""
        return (1.0,) * len(CRITERIA)

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """Never one."""
        return None


PREDEFINED = Predefined()
