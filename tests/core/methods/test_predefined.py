from __future__ import annotations

import json

from reward_lab.core.methods.method import Arrangement
from reward_lab.core.methods.predefined import CRITERIA, PREDEFINED
from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.core.verdict import Scored
from tests.core.methods.asking import decoded, group_of, score

GROUP = group_of("It is 42.", reference=None)


def test_four_criteria_whatever_the_rubric() -> None:
    rubric = Rubric(
        guidance="prose",
        criteria=(Criterion(description="x", weight=0),),
        scoring=Scoring(weights="own", explicit_calls="per_criterion"),
    )
    (asked,) = PREDEFINED.questions(GROUP, GROUP.trajectories, rubric, Arrangement())
    assert decoded(asked, "criterion") == [criterion.description for criterion in CRITERIA]
    assert len(CRITERIA) == 4
    assert PREDEFINED.obstacle(GROUP, Rubric()) is None


def test_they_weigh_the_same() -> None:
    for met in range(5):
        reply = json.dumps({"criteria": [{"id": number, "met": number <= met} for number in (4, 2, 3, 1)]})
        (verdict,) = score(PREDEFINED, GROUP, Rubric(), lambda asked, reply=reply: reply)
        assert isinstance(verdict, Scored)
        assert verdict.score == met / 4
        assert [mark.truth for mark in verdict.criteria] == [place < met for place in range(4)]
