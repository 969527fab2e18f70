from __future__ import annotations

import pytest

from reward_lab.core.lint.clauses import clauses, predicate
from tests.core.lint.statements import found, rubric_of


@pytest.mark.parametrize(
    ("description", "first", "second"),
    [
        (
            "The reply is clear and helpful, states the refund window and names the address.",
            "is ...",
            "states ...",
        ),
        ("States the window; names the contact.", "states ...", "names ..."),
        ("Names the fee, gives the deadline, cites the policy.", "names ...", "gives ..."),
        ("The answer gives the dose, warns of side effects and advises rest.", "gives ...", "warns ..."),
        ("The letter states the dose and is polite.", "states ...", "is ..."),
        ("The email mentions the window; it also thanks the customer.", "mentions ...", "thanks ..."),
        ("It names the shop, and it gives the address.", "names ...", "gives ..."),
        ("States the window and does not invent a fee.", "states ...", "does not ..."),
        ("Must name the drug and be short.", "name ...", "be ..."),
        ("The reply should state the price and should mention the delivery date.", "state ...", "mention ..."),
        ("Cites a source, plus explains its limits.", "cites ...", "explains ..."),
        ("Offers a refund as well as naming the contact.", "offers ...", "naming ..."),
        ("Describes the fault along with proposing a repair.", "describes ...", "proposing ..."),
        ("Names the shop but also gives the address.", "names ...", "gives ..."),
        ("States the window & names the contact.", "states ...", "names ..."),
        ("Is short; is polite.", "is ...", "is ..."),
        ("The review names the place in the code and proposes a fix.", "names ...", "proposes ..."),
        ("Answers the question, keeps to the facts.", "answers ...", "keeps ..."),
        ("The refund window is stated and the contact is named.", "is ...", "the contact is named ..."),
    ],
)
def test_clauses_that_are_joined(description: str, first: str, second: str) -> None:
    (finding,) = found(rubric_of(description), "compound")
    assert finding.message.startswith(f'Criterion 1 asks for two things, "{first}" and "{second}"')


@pytest.mark.parametrize(
    "description",
    [
        "States that the shop opens at 9, closes at 5 and offers parking.",
        "Names the tool that reads the file, checks the sums and states the total.",
        "Says that the customer states the order number and names the product.",
        "States the deadline; no other date is given.",
        "Is clear, as every step is numbered.",
        "Advises to dispose of the container but does not specify how.",
        "Recommends identifying the source as well as explaining it.",
        "Says whether the fee is due or the customer is exempt and is told so.",
        "The agent carries out the user's request, as shown by its tool results.",
        "Reports the speed, notes and all.",
        "Mentions discounts, offers and vouchers of the shop or its partners.",
        "Names the author who explains the theory, gives an example and is cited.",
        "The sum of costs is stated in euros and the year is 2020.",
        "Names Paris, the capital of France.",
        "Answers as well as the question allows.",
    ],
)
def test_clauses_that_are_not_the_response_s(description: str) -> None:
    assert not found(rubric_of(description), "compound")


def test_a_statement_is_cut_before_every_further_act() -> None:
    assert clauses("is clear and helpful, states the window and names the address") == [
        "is clear and helpful",
        ", states the window",
        " and names the address",
    ]
    assert clauses("states the window") == ["states the window"]


@pytest.mark.parametrize(
    ("opening", "verb", "rest"),
    [
        ("must clearly state the dose", "state", "the dose"),
        ("the final report states the dose", "states", "the dose"),
        ("clear", "clear", ""),
        ("", "", ""),
    ],
)
def test_predicate(opening: str, verb: str, rest: str) -> None:
    assert predicate(opening) == (verb, rest)
