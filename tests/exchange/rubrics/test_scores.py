"""Formats that score by a rule of their own: the same figures here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.rewards import explicit_score, points_score
from reward_lab.core.rubric import Rubric
from reward_lab.exchange.rubrics import NamedRubric, branches, read_rubrics, write_rubrics
from tests.exchange.rubrics.examples import EXAMPLES, HEALTHBENCH, TREE


def read(record: Any, format_name: str) -> NamedRubric:
    return read_rubrics(json.dumps(record).encode(), "file.json", format=format_name).rubrics[0]


def polarities(rubric: Rubric) -> list[bool]:
    return [one.meets_when for one in rubric.criteria]


@pytest.mark.parametrize(
    ("truths", "score"),
    [
        ([1, 0, 1, 1], 0.5),  # (7 + 10 - 6) / 22
        ([1, 1, 1, 0], 1.0),
        ([0, 0, 0, 0], 0.0),
        ([0, 0, 0, 1], -6 / 22),
        ([0, 1, 0, 1], -1 / 22),
    ],
)
def test_healthbench_counts_points_and_may_fall_below_zero(truths: list[float], score: float) -> None:
    rubric = read(HEALTHBENCH, "healthbench").rubric
    assert rubric.scoring.explicit_scale == "points"
    assert points_score(rubric.weights, truths, polarities(rubric)) == pytest.approx(score)


@pytest.mark.parametrize(("truths", "score"), [([1, 0], 1.0), ([0.5, 0], 0.5), ([1, 0.5], 0.75), ([0, 1], -0.5)])
def test_researchrubrics_counts_halves_over_the_weights_above_zero(truths: list[float], score: float) -> None:
    """``calculate_compliance_score.py``: sum of score x weight over the weights above 0; weights 4 and -2."""
    (example,) = (one for one in EXAMPLES if one.id == "researchrubrics")
    rubric = read(example.record, "researchrubrics").rubric
    assert points_score(rubric.weights, truths, polarities(rubric)) == pytest.approx(score)


def test_profbench_is_the_weighted_share() -> None:
    """Critical and Minor fulfilled: (4 + 2) / (4 + 1 + 2 + 3)."""
    (example,) = (one for one in EXAMPLES if one.id == "profbench")
    rubric = read(example.record, "profbench").rubric
    assert explicit_score(rubric.weights, [1, 0, 1, 0], polarities(rubric)) == pytest.approx(0.6)


def tree_score(node: dict[str, Any], truths: dict[str, bool]) -> float:
    """PaperBench's ``score_from_children``, from the bottom up."""
    below = node["sub_tasks"]
    if not below:
        return float(truths[node["id"]])
    total = sum(child["weight"] for child in below)
    return sum(tree_score(child, truths) * child["weight"] for child in below) / total


def leaf_ids(node: dict[str, Any]) -> list[str]:
    return [one for child in node["sub_tasks"] for one in leaf_ids(child)] or [node["id"]]


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    count = 0

    def node(level: int) -> dict[str, Any]:
        nonlocal count
        count += 1
        own = {"id": f"n{count}", "requirements": f"Requirement {count}.", "weight": draw(st.integers(1, 9))}
        below = draw(st.integers(0 if level else 1, 4)) if level < depth else 0
        return {**own, "sub_tasks": [node(level + 1) for _ in range(below)], "task_category": None}

    return node(0)


@given(tree=trees(), data=st.data())
def test_a_flattened_tree_scores_as_the_tree_does(tree: dict[str, Any], data: st.DataObject) -> None:
    named = read(tree, "paperbench")
    rubric = named.rubric
    ids = leaf_ids(tree)
    truths = {one: data.draw(st.booleans()) for one in ids}
    assert [one.source["node"]["id"] for one in rubric.criteria] == ids
    assert sum(rubric.weights) == pytest.approx(1)
    score = explicit_score(rubric.weights, [truths[one] for one in ids], polarities(rubric))
    assert score == pytest.approx(tree_score(tree, truths))
    written = write_rubrics([named], "paperbench")
    assert json.loads(written.data) == tree
    assert written.lost == ()
    assert sum(one.share for one in branches(rubric) if one.is_leaf) == pytest.approx(1)


def test_the_tree_is_shown_with_its_shares() -> None:
    rubric = read(TREE, "paperbench").rubric
    assert [(one.depth, one.requirements, one.share, one.is_leaf) for one in branches(rubric)] == [
        (0, "The paper is reproduced.", 1.0, False),
        (1, "Data are prepared.", 0.25, False),
        (2, "Split A.", 0.1875, True),
        (2, "Split B.", 0.0625, True),
        (1, "Table 1 agrees.", 0.75, True),
    ]
    assert [one.source["path"] for one in rubric.criteria] == [["root", "data"], ["root", "data"], ["root"]]
    assert branches(Rubric(guidance="no tree")) == ()


def test_a_leaf_that_was_dropped_leaves_its_tree_and_the_loss_is_named() -> None:
    named = read(TREE, "paperbench")
    rubric = named.rubric.model_copy(update={"criteria": named.rubric.criteria[1:]})
    written = write_rubrics([NamedRubric(named.name, rubric)], "paperbench")
    assert [node["id"] for node in json.loads(written.data)["sub_tasks"][0]["sub_tasks"]] == ["d2"]
    assert written.lost == (
        "'file': the weight as it is given of criterion 1",
        "'file': what the import carried beside the rubric",
    )


def test_what_hangs_on_nodes_without_weight_is_told() -> None:
    leaf = {"requirements": "R.", "sub_tasks": [], "task_category": None}
    empty = {"id": "e", "requirements": "E.", "weight": 1, "sub_tasks": [{**leaf, "id": "e1", "weight": 0}]}
    tree = {"id": "r", "requirements": "T.", "weight": 1, "sub_tasks": [{**leaf, "id": "a", "weight": 3}, empty]}
    report = read_rubrics(json.dumps(tree).encode(), "t.json")
    assert report.rubrics[0].rubric.weights == (0.75, 0.0)
    assert report.lost == ("the share of nodes whose sub-tasks all weigh 0",)
