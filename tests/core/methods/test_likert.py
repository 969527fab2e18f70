from __future__ import annotations

import json

import pytest

from reward_lab.core.methods.likert import LIKERT, LIKERT_REFERENCE, Likert
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.core.verdict import Reason, Scored, Unscored
from tests.core.methods.asking import blocks, decoded, group_of, prompt, score

RUBRIC = Rubric(guidance="Be brief.", criteria=(Criterion(description="Says please."),))
GROUP = group_of("A", "B", reference="The reference.")


def question(method: Likert, rubric: Rubric = RUBRIC) -> Question:
    (one,) = method.questions(GROUP, GROUP.trajectories[:1], rubric, Arrangement())
    return one


@pytest.mark.parametrize("method", [LIKERT, LIKERT_REFERENCE], ids=lambda method: method.name)
def test_prose_is_shown_and_criteria_are_not(method: Likert) -> None:
    asked = question(method)
    assert decoded(asked, "rubric") == ["Be brief."]
    assert "Says please." not in prompt(asked)
    assert decoded(asked, "context") == [[*GROUP.scenario.conversation]]
    assert decoded(asked, "response") == [[{"role": "assistant", "content": "A"}]]
    assert blocks(question(method, Rubric()), "rubric") == []


def test_only_one_of_them_shows_the_reference() -> None:
    assert decoded(question(LIKERT_REFERENCE), "reference_answer") == ["The reference."]
    assert question(LIKERT_REFERENCE).task.reference == "The reference."
    assert blocks(question(LIKERT), "reference_answer") == []
    assert "The reference." not in prompt(question(LIKERT))
    assert question(LIKERT).task.reference is None


@pytest.mark.parametrize("reference", [None, "", "  \n"])
def test_without_a_reference(reference: str | None) -> None:
    group = group_of("A", reference=reference)
    obstacle = LIKERT_REFERENCE.obstacle(group, RUBRIC)
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_REFERENCE
    assert LIKERT.obstacle(group, RUBRIC) is None
    assert LIKERT_REFERENCE.obstacle(GROUP, RUBRIC) is None


def test_the_top_of_the_scale_is_a_setting() -> None:
    rubric = Rubric(scoring=Scoring(likert_max=5))
    asked = question(LIKERT, rubric)
    assert "1 (as bad as can be) to 5 (nothing to improve)" in prompt(asked)
    assert asked.task.rating_max == 5
    assert LIKERT.scale(rubric) == (1.0, 5.0)
    verdicts = score(LIKERT, GROUP, rubric, lambda asked: '{"explanation": "e", "rating": 7}')
    assert all(isinstance(one, Unscored) and one.reason is Reason.OUT_OF_RANGE for one in verdicts)


@pytest.mark.parametrize(("rating", "from_one", "share"), [(1, 0.0, 0.1), (7, 6 / 9, 0.7), (10, 1.0, 1.0)])
def test_rewards(rating: int, from_one: float, share: float) -> None:
    (verdict, _) = score(LIKERT, GROUP, RUBRIC, lambda asked: json.dumps({"explanation": "e", "rating": rating}))
    assert verdict == Scored("t1", float(rating), "e")
    assert LIKERT.reward(rating, RUBRIC) == pytest.approx(from_one)
    assert LIKERT.reward(rating, Rubric(scoring=Scoring(likert_normalising="share"))) == pytest.approx(share)


def test_half_a_point_is_unscored() -> None:
    (verdict, _) = score(LIKERT, GROUP, RUBRIC, lambda asked: '{"explanation": "e", "rating": 7.5}')
    assert isinstance(verdict, Unscored)
    assert verdict.reason is Reason.UNREADABLE_REPLY
