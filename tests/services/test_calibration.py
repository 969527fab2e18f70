"""Stored runs held against stored labels."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from reward_lab.core.agreement import Estimate
from reward_lab.core.judge import Judge
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.run import ItemResult, ItemStatus, NewRun, RunSettings
from reward_lab.core.split import Split
from reward_lab.core.verdict import CriterionVerdict, Scored
from reward_lab.errors import InvalidRun, NotFound
from reward_lab.services.calibration import Calibrated, Calibrations
from reward_lab.services.planning import method_versions
from reward_lab.store import PlannedItem, Store
from tests.services.judged import group, groups, judged, ranks, save

STRICT = Rubric(guidance="Only from the policy.")
RIGHT, WRONG, TIED = (0.9, 0.5, 0.1), (0.1, 0.5, 0.9), (0.5, 0.5, 0.5)
"""Scores of three responses, of which people rank the first best and the last worst."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'lab.db'}") as opened:
        yield opened


@pytest.fixture
def calibrations(store: Store) -> Calibrations:
    return Calibrations(store)


def accuracies(found: Calibrated, split: str = "all") -> dict[tuple[int, str], tuple[float | None, int]]:
    return {
        (row.run_id, row.method): (row.figures.accuracy.value, row.figures.accuracy.n)
        for row in found.rows
        if row.split == split
    }


def test_one_line_a_run_and_method_with_what_tells_it_apart(store: Store, calibrations: Calibrations) -> None:
    given = groups(4)
    for one in given[:3]:
        save(store, one, ranks(1, 2, 3))
    judges = (Judge(model="openai/a"), Judge(model="openai/b"))
    first = judged(store, given, {"ruler": [RIGHT, RIGHT, WRONG, RIGHT], "likert": [(9, 5, 5)] * 4})
    second = judged(store, given, {"ruler": [TIED] * 4}, rubric=STRICT, judges=judges)
    found = calibrations.of([second, first])
    assert [(row.run_id, row.method, row.rubric_version, row.models, row.split) for row in found.rows] == [
        (second, "ruler", 2, ("openai/a", "openai/b"), "all"),
        (first, "ruler", 1, ("offline",), "all"),
        (first, "likert", 1, ("offline",), "all"),
    ]
    assert accuracies(found) == {
        (second, "ruler"): (0.5, 3),
        (first, "ruler"): (pytest.approx(2 / 3), 3),
        (first, "likert"): (pytest.approx(2.5 / 3), 3),
    }
    assert found.rows[0].rubric_name == "refunds"
    assert (found.annotators, found.unlabelled, found.dataset_id) == (("ann",), {first: 1, second: 1}, None)
    assert found.splits == ("all",)


def test_a_label_holds_under_another_system_prompt_but_not_for_what_was_rewritten(
    store: Store, calibrations: Calibrations
) -> None:
    texts = ("Thirty days.", "Ask Bob.", "Soon.")
    save(store, group("g", texts), ranks(1, 2, 3))
    kind = judged(store, [group("g", texts[::-1], prompt="Be kind.")], {"ruler": [RIGHT]})
    edited = judged(store, [group("g", ("Thirty days.", "Ask Ann.", "Soon."))], {"ruler": [RIGHT]})
    other = judged(store, [group("h", ("Yes.", "No."), question="Bookings?")], {"ruler": [(0.9, 0.1)]})
    found = calibrations.of([kind, edited, other])
    assert accuracies(found) == {(kind, "ruler"): (0.0, 1), (edited, "ruler"): (1.0, 1), (other, "ruler"): (None, 0)}
    assert [row.figures.pairs for row in found.rows] == [3, 1, 0]
    assert found.unlabelled == {kind: 0, edited: 0, other: 1}


