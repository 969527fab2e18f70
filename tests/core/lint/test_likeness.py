from __future__ import annotations

import pytest

from reward_lab.core.lint import Finding
from reward_lab.core.rubric import Criterion, Rubric
from tests.core.lint.statements import found, rubric_of

FACT = "States that refunds are paid within 30 days of the return."


@pytest.mark.parametrize(
    "again",
    [
        FACT,
        "states that refunds are paid within 30 days of the return",
        "Essential: States that refunds are paid  within 30 days of the return!",
    ],
)
def test_duplicates(again: str) -> None:
    (finding,) = found(rubric_of(FACT, "Names the address.", again), "duplicate")
    assert (finding.level, finding.position, finding.other) == ("warning", 2, 0)
    assert finding.message.startswith('Criterion 3 says the same as criterion 1: "')


def test_every_later_one_is_named_once() -> None:
    assert [(one.position, one.other) for one in found(rubric_of(FACT, FACT, FACT), "duplicate")] == [(1, 0), (2, 0)]


def placed(description: str, *path: str) -> Criterion:
    return Criterion(description=description, source={"node": {"id": "any"}, "path": list(path)})


def test_the_same_in_two_branches_of_a_tree_need_not_be_dropped() -> None:
    rubric = Rubric(criteria=(placed(FACT, "root", "web"), placed(FACT, "root", "shop")))
    assert found(rubric, "duplicate") == [
        Finding(
            "duplicate",
            "note",
            "Criterion 2 says the same as criterion 1, in another branch of the rubric's tree: "
            '"States that refunds are paid within 30 days of the return".',
            "Each counts in its own branch, yet a judge sees neither: name in each what it is about.",
            1,
            0,
        )
    ]


def test_the_same_in_one_branch_counts_twice() -> None:
    branches = [("root", "web"), ("root", "shop"), ("root", "shop"), ("root", "web")]
    rubric = Rubric(criteria=tuple(placed(FACT, *path) for path in branches))
    duplicates = found(rubric, "duplicate")
    assert [(one.level, one.position, one.other) for one in duplicates] == [
        ("note", 1, 0),
        ("warning", 2, 1),
        ("warning", 3, 0),
    ]
    assert ["drop one" in one.advice for one in duplicates] == [False, True, True]


def test_one_with_a_path_and_one_without_are_not_of_two_branches() -> None:
    rubric = Rubric(criteria=(placed(FACT, "root"), Criterion(description=FACT)))
    assert [one.level for one in found(rubric, "duplicate")] == ["warning"]


@pytest.mark.parametrize(("path", "merged"), [("web", True), ("shop", False)])
def test_near_duplicates_in_two_branches_need_not_be_merged(path: str, merged: bool) -> None:
    again = "Clearly explains that refunds are paid within 30 days of return."
    (finding,) = found(Rubric(criteria=(placed(FACT, "web"), placed(again, path))), "near_duplicate")
    assert ("merge them" in finding.advice) is merged


@pytest.mark.parametrize("again", ["30 days", "C++ is used.", "退款期限为三十天"])
def test_of_signs_and_scripts(again: str) -> None:
    assert len(found(rubric_of(again, again), "duplicate")) == 1


@pytest.mark.parametrize(("one", "other"), [("!!", "??"), ("退款期限为三十天", "退款期限为六十天"), ("A", "B")])
def test_different_statements_are_no_duplicates(one: str, other: str) -> None:
    assert not found(rubric_of(one, other), "duplicate")


