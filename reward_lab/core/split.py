"""Split: which groups a rubric is tuned on, and which are held out to tell whether it became better."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import NamedTuple

from reward_lab.core.chat import INSTRUCTION_ROLES, Json, Message, content_hash, text_of
from reward_lab.errors import InvalidInput


class Split(StrEnum):
    """The side of a dataset that a group is on."""

    NONE = ""
    TUNE = "tune"
    HOLDOUT = "holdout"


class Question(NamedTuple):
    """What a group asks. ``key`` tells questions with the same first words apart, "" where no other has them."""

    opening: str
    key: str = ""


def question_key(record: Mapping[str, Json]) -> str:
    """Identity by content of what a group, given as its record, asks. Groups with equal keys have equal openings.

    It is of the scenario's messages: under another system prompt the question is the same. Where no user says
    anything in them, it is of the system prompt too, and of what the first response follows; a group that has none
    of these is like no other.
    """
    scenario = record.get("scenario", {})
    asked = _without_instructions(scenario.get("messages", ()))
    if any(message.get("role") == "user" and text_of(message).strip() for message in asked):
        return content_hash(asked)
    prompt = scenario.get("system_prompt", "")
    first = _without_instructions(record["trajectories"][0]["messages"])
    followed = list(takewhile(lambda message: message.get("role") != "assistant", first))
    return content_hash([prompt, asked, followed] if prompt or asked or followed else record["trajectories"])


def drawn(questions: Sequence[Question], holdout_share: float, seed: int) -> tuple[Split, ...]:
    """(G,) tune or holdout for each group, the same whenever the questions, the share and the seed are.

    Questions are ordered by a hash of their content and the seed; the first of them are held out, until the share of
    the groups is reached. Groups that ask the same are on one side, and groups that are added later move few others.

    Raises:
        InvalidInput: the share is not within [0, 1].

    >>> [split.value for split in drawn([Question("a"), Question("b"), Question("a"), Question("c")], 0.5, seed=0)]
    ['holdout', 'tune', 'holdout', 'tune']
    """
    if not 0 <= holdout_share <= 1:
        raise InvalidInput(f"The share to hold out must be from 0 to 1, got {holdout_share}.")
    sizes: dict[Question, int] = {}
    for question in questions:
        sizes[question] = sizes.get(question, 0) + 1
    room = round(holdout_share * len(questions))
    held: set[Question] = set()
    for question in sorted(sizes, key=lambda one: (_place(seed, one.opening), _place(seed, one.key))):
        if sizes[question] <= room:
            held.add(question)
            room -= sizes[question]
    return tuple(Split.HOLDOUT if question in held else Split.TUNE for question in questions)


def _without_instructions(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.get("role") not in INSTRUCTION_ROLES]


def _place(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}\n{text}".encode(errors="surrogatepass")).hexdigest()
