from __future__ import annotations

import pytest

from reward_lab.ui import agreement_grid
from tests.core.tables import table_of


def test_tau_of_every_pair_with_its_n_and_why_it_is_undefined() -> None:
    table = table_of(
        {"ruler": [0.9, 0.6, 0.3, 0.1], "likert": [9.0, 6.0, 1.0, 3.0], "rar_implicit": [5.0] * 4},
    )
    ruler, likert, flat = agreement_grid.rows(table)
    # Five of six pairs in the same order: (5 - 1) / 6.
    assert (ruler.cells["likert"].text, ruler.cells["likert"].value) == ("0.67", pytest.approx(2 / 3))
    assert ruler.cells["likert"] == likert.cells["ruler"]
    assert ruler.cells["likert"].hover == "n = 4 responses"
    undefined = flat.cells["ruler"]
    assert (undefined.state, undefined.value) == ("empty", None)
    assert undefined.hover == "Undefined: RaR imp gives all the same score, so there is no order to agree on."
    assert (flat.cells["std"].text, flat.cells["distinct"].text) == ("0.00", "1 of 4")
    assert agreement_grid.shared_count(table) == "4 responses"


def test_too_few_shared_responses_are_no_agreement() -> None:
    table = table_of({"ruler": [0.9, None], "likert": [None, 3.0]})
    cell = agreement_grid.rows(table)[0].cells["likert"]
    assert (cell.state, cell.hover) == ("empty", "Undefined: both methods scored 0 responses, two are needed.")
    assert agreement_grid.shared_count(table) == ""


def test_disputes_are_by_rank_the_furthest_first() -> None:
    table = table_of(
        {"ruler": [0.9, 0.6, 0.3, 0.1], "likert": [8.0, 9.0, 6.0, 1.0], "rar_explicit": [0.2, 0.9, 0.3, 0.1]}
    )
    assert [(one.letter, one.high, one.high_rank, one.low, one.low_rank) for one in agreement_grid.disputes(table)] == [
        ("A", "RULER", 1, "RaR exp", 3),
        ("B", "Likert", 1, "RULER", 2),
        ("C", "RaR exp", 2, "RULER", 3),
    ]


def test_methods_that_agree_or_cannot_tell_dispute_nothing() -> None:
    assert agreement_grid.disputes(table_of({"ruler": [0.9, 0.1], "likert": [9.0, 1.0]})) == ()
    assert agreement_grid.disputes(table_of({"ruler": [0.9, 0.1], "likert": [5.0, 5.0]})) == ()
