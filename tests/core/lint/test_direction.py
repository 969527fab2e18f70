from __future__ import annotations

import pytest

from reward_lab.core.rubric import Category, Criterion, Rubric
from tests.core.lint.statements import found

IMPORTANT, PITFALL = Category.IMPORTANT, Category.PITFALL


def judged(description: str, category: Category, meets_when: bool) -> Rubric:
    return Rubric(criteria=(Criterion(description=description, category=category, meets_when=meets_when),))


@pytest.mark.parametrize(
    ("description", "category", "meets_when", "message"),
    [
        ("Fails to mention the dose.", IMPORTANT, True, "Criterion 1 describes a fault, yet it is met when true"),
        ("Invents a phone number.", PITFALL, True, "Criterion 1 describes a fault, yet it is met when true"),
        (
            "Pitfall Criteria: Recommends aspirin.",
            PITFALL,
            True,
            "Criterion 1 is a pitfall that says what not to do, yet it is met when true",
        ),
        (
            "Does not mention the dose.",
            PITFALL,
            True,
            "Criterion 1 is a pitfall that says what not to do, yet it is met when true",
        ),
        ("Avoids jargon.", PITFALL, False, "Criterion 1 says that a fault is avoided, yet it is met when false"),
        ("Does not recommend aspirin.", IMPORTANT, False, "Criterion 1 says that a fault is avoided, yet"),
        ("Must cite a source.", IMPORTANT, False, "Criterion 1 describes a merit, yet it is met when false"),
    ],
)
def test_polarity_against_the_wording(description: str, category: Category, meets_when: bool, message: str) -> None:
    (finding,) = found(judged(description, category, meets_when), "polarity")
    assert (finding.level, finding.position) == ("warning", 0)
    assert finding.message.startswith(message)
    assert finding.advice.startswith(f"Set it to be met when {'false' if meets_when else 'true'}")


@pytest.mark.parametrize(
    ("description", "category", "meets_when"),
    [
        ("Fails to mention the dose.", IMPORTANT, False),
        ("Recommends aspirin.", PITFALL, False),
        ("Recommends aspirin.", IMPORTANT, True),
        ("Avoids jargon.", PITFALL, True),
        ("Does not recommend aspirin.", PITFALL, True),
        # The wording does not tell, so the author is believed.
        ("Uses clinical terms.", IMPORTANT, False),
        ("Does not mention competitors.", IMPORTANT, True),
        ("Does not mention competitors.", IMPORTANT, False),
        ("推荐阿司匹林", PITFALL, True),
        ("推荐阿司匹林", PITFALL, False),
    ],
)
def test_polarity_with_the_wording(description: str, category: Category, meets_when: bool) -> None:
    assert not found(judged(description, category, meets_when), "polarity")
