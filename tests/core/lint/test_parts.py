from __future__ import annotations

import pytest

from reward_lab.core.rubric import Scoring
from tests.core.lint.statements import found, rubric_of


@pytest.mark.parametrize(
    ("description", "first", "second"),
    [
        ("Identifies the diagnosis and recommends surgery.", "identifies", "recommends"),
        ("Does the response describe the risks and explain how to lower them?", "describe", "explain"),
        ("The response should state the deadline, and also mention the fee.", "state", "mention"),
        ("Explains that the fee is waived, and lists the exceptions.", "explains", "lists"),
        ("Understands the request, and then provides a template.", "understands", "provides"),
        ("Apologizes to the user as well as offers a refund.", "apologizes", "offers"),
        ("States the dose and notes that it must be halved for children.", "states", "notes"),
        ("Correctly solves the equation and arrives at 42.", "solves", "arrives"),
        ("Breaks down the energy at each stage and shows that the totals are equal.", "breaks", "shows"),
        ("Avoids jargon and summarizes the result.", "avoids", "summarizes"),
    ],
)
def test_two_acts(description: str, first: str, second: str) -> None:
    (finding,) = found(rubric_of(description), "compound")
    assert finding.level == "warning"
    assert finding.message.startswith(f'Criterion 1 asks for two things, "{first} ..." and "{second} ..."')


def test_what_it_means_depends_on_partial_verdicts() -> None:
    rubric = rubric_of("Identifies the cause and recommends rest.", "Names hull, keel, mast, sail, and rudder.")
    partial = rubric.model_copy(update={"scoring": Scoring(partial=True)})
    for rule, whole, half in [
        ("compound", "is false to one judge and true to another.", "counts half, however much of it."),
        ("long_list", "is true only of a response with all of them.", "counts half for any of them."),
    ]:
        assert [one.message.endswith(whole) for one in found(rubric, rule)] == [True]
        assert [one.message.endswith(half) for one in found(partial, rule)] == [True]


@pytest.mark.parametrize(
    ("description", "demands"),
    [
        ("The answer must be polite. It must name the deadline.", 2),
        ("Step 1: Is it correct? If not, fail.\nStep 2: Is it complete? If not, fail.", 2),
        ("It should be short.\nIt should be clear.\nIt should cite a source.", 3),
    ],
)
def test_several_demands(description: str, demands: int) -> None:
    (finding,) = found(rubric_of(description), "compound")
    assert finding.message.startswith(f"Criterion 1 makes {demands} demands in as many sentences")


@pytest.mark.parametrize(
    "description",
    [
        "States the name and address of the shop.",
        "Mentions discounts and offers for members.",
        "Explains that the tool reads the file and reports the total.",
        "Notes that the author argues for reform and states his reasons.",
        "Names the author who argues for reform and states the reasons.",
        "Compares the costs and benefits of leasing.",
        "Gives a list of risks and notes.",
        "Does the response provide a title and list of steps?",
        "Advises the user to rest and drink water.",
        "Uses a calm and friendly tone.",
        "Identifies and explains the cause.",
        "States the deadline. (It must be the one of the contract, and the fee must be right.)",
        "Answers in German. The user wrote in German, so any other language is of no use.",
        "说明期限并解释原因",
        "Nennt die Frist und erklärt den Grund.",
    ],
)
def test_one_demand(description: str) -> None:
    assert not found(rubric_of(description), "compound")


@pytest.mark.parametrize(
    ("description", "items"),
    [
        ("Documents the lesion, including site, size, shape, color, and border.", 5),
        ("Mentions nausea, vomiting, dizziness, headache and fatigue.", 5),
        ("Lists all causes: drought, war, inflation, corruption, floods, and debt.", 6),
        ("Names the parts, namely hull, keel, mast, sail, and rudder.", 5),
    ],
)
def test_long_lists(description: str, items: int) -> None:
    (finding,) = found(rubric_of(description), "long_list")
    assert finding.level == "note"
    assert finding.message.startswith(f"Criterion 1 lists {items} things")


@pytest.mark.parametrize(
    "description",
    [
        "Names side effects such as nausea, vomiting, dizziness, headache, and fatigue.",
        "Mentions at least two of nausea, vomiting, dizziness, headache, and fatigue.",
        "Mentions nausea, vomiting, dizziness, headache, or fatigue.",
        "Names a cause (drought, war, inflation, corruption, floods, and debt).",
        "Explains that, in spring, when the snow melts high up in the valleys, rivers rise, and fields.",
        "Uses the format 1, 2, 3, 4, 5, 6.",
    ],
)
def test_short_lists_and_examples(description: str) -> None:
    assert not found(rubric_of(description), "long_list")
