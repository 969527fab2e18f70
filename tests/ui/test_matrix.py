from __future__ import annotations

import pytest

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.movement import movement
from reward_lab.core.rubric import Contains, Rubric, Scoring
from reward_lab.core.run import RunState
from reward_lab.core.table import Sample, score_table
from reward_lab.core.verdict import Reason, Scored, Unscored
from reward_lab.ui import matrix
from reward_lab.ui.figures import change, signed
from reward_lab.ui.grid import payload
from tests.core.tables import group_of, table_of

HOSTILE = "<script>x</script> ![x](https://example.com/y) $5-$10, $x^2$"


def test_a_row_a_response_and_a_column_a_method_then_what_is_made_of_them() -> None:
    table = table_of({"ruler": [0.95, 0.2], "likert": [9.0, 3.0]})

    heads = [column.head for column in matrix.columns(table)]
    first, second = matrix.rows(table, RunState.FINISHED)

    assert heads == ["Response", "RULER", "Likert of\u00a010", "Spread", "Reward", "Advantage"]
    assert (first.badge, first.title, first.subtitle) == ("A", "Response A", "Response number 1.")
    ruler, likert = first.cells["ruler"], first.cells["likert"]
    assert (ruler.text, ruler.bar, ruler.note, ruler.value) == ("0.95", 0.95, "#1", 0.95)
    # 9 on 1..10 is (9 - 1) / 9.
    assert (likert.text, likert.bar, likert.note) == ("9", pytest.approx(8 / 9), "#1")
    assert first.cells["spread"].text == "0.06"
    # Sample std of 0.95 and 0.20 is 0.53; (0.95 - 0.575) / (0.5303 + 0.0001).
    assert (second.cells["reward"].text, second.cells["advantage"].text) == ("0.20", "−0.71")
    payload(matrix.columns(table), [first, second], None)


def test_ratings_that_are_means_have_two_decimals_in_the_whole_column() -> None:
    table = table_of({"likert": [[9.0, 3.0], [8.0, 3.0]]})
    rows = matrix.rows(table, RunState.FINISHED)
    assert [row.cells["likert"].text for row in rows] == ["8.50", "3.00"]
    assert "Mean of 2 samples, std 0.71" in rows[0].cells["likert"].hover


def test_a_cell_with_samples_to_come_says_how_many_there_are() -> None:
    old = table_of({"likert": [[9.0, 1.0]] * 3}, planned=3)
    table = table_of({"likert": [[7.0, 3.0]] * 2}, planned=3)
    cell = matrix.rows(table, RunState.CANCELLED, movement(old, table), since="run 3")[0].cells["likert"]
    assert (cell.text, cell.note, cell.delta, cell.tone) == ("7", "#1", "2 of 3", "")
    assert "Not done: 2 of 3 samples so far" in cell.hover
    assert "9, rank 1 in run 3" in cell.hover
    assert matrix.rows(old, RunState.FINISHED)[0].cells["likert"].delta == ""


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (RunState.RUNNING, ("running", "")),
        (RunState.CANCELLED, ("cancelled", "")),
        (RunState.INTERRUPTED, ("cancelled", "not asked")),
        (RunState.PAUSED, ("cancelled", "not asked")),
    ],
)
def test_what_waits_says_what_it_waits_for(state: RunState, shown: tuple[str, str]) -> None:
    table = table_of({"ruler": [0.9, 0.1]}, waiting=["likert"], reward_method="likert")
    cells = matrix.rows(table, state)[0].cells
    assert (cells["likert"].state, cells["likert"].text) == shown
    assert cells["reward"].state == ("running" if state is RunState.RUNNING else "empty")


def test_unscored_is_a_mark_with_its_reason_and_never_a_figure() -> None:
    table = table_of({"ruler": [0.9, None]})
    cells = matrix.rows(table, RunState.FINISHED)[1].cells
    failed = cells["ruler"]
    assert (failed.state, failed.text, failed.value, failed.hover) == ("failed", "refused", None, "The judge refused.")
    assert (cells["reward"].state, cells["advantage"].state) == ("empty", "empty")


def test_a_method_that_cannot_be_applied_is_no_failure() -> None:
    group = group_of(2)
    verdicts = tuple(Unscored(one.id, Reason.NO_REFERENCE, "No reference.") for one in group.trajectories)
    table = score_table(
        group,
        Rubric(),
        [Sample("likert_reference", 0, 0, verdicts)],
        methods=["likert_reference"],
        convention="rloo",
        reward_method="likert_reference",
    )
    cell = matrix.rows(table, RunState.FINISHED)[0].cells["likert_reference"]
    assert (cell.state, cell.text) == ("cancelled", "no ref.")


def test_what_moved_stands_in_the_cell_with_arrow_and_sign() -> None:
    old, new = (table_of({"ruler": [0.5, second]}, convention="mean_only") for second in (0.45, 0.2))
    same, fell = matrix.rows(new, RunState.FINISHED, movement(old, new), since="run 3")
    assert (same.cells["ruler"].delta, same.cells["ruler"].tone) == ("", "")
    assert (fell.cells["ruler"].delta, fell.cells["ruler"].tone) == ("▼ −0.25", "worse")
    # Of r − mean: from −0.025 to −0.15.
    assert (fell.cells["reward"].delta, fell.cells["advantage"].delta) == ("▼ −0.25", "▼ −0.12")
    assert "0.45, rank 2 in run 3" in fell.cells["ruler"].hover


def test_a_reward_with_an_unknown_part_reads_unknown() -> None:
    rubric = Rubric(verifiers=(Contains(),), scoring=Scoring(add_independent=True))
    table = table_of({"ruler": [0.9, 0.1]}, rubric=rubric)
    cells = matrix.rows(table, RunState.FINISHED)[0].cells
    assert (cells["reward"].text, cells["reward"].value, cells["advantage"].state) == ("unknown", None, "empty")


def test_hostile_and_malformed_text_stays_text() -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}]
    members = (
        Trajectory(id=HOSTILE, label=HOSTILE, messages=({"role": "assistant", "content": "\n\n" + HOSTILE},)),
        Trajectory(id="\ud800", label="a\udc80b", messages=({"role": "assistant", "content": "x\ud800"},)),
        Trajectory(id="c", messages=({"role": "assistant", "content": None, "tool_calls": calls},)),
    )
    group = Group(id="g", scenario=Scenario(), trajectories=members)
    verdicts = tuple(Scored(one.id, 0.5, "why \ud800" + HOSTILE * 99) for one in members)
    table = score_table(
        group, Rubric(), [Sample("ruler", 0, 0, verdicts)], methods=["ruler"], convention="rloo", reward_method="ruler"
    )
    first, second, third = matrix.rows(table, RunState.FINISHED)
    assert (first.title, first.subtitle) == (HOSTILE, HOSTILE)
    assert (second.title, second.subtitle) == ("a\\udc80b", "x\\ud800")
    assert third.subtitle == "find {}"
    assert len(first.cells["ruler"].hover) < 800
    first.cells["ruler"].hover.encode()


def test_changes_and_signs() -> None:
    assert [change(one) for one in (None, 0.0, 0.12, -0.004)] == ["", "", "▲ +0.12", "▼ <0.01"]
    assert [signed(one) for one in (1.0, -1.0, -0.001)] == ["+1.00", "−1.00", "0.00"]
