"""The label queue's data, and what is read of what it sends; how it is used is in tests/browser/test_calibrate.py."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reward_lab.core.labels import Mark
from reward_lab.ui.label_queue import (
    MOST_CHARACTERS,
    Answer,
    Given,
    Outcome,
    QueuedGroup,
    Wanted,
    payload,
    read_answers,
    read_wanted,
)
from reward_lab.ui.reading import Block, plain

HOSTILE = "<img src=x onerror=alert(1)> ![x](https://example.com/y) $5-$10, $x^2$ سياسة 退款 🎉"
GIVEN = Given((1, None), (7.0, None), (Mark.GOOD, None), "close")
SENT = {"ranks": [1, None], "scores": [7, None], "marks": ["good", None], "comment": "close"}


def group(*texts: str, id: str = "1", **fields: Any) -> QueuedGroup:  # noqa: A002 - the field's own name
    responses = tuple((Block("a", "message", "Assistant", pieces=plain(text)),) for text in texts)
    return QueuedGroup(
        id, "refund", "May I?", (Block("s", "message", "User", pieces=plain("May I?")),), responses, **fields
    )


def shown(*groups: QueuedGroup, **changes: Any) -> dict[str, Any]:
    ids = [one.id for one in groups]
    given = {"identity": "x", "label": "Groups", "ids": ids, "labelled": [], "start": ids[0]} | changes
    found: dict[str, Any] = json.loads(json.dumps(payload(groups, **given), allow_nan=False))
    return found


def answer(**changes: Any) -> dict[str, Any]:
    return {"id": "e1", "group": "1", "version": 0, "after": None, "given": SENT} | changes


def test_a_group_is_sent_with_what_is_saved_of_it_and_nothing_that_names_its_responses() -> None:
    data = shown(group("Yes.", "No.", given=GIVEN, version=3, said="RULER ordered 1 of 1 pair as you did."))
    assert data["groups"] == [
        {
            "id": "1",
            "name": "refund",
            "asked": "May I?",
            "scenario": [{"title": "User", "text": "May I?", "total": 6}],
            "responses": [
                [{"title": "Assistant", "text": "Yes.", "total": 4}],
                [{"title": "Assistant", "text": "No.", "total": 3}],
            ],
            "given": SENT,
            "version": 3,
            "said": "RULER ordered 1 of 1 pair as you did.",
        }
    ]


def test_hostile_text_passes_unchanged_and_what_json_cannot_hold_does_not_stop_the_page() -> None:
    data = shown(group(HOSTILE, "x\ud800"), results={"e": Outcome(fault="\ud800")})
    first, second = data["groups"][0]["responses"]
    assert first[0]["text"] == HOSTILE
    assert second[0]["text"] == "x\\ud800"
    assert data["results"]["e"]["fault"] == "\\ud800"


def test_a_long_response_is_cut_until_it_is_asked_for() -> None:
    long = "🎉" * MOST_CHARACTERS + "end"
    (cut,) = shown(group(long))["groups"][0]["responses"][0]
    assert cut["text"] == "🎉" * MOST_CHARACTERS
    assert cut["total"] == 2 * MOST_CHARACTERS + 3, "as the browser counts"
    (whole,) = shown(group(long), whole=frozenset({("1", 1)}))["groups"][0]["responses"][0]
    assert whole["text"] == long
    assert shown(group(long), whole=frozenset({("1", 0), ("2", 1)}))["groups"][0]["responses"][0][0] == cut


def test_the_messages_of_one_response_share_what_is_sent_unasked() -> None:
    blocks = tuple(Block(f"b{place}", "message", pieces=plain("x" * (MOST_CHARACTERS - 10))) for place in range(3))
    one = QueuedGroup("1", "g", "", (), (blocks,))
    parts = shown(one)["groups"][0]["responses"][0]
    assert [len(part["text"]) for part in parts] == [MOST_CHARACTERS - 10, 10, 0]
    assert {part["total"] for part in parts} == {MOST_CHARACTERS - 10}


@pytest.mark.parametrize(
    "changes",
    [{"ids": ["1", "1"]}, {"ids": ["2"], "start": None}, {"labelled": ["9"]}, {"start": "9"}],
)
def test_a_queue_has_each_group_once_and_no_other(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"give each group an id of its own|leave them out"):
        shown(group("Yes."), **changes)


def test_what_is_given_is_of_every_response() -> None:
    with pytest.raises(ValueError, match="None where nothing is said"):
        Given((1, 2), (None,), (None, None))


def test_answers_are_read_with_what_they_come_after() -> None:
    told = {"outbox": [answer(), answer(id="e2", version=1, after="e1")]}
    assert read_answers(told) == {
        "e1": (Answer("1", GIVEN, 0), None),
        "e2": (Answer("1", GIVEN, 1), "e1"),
    }


@pytest.mark.parametrize(
    "spoilt",
    [
        {"id": 4},
        {"version": None},
        {"given": None},
        {"given": SENT | {"ranks": [0, None]}},
        {"given": SENT | {"ranks": [True, None]}},
        {"given": SENT | {"ranks": [1]}},
        {"given": SENT | {"scores": ["7", None]}},
        {"given": SENT | {"scores": [float("nan"), None]}},
        {"given": SENT | {"marks": ["fine", None]}},
        {"given": SENT | {"comment": None}},
    ],
)
def test_what_is_no_label_is_passed_over(spoilt: dict[str, Any]) -> None:
    assert read_answers({"outbox": [answer(**spoilt), answer(id="e2")]}).keys() == {"e2"}


def test_what_is_wanted_is_read() -> None:
    told = {"place": "1", "wanted": ["1", "2", 3], "whole": ["1 2", "1 0", "x", 4, "1 ²"], "outbox": []}
    assert read_wanted(told) == Wanted("1", ("1", "2"), frozenset({("1", 2), ("1", 0)}))
    assert read_wanted({"place": None, "wanted": [], "whole": []}) == Wanted(None, (), frozenset())
    assert read_wanted(None) is None
    assert read_answers(None) == {}
