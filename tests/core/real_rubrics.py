"""The real rubrics of the fixtures as plain lists of criteria, before any importer.

A negative HealthBench point is a fault that costs, hence a pitfall that is met when false.
PaperBench's tree is flattened to its leaves without their weights.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring

_FIXTURES = Path(__file__).parents[1] / "exchange" / "rubrics" / "rubric_fixtures.jsonl"


def real_rubrics() -> dict[str, Rubric]:
    """Rubric by the fixture's id."""
    return {record["id"]: _rubric(record) for record in _records()}


def healthbench_points() -> list[tuple[str, float]]:
    """(criterion, points) of every HealthBench item."""
    return [
        (item["criterion"], item["points"])
        for record in _records()
        if record["format"] == "healthbench"
        for item in record["rubric"]
    ]


def _records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _FIXTURES.read_text("utf-8").splitlines()]


def _rubric(record: dict[str, Any]) -> Rubric:
    rubric = record["rubric"]
    if record["format"] == "healthbench":
        return Rubric(criteria=tuple(map(_healthbench, rubric)), scoring=Scoring(weights="own"))
    if record["format"] == "researchqa":
        return Rubric(criteria=tuple(Criterion(description=item["rubric_item"]) for item in rubric))
    if record["format"] == "paperbench":
        return Rubric(criteria=tuple(Criterion(description=one) for one in _leaves(rubric)))
    return Rubric(guidance="\n".join(rubric.values()))


def _healthbench(item: dict[str, Any]) -> Criterion:
    good = item["points"] > 0
    category = Category.IMPORTANT if good else Category.PITFALL
    return Criterion(description=item["criterion"], category=category, weight=item["points"], meets_when=good)


def _leaves(node: dict[str, Any]) -> list[str]:
    if not node["sub_tasks"]:
        return [node["requirements"]]
    return [leaf for part in node["sub_tasks"] for leaf in _leaves(part)]