def test_the_answer_yes_to_another_question_is_not_the_labelled_one(store: Store, calibrations: Calibrations) -> None:
    long = "The policy says that within thirty days of the purchase goods can be returned. " * 5
    save(store, group("g", ("Yes.", "No."), question=f"{long} Books?"), ranks(1, 2))
    both = [group("g", ("Yes.", "No."), question=f"{long} {what}?", prompt="Be kind.") for what in ("Shoes", "Books")]
    run_id = judged(store, both, {"ruler": [(0.1, 0.9), (0.9, 0.1)]})
    found = calibrations.of([run_id])
    assert accuracies(found) == {(run_id, "ruler"): (1.0, 1)}
    assert found.unlabelled == {run_id: 1}


def test_only_the_chosen_annotators_count(store: Store, calibrations: Calibrations) -> None:
    (given,) = groups(1)
    save(store, given, ranks(1, 2, 3))
    save(store, given, ranks(3, 2, 1, annotator="bob"))
    run_id = judged(store, [given], {"ruler": [RIGHT]})
    assert accuracies(calibrations.of([run_id], annotators=["bob"])) == {(run_id, "ruler"): (0.0, 1)}
    both = calibrations.of([run_id])
    assert accuracies(both) == {(run_id, "ruler"): (0.5, 1)}
    assert both.annotators == ("ann", "bob")
    nobody = calibrations.of([run_id], annotators=[])
    assert (nobody.annotators, nobody.unlabelled, nobody.rows[0].figures.pairs) == ((), {run_id: 1}, 0)
    assert nobody.sentence().startswith("No two responses that people put in an order")
    assert nobody.best() is None


@pytest.fixture
def split(store: Store) -> tuple[int, int, int]:
    """(v3, v4, dataset): v4 is right on tune, of which v3 is half; on the holdout it is the other way round."""
    given = groups(8)
    dataset = store.create_dataset("d")
    store.add_to_dataset(dataset, [(one, [ranks(1, 2, 3)]) for one in given])
    store.split_in_dataset(dataset, {at: Split.TUNE if at < 4 else Split.HOLDOUT for at in range(8)})
    old = judged(store, given, {"ruler": [TIED] * 4 + [RIGHT] * 4})
    new = judged(store, groups(9, prompt="Be kind."), {"ruler": [RIGHT] * 4 + [TIED] * 5}, rubric=STRICT)
    return old, new, dataset


def test_tune_and_holdout_are_told_apart_under_another_prompt_too(
    store: Store, calibrations: Calibrations, split: tuple[int, int, int]
) -> None:
    old, new, dataset = split
    found = calibrations.of([old, new])
    assert (found.dataset_id, found.splits) == (dataset, ("all", "tune", "holdout"))
    assert accuracies(found, "tune") == {(old, "ruler"): (0.5, 4), (new, "ruler"): (1.0, 4)}
    assert accuracies(found, "holdout") == {(old, "ruler"): (1.0, 4), (new, "ruler"): (0.5, 4)}
    assert found.unlabelled == {old: 0, new: 1}
    best = found.best("tune")
    assert best is not None
    assert best.run_id == new


def test_the_best_on_tune_is_told_on_the_holdout(calibrations: Calibrations, split: tuple[int, int, int]) -> None:
    old, new, dataset = split
    said = calibrations.of([old, new]).sentence()
    assert said.startswith("On the holdout v2 and v1 cannot be told apart: v1 is ahead by 50 points (")
    assert "n = 4 groups). v2 was the best on tune. Fewer than 30 groups" in said
    alone = calibrations.of([new], dataset_id=dataset)
    assert alone.sentence().startswith("RULER of run 2 orders 50% of pairs as people do")


def test_of_a_dataset_that_was_chosen_only_its_groups_count(store: Store, calibrations: Calibrations) -> None:
    given = groups(4)
    for one in given:
        save(store, one, ranks(1, 2, 3))
    run_id = judged(store, given, {"ruler": [RIGHT, WRONG, RIGHT, RIGHT]})
    part = store.create_dataset("part")
    store.add_to_dataset(part, [(one, ()) for one in given[:2]])
    assert accuracies(calibrations.of([run_id], dataset_id=part)) == {(run_id, "ruler"): (0.5, 2)}
    assert accuracies(calibrations.of([run_id])) == {(run_id, "ruler"): (0.75, 4)}


