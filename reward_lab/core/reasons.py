"""Reasons: why a response has no score, said to a person; and what the judge was told of its reply."""

from __future__ import annotations

from reward_lab.core.methods import METHODS
from reward_lab.core.verdict import Reason, Unscored

_OF_THE_REPLY: dict[Reason, str] = {
    Reason.UNREADABLE_REPLY: "The judge's reply could not be read",
    Reason.WRONG_IDS: "The judge's reply does not match what it was asked about",
    Reason.OUT_OF_RANGE: "The judge gave a score outside the scale",
    Reason.REFUSAL: "The judge gave no verdict",
}
"""For the reasons whose detail is what the judge itself was told when it was asked again."""

_NEXT = "Score again, or choose another judge."

_ASKED_AGAIN = "judge from what is given"
"""In what a judge is told that gave no verdict; a refusal in a provider's own field is told to people."""


def sentence_of(fault: Unscored, method: str) -> str:
    """Why a response has no score, said to a person: what happened, and what can be done.

    Most details say so themselves. Those that were written for the judge are left to :func:`told_to_judge`.
    """
    said = _OF_THE_REPLY.get(fault.reason)
    if said is None or not told_to_judge(fault):
        return fault.detail
    if fault.reason is Reason.OUT_OF_RANGE and METHODS[method].unit == "group":
        said += ", which puts the scale of its others in doubt: none of that reply counts"
    return f"{said}. {_NEXT}"


def told_to_judge(fault: Unscored) -> str:
    """What the judge was told of its reply; "" where the detail is for a person already."""
    if fault.reason is Reason.REFUSAL:
        # A refusal in the provider's own field is told to people, one within the reply to the judge.
        return fault.detail if _ASKED_AGAIN in fault.detail else ""
    return fault.detail if fault.reason in _OF_THE_REPLY else ""
