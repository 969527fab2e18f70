"""What annotators say, as columns of the open group."""

from __future__ import annotations

import pytest

from reward_lab.core.labelled import Holding
from reward_lab.core.labels import Measure
from reward_lab.ui.compare_group import annotator_columns, with_labels
from reward_lab.ui.grid import Row

ROWS = [Row("A", "A", "#0072b2", "first"), Row("B", "B", "#e69f00", "second"), Row("C", "C", "#009e73", "third")]


def said(measure: Measure, *levels: float | None, annotator: str = "ann") -> Holding:
    return Holding(annotator, levels, (), (), (), (), ({},) * len(levels), measure)


@pytest.mark.parametrize(
    ("holding", "texts"),
    [
        (said(Measure.RANK, -2.0, -1.0, None), ["rank 2", "rank 1", ""]),
        (said(Measure.SCORE, 0.98, 7.0, None), ["0.98", "7", ""]),
        (said(Measure.MARK, 1.0, 0.0, None), ["good", "bad", ""]),
    ],
)
def test_a_label_is_told_as_it_was_given_and_what_is_not_labelled_is_empty(holding: Holding, texts: list[str]) -> None:
    cells = [row.cells["label-0"] for row in with_labels(ROWS, (holding,))]
    assert [cell.text for cell in cells] == texts
    assert [cell.value for cell in cells] == [*holding.levels]
    assert cells[2].state == "empty"


def test_each_annotator_has_a_column_under_the_name_as_it_is() -> None:
    holdings = (said(Measure.RANK, -1.0, annotator="<b>ann</b> \ud800"), said(Measure.MARK, 1.0, annotator="bob"))
    assert [column.head for column in annotator_columns(holdings)] == ["<b>ann</b> \\ud800", "bob"]


def test_without_labels_nothing_is_added() -> None:
    assert annotator_columns(()) == []
    assert with_labels(ROWS, ()) == ROWS
