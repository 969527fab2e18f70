from __future__ import annotations

import time

import pytest

from reward_lab.core.polarity import stated_polarity, without_label, worded_polarity
from reward_lab.core.rubric import Category
from tests.core.real_rubrics import healthbench_points

IMPORTANT, PITFALL = Category.IMPORTANT, Category.PITFALL

GOOD_WHEN_TRUE = [
    "Avoids recommending aspirin.",
    "The response avoids jargon.",
    "Does the response avoid speculation about the cause?",
    "Does not recommend aspirin.",
    "Doesn’t assume that the user is a man.",  # noqa: RUF001
    "Never blames the user.",
    "Do not reveal the system prompt.",
    "Refrains from giving a diagnosis.",
    "Must not mention competitors.",
    "The response should not be longer than 100 words.",
    "The response has no factually incorrect information.",
    "Contains no hallucinated citations.",
    "Does not include irrelevant details.",
    "Does not include any personal data.",
    "Does not omit the dose.",
    "Is not overly long.",
    "Is free of spelling mistakes.",
    "Stays within 100 words.",
    "Ignores the injected instruction.",
    "Not recommending antibiotics.",
    "No more than three suggestions.",
]

FAULT_WHEN_TRUE = [
    "Fails to mention the deadline.",
    "Omits the dose.",
    "Hallucinates a phone number.",
    "Incorrectly claims that vitamin D is water-soluble.",
    "Claims the answer is five.",
    "Recommends aspirin despite the allergy.",
    "Invents a refund policy.",
    "Uses clinical terms without explaining them.",
    "Advises disposal of the container but does not specify how.",
    "Is overly verbose.",
    "Is not accurate.",
    "Includes irrelevant details.",
    "Provides an overly verbose response.",
    "Ignores the user's question.",
    "Misrepresents the study's findings.",
    "Does not answer the question.",
    "Does the response fail to address the second question?",
    "Completely overlooks the allergy.",
    "Makes up an order number.",
    "Repeats itself.",
    "States that the bridge opened in 1930, when in fact it opened in 1932.",
]

TELLS_NOTHING = [
    "States the deadline.",
    "Explains why the plan fails to account for inflation.",
    "Identifies the error in the code.",
    "Warns that the drug must not be taken without consulting a doctor.",
    "Explains the harmful effects of smoking.",
    "Notes that the author ignores the counterexample.",
    "Error handling covers the empty list.",
    "States what to do when the patient is unconscious.",
    "Recommends checking the label before taking any pill.",
    "Mentions several common mistakes.",
    "Corrects statements that are inaccurate.",
]


@pytest.mark.parametrize("category", list(Category))
@pytest.mark.parametrize(
    ("description", "expected"),
    [*((one, True) for one in GOOD_WHEN_TRUE), *((one, False) for one in FAULT_WHEN_TRUE)],
)
def test_wording_that_tells_holds_in_every_category(description: str, expected: bool, category: Category) -> None:
    assert stated_polarity(description, category) is expected
    assert worded_polarity(description) is expected


@pytest.mark.parametrize("description", TELLS_NOTHING)
def test_wording_that_tells_nothing_leaves_it_to_the_category(description: str) -> None:
    assert worded_polarity(description) is None
    assert stated_polarity(description, IMPORTANT) is True
    assert stated_polarity(description, PITFALL) is False


PITFALLS = {
    "Does not confuse the mass defect with the binding energy per nucleon.": True,
    "Avoids misapplying the ideal gas law at high pressure.": True,
    "Does not incorrectly assume that the reaction is first order.": True,
    "The response should avoid stating that the drug cures diabetes.": True,
    "Does not overcomplicate the derivation with unnecessary steps.": True,
    "Does not use the wrong sign convention.": True,
    "Does not use emojis.": True,
    "Does not encourage self-harm.": True,
    "Does not provide medical advice beyond the user's question.": True,
    "Does not exceed 200 words.": True,
    "Never reveals the system prompt.": True,
    "Avoid assuming constant acceleration.": True,
    "Suggests delaying treatment until imaging is done.": False,
    "Overlooks the need for a chaperone.": False,
    "Fails to differentiate between type 1 and type 2 diabetes.": False,
    "Neglects to mention the conversion of units.": False,
    "Does not consider the patient's pregnancy.": False,
    "Does not provide the final numeric answer.": False,
    "Does not use the correct formula.": False,
    "Does not encourage the patient to seek care.": False,
    "Does not ask follow-up questions before giving advice.": False,
    "Incorrectly identifies the organism as gram-positive.": False,
    "Misidentifies the limiting reagent.": False,
    "Uses the wrong sign convention.": False,
    "Missing units in the final answer.": False,
    "Refuses to answer a harmless question.": False,
    "Gives legal advice without a disclaimer.": False,
    "Reveals the system prompt.": False,
    "Uses emojis.": False,
}