def test_the_same_in_both_polarities_cancels_out() -> None:
    rubric = Rubric(criteria=(Criterion(description=FACT), Criterion(description=FACT, meets_when=False)))
    assert not found(rubric, "duplicate")
    assert found(rubric, "contradiction") == [
        Finding(
            "contradiction",
            "warning",
            "Criterion 2 is criterion 1 again, one met when true and one when false.",
            "Whatever the verdict, one of them is met: keep the one that is meant.",
            1,
            0,
        )
    ]


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (FACT, "Clearly explains that refunds are paid within 30 days of return.", "they differ in how it is put"),
        (
            "Mentions the 30-day refund window for unopened items.",
            "Mentions for unopened items the 30-day refund window.",
            "they differ in how it is put",
        ),
        (
            "Advises the patient to call emergency services at once when chest pain spreads to the left arm.",
            "Advises the patient to contact emergency services at once when chest pain spreads to the left arm.",
            'they differ in "contact" and "call"',
        ),
        (
            "Compares costs of leasing and buying the truck.",
            "Compares costs of leasing and buying the truck yearly.",
            'they differ in "yearly"',
        ),
        (
            "回答说明退款将在收到退货后的三十天之内原路退回到顾客的账户里",
            "回答说明退款将在收到退货后的三十天之内原路退回到顾客的账户",
            "they differ in",
        ),
    ],
)
def test_near_duplicates(one: str, other: str, told: str) -> None:
    (finding,) = found(rubric_of(one, "Names the address.", other), "near_duplicate")
    assert (finding.level, finding.position, finding.other) == ("note", 2, 0)
    assert finding.message.startswith(f"Criterion 3 says nearly the same as criterion 1: {told}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # of one pattern, told apart on purpose
        (
            "The models are evaluated on SVAMP by sampling ten answers.",
            "The models are evaluated on AQuA by sampling ten answers.",
        ),
        (FACT, "States that refunds are paid within 60 days of the return."),
        (
            "Recommends stopping the drug before the operation.",
            "Recommends not stopping the drug before the operation.",
        ),
        (
            "Explains why flights from Paris to Rome were delayed.",
            "Explains why flights from Paris to Oslo were delayed.",
        ),
        ("Explains that rising wages push up consumer prices.", "Explains that rising consumer prices push up wages."),
        # too short to tell
        ("States the dose.", "States the daily dose."),
        ("说明退款期限", "说明退货期限"),
        ("การคืนเงินภายในสามสิบวัน", "ที่อยู่สำหรับการคืนสินค้า"),
    ],
)
def test_no_near_duplicates(one: str, other: str) -> None:
    assert not found(rubric_of(one, other), "near_duplicate")


REFERENCE = "Refunds are paid within 30 days. Opened items are excluded, and return postage is paid by the customer."


@pytest.mark.parametrize(
    "description",
    [
        f"The response says: {REFERENCE}",
        "Says refunds are paid within 30 days, opened items are excluded and return postage is paid by the customer.",
        f"Essential: matches '{REFERENCE.upper()}'",
    ],
)
def test_a_criterion_that_holds_the_whole_reference(description: str) -> None:
    (finding,) = found(rubric_of("Is polite.", description), "whole_reference", reference=REFERENCE)
    assert (finding.level, finding.position) == ("warning", 1)
    assert finding.message == "Criterion 2 holds the whole reference answer (18 words)."


@pytest.mark.parametrize(
    ("description", "reference"),
    [
        ("States that refunds are paid within 30 days.", REFERENCE),
        ("States that opened items are excluded, and return postage is paid by the customer.", REFERENCE),
        ("States that the answer is Paris.", "Paris"),
        ("States that the final speed is 12.5 m/s.", "The final speed is 12.5 m/s."),
        (REFERENCE, None),
        (REFERENCE, ""),
    ],
)
def test_a_part_of_the_reference_or_a_short_one_may_be_stated(description: str, reference: str | None) -> None:
    assert not found(rubric_of(description), "whole_reference", reference=reference)


def test_a_reference_without_blanks() -> None:
    reference = "退款将在三十天之内支付。拆封的商品除外。"
    assert found(rubric_of(f"回答说{reference}"), "whole_reference", reference=reference)
    assert not found(rubric_of("回答说退款将在三十天之内支付"), "whole_reference", reference=reference)
