from __future__ import annotations

import json
from typing import Literal

import pytest

from reward_lab.core.methods.explicit import EXPLICIT
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.rewards import points_score
from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring
from reward_lab.core.verdict import CriterionVerdict, Reason, Scored, Unscored
from tests.core.methods.asking import blocks, decoded, failed, group_of, prompt, replied, score

CRITERIA = (
    Criterion(title="Number", description="Names 42.", weight=5, category=Category.ESSENTIAL),
    Criterion(title="Source", description="Names the source.", weight=3, category=Category.IMPORTANT),
    Criterion(title="Invents", description="Invents a fact.", weight=-1, category=Category.PITFALL, meets_when=False),
    Criterion(description="Avoids jargon.", weight=-2, category=Category.PITFALL),
)
OWN = Rubric(criteria=CRITERIA, scoring=Scoring(weights="own"))
BY_CATEGORY = Rubric(criteria=CRITERIA)
EACH = Rubric(criteria=CRITERIA, scoring=Scoring(weights="own", explicit_calls="per_criterion"))
GROUP = group_of("It is 42.")
TRUE_OF = {"Names 42.": True, "Names the source.": False, "Invents a fact.": True, "Avoids jargon.": True}


def literal(question: Question) -> str:
    """Whether each statement is literally true, whatever its order in the prompt."""
    shown = blocks(question, "criterion")
    if question.task.kind == "criterion":
        return json.dumps({"explanation": "e", "met": TRUE_OF[json.loads(shown[0][1])]})
    return json.dumps(
        {
            "criteria": [
                {"id": one, "explanation": json.loads(body), "met": TRUE_OF[json.loads(body)]} for one, body in shown
            ]
        }
    )


@pytest.mark.parametrize("repeat", range(4))
@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        # met: Names 42 (5 of 11), Avoids jargon (2 of 11)
        pytest.param(OWN, 7 / 11, id="own weights"),
        pytest.param(EACH, 7 / 11, id="own weights, one call a criterion"),
        # Essential 1.0 + Pitfall 0.9 of 1.0 + 0.7 + 0.9 + 0.9
        pytest.param(BY_CATEGORY, 1.9 / 3.5, id="by category"),
    ],
)
def test_score_by_hand_in_any_order_of_criteria(rubric: Rubric, expected: float, repeat: int) -> None:
    (verdict,) = score(EXPLICIT, GROUP, rubric, literal, Arrangement(11, repeat))
    assert isinstance(verdict, Scored)
    assert verdict.score == pytest.approx(expected)
    assert [(mark.position, mark.truth) for mark in verdict.criteria] == list(enumerate(TRUE_OF.values()))
    assert verdict.explanation == "2 of 4 criteria met; not met: Source, Invents."


def test_orders_differ_between_repeats() -> None:
    orders = {
        tuple(decoded(EXPLICIT.questions(GROUP, GROUP.trajectories, OWN, Arrangement(0, repeat))[0], "criterion"))
        for repeat in range(6)
    }
    assert tuple(TRUE_OF) in orders
    assert len(orders) > 2


def test_the_judge_is_asked_for_the_statement_alone() -> None:
    (asked,) = EXPLICIT.questions(GROUP, GROUP.trajectories, OWN, Arrangement())
    assert decoded(asked, "criterion") == list(TRUE_OF)
    assert blocks(asked, "reference_answer") == blocks(asked, "rubric") == []
    assert "literally true of the response" in prompt(asked)
    assert "weight" not in prompt(asked)
    assert asked.task.kind == "criteria"


def test_one_call_a_criterion() -> None:
    asked = EXPLICIT.questions(GROUP, GROUP.trajectories, EACH, Arrangement(0, 2))
    assert [decoded(one, "criterion") for one in asked] == [[description] for description in TRUE_OF]
    assert [one.task.criteria for one in asked] == [(("1", criterion),) for criterion in CRITERIA]
    assert {one.task.kind for one in asked} == {"criterion"}
    assert len({one.messages[0]["content"] for one in asked}) == 1


def test_all_met_says_so() -> None:
    rubric = Rubric(criteria=CRITERIA[:1])
    (verdict,) = score(EXPLICIT, GROUP, rubric, literal)
    assert verdict == Scored("t1", 1.0, "1 of 1 criteria met.", (CriterionVerdict(0, True, "Names 42."),))


def test_a_criterion_left_out_leaves_the_response_unscored_with_its_marks() -> None:
    reply = json.dumps({"criteria": [{"id": "3", "met": True, "explanation": "e3"}, {"id": "1", "met": False}]})
    (verdict,) = score(EXPLICIT, GROUP, OWN, lambda asked: reply)
    assert isinstance(verdict, Unscored)
    assert verdict.reason is Reason.WRONG_IDS
    assert "criterion 2, 4:" in verdict.detail
    assert verdict.raw_reply == reply
    assert verdict.criteria == (
        CriterionVerdict(0, False),
        CriterionVerdict(1, None),
        CriterionVerdict(2, True, "e3"),
        CriterionVerdict(3, None),
    )


