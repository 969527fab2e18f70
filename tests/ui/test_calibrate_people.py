"""Agreement between people in words and cells: what is unknown is said to be so, and few groups are told."""

from __future__ import annotations

import pytest

from reward_lab.core.agreement import Estimate
from reward_lab.services.labelling import Agreement, PairAgreement
from reward_lab.ui.calibrate_people import agreement_blocks, agreement_rows

UNKNOWN = Estimate(None, None, None, 0)


def words(agreement: Agreement) -> str:
    return "\n".join(
        f"{one.title} {''.join(piece.text for piece in one.pieces)}" for one in agreement_blocks(agreement)
    )


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        (0.8, "People agree well"),
        (0.79, "good enough for tentative conclusions"),
        (0.5, "do not agree enough to hold a judge against them"),
        (-0.1, "People do not agree:"),
    ],
)
def test_alpha_is_told_by_krippendorffs_lines(alpha: float, said: str) -> None:
    told = words(Agreement(Estimate(alpha, alpha - 0.1, alpha + 0.1, 40), 40, ()))
    assert said in told
    assert f"is {alpha:.2f} (".replace("-", "−") in told
    assert "40 groups" in told
    assert "Few groups" not in told


def test_few_groups_are_told_and_an_interval_that_is_not_there_is_left_out() -> None:
    told = words(Agreement(Estimate(1.0, None, None, 1), 1, ()))
    assert "alpha is 1.00 over 1 group labelled" in told
    assert "Few groups" in told


def test_what_cannot_be_told_is_not_told() -> None:
    assert "No group is labelled by two people yet" in words(Agreement(UNKNOWN, 0, ()))
    assert "cannot be told from 3 groups" in words(Agreement(Estimate(None, None, None, 3), 3, ()))


def test_two_people_are_a_row_with_dashes_for_what_is_unknown() -> None:
    pair = PairAgreement("ann", "bob", UNKNOWN, Estimate(0.75, 0.5, 1.0, 31), 62, 31)
    (row,) = agreement_rows(Agreement(UNKNOWN, 31, (pair,)))
    assert row.title == "ann and bob"
    told = [row.cells[name].text for name in ("groups", "pairs", "alike", "alike-interval")]
    assert told == ["31", "62", "75%", "50% to 100%"]
    assert row.cells["tau"].state == row.cells["tau-interval"].state == "empty"
