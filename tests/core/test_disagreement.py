from __future__ import annotations

from reward_lab.core.disagreement import Answer, disagreements
from reward_lab.core.labelled import LabelledGroup
from reward_lab.core.matching import Member, RunGroup
from tests.core.test_calibration import holding

GROUP = RunGroup(5, "refunds", "May I?", (Member("x", "r1"), Member("y", "r2"), Member("z", "r3")))


def test_a_disagreement_names_both_responses_and_who_is_on_which_side() -> None:
    labels = [holding(3, 2, 1), holding(3, 1, 1, annotator="bob"), holding(1, 2, 2, annotator="cem")]
    first, second = disagreements(9, "ruler", [LabelledGroup(GROUP, (0.3, 0.8, 0.1), labels)], limit=9)
    assert (first.run_id, first.group_id, first.method, first.name) == (9, 5, "ruler", "refunds")
    assert (first.better, first.worse, first.reward_gap) == (Answer("r1", "A"), Answer("r2", "B"), 0.5)
    assert (first.annotators, first.siding) == (("ann", "bob"), ("cem",))
    assert first.human_gap == (1 + 1.5) / 2  # mid-ranks 3, 2 by ann; 3, 1.5 by bob
    assert (second.better.id, second.worse.id, second.annotators) == ("r3", "r1", ("cem",))


def test_the_largest_gap_comes_first_and_no_more_than_asked_for() -> None:
    groups = [
        LabelledGroup(GROUP, (0.1, gap, None), [holding(3, 2, 1)] + [holding(3, 2, 1, annotator="bob")] * twice)
        for gap, twice in ((0.3, 0), (0.9, 0), (0.5, 0), (0.5, 1))
    ]
    found = disagreements(1, "ruler", groups, limit=3)
    assert [(one.reward_gap, len(one.annotators)) for one in found] == [(0.8, 1), (0.4, 2), (0.4, 1)]


def test_ties_and_what_is_unknown_are_no_disagreement() -> None:
    group = LabelledGroup(GROUP, (0.5, 0.5, None), [holding(2, 1, 3)])
    assert disagreements(1, "ruler", [group], limit=9) == ()
