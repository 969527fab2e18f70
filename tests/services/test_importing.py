"""A file is seen before anything is stored."""

from __future__ import annotations

import json

import pytest

from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups import BadLine, Mapping, Role
from reward_lab.services.importing import Importing

RATED = b"""question,reply,rating,rater
q1,a,3,ann
q1,b,high,ann
q1,c,4,bob
q2,d,5,ann
q2,e
q3,f,1,ann
"""


def test_a_preview_counts_everything_and_shows_the_first_groups() -> None:
    seen = Importing().preview(RATED, "rated.csv", limit=2)
    assert (seen.kind, seen.problem) == ("table", "")
    assert [(column.name, column.role, column.examples) for column in seen.columns] == [
        ("question", Role.PROMPT, ("q1", "q2", "q3")),
        ("reply", Role.RESPONSE, ("a", "b", "c")),
        ("rating", Role.SCORE, ("3", "high", "4")),
        ("rater", Role.ANNOTATOR, ("ann", "bob")),
    ]
    assert [one.group.id for one in seen.groups] == ["line-2", "line-5"]
    assert (seen.group_count, seen.response_count, seen.labels) == (3, 4, (("ann", 3), ("bob", 1)))
    assert seen.sizes == "2 groups with 1 response, 1 with 2"
    assert seen.bad == (
        BadLine(3, "column 'rating': 'high' is not a number"),
        BadLine(
            6,
            ("it has 2 cells where the head names 4 columns: put cells with commas, quotes or line breaks in quotes"),
        ),
    )
    assert seen.bad_count == 2


def test_a_corrected_mapping_is_used_and_one_that_is_unfit_keeps_the_columns_in_sight() -> None:
    importing = Importing()
    guessed = importing.preview(RATED, "rated.csv").mapping
    without = Mapping({**guessed.roles, "rating": Role.IGNORE})
    assert importing.preview(RATED, "rated.csv", without).labels == ()
    unfit = importing.preview(RATED, "rated.csv", Mapping({**guessed.roles, "reply": Role.COMMENT}))
    assert unfit.problem.startswith("No column holds responses: give one the role 'response'")
    assert (len(unfit.columns), unfit.group_count, unfit.bad_count) == (4, 0, 1)


def test_our_own_lines_need_no_columns() -> None:
    line = {"id": "g", "trajectories": [{"id": "a", "text": "x"}]}
    line["labels"] = [{"annotator": "ann", "responses": {"a": {"score": 1}}}]
    bad = {"id": "h", "trajectories": []}
    seen = Importing().preview("\n".join(map(json.dumps, [line, bad])).encode(), "groups.jsonl")
    assert (seen.kind, seen.columns, seen.group_count, seen.labels) == ("groups", (), 1, (("ann", 1),))
    assert seen.bad == (BadLine(2, "Group 'h': a group needs at least one trajectory."),)


def test_all_groups_are_given_and_bad_lines_passed_over() -> None:
    importing = Importing()
    assert [one.lines for one in importing.groups(RATED, "rated.csv")] == [(2, 4), (5,), (7,)]
    with pytest.raises(InvalidInput, match="No column holds responses"):
        importing.groups(RATED, "rated.csv", Mapping({"question": Role.PROMPT}))


def test_many_bad_lines_are_counted_and_the_first_are_told() -> None:
    seen = Importing().preview(b"prompt,response\np,r\n" + b"x\n" * 80, "x.csv")
    assert (len(seen.bad), seen.bad[0].number, seen.bad_count) == (50, 3, 80)


def test_many_sizes_are_told_by_the_most_frequent() -> None:
    rows = [{"prompt": f"{size}-{size}", "response": str(one)} for size in range(1, 9) for one in range(size)]
    rows += [{"prompt": f"more {one // 4}", "response": str(one)} for one in range(8)]
    seen = Importing().preview("\n".join(map(json.dumps, rows)).encode(), "")
    assert seen.sizes == "3 groups with 4 responses, 1 with 1, 1 with 2, 1 with 3, 1 with 5, 3 with other numbers"
