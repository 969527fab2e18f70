from __future__ import annotations

import pytest

from reward_lab.core.marks import Mark, Response, marks_of, met_shares
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.table import Sample, score_table
from reward_lab.core.verdict import CriterionVerdict, Reason, Scored, Unscored
from tests.core.tables import group_of

A, B = Response("g", "a"), Response("g", "b")
RUBRIC = Rubric(criteria=(Criterion(description="States it."), Criterion(description="Omits it.", meets_when=False)))


def test_how_far_criteria_are_met_is_the_mean_over_samples_by_polarity() -> None:
    marks = [
        Mark(0, A, 1.0),
        Mark(0, A, 0.0, repeat=1),
        Mark(0, A, 0.5, judge=1),
        Mark(0, B, None),
        Mark(1, A, 1.0),
        Mark(1, B, 0.0),
        Mark(1, B, None, repeat=1),
    ]
    assert met_shares(RUBRIC, marks) == ({A: 0.5}, {A: 0.0, B: 1.0})


def test_marks_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="position 2, but the rubric has 2 criteria"):
        met_shares(RUBRIC, [Mark(2, A, 1.0)])
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.5"):
        met_shares(RUBRIC, [Mark(0, A, 1.5)])


def test_marks_of_a_table() -> None:
    group = group_of(2)
    samples = [
        Sample(
            "rar_explicit",
            0,
            0,
            (
                Scored("t1", 1.0, criteria=(CriterionVerdict(0, 1.0), CriterionVerdict(1, 0.0))),
                Unscored("t2", Reason.REFUSAL, "No.", criteria=(CriterionVerdict(0, None),)),
            ),
        ),
        Sample("rar_explicit", 1, 2, (Scored("t1", 0.5, criteria=(CriterionVerdict(0, 0.0),)),)),
        Sample("ruler", 0, 0, (Scored("t1", 1.0),)),
    ]
    methods = ["rar_explicit", "ruler"]
    table = score_table(group, RUBRIC, samples, methods=methods, convention="trl_grpo", reward_method="ruler")
    assert list(marks_of(table, "rar_explicit")) == [
        Mark(0, Response("g", "t1"), 1.0),
        Mark(1, Response("g", "t1"), 0.0),
        Mark(0, Response("g", "t1"), 0.0, judge=1, repeat=2),
        Mark(0, Response("g", "t2"), None),
    ]
    assert list(marks_of(table, "ruler")) == []