def test_the_sentence_holds_versions_against_each_other_by_one_method(store: Store, calibrations: Calibrations) -> None:
    given = groups(30)
    for one in given:
        save(store, one, ranks(1, 2, 3))
    old = judged(store, given, {"ruler": [RIGHT] * 30, "likert": [TIED_RATING] * 30})
    again = judged(store, given, {"ruler": [RIGHT] * 30})
    new = judged(store, given, {"ruler": [WRONG] * 30, "likert": [(9, 5, 1)] * 30}, rubric=STRICT)
    found = calibrations.of([old, again, new])
    assert found.sentence().startswith(f"v1 (run {old}) is better than v2 by 100 points")
    assert found.sentence("likert").startswith("v2 is better than v1 by 50 points")
    same = calibrations.of([old, again])
    assert same.sentence().startswith("RULER is better than Likert by 50 points"), "equal rewards count as one run"


def test_a_difference_is_paired_over_the_groups_that_both_runs_have(store: Store, calibrations: Calibrations) -> None:
    given = groups(40)
    for one in given:
        save(store, one, ranks(1, 2, 3))
    old = judged(store, given[:35], {"ruler": [RIGHT] * 20 + [WRONG] * 15})
    new = judged(store, given[5:], {"ruler": [RIGHT] * 30 + [WRONG] * 5, "likert": [TIED_RATING] * 35}, rubric=STRICT)
    found = calibrations.of([old, new])
    first, second, likert = found.rows
    difference = found.difference(second, first)
    # Of the 30 groups in common the new run is right on all, the old one on fifteen.
    assert (difference.value, difference.n) == (0.5, 30)
    assert difference.low is not None
    assert difference.low > 0
    assert found.difference(first, second).value == -0.5
    assert found.difference(second, likert).value == pytest.approx((30 * 0.5 - 5 * 0.5) / 35)
    assert found.difference(second, first) is difference
    assert found.sentence().startswith("v2 is better than v1 by 50 points (")
    assert found.sentence().endswith(
        "It is the best of 3 on the groups it was chosen on: a holdout tells how much of that is luck."
    )


TIED_RATING = (5, 5, 5)


def test_lines_of_different_splits_are_not_compared(calibrations: Calibrations, split: tuple[int, int, int]) -> None:
    found = calibrations.of(split[:2])
    with pytest.raises(ValueError, match="different groups"):
        found.difference(found.rows[0], found.rows[1])


def test_the_worst_disagreements_lead_to_the_runs_group(store: Store, calibrations: Calibrations) -> None:
    given = groups(3)
    for one in given:
        save(store, one, ranks(1, 2, 3))
    run_id = judged(store, given, {"ruler": [RIGHT, (0.4, 0.5, 0.1), (0.2, None, 0.9)]})
    found = calibrations.of([run_id])
    worst, other = found.disagreements(found.rows[0])
    assert store.groups([worst.group_id])[worst.group_id].id == "g2"
    assert (worst.better.letter, worst.worse.letter, worst.reward_gap, worst.run_id) == ("A", "C", 0.7, run_id)
    assert (other.name, other.better.id, other.worse.id, other.reward_gap) == ("g1", "1", "2", 0.1)
    assert found.disagreements(found.rows[0], limit=1) == (worst,)
    assert sum(one.n for one in found.plot(found.rows[0])) == 3 + 3 + 1


def test_marks_give_the_area_under_the_curve_and_the_margin(store: Store, calibrations: Calibrations) -> None:
    (given,) = groups(1)
    marks = {"1": ResponseLabel(mark=Mark.GOOD), "2": ResponseLabel(mark=Mark.BAD), "3": ResponseLabel(mark=Mark.GOOD)}
    save(store, given, Label(annotator="ann", responses=marks))
    found = calibrations.of([judged(store, [given], {"ruler": [(0.9, 0.4, 0.3)]})])
    figures = found.rows[0].figures
    assert (figures.auc.value, figures.margin) == (0.5, -0.1)


