from __future__ import annotations

import itertools
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.ui.charts import described, method_chart, points, spread
from tests.core.tables import table_of

TABLE = table_of({"ruler": [0.95, 0.2, None], "likert": [9.0, 3.0, 1.0]})


def test_a_point_a_scored_cell_normalised_or_by_rank() -> None:
    rewards = [(one.letter, one.head, round(one.value, 3)) for one in points(TABLE, "reward")]
    assert rewards == [
        ("A", "RULER", 0.95),
        ("B", "RULER", 0.2),
        ("A", "Likert", 0.889),
        ("B", "Likert", 0.222),
        ("C", "Likert", 0.0),
    ]
    assert [one.value for one in points(TABLE, "rank")] == [1, 2, 1, 2, 3]


def test_the_chart_in_words() -> None:
    assert described(TABLE, "reward") == (
        "Reward from 0 to 1 of each response by method."
        " A: RULER 0.95, Likert 0.89; B: RULER 0.20, Likert 0.22; C: Likert 0.00."
    )
    assert described(table_of({"ruler": [None]}), "rank") == "Rank of each response by method. A: not scored."


@pytest.mark.parametrize("measure", ["reward", "rank"])
def test_the_chart_holds_letters_heads_and_figures_alone(measure: str) -> None:
    chart = method_chart(TABLE, measure)  # type: ignore[arg-type] - parametrized literals
    drawn = chart.to_dict()
    rows = [row for data in drawn["datasets"].values() for row in data] if "datasets" in drawn else []
    rows += [row for layer in drawn["layer"] for row in layer.get("data", {}).get("values", [])]
    texts = {value for row in rows for value in row.values() if isinstance(value, str)}
    assert rows
    assert not any("number" in text for text in texts), "no response's text may reach the chart"
    assert json.dumps(drawn).count("#0072B2") >= 1


@given(st.lists(st.floats(0, 1), max_size=9), st.floats(0.01, 0.2))
def test_labels_are_apart_and_in_order(values: list[float], gap: float) -> None:
    placed = spread(values, gap)
    in_order = [placed[index] for index in sorted(range(len(values)), key=lambda index: values[index])]
    assert all(after - before >= gap - 1e-9 for before, after in itertools.pairwise(in_order))
    if values:
        assert sum(placed) == pytest.approx(sum(values), abs=1e-6)


def test_a_page_without_a_chart_does_not_import_altair() -> None:
    program = (
        "import sys, reward_lab.ui.results; print([m for m in ('altair', 'pandas', 'litellm') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
