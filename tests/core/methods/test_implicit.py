from __future__ import annotations

import pytest

from reward_lab.core.methods.implicit import IMPLICIT
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring
from reward_lab.core.verdict import Reason, Scored
from tests.core.methods.asking import blocks, changed, decoded, group_of, prompt, score

RUBRIC = Rubric(
    guidance="Be kind.",
    criteria=(
        Criterion(title="Number", description="Names 42.", category=Category.ESSENTIAL, weight=5),
        Criterion(description="Invents a fact.", category=Category.PITFALL, weight=-2, meets_when=False),
    ),
)
GROUP = group_of("It is 42.")


def question(rubric: Rubric = RUBRIC, repeat: int = 0) -> Question:
    (one,) = IMPLICIT.questions(GROUP, GROUP.trajectories, rubric, Arrangement(0, repeat))
    return one


@pytest.mark.parametrize(("weights", "shown"), [("category", ("1", "0.9")), ("own", ("5", "2"))])
def test_importance_and_polarity_are_said_in_words(weights: str, shown: tuple[str, str]) -> None:
    rubric = changed(RUBRIC, scoring=Scoring.model_validate({"weights": weights}))
    assert decoded(question(rubric), "criterion") == [
        {
            "title": "Number",
            "statement": "Names 42.",
            "importance": f"Essential, weight {shown[0]}",
            "polarity": "good when the statement is true of the response",
        },
        {
            "statement": "Invents a fact.",
            "importance": f"Pitfall, weight {shown[1]}",
            "polarity": "bad when the statement is true of the response, good when it is false",
        },
    ]


def test_weights_follow_their_criteria_in_any_order() -> None:
    orders = set()
    for repeat in range(6):
        listed = decoded(question(repeat=repeat), "criterion")
        orders.add(tuple(one["statement"] for one in listed))
        assert {one["statement"]: one["importance"] for one in listed} == {
            "Names 42.": "Essential, weight 1",
            "Invents a fact.": "Pitfall, weight 0.9",
        }
        assert [criterion.description for _, criterion in question(repeat=repeat).task.criteria] == [
            one["statement"] for one in listed
        ]
    assert len(orders) == 2


def test_the_whole_rubric_is_shown() -> None:
    assert decoded(question(), "rubric") == ["Be kind."]
    assert blocks(question(changed(RUBRIC, guidance="")), "rubric") == []
    assert "to 10 (nothing to improve)" in prompt(question())


def test_without_criteria() -> None:
    obstacle = IMPLICIT.obstacle(GROUP, Rubric(guidance="prose"))
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_CRITERIA
    assert IMPLICIT.obstacle(GROUP, RUBRIC) is None


def test_the_rating_is_the_score() -> None:
    assert score(IMPLICIT, GROUP, RUBRIC, lambda asked: '{"explanation": "e", "rating": 8}') == [Scored("t1", 8.0, "e")]
    assert IMPLICIT.reward(8.0, RUBRIC) == pytest.approx(7 / 9)
