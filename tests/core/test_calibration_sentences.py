from __future__ import annotations

from dataclasses import replace

import pytest

from reward_lab.core.agreement import Estimate
from reward_lab.core.calibration import CalibrationFigures, Judged
from reward_lab.core.calibration_sentences import NOTHING, calibration_sentence, single_sentence

FEW = "Fewer than 30 groups: label more before you rely on it."
UNKNOWN = Estimate(None, None, None, 0)


def row(run_id: int, version: int, method: str = "ruler", split: str = "all", accuracy: float | None = 0.7) -> Judged:
    figures = CalibrationFigures(
        accuracy=Estimate(accuracy, None if accuracy is None else 0.633, None if accuracy is None else 0.787, 48),
        pairs=100,
        tie_rate=0.0,
        tau_b=UNKNOWN,
        top_1=UNKNOWN,
        auc=UNKNOWN,
        margin=None,
        groups=48,
    )
    return Judged(run_id, method, ("m",), "refunds", version, split, figures)


V3, V4 = row(11, 3), row(12, 4)


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (Estimate(0.06, 0.011, 0.12, 48), "v4 is better than v3 by 6 points (1 to 12, n = 48 groups)."),
        (Estimate(-0.06, -0.12, -0.02, 48), "v4 is worse than v3 by 6 points (2 to 12, n = 48 groups)."),
        (Estimate(0.06, 0.004, 0.12, 48), "v4 is better than v3 by 6.0 points (0.4 to 12.0, n = 48 groups)."),
        (
            Estimate(0.02, -0.04, 0.08, 48),
            "v4 and v3 cannot be told apart: v4 is ahead by 2 points (−4 to 8, n = 48 groups).",
        ),
        (
            Estimate(-0.01, -0.08, 0.06, 48),
            "v4 and v3 cannot be told apart: v3 is ahead by 1 point (−6 to 8, n = 48 groups).",
        ),
        (
            Estimate(0.0, -0.03, 0.03, 48),
            "v4 and v3 cannot be told apart: they are right equally often (−3 to 3, n = 48 groups).",
        ),
        (
            Estimate(0.5, None, None, 1),
            f"v4 and v3 cannot be told apart: v4 is ahead by 50 points (n = 1 group). {FEW}",
        ),
        (
            Estimate(0.2, 0.05, 0.35, 12),
            f"v4 is better than v3 by 20 points (5 to 35, n = 12 groups). {FEW}",
        ),
        (UNKNOWN, "v4 and v3 cannot be compared: they have no pair that both scored and people ordered."),
    ],
)
def test_the_sentence_says_which_is_better_and_whether_it_is_noise(difference: Estimate, said: str) -> None:
    assert calibration_sentence([V3, V4], V4, V3, difference) == said


CLEAR = Estimate(0.06, 0.01, 0.12, 48)


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (V4, row(11, 3, "likert"), "v4 by RULER is better than v3 by Likert"),
        (V4, row(12, 4, "likert"), "RULER is better than Likert"),
        (V4, row(13, 4), "run 12 is better than run 13"),
        (V4, replace(V3, rubric_name="tone"), "refunds v4 is better than tone v3"),
        (V4, replace(V3, rubric_name="\u05d0"), "refunds v4 is better than \u2068\u05d0\u2069 v3"),
        (V4, replace(V3, rubric_name=""), "refunds v4 is better than the unnamed rubric v3"),
    ],
)
def test_lines_are_called_by_what_tells_them_apart(first: Judged, second: Judged, names: str) -> None:
    assert calibration_sentence([first, second], first, second, CLEAR).startswith(names)


def test_a_version_that_two_runs_have_is_told_with_its_run() -> None:
    said = calibration_sentence([V4, row(13, 4, accuracy=0.5), V3], V4, V3, CLEAR)
    assert said.startswith("v4 (run 12) is better than v3 by 6 points")


def test_the_best_of_many_on_the_groups_it_was_chosen_on_is_told_to_be_lucky_too() -> None:
    said = calibration_sentence([V4, V3, row(14, 5), row(15, 6, accuracy=None)], V4, V3, CLEAR)
    assert said.endswith(
        "It is the best of 3 on the groups it was chosen on: a holdout tells how much of that is luck."
    )


def test_what_was_chosen_on_tune_is_told_on_the_holdout() -> None:
    rows = [
        row(run, version, split=split) for run, version in ((11, 3), (12, 4), (13, 5)) for split in ("tune", "holdout")
    ]
    said = calibration_sentence(rows, rows[3], rows[1], CLEAR)
    assert said == (
        "On the holdout v4 is better than v3 by 6 points (1 to 12, n = 48 groups). v4 was the best on tune."
    )


def test_one_line_alone_is_told_with_its_interval() -> None:
    assert single_sentence(V4) == "RULER of run 12 orders 70% of pairs as people do (63 to 79%, n = 48 groups)."
    assert single_sentence(row(1, 1, accuracy=None)) == NOTHING


@pytest.mark.parametrize(
    ("others", "names"),
    [
        ([replace(row(13, 4), prompt="prompt 1")], "v4, prompt 2 is better than v3"),
        ([replace(row(13, 4), prompt="prompt 2", models=("n",))], "v4, m is better than v3"),
        ([replace(row(13, 4), prompt="prompt 2")], "v4 (run 12) is better than v3"),
    ],
)
def test_a_version_of_several_runs_is_told_with_what_tells_them_apart(others: list[Judged], names: str) -> None:
    best = replace(V4, prompt="prompt 2")
    assert calibration_sentence([best, *others, V3], best, V3, CLEAR).startswith(names)


def test_runs_of_one_version_are_called_by_prompt_or_judge() -> None:
    own, first = replace(V4, prompt="own prompts"), replace(row(13, 4), prompt="prompt 1")
    assert calibration_sentence([own, first], first, own, CLEAR).startswith("prompt 1 is better than own prompts by")
    other = replace(row(13, 4), models=("n",))
    assert calibration_sentence([V4, other], V4, other, CLEAR).startswith("m is better than n by")
