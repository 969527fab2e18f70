from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.generation.reading import MOST_ITEMS, WEIGHT_RANGES, Expected, fitted_weight, read_proposals
from reward_lab.core.proposal import Proposal, Proposals
from reward_lab.core.replies import ReplyFault
from reward_lab.core.rubric import Category, Criterion
from reward_lab.core.verdict import Reason
from tests.core.generation.written import item, read, reply

WINDOW = Criterion(
    title="Refund window",
    description="States that refunds end after 30 days.",
    category=Category.ESSENTIAL,
    weight=5,
)


def only(proposals: Proposals) -> Proposal:
    (proposal,) = proposals.items
    return proposal


def fault_of(text: str) -> ReplyFault:
    with pytest.raises(ReplyFault) as raised:
        read_proposals(text, Expected())
    return raised.value


def test_a_good_item_is_a_criterion_without_its_label_and_without_notes() -> None:
    assert read(item()) == Proposals((Proposal(WINDOW, "The policy turns on it."),))


@pytest.mark.parametrize(
    "text",
    [
        reply(item()),
        f"```json\n{reply(item())}\n```",
        f"Here you are:\n{reply(item())}\nGood luck!",
        "<think>" + reply(item("Draft.")) + "</think>" + reply(item()),
        json.dumps({"criteria": [item()]}),
        json.dumps({"rubric": [item()]}),
        json.dumps([item()]),
        json.dumps({"proposals": [{**item(), "description": None, "criterion": item()["description"]}]}),
        reply(item()).replace("}]", "},]"),
    ],
)
def test_the_same_item_in_other_wrappings(text: str) -> None:
    assert only(read_proposals(text, Expected())).criterion == WINDOW


def test_a_list_of_plain_statements_is_read() -> None:
    (first, second) = read("Essential: Names the limit.", "Pitfall: Invents a limit.").items
    assert (first.criterion.category, first.criterion.description) == (Category.ESSENTIAL, "Names the limit.")
    assert (second.criterion.category, second.criterion.meets_when) == (Category.PITFALL, False)


@pytest.mark.parametrize(
    ("given", "category", "weight", "note"),
    [
        (5, "Essential", 5, ()),
        ("5", "Essential", 5, ()),
        (3, "Important", 3, ()),
        (3.5, "Important", 3.5, ()),
        (-2, "Pitfall", 2, ()),
        (2, "Pitfall", 2, ()),
        (50, "Essential", 5, ("The weight 50 lies outside 5, the range of Essential: set to 5.",)),
        (-5, "Essential", 5, ("The weight -5 lies outside 5, the range of Essential: set to 5.",)),
        (0, "Optional", 1, ("The weight 0 lies outside 1 to 2, the range of Optional: set to 1.",)),
        (-9, "Pitfall", 2, ("The weight -9 lies outside 1 to 2, the range of Pitfall: set to 2.",)),
        (None, "Important", 3, ("No weight was given: set to 3, for Important.",)),
        ("heavy", "Important", 3, ("The weight 'heavy' is no number: set to 3, for Important.",)),
        (True, "Important", 3, ("The weight 'True' is no number: set to 3, for Important.",)),
        (float("nan"), "Important", 3, ("The weight 'nan' is no number: set to 3, for Important.",)),
        (float("inf"), "Important", 3, ("The weight 'inf' is no number: set to 3, for Important.",)),
    ],
)
def test_weights_fit_their_category(given: Any, category: str, weight: float, note: tuple[str, ...]) -> None:
    proposal = only(read(item("Names the limit.", category=category, weight=given)))
    assert proposal.criterion.weight == weight
    assert proposal.notes == note


@given(
    st.one_of(st.floats(), st.integers(), st.text(), st.none(), st.booleans(), st.lists(st.integers())),
    st.sampled_from(Category),
)
def test_a_weight_is_always_within_its_range(given_weight: Any, category: Category) -> None:
    low, high = WEIGHT_RANGES[category]
    weight, _ = fitted_weight(given_weight, category)
    assert low <= weight <= high


@pytest.mark.parametrize(
    ("description", "category", "meets_when", "note"),
    [
        ("States the deadline.", "Essential", True, ()),
        ("Pitfall: Avoids naming a phone number.", "Pitfall", True, ()),
        ("Pitfall: Invents a phone number.", "Pitfall", False, ()),
        (
            "Fails to mention the deadline.",
            "Essential",
            False,
            ("It describes a fault, though it is Essential: met when false.",),
        ),
        (
            "Does not mention competitors.",
            "Essential",
            True,
            ("The wording does not tell whether the statement praises or blames: met when true.",),
        ),
    ],
)
def test_polarity_is_read_from_the_wording(
    description: str, category: str, meets_when: bool, note: tuple[str, ...]
) -> None:
    proposal = only(read(item(description, category=category, weight=-1 if category == "Pitfall" else 5)))
    assert proposal.criterion.meets_when is meets_when
    assert proposal.notes == note


