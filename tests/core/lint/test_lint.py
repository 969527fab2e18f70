from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.lint import findings
from reward_lab.core.rubric import Category, Criterion, Rubric
from tests.core.real_rubrics import real_rubrics

REAL = {
    "healthbench-0": {"compound": 3},
    "healthbench-2": {"compound": 3, "long_list": 1},
    "healthbench-4": {"compound": 2},
    "healthbench-6": {"compound": 4},
    "healthbench-8": {},
    "biggen-planning_travel_plan_0": {},
    "biggen-reasoning_deductive_8": {},
    "biggen-refinement_replanning_7": {},
    "paperbench-semantic-self-consistency": {
        "many_criteria": 1,
        "no_pitfall": 1,
        "no_essential": 1,
        "equal_weights": 1,
        "not_self_contained": 4,
        "duplicate": 4,
        "near_duplicate": 2,
        "vague": 2,
    },
    "researchqa-174539434801411914-s": {"no_pitfall": 1, "no_essential": 1, "equal_weights": 1, "near_duplicate": 1},
    "researchqa-174539434801412500-s": {"no_pitfall": 1, "no_essential": 1, "equal_weights": 1},
}
"""Findings by rule on the real rubrics; each was read by a person and found sensible."""


@pytest.mark.parametrize("name", REAL)
def test_real_rubrics(name: str) -> None:
    assert Counter(one.rule for one in findings(real_rubrics()[name])) == REAL[name]


def test_all_real_rubrics_are_looked_at() -> None:
    assert real_rubrics().keys() == REAL.keys()


def test_the_order_is_of_the_whole_first_then_by_criterion_warnings_first() -> None:
    rubric = Rubric(
        criteria=(
            Criterion(description="Is helpful."),
            Criterion(description="Gives the correct answer and states the dose."),
            Criterion(description="Is helpful."),
        )
    )
    assert [(one.position, one.rule, one.level) for one in findings(rubric)] == [
        (None, "no_pitfall", "note"),
        (None, "no_essential", "note"),
        (None, "equal_weights", "note"),
        (0, "vague", "note"),
        (1, "compound", "warning"),
        (1, "not_self_contained", "note"),
        (2, "duplicate", "warning"),
        (2, "vague", "note"),
    ]


def test_two_hundred_criteria_are_quick() -> None:
    verbs = ["States", "Explains", "Avoids", "Recommends", "Does not mention"]
    criteria = tuple(
        Criterion(
            description=f"{verbs[place % 5]} what the clause about item{place % 40} says of refunds, postage and the "
            f"deadline for returns in region{place // 40}, and how a customer in a hurry can ask for an exception.",
            category=list(Category)[place % 4],
        )
        for place in range(200)
    )
    rubric = Rubric(criteria=criteria)
    findings(rubric)
    took_s = []
    for _ in range(5):
        started = time.process_time()
        findings(rubric)
        took_s.append(time.process_time() - started)
    # The best of five: other tests' threads count into this process's time.
    assert min(took_s) < 0.3


@pytest.mark.parametrize(
    "unit",
    [
        *("a ", "and states the ", "(", ", x", "退", "the the ", "\n", "including ", "must. A"),
        *(
            ", clear",
            "; the ",
            " as well as the ",
            "states the a, ",
            " and the ",
            " names, names the ",
            "is clear and ",
        ),
    ],
)
def test_hostile_lengths_take_no_time(unit: str) -> None:
    openings = ("x", "states the x", "is clear")
    criteria = tuple(Criterion(description=one + unit * (100_000 // len(unit))) for one in openings)
    rubric = Rubric(criteria=criteria, guidance=unit * 100_000)
    started = time.process_time()
    findings(rubric, reference=unit * 10_000)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "description",
    [
        f"Names the {'x' * 5000}s{{}} and the address of the shop in town.",
        f"{'x' * 5000}s the dose and explains{{}} why.",
        f"Names the above {'x' * 5000}{{}}.",
    ],
)
def test_messages_stay_short(description: str) -> None:
    rubric = Rubric(criteria=tuple(Criterion(description=description.format(one)) for one in ("", " soon", "")))
    found = findings(rubric)
    assert any(one.position is not None for one in found)
    assert max(len(one.message) for one in found) < 500


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=6), st.none() | st.text())
def test_any_text_is_linted(descriptions: list[str], reference: str | None) -> None:
    rubric = Rubric(criteria=tuple(Criterion(description=one) for one in descriptions))
    for finding in findings(rubric, reference=reference):
        assert finding.position is None or 0 <= finding.position < len(descriptions)
        assert finding.message.endswith(".")
        assert len(finding.message) < 500
        assert "\n" not in finding.message + finding.advice