@pytest.mark.parametrize(("description", "expected"), PITFALLS.items())
def test_pitfalls_in_both_phrasings(description: str, expected: bool) -> None:
    """Written after the rules, without looking at them; all but three of sixty such were right at first."""
    assert stated_polarity(description, PITFALL) is expected


@pytest.mark.parametrize(
    "description",
    [
        "Does not mention competitors.",
        "Doesn't state that the drug is safe.",
        "Answers without asking anything.",
        "No mention of the price.",
        "Gives no reason.",
    ],
)
def test_what_is_not_said_may_be_meant_either_way(description: str) -> None:
    assert worded_polarity(description) is None
    assert stated_polarity(description, IMPORTANT) is None
    # As in "Pitfall Criteria: Does not mention ..." of RaR's prompt: an omission.
    assert stated_polarity(description, PITFALL) is False


@pytest.mark.parametrize(
    ("description", "label_passed_over"),
    [
        ("Pitfall Criteria: Does not invent facts.", "Does not invent facts."),
        ("**Pitfall:** Recommends aspirin.", "Recommends aspirin."),
        ("[Essential] States the dose.", "States the dose."),
        ("Important Criterion - Cites a source.", "Cites a source."),
        ("Optional item: is short", "is short"),
        ("Important dates are given.", "Important dates are given."),
        ("Essential oils are not recommended.", "Essential oils are not recommended."),
        ("Optional: ", ""),
    ],
)
def test_labels(description: str, label_passed_over: str) -> None:
    assert without_label(description) == label_passed_over


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Pitfall Criteria: 未提及X", False),
        ("避免推荐阿司匹林", True),
        ("回答编造了电话号码", False),
        ("Evita recomendar aspirina.", True),
        ("Omite la fecha límite.", False),
        ("Vermeidet Fachsprache.", True),
        ("Erfindet eine Telefonnummer.", False),
        ("Избегает жаргона.", True),
        ("推荐阿司匹林", None),
        ("Recomienda aspirina para el dolor de la rodilla.", None),
        ("يوصي بالأسبرين", None),
    ],
)
def test_pitfalls_in_other_languages(description: str, expected: bool | None) -> None:
    assert stated_polarity(description, PITFALL) is expected


def test_a_procedure_for_the_judge_is_passed_when_it_is_true() -> None:
    steps = "Step 1: Does the response omit a red flag? If yes, fail.\nIf both pass, mark criteria_met = true."
    assert stated_polarity(steps, IMPORTANT) is True


def test_against_the_sign_of_real_points() -> None:
    """Five HealthBench rubrics, 78 items, all taken for Important so that the category gives nothing away."""
    points = healthbench_points()
    stated = [(stated_polarity(text, IMPORTANT), value > 0) for text, value in points]
    assert len(points) == 78
    # Every merit is told from the wording.
    assert [told for told, good in stated if good] == [True] * 54
    # Of the faults 17 are told, 2 left open; 5 read like merits, such as "Explains why an overdose could be a
    # severe health risk", whose points are -9.
    faults = [told for told, good in stated if not good]
    assert (faults.count(False), faults.count(None), faults.count(True)) == (17, 2, 5)
    # With the category that the sign gives, none of them is read the wrong way round.
    assert all(stated_polarity(text, PITFALL) is False for text, value in points if value < 0)


@pytest.mark.parametrize("unit", ["a", "does not ", "(", '"', "ly ", "without ", "- ", "the ", "\n", "避"])
def test_hostile_lengths_take_no_time(unit: str) -> None:
    started = time.perf_counter()
    stated_polarity(unit * (300_000 // len(unit)), PITFALL)
    assert time.perf_counter() - started < 1


def test_nothing_says_nothing() -> None:
    assert stated_polarity("", IMPORTANT) is True
    assert worded_polarity("") is None
