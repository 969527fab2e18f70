"""How often the offline judge orders two responses as people did, on the nineteen ranked cases.

These cases were looked at while the judge was written, so the figures describe them and
promise nothing for other data. Prints a table in markdown::

    python -m tests.benchmarks.ranked_cases
"""

from __future__ import annotations

import sys

from reward_lab.core.agreement import Estimate, Pairs, accuracy_interval, pairwise_accuracy
from reward_lab.core.methods import METHODS
from tests.cases.offline import scores
from tests.cases.ranked import ranked_cases

APPLICABLE = ("ruler", "likert", "rar_predefined")
"""The methods that need neither a reference answer nor criteria: the cases have none."""


def measured(method_name: str) -> tuple[Pairs, Estimate]:
    """All pairs together, and the accuracy with its 95% interval, resampled by case."""
    by_case = []
    for case in ranked_cases():
        found = scores(case.group, method_name)
        by_case.append(pairwise_accuracy([found[one.id] for one in case.group.trajectories], case.human))
    total = Pairs(sum(one.correct for one in by_case), sum(one.pairs for one in by_case))
    return total, accuracy_interval(by_case)


def table() -> str:
    """The figures in markdown."""
    lines = ["| method | pairwise accuracy | 95% interval | cases | pairs |", "|---|--:|--:|--:|--:|"]
    for name in APPLICABLE:
        total, estimate = measured(name)
        lines.append(
            f"| {METHODS[name].title} | {estimate.value:.2f} | {estimate.low:.2f} to {estimate.high:.2f} "
            f"| {estimate.n} | {total.pairs} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
