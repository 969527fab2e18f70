from __future__ import annotations

import pytest

from reward_lab.core.lint import Finding, findings
from reward_lab.core.rubric import Category, Contains, Criterion, Rubric
from tests.core.lint.statements import categorised, found, rubric_of, weighted

ESSENTIAL, IMPORTANT, OPTIONAL, PITFALL = Category


def test_a_rubric_without_a_fault_has_no_finding() -> None:
    assert findings(categorised(ESSENTIAL, IMPORTANT, PITFALL).model_copy(update={"guidance": "Be fair."})) == tuple(
        found(categorised(ESSENTIAL, IMPORTANT, PITFALL), "polarity")
    )


@pytest.mark.parametrize(
    "rubric",
    [
        categorised(ESSENTIAL, IMPORTANT, OPTIONAL),
        weighted(5, 3, 1),
        rubric_of("States the dose.", "Names the drug.", "Cites a source.", "Is signed."),
    ],
)
def test_no_pitfall(rubric: Rubric) -> None:
    assert [one.level for one in found(rubric, "no_pitfall")] == ["note"]


@pytest.mark.parametrize(
    "rubric",
    [
        categorised(ESSENTIAL, IMPORTANT, PITFALL),
        rubric_of("States the dose.", "Names the drug.", "Avoids jargon."),
        rubric_of("States the dose.", "Names the drug.", "Does not recommend aspirin."),
        Rubric(
            criteria=(*rubric_of("A is named.", "B is named.").criteria, Criterion(description="C", meets_when=False))
        ),
        rubric_of("States the dose.", "Names the drug.", "What it says is true, and nothing is made up."),
        categorised(ESSENTIAL, IMPORTANT),  # too few to be balanced
    ],
)
def test_a_fault_is_guarded_against(rubric: Rubric) -> None:
    assert not found(rubric, "no_pitfall")


@pytest.mark.parametrize("kinds", [(IMPORTANT,) * 3, (OPTIONAL, IMPORTANT, PITFALL), (PITFALL,) * 4])
def test_no_essential(kinds: tuple[Category, ...]) -> None:
    assert [one.level for one in found(categorised(*kinds), "no_essential")] == ["note"]


@pytest.mark.parametrize(
    "rubric", [categorised(ESSENTIAL, PITFALL, PITFALL), weighted(5, 3, 1), categorised(IMPORTANT)]
)
def test_something_is_essential_or_need_not_be(rubric: Rubric) -> None:
    assert not found(rubric, "no_essential")


@pytest.mark.parametrize(
    ("rubric", "message"),
    [
        (categorised(*[IMPORTANT] * 8), "All 8 criteria weigh the same (12.5% each)."),
        (weighted(2, -2, 2), "All 3 criteria weigh the same (33.3% each)."),
        (weighted(1, 1, 1, 1), "All 4 criteria weigh the same (25% each)."),
    ],
)
def test_equal_weights(rubric: Rubric, message: str) -> None:
    (finding,) = found(rubric, "equal_weights")
    assert (finding.level, finding.position, finding.message) == ("note", None, message)


@pytest.mark.parametrize("rubric", [categorised(ESSENTIAL, IMPORTANT, PITFALL), weighted(1, 1), weighted(1, 1, 1.5)])
def test_weights_that_differ(rubric: Rubric) -> None:
    assert not found(rubric, "equal_weights")


def test_weights_of_zero() -> None:
    assert [(one.position, one.level) for one in found(weighted(1, 0, 2), "zero_weight")] == [(1, "warning")]
    assert [one.level for one in found(weighted(0, 0, 0), "no_weight")] == ["warning"]
    assert not found(weighted(0, 0, 0), "equal_weights")
    assert not found(weighted(1, 2, 3), "no_weight")


@pytest.mark.parametrize(("count", "levels"), [(20, []), (40, []), (41, ["note"]), (100, ["note"]), (200, ["warning"])])
def test_many_criteria(count: int, levels: list[str]) -> None:
    many = found(categorised(*[IMPORTANT] * count), "many_criteria")
    assert [one.level for one in many] == levels
    if count == 200:
        assert (
            many[0].message == "The rubric has 200 criteria, each of 0.5% of the weight on average; 7 to 20 are usual."
        )


def test_guidance() -> None:
    assert not findings(Rubric(guidance="Prefer short answers."))
    (finding,) = findings(Rubric(guidance="word " * 1200))
    assert (finding.rule, finding.message) == (
        "long_guidance",
        "The guidance has 1,200 words, and is sent with every question.",
    )


def test_nothing_to_judge_by() -> None:
    assert [one.rule for one in findings(Rubric(guidance=" \n"))] == ["empty"]
    assert not findings(Rubric(verifiers=(Contains(value="30 days"),)))
    assert findings(Rubric())[0] == Finding(
        "empty",
        "note",
        "The rubric is empty: RULER then judges by its own general guidance, and RaR has nothing to check.",
        "Say in the guidance what a good response does, or add criteria.",
    )
