from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reward_lab.core.agreement import Pairs
from reward_lab.exchange.groups import ImportedGroup, recorded_group
from tests.benchmarks.ranked_cases import APPLICABLE, measured, table
from tests.cases.ranked import ranked_cases

ROOT = Path(__file__).parents[2]

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


def test_the_group_file_has_what_people_said_as_labels() -> None:
    command = [sys.executable, "-m", "tests.cases.ranked"]
    written = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", cwd=ROOT).stdout
    lines = [json.loads(line) for line in written.splitlines()]
    found = [recorded_group(line, number) for number, line in enumerate(lines, start=1)]
    labels = {one.group.id: one.labels for one in found if isinstance(one, ImportedGroup)}

    assert len(labels) == 19
    assert {label.annotator for some in labels.values() for label in some} == {"people"}
    ranks = {name: {one: said.rank for one, said in some[0].responses.items()} for name, some in labels.items()}
    assert ranks["topicalchat-0"] == {"r5": 1, "r0": 2, "r2": 3, "r4": 4, "r1": 5, "r3": 6}
    assert labels["topicalchat-0"][0].responses["r0"].score == 3.667
    assert (ranks["pandalm-0"], ranks["pandalm-91"]) == ({"o1": 2, "o2": 1}, {"o1": 1, "o2": 1})


@pytest.mark.parametrize("method", APPLICABLE)
def test_the_accuracy_is_the_recorded_one(method: str) -> None:
    total, estimate = measured(method)

    assert total == RECORDED[method]
    assert estimate.n == 18
    assert estimate.value == pytest.approx(total.correct / total.pairs)


def test_the_table_has_a_row_a_method() -> None:
    assert len(table().splitlines()) == 2 + len(APPLICABLE)
