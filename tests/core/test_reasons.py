"""A reason speaks to a person, wherever it is shown; what the judge was told is kept beside it."""

from __future__ import annotations

import pytest

from reward_lab.core.reasons import sentence_of, told_to_judge
from reward_lab.core.verdict import Reason, Unscored

RANGE = "The score 7 of trajectory 1 lies outside the scale from 0 to 1: give a number on that scale."
OFF_SCALE = (
    "The judge gave a score outside the scale, which puts the scale of its others in doubt: none of that reply counts. "
    "Score again, or choose another judge."
)
NO_VERDICT = 'The judge gave no verdict on trajectory 2 ("cannot say"): judge from what is given.'


@pytest.mark.parametrize(
    ("reason", "detail", "method", "said", "told"),
    [
        (
            Reason.OUT_OF_RANGE,
            RANGE,
            "ruler",
            OFF_SCALE,
            RANGE,
        ),
        (
            Reason.OUT_OF_RANGE,
            RANGE,
            "likert",
            "The judge gave a score outside the scale. Score again, or choose another judge.",
            RANGE,
        ),
        (
            Reason.UNREADABLE_REPLY,
            "The rating 7.5 is not a whole number: give one from 1 to 10.",
            "likert",
            "The judge's reply could not be read. Score again, or choose another judge.",
            "The rating 7.5 is not a whole number: give one from 1 to 10.",
        ),
        (
            Reason.REFUSAL,
            NO_VERDICT,
            "ruler",
            "The judge gave no verdict. Score again, or choose another judge.",
            NO_VERDICT,
        ),
        (Reason.REFUSAL, 'm refused: "No." Reword the rubric.', "ruler", 'm refused: "No." Reword the rubric.', ""),
        (Reason.TIMEOUT, "m did not reply within 3 s.", "ruler", "m did not reply within 3 s.", ""),
    ],
)
def test_a_reason_speaks_to_a_person_and_keeps_what_the_judge_was_told(
    reason: Reason, detail: str, method: str, said: str, told: str
) -> None:
    fault = Unscored("t1", reason, detail)
    assert (sentence_of(fault, method), told_to_judge(fault)) == (said, told)
