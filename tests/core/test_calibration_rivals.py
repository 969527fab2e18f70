from __future__ import annotations

from dataclasses import replace

import pytest

from reward_lab.core.agreement import Estimate
from reward_lab.core.calibration import Judged, calibration_figures
from reward_lab.core.calibration_rivals import rivals

NO_FIGURES = calibration_figures([])


def row(run_id: int, version: int, accuracy: float | None, method: str = "ruler", prompt: str = "") -> Judged:
    figures = replace(NO_FIGURES, accuracy=Estimate(accuracy, None, None, 8))
    return Judged(run_id, method, ("m",), "refunds", version, "all", figures, prompt)


def never(first: Judged, second: Judged) -> bool:
    return False


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        # Neither the second best method nor another run of the best version, but the other version by that method.
        ([row(1, 1, 0.9), row(2, 1, 0.8), row(3, 2, 0.6), row(3, 2, 0.85, "likert")], [(1, "ruler"), (3, "ruler")]),
        ([row(1, 1, 0.7, prompt="own prompts"), row(2, 1, 0.9, prompt="prompt 1")], [(2, "ruler"), (1, "ruler")]),
        ([row(1, 1, 0.7), row(2, 1, 0.9)], [(2, "ruler"), (1, "ruler")]),
        ([row(1, 1, 0.7), row(1, 1, 0.9, "likert")], [(1, "likert"), (1, "ruler")]),
        ([row(1, 1, 0.7), row(2, 2, None)], [(1, "ruler"), None]),
        ([row(1, 1, None)], [None, None]),
    ],
)
def test_like_is_held_against_like(rows: list[Judged], chosen: list[tuple[int, str] | None]) -> None:
    assert [None if one is None else (one.run_id, one.method) for one in rivals(rows, never)] == chosen


def test_runs_with_equal_rewards_count_as_one() -> None:
    equal = [row(1, 1, 0.9), row(2, 1, 0.9), row(3, 1, 0.7)]

    def alike(first: Judged, second: Judged) -> bool:
        return {first.run_id, second.run_id} == {1, 2}

    assert rivals(equal, alike) == (equal[0], equal[2])
    assert rivals(equal[:2], alike) == (equal[0], None)
    versions = [equal[0], row(2, 2, 0.9)]
    assert rivals(versions, alike) == tuple(versions)
