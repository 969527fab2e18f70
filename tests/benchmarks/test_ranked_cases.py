from __future__ import annotations

import pytest

from reward_lab.core.agreement import Pairs
from tests.benchmarks.ranked_cases import APPLICABLE, measured, table
from tests.cases.ranked import ranked_cases

RECORDED = {
    "ruler": Pairs(71.5, 102),
    "likert": Pairs(73.5, 102),
    "rar_predefined": Pairs(54.5, 102),
}
"""What README states. A change of the offline judge that moves these moves README."""


def test_there_are_nineteen_cases_and_one_is_a_tie() -> None:
    cases = ranked_cases()

    assert len(cases) == 19
    assert [case.group.id for case in cases if set(case.human) == {None}] == ["pandalm-91"]
    assert sum(len(case.group.trajectories) == 6 for case in cases) == 6


@pytest.mark.parametrize("method", APPLICABLE)
def test_the_accuracy_is_the_recorded_one(method: str) -> None:
    total, estimate = measured(method)

    assert total == RECORDED[method]
    assert estimate.n == 18
    assert estimate.value == pytest.approx(total.correct / total.pairs)


def test_the_table_has_a_row_a_method() -> None:
    assert len(table().splitlines()) == 2 + len(APPLICABLE)
