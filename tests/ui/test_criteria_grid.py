from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.rubric import Category, Contains, Criterion, Rubric
from reward_lab.core.run import RunState
from reward_lab.core.table import Sample, ScoreTable, score_table
from reward_lab.core.verdict import CriterionVerdict, Reason, Scored, Unscored
from reward_lab.ui import criteria_grid
from tests.core.tables import group_of
from tests.ui.test_details import run_of, text

RUBRIC = Rubric(
    criteria=(
        Criterion(title="Deadline", description="States the deadline", category=Category.ESSENTIAL),
        Criterion(description="Invents a hotline", category=Category.PITFALL, meets_when=False),
    ),
    verifiers=(Contains(value="30"), Contains(value="x", weight=3.0)),
)


def table_with(*repeats: Sequence[tuple[bool | None, bool | None]], method: str = "rar_explicit") -> ScoreTable:
    """One response a pair of marks, a repeat a list of them; a missing mark leaves the response unscored."""
    group = group_of(len(repeats[0]))
    samples = []
    for repeat, pairs in enumerate(repeats):
        verdicts = []
        for one, marks in zip(group.trajectories, pairs, strict=True):
            said = tuple(CriterionVerdict(place, mark, f"because {place}") for place, mark in enumerate(marks))
            if None in marks:
                verdicts.append(Unscored(one.id, Reason.UNREADABLE_REPLY, "A verdict is missing.", criteria=said))
            else:
                verdicts.append(Scored(one.id, 0.5, criteria=said))
        samples.append(Sample(method, 0, repeat, tuple(verdicts)))
    return score_table(group, RUBRIC, samples, methods=[method], convention="rloo", reward_method=method)


def test_marks_go_by_polarity_and_weights_by_share() -> None:
    table = table_with([(True, False), (False, True), (True, None)])
    deadline, hotline = criteria_grid.rows(table, "rar_explicit", RunState.FINISHED)
    # By category 1.0 and 0.9: 53% and 47%.
    assert (deadline.title, deadline.subtitle) == ("Deadline", "53% · Essential")
    assert (hotline.title, hotline.subtitle) == ("Invents a hotline", "47% · Pitfall · met when false")
    assert [deadline.cells[letter].state for letter in "ABC"] == ["met", "unmet", "met"]
    assert [hotline.cells[letter].state for letter in "ABC"] == ["met", "unmet", "unknown"]
    assert deadline.cells["A"].hover == "because 0"


def test_repeats_show_how_many_samples_agree() -> None:
    table = table_with([(True, True)], [(True, False)], [(False, None)])
    deadline, hotline = criteria_grid.rows(table, "rar_explicit", RunState.FINISHED)
    assert (deadline.cells["A"].state, deadline.cells["A"].text) == ("met", "2/3")
    assert (hotline.cells["A"].state, hotline.cells["A"].text) == ("unknown", "1/3")


def test_reasons_of_one_response_or_of_all() -> None:
    table = table_with([(True, False), (False, True)])
    run = run_of(table)
    one = criteria_grid.reason_blocks(table, run, "rar_explicit", 1, "B")
    assert [(block.title, text(block)) for block in one] == [
        ("2. Invents a hotline", "Counts as met when it is false."),
        ("✗ not met", "because 1"),
    ]
    every = criteria_grid.reason_blocks(table, run, "rar_explicit", 0, None)
    assert text(every[0]) == "States the deadline"
    assert [(block.badge, block.title) for block in every[1:]] == [("A", "✓ met"), ("B", "✗ not met")]


def test_verifiers_are_told_with_what_they_look_for() -> None:
    table = table_with([(True, False)], method="verifier")
    first, second = criteria_grid.rows(table, "verifier", RunState.FINISHED)
    assert first.title == 'contains {"case_sensitive":false,"value":"30"}'
    assert (first.subtitle, second.subtitle) == ("25%", "75%")


def test_a_method_without_criteria_has_no_grid_and_waiting_cells_run() -> None:
    table = table_with([(True, False)])
    assert criteria_grid.lines(table_with([(True, False)], method="ruler"), "ruler") == ()
    waiting = score_table(
        table.group, RUBRIC, [], methods=["rar_explicit"], convention="rloo", reward_method="rar_explicit"
    )
    rows = criteria_grid.rows(waiting, "rar_explicit", RunState.RUNNING)
    assert {row.cells["A"].state for row in rows} == {"running"}
    assert [column.badge for column in criteria_grid.columns(waiting)] == ["", "A"]