def test_what_the_rubric_says_already_is_marked() -> None:
    known = (Criterion(description="Is brief."), WINDOW)
    proposals = read(item(), item("States that refunds end after 90 days."), item(), known=known)
    assert [proposal.notes for proposal in proposals.items] == [
        ("Criterion 2 of the rubric says nearly the same.",),
        (),
        ("Criterion 2 of the rubric says nearly the same.", "Proposal 1 says nearly the same."),
    ]


def test_an_item_of_another_category_than_was_asked_for_says_so() -> None:
    proposals = read(item("Names the limit."), item("Invents a limit.", category=None), category=Category.PITFALL)
    first, second = proposals.items
    assert first.notes == ("It was proposed as Essential, though for Pitfall was asked.",)
    assert second.criterion.category is Category.PITFALL
    assert "No category was given: taken as Pitfall." in second.notes


def test_parts_of_a_criterion_keep_its_polarity_and_place() -> None:
    origin = Criterion(description="Mentions rivals or prices.", category=Category.PITFALL, meets_when=False)
    proposals = read(item("Mentions rivals.", category="Pitfall"), origin=origin, position=4)
    proposal = only(proposals)
    assert (proposal.replaces, proposal.criterion.meets_when, proposal.criterion.weight) == (4, False, None)
    turned = only(read(item("Avoids naming rivals.", category="Pitfall"), origin=origin, position=4))
    assert turned.notes == ("It turns the polarity of the original: met when true.",)


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("", Reason.EMPTY_REPLY, "The reply is empty: answer with the JSON object that was asked for."),
        ("Sure!", Reason.UNREADABLE_REPLY, "holds no JSON"),
        ("I'm sorry, I cannot help with that.", Reason.REFUSAL, "declined"),
        (reply(), Reason.UNREADABLE_REPLY, "The reply proposes no criteria: give at least one"),
        ('{"answer": 1}', Reason.UNREADABLE_REPLY, 'The reply has no list "proposals": give at least one'),
        (reply(item())[:80], Reason.CUT_REPLY, "breaks off"),
        (
            reply(item()) + reply(item("Other.")),
            Reason.UNREADABLE_REPLY,
            'holds 2 different lists: give "proposals" once',
        ),
        (reply(item(None)), Reason.UNREADABLE_REPLY, 'Item 1 has no "description"'),
        ('{"proposals": ' + "[" * 5000 + "]" * 5000 + "}", Reason.UNREADABLE_REPLY, ""),
    ],
)
def test_a_reply_without_criteria_is_a_fault_that_names_it(text: str, reason: Reason, detail: str) -> None:
    fault = fault_of(text)
    assert fault.fault.reason is reason
    assert detail in fault.fault.detail
    assert fault.partial is None


def test_items_without_a_statement_are_named_and_the_rest_is_kept() -> None:
    fault = fault_of(reply(item(), item("  "), 7, item("Is brief.")))
    assert fault.fault.detail == 'Items 2 and 3 have no "description": give each item one sentence that can be checked.'
    assert isinstance(fault.partial, Proposals)
    assert [proposal.criterion.description for proposal in fault.partial.items] == [WINDOW.description, "Is brief."]
    assert fault.partial.notes == ("2 items had no statement and are left out: number 2 and 3.",)


def test_a_flood_is_cut_and_read_at_once() -> None:
    text = reply(*(item(f"Names limit {number} of the many limits.") for number in range(2000)))
    started = time.perf_counter()
    proposals = read_proposals(text, Expected())
    assert time.perf_counter() - started < 5
    assert len(proposals.items) == MOST_ITEMS
    assert proposals.notes == (f"The reply holds 2000 items: the first {MOST_ITEMS} are kept.",)


@pytest.mark.parametrize("text", ["<script>alert(1)</script> $x^2$", "日本語の基準", "معيار", "a\u2028b", "a \ud800 b"])
def test_any_text_stays_text_on_one_line(text: str) -> None:
    proposal = only(read(item(f"Quotes {text}\nin full.", title=text, why=text)))
    shown = proposal.criterion.description
    assert "\n" not in shown
    shown.encode()
    if "\ud800" not in text and "\u2028" not in text:
        assert shown == f"Quotes {text} in full."
        assert proposal.criterion.title == proposal.why == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NAMES = ("why", "title", "description", "category", "weight", "criterion")
ENTRY = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, JSON))


@given(st.lists(ENTRY | JSON, max_size=6))
def test_whatever_the_items_hold_they_become_criteria_or_a_fault(entries: list[Any]) -> None:
    try:
        proposals = read_proposals(reply(*entries), Expected(known=(WINDOW,)))
    except ReplyFault:
        return
    assert len(proposals.items) == len(entries)
    for proposal in proposals.items:
        low, high = WEIGHT_RANGES[proposal.criterion.category]
        assert low <= (proposal.criterion.weight or 0) <= high
        assert all(note.endswith(".") for note in proposal.notes)