def test_criteria_are_held_against_what_people_say_of_the_statement(store: Store, calibrations: Calibrations) -> None:
    rubric = Rubric(criteria=(Criterion(description="States the deadline"), Criterion(description="Is polite")))
    given = groups(2)
    for one, truths in zip(given, [(True, False, True), (False, False, True)], strict=True):
        said = {
            str(at): ResponseLabel(rank=at, criteria={"states the  deadline": truth})
            for at, truth in enumerate(truths, start=1)
        }
        save(store, one, Label(annotator="ann", responses=said))
    new = NewRun(given, rubric, (Judge(),), RunSettings(methods=("rar_explicit", "ruler")))
    plan = [PlannedItem(place, "rar_explicit", str(at)) for place in range(2) for at in (1, 2, 3)]
    run_id = store.create_run(new, method_versions(new.settings), plan)
    for item, truth in zip(store.pending_items(run_id), (1.0, 1.0, 0.0, 0.0, 0.0, None), strict=True):
        marks = (CriterionVerdict(0, truth), CriterionVerdict(1, 1.0))
        verdict = Scored(item.trajectory_id or "", 0.5, criteria=marks)
        asyncio.run(store.finish_item(item, ItemResult(item.id, ItemStatus.SCORED, (verdict,))))
    found = calibrations.of([run_id])
    (figures,) = found.criteria(found.rows[0])
    counts = (figures.true_positives, figures.false_positives, figures.false_negatives, figures.true_negatives)
    assert (figures.position, figures.statement, counts, figures.unjudged) == (
        0,
        "States the deadline",
        (1, 1, 1, 2),
        1,
    )
    assert found.criteria(found.rows[1]) == ()


def test_what_was_worked_out_is_kept_until_runs_labels_or_splits_change(
    store: Store, calibrations: Calibrations, split: tuple[int, int, int]
) -> None:
    old, new, dataset = split
    first = calibrations.of([old, new])
    assert calibrations.of([old, new]) is first
    assert calibrations.of([new, old]) is not first
    save(store, groups(1)[0], ranks(1, 3, 2))
    second = calibrations.of([old, new])
    assert second is not first
    store.split_in_dataset(dataset, {0: Split.HOLDOUT})
    third = calibrations.of([old, new])
    assert third is not second
    assert accuracies(third, "tune")[new, "ruler"] == (1.0, 3)
    store.reset_items(new, tuple(store.run(new).progress.counts))
    assert calibrations.of([old, new]) is not third


def test_a_run_in_progress_is_held_against_labels_as_far_as_it_is(store: Store, calibrations: Calibrations) -> None:
    given = groups(2)
    for one in given:
        save(store, one, ranks(1, 2, 3))
    run_id = judged(store, given, {"ruler": [RIGHT, (None, None, None)]}, over=False)
    assert accuracies(calibrations.of([run_id])) == {(run_id, "ruler"): (1.0, 1)}


def test_one_to_twelve_stored_runs_can_be_calibrated(store: Store, calibrations: Calibrations) -> None:
    with pytest.raises(InvalidRun, match="0 runs were given"):
        calibrations.of([])
    with pytest.raises(InvalidRun, match="13 runs"):
        calibrations.of(range(1, 14))
    with pytest.raises(NotFound, match="Run 99"):
        calibrations.of([99])
    run_id = judged(store, groups(1), {"ruler": [RIGHT]})
    with pytest.raises(NotFound, match="Dataset 99"):
        calibrations.of([run_id], dataset_id=99)
    assert calibrations.of([run_id]).difference(*calibrations.of([run_id]).rows * 2) == Estimate(None, None, None, 0)
