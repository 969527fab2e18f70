from __future__ import annotations

from dataclasses import replace

import pytest

from reward_lab.core.criterion_calibration import JudgedGroup, criterion_figures
from reward_lab.core.labelled import Holding
from reward_lab.core.proportions import wilson
from tests.core.test_calibration import holding

STATEMENTS = ["States the deadline.", "Invents a contact.", "Is polite."]


def said(annotator: str = "ann", **by_place: bool) -> Holding:
    """What somebody says of the first statement, by the letter of a response."""
    given = tuple({"States the deadline.": by_place[letter]} if letter in by_place else {} for letter in "abcde")
    return replace(holding(*[None] * 5, annotator=annotator), criteria=given)


def test_precision_and_recall_of_a_statement_with_their_intervals() -> None:
    shares = {(0, 0): 1.0, (1, 0): 1.0, (2, 0): 0.5, (3, 0): 0.0}
    group = JudgedGroup(shares, [said(a=True, b=False, c=True, d=True, e=True)])
    (found,) = criterion_figures(STATEMENTS, [group])
    assert (found.position, found.statement) == (0, "States the deadline.")
    counts = (found.true_positives, found.false_positives, found.false_negatives, found.true_negatives)
    assert (counts, found.unjudged) == ((2, 1, 1, 0), 1)
    assert (found.precision.value, found.precision.n) == (pytest.approx(2 / 3), 3)
    assert (found.precision.low, found.precision.high) == pytest.approx(wilson(2 / 3, 3))
    assert (found.recall.value, found.recall.n) == (pytest.approx(2 / 3), 3)


def test_each_annotator_counts_and_a_share_without_a_case_is_unknown() -> None:
    group = JudgedGroup({(0, 0): 0.0}, [said(a=False), said("bob", a=False)])
    (found,) = criterion_figures(STATEMENTS, [group])
    assert found.true_negatives == 2
    assert (found.precision.value, found.precision.low, found.recall.value, found.recall.n) == (None, None, None, 0)


def test_statements_are_found_by_their_words_and_others_are_left_out() -> None:
    labels = replace(holding(1, 2), criteria=({"  is  POLITE. ": True}, {"Is brief.": True}))
    (found,) = criterion_figures(STATEMENTS, [JudgedGroup({(0, 2): 1.0}, [labels])])
    assert (found.position, found.true_positives) == (2, 1)
    assert criterion_figures(STATEMENTS, []) == ()
