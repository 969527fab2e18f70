"""What the tests of replies share: readers with fixed ids, and replies as a judge would write them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from reward_lab.core.replies import Answer, Rating, ReplyFault, read_listing, read_mark, read_marks, read_rating
from reward_lab.core.verdict import CriterionVerdict, Fault

IDS = ("1", "2", "3")


def listing(text: str) -> dict[str, Rating]:
    return read_listing(text, IDS)


def rating(text: str) -> Rating:
    return read_rating(text, 1, 10, whole=True)


def marks(text: str) -> tuple[CriterionVerdict, ...]:
    return read_marks(text, {"1": 0, "2": 1})


def mark(text: str) -> tuple[CriterionVerdict, ...]:
    return read_mark(text, 4)


READERS: list[Callable[[str], Answer]] = [listing, rating, marks, mark]


def fault_of(read: Callable[[str], Answer], text: str) -> ReplyFault:
    with pytest.raises(ReplyFault) as raised:
        read(text)
    return raised.value


def scores(*entries: tuple[object, object], **more: object) -> str:
    return json.dumps(
        {
            "scores": [
                {"trajectory_id": one, "explanation": f"about {one}", "score": score, **more} for one, score in entries
            ]
        }
    )


GOOD = scores(("1", 0.1), ("2", 0.2), ("3", 0.3))
READ = {one: Rating(score, f"about {one}") for one, score in (("1", 0.1), ("2", 0.2), ("3", 0.3))}


def answer_or_fault(read: Callable[[str], Answer], text: str) -> Answer | Fault:
    try:
        return read(text)
    except ReplyFault as raised:
        return raised.fault