def test_a_criterion_left_open() -> None:
    entries = [{"id": str(number), "met": None if number == 2 else True, "explanation": "e"} for number in range(1, 5)]
    (verdict,) = score(EXPLICIT, GROUP, OWN, lambda asked: json.dumps({"criteria": entries}))
    assert isinstance(verdict, Unscored)
    assert verdict.reason is Reason.REFUSAL
    assert [mark.truth for mark in verdict.criteria] == [True, None, True, True]


def test_one_call_of_several_that_fails_names_its_criterion() -> None:
    asked = EXPLICIT.questions(GROUP, GROUP.trajectories, EACH, Arrangement())
    replies = [replied(one, literal(one)) for one in asked]
    replies[1] = failed(asked[1])
    replies[3] = replied(asked[3], "MET/UNMET")
    (verdict,) = EXPLICIT.verdicts(GROUP, GROUP.trajectories, EACH, replies)
    assert isinstance(verdict, Unscored)
    assert verdict.reason is Reason.TIMEOUT
    assert verdict.detail == "Criterion 2, Source: No reply within 60 s: raise the timeout."
    assert [mark.truth for mark in verdict.criteria] == [True, None, True, None]


def test_obstacles() -> None:
    obstacle = EXPLICIT.obstacle(GROUP, Rubric(guidance="prose"))
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_CRITERIA
    weightless = Rubric(
        criteria=(Criterion(description="a", weight=0), Criterion(description="b", weight=-0.0)),
        scoring=Scoring(weights="own"),
    )
    obstacle = EXPLICIT.obstacle(GROUP, weightless)
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_WEIGHT
    assert EXPLICIT.obstacle(GROUP, OWN) is None


def test_only_pitfalls_stay_in_bounds() -> None:
    rubric = Rubric(criteria=CRITERIA[2:3], scoring=Scoring(weights="own"))
    (hit,) = score(EXPLICIT, GROUP, rubric, literal)
    assert isinstance(hit, Scored)
    assert hit.score == 0.0
    (clean,) = score(EXPLICIT, GROUP, rubric, lambda asked: '{"criteria": [{"id": 1, "met": "UNMET"}]}')
    assert isinstance(clean, Scored)
    assert clean.score == 1.0


POINTS = OWN.model_copy(update={"scoring": Scoring(weights="own", explicit_scale="points")})


def test_by_points_a_fault_costs_its_weight() -> None:
    # won: Names 42 (5) and Avoids jargon where it is met when true; lost: Invents a fact.
    (verdict,) = score(EXPLICIT, GROUP, POINTS, literal)
    assert isinstance(verdict, Scored)
    truths = [float(one) for one in TRUE_OF.values()]
    assert verdict.score == points_score(POINTS.weights, truths, [one.meets_when for one in CRITERIA])
    low, high = EXPLICIT.scale(POINTS)
    assert low < 0 < verdict.score < high == 1.0
    assert EXPLICIT.scale(OWN) == (0.0, 1.0)


def test_by_points_there_must_be_points_to_win() -> None:
    faults = tuple(one for one in CRITERIA if not one.meets_when)
    obstacle = EXPLICIT.obstacle(GROUP, POINTS.model_copy(update={"criteria": faults}))
    assert obstacle is not None
    assert obstacle.reason is Reason.NO_WEIGHT
    assert "no points can be won" in obstacle.detail


@pytest.mark.parametrize("calls", ["per_response", "per_criterion"])
def test_a_statement_can_be_partly_true_where_the_rubric_has_it(
    calls: Literal["per_response", "per_criterion"],
) -> None:
    scoring = Scoring(weights="own", partial=True, explicit_calls=calls)
    partial = OWN.model_copy(update={"scoring": scoring})

    def partly(question: Question) -> str:
        one = {"explanation": "e", "met": "partly"}
        if question.task.kind == "criterion":
            return json.dumps(one)
        return json.dumps({"criteria": [{"id": number, **one} for number, _ in blocks(question, "criterion")]})

    (verdict,) = score(EXPLICIT, GROUP, partial, partly)
    assert isinstance(verdict, Scored)
    assert verdict.score == pytest.approx(0.5)
    assert {mark.truth for mark in verdict.criteria} == {0.5}
    assert verdict.explanation.startswith("0 of 4 criteria met; partly met: ")
    asked = EXPLICIT.questions(GROUP, GROUP.trajectories, partial, Arrangement())[0]
    assert '"partly"' in str(asked.messages[0]["content"])
    (unscored,) = score(EXPLICIT, GROUP, OWN, partly)
    assert not isinstance(unscored, Scored)
