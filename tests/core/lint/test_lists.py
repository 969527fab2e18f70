from __future__ import annotations

import pytest

from tests.core.lint.statements import found, rubric_of


@pytest.mark.parametrize(
    ("description", "count", "verb"),
    [
        ("States the window, the contact and the exclusion of digital products.", 3, "states"),
        ("Names the fee; the deadline; the address.", 3, "names"),
        ("Names the date, the time, and the place of the hearing, along with the judge.", 4, "names"),
        ("Names the drug, its dose and its side effects.", 3, "names"),
        ("Explains what the fee is, when it is due and who pays it.", 3, "explains"),
        ("States who pays, how much and by when.", 3, "states"),
        ("States that the fee is due, that it is small and that it may be waived.", 3, "states"),
        ("Mentions the window and the email address and the exclusion.", 3, "mentions"),
        ("The report has a title, an abstract and a conclusion.", 3, "has"),
        ("Asks the user for the name, the age and the weight.", 3, "asks"),
        ("Refers to the contract, the receipt and the policy.", 3, "refers"),
        ("The summary should mention the plot, the setting, as well as the ending.", 3, "mention"),
    ],
)
def test_objects_of_one_verb(description: str, count: int, verb: str) -> None:
    (finding,) = found(rubric_of(description), "compound")
    assert finding.level == "warning"
    assert finding.message.startswith(f'Criterion 1 asks for {count} things under one verb, "{verb} ..."')
    assert not found(rubric_of(description), "long_list")


@pytest.mark.parametrize(
    ("description", "first", "second"),
    [
        ("Names the deadline as well as the contact person.", "the deadline", "the contact person"),
        ("The reply names the fee plus the deadline.", "the fee", "the deadline"),
        ("States the price along with the delivery date.", "the price", "the delivery date"),
        ("Names the drug together with its dose.", "the drug", "its dose"),
        ("States the deadline in addition to the contact person.", "the deadline", "the contact person"),
        ("Mentions discounts as well as opening hours.", "discounts", "opening hours"),
        ("Explains how to return an item as well as what it costs.", "how to return", "what it costs"),
        ("Cites the policy, as well as the section.", "the policy", "the section"),
        ("Describes the cause besides the remedy.", "the cause", "the remedy"),
    ],
)
def test_an_object_that_is_added(description: str, first: str, second: str) -> None:
    (finding,) = found(rubric_of(description), "compound")
    assert finding.message.startswith(f'Criterion 1 asks for two things, "{first} ..." and "{second} ..."')


@pytest.mark.parametrize(
    "description",
    [
        "Names the deadline, the fee or the address.",
        "Names the deadline and the contact.",
        "Names a contact such as the shop, the hotline and the agent.",
        "Names a contact (the shop, the hotline and the agent).",
        "Names a contact, for example the shop, the hotline and the agent.",
        "Explains that the fee, the tax and the toll are due.",
        "Explains how the fee, the tax and the toll are linked.",
        "States the sum of the fee, the tax and the toll.",
        "States the interval between the first, the second and the third visit.",
        "Names at least two of the fee, the tax and the toll.",
        "Says whether the fee, the tax and the toll apply.",
        "Names the author, a Dutch physicist, and the year.",
        "States the fee, which is due in May, and the deadline.",
        "States the fee, noting the deadline, and the shop.",
        "Compares the cost, the delay and the risk of both routes.",
        "Names the fee as well as it can.",
        "States the result plus or minus the error.",
        "States that 3 plus 4 is 7.",
        "Recommends ibuprofen plus paracetamol.",
        "Explains that the drug is taken along with the meal.",
    ],
)
def test_one_object_or_a_choice(description: str) -> None:
    assert not found(rubric_of(description), "compound")
    assert not found(rubric_of(description), "long_list")


@pytest.mark.parametrize(
    ("description", "items"),
    [
        ("Mentions nausea, vomiting, dizziness and fatigue.", 4),
        ("Mentions the name, address and phone number of the shop.", 3),
        ("Provides the email address, phone number, and opening hours.", 3),
        ("Covers causes, symptoms, and treatment.", 3),
        ("Recommends rest, ice and compression.", 3),
        ("Warns about heat, wind and rain.", 3),
        ("The essay must discuss trade, war and religion.", 3),
        ("Reports accuracy, precision as well as recall.", 3),
    ],
)
def test_three_bare_things_under_a_verb_of_telling(description: str, items: int) -> None:
    (finding,) = found(rubric_of(description), "long_list")
    assert (finding.level, finding.position) == ("note", 0)
    assert finding.message.startswith(f"Criterion 1 lists {items} things")


@pytest.mark.parametrize(
    "description",
    [
        "Mentions nausea, vomiting or dizziness.",
        "Names side effects such as nausea, vomiting and fatigue.",
        "Mentions any of nausea, vomiting and dizziness.",
        "States the deadline for books, records and films.",
        "Explains why prices, wages and rents rise together.",
        "Mentions the trade-off between cost, time and quality.",
        "Names the ship that carried oil, gas and coal.",
        "Mentions pros and cons.",
        "Paints apples, pears and plums.",
        "Explains the pact to a reader in Rome, Paris and Bonn.",
    ],
)
def test_bare_things_that_are_no_list_of_demands(description: str) -> None:
    assert not found(rubric_of(description), "long_list")
