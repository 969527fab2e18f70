"""Verdict: what a judge said of one trajectory. Unscored is a value, never 0 and never NaN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Reason(StrEnum):
    """Why there is no score, grouped by the boundary at which it was lost."""

    # before asking: the method cannot be applied to what was given
    NO_REFERENCE = "no_reference"
    NO_CRITERIA = "no_criteria"
    NO_WEIGHT = "no_weight"
    NO_VERIFIERS = "no_verifiers"
    # between us and the model
    AUTHENTICATION = "authentication"
    MODEL_NOT_FOUND = "model_not_found"
    BAD_REQUEST = "bad_request"
    CONTEXT_WINDOW = "context_window"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER_ERROR = "server_error"
    # in the model's reply
    EMPTY_REPLY = "empty_reply"
    CUT_REPLY = "cut_reply"
    REFUSAL = "refusal"
    UNREADABLE_REPLY = "unreadable_reply"
    WRONG_IDS = "wrong_ids"
    OUT_OF_RANGE = "out_of_range"
    # the run ended first
    BUDGET = "budget"
    CANCELLED = "cancelled"

    @property
    def is_of_the_reply(self) -> bool:
        """Whether the model did reply, so that the same request made again would be asked for twice."""
        return self in _OF_THE_REPLY


_OF_THE_REPLY = frozenset(
    {
        Reason.EMPTY_REPLY,
        Reason.CUT_REPLY,
        Reason.REFUSAL,
        Reason.UNREADABLE_REPLY,
        Reason.WRONG_IDS,
        Reason.OUT_OF_RANGE,
    }
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong with one question, in a sentence that names the value and the next step."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """What a judge said of one criterion.

    ``position`` is the criterion's place in the rubric version, from 0. ``truth`` is whether the
    statement is literally true of the response: 1.0 true, 0.0 false, 0.5 partly (only where the
    rubric's scoring has it), ``None`` where the judge gave no verdict; whether that is good is
    the criterion's polarity (``meets_when``).
    """

    position: int
    truth: float | None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A score in the method's own scale, with the judge's explanation."""

    trajectory_id: str
    score: float
    explanation: str = ""
    criteria: tuple[CriterionVerdict, ...] = ()

    def __post_init__(self) -> None:
        if not math.isfinite(self.score):
            raise ValueError(f"the score of {self.trajectory_id!r} must be finite, got {self.score}: use Unscored")


@dataclass(frozen=True, slots=True)
class Unscored:
    """No score: the reason, the detail a person can act on, and the raw reply where there was one."""

    trajectory_id: str
    reason: Reason
    detail: str
    raw_reply: str = ""
    criteria: tuple[CriterionVerdict, ...] = ()


Verdict: TypeAlias = Scored | Unscored
