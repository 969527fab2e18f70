from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.advantages import CONVENTIONS
from reward_lab.core.cautions import Caution, cautions
from reward_lab.core.methods.method import Arrangement
from reward_lab.core.methods.ruler import ORDERED
from reward_lab.core.rubric import Contains, Criterion, Exact, Rubric, Scoring
from reward_lab.core.table import Sample, ScoreTable, score_table
from reward_lab.core.verdict import CriterionVerdict, Reason, Scored, Unscored
from tests.core.tables import group_of, sample_of, table_of

GRADED = [0.8, 0.6, 0.3, 0.1]


def kinds(table: ScoreTable) -> set[str]:
    return {one.kind for one in cautions(table)}


def the(kind: str, table: ScoreTable) -> Caution:
    [found] = [one for one in cautions(table) if one.kind == kind]
    return found


def test_a_sound_table_with_repeats_has_none() -> None:
    texts = ["Middling text.", "Short.", "A somewhat longer text.", "The longest text of all of them."]
    group = group_of(4, texts=texts)
    assert cautions(table_of({"ruler": [GRADED] * 3, "likert": [[8.0, 6.0, 3.0, 1.0]] * 3}, group=group)) == ()


def test_every_caution_says_what_it_means_and_what_to_do() -> None:
    for table in (table_of({"ruler": [0.5]}), table_of({"ruler": [0.9, 0.9, None]}, convention="nemo_rl")):
        for one in cautions(table):
            assert one.title.endswith(".")
            assert one.meaning.endswith(".")
            assert one.remedy.endswith(".")


class TestGroup:
    @pytest.mark.parametrize(
        ("count", "kind"),
        [(1, "one_response"), (2, "few_responses"), (3, "few_responses"), (9, "many_responses")],
    )
    def test_sizes_that_are_not_advised(self, count: int, kind: str) -> None:
        assert kind in kinds(table_of({"ruler": [index / 10 for index in range(count)]}))

    @pytest.mark.parametrize("count", [4, 8])
    def test_advised_sizes(self, count: int) -> None:
        found = kinds(table_of({"ruler": [index / 10 for index in range(count)]}))
        assert not found & {"one_response", "few_responses", "many_responses"}

    def test_one_response_is_not_said_to_have_no_variance(self) -> None:
        assert not kinds(table_of({"ruler": [0.9]})) & {"zero_variance", "ceiling", "few_samples", "all_identical"}

    def test_identical_responses(self) -> None:
        table = table_of({"ruler": GRADED}, group=group_of(4, texts=["Same."] * 4))
        assert "all_identical" in kinds(table)
        assert "duplicates" not in kinds(table)
        pair = table_of({"ruler": GRADED}, group=group_of(4, texts=["Same.", "Other.", "Same.", "Third."]))
        assert the("duplicates", pair).letters == ("A", "C")

    def test_methods_that_differ_on_the_best(self) -> None:
        table = table_of({"ruler": GRADED, "likert": [1.0, 9.0, 5.0, 3.0]})
        assert the("best_disputed", table).title == "The methods differ on the best: RULER A, Likert B."

    def test_a_shared_best_or_a_method_that_cannot_tell_is_no_dispute(self) -> None:
        assert "best_disputed" not in kinds(table_of({"ruler": GRADED, "likert": [9.0, 9.0, 5.0, 3.0]}))
        assert "best_disputed" not in kinds(table_of({"ruler": GRADED, "likert": [5.0] * 4}))
        assert "best_disputed" not in kinds(table_of({"ruler": GRADED, "likert": [None, 5.0, None, None]}))


class TestColumn:
    def test_partly_and_not_at_all_scored(self) -> None:
        table = table_of({"ruler": [0.8, None, 0.3, None], "likert": [None] * 4})
        assert the("partly_scored", table).letters == ("B", "D")
        assert the("unscored", table).method == "likert"

    def test_what_samples_to_come_may_change_is_no_caution(self) -> None:
        assert "zero_variance" in kinds(table_of({"likert": [[7.0] * 4] * 3}, planned=3))
        assert "zero_variance" not in kinds(table_of({"likert": [[7.0] * 4] * 2}, planned=3))

    def test_what_is_on_its_way_is_no_caution(self) -> None:
        assert not kinds(table_of({"ruler": GRADED}, waiting=["likert"])) & {"unscored", "partly_scored"}
        group = group_of(4)
        early = Sample("likert", 0, 0, (Scored("t1", 10.0), Scored("t2", 10.0)))
        table = score_table(group, Rubric(), [early], methods=["likert"], convention="rloo", reward_method="likert")
        assert kinds(table) == set()

    def test_means_over_different_samples(self) -> None:
        table = table_of({"ruler": [GRADED, [None, *GRADED[1:]]]})
        assert the("uneven_samples", table).method == "ruler"
        assert "uneven_samples" not in kinds(table_of({"ruler": [GRADED, GRADED]}))

    def test_zero_variance_after_rounding(self) -> None:
        table = table_of({"ruler": [0.1 + 0.2, 0.3, 0.3, 0.3]})
        assert the("zero_variance", table).method == "ruler"
        assert "top_tied" not in kinds(table)

    def test_a_verifier_that_tells_responses_apart_leaves_variance(self) -> None:
        rubric = Rubric(verifiers=(Contains(value="number 1"),))
        assert "zero_variance" not in kinds(table_of({"ruler": [0.3] * 4}, rubric=rubric))

    def test_ties_at_the_top(self) -> None:
        assert the("top_tied", table_of({"ruler": [0.8, 0.3, 0.8, 0.1]})).letters == ("A", "C")
        assert "top_tied" not in kinds(table_of({"ruler": [0.8, 0.3, 0.3, 0.3]}))

    def test_checks_may_tie_unless_they_are_the_reward(self) -> None:
        rubric = Rubric(verifiers=(Contains(value="Response"),))
        scores = {"ruler": GRADED, "verifier": [1.0] * 4}
        assert "zero_variance" not in kinds(table_of(scores, rubric=rubric))
        assert the("zero_variance", table_of(scores, rubric=rubric, reward_method="verifier")).method == "verifier"

    def test_ceiling_is_more_than_half(self) -> None:
        assert "ceiling" in kinds(table_of({"ruler": [0.9, 0.95, 1.0, 0.2]}))
        assert "ceiling" not in kinds(table_of({"ruler": [0.9, 0.95, 0.3, 0.2]}))
        assert "ceiling" in kinds(table_of({"likert": [10.0, 9.9, 9.5, 2.0]}))


class TestLength:
    def lengths(self, *counts: int) -> list[str]:
        return ["x" * count for count in counts]

    def test_four_in_order_is_a_note_that_it_may_be_chance(self) -> None:
        table = table_of({"ruler": [0.1, 0.2, 0.3, 0.4]}, group=group_of(4, texts=self.lengths(1, 2, 3, 4)))
        found = the("length", table)
        assert (found.level, "n = 4" in found.title, "higher" in found.title) == ("note", True, True)

    def test_five_in_order_is_a_warning(self) -> None:
        texts = self.lengths(5, 4, 3, 2, 1)
        table = table_of({"ruler": [0.1, 0.2, 0.3, 0.4, 0.5]}, group=group_of(5, texts=texts))
        found = the("length", table)
        assert (found.level, "lower" in found.title, "rho -1.00" in found.title) == ("warning", True, True)

    def test_too_few_or_not_in_order_says_nothing(self) -> None:
        three = table_of({"ruler": [0.1, 0.2, 0.3]}, group=group_of(3, texts=self.lengths(1, 2, 3)))
        mixed = table_of({"ruler": [0.1, 0.2, 0.4, 0.3]}, group=group_of(4, texts=self.lengths(1, 2, 3, 4)))
        weak = table_of({"ruler": [0.1, 0.2, 0.3, 0.5, 0.4]}, group=group_of(5, texts=self.lengths(1, 2, 3, 4, 5)))
        assert not {"length"} & (kinds(three) | kinds(mixed) | kinds(weak))

    def test_unscored_responses_are_not_counted(self) -> None:
        texts = self.lengths(1, 2, 3, 4, 5)
        table = table_of({"ruler": [0.1, 0.2, 0.3, 0.4, None]}, group=group_of(5, texts=texts))
        assert "n = 4" in the("length", table).title


class TestRepeats:
    def test_flips_of_the_best(self) -> None:
        table = table_of({"likert": [[8.0, 5.0], [7.0, 5.0], [4.0, 6.0]]})
        assert the("top_flips", table).title == "Likert's best response was not first in 1 of 3 samples."

    def test_few_samples_are_a_note_for_all_methods_at_once(self) -> None:
        table = table_of({"ruler": [GRADED, GRADED], "likert": [8.0, 6.0, 3.0, 1.0]})
        found = the("few_samples", table)
        assert found.level == "note"
        assert found.title == "RULER and Likert: 2 samples of each score at most."
        assert "few_samples" not in kinds(table_of({"ruler": [GRADED] * 3}))

    def test_a_judge_that_goes_by_slot(self) -> None:
        group = group_of(4)
        samples = []
        for repeat in range(6):
            order = Arrangement(0, repeat).order(4, of=ORDERED)
            scores = [0.0] * 4
            for slot, index in enumerate(order):
                scores[index] = GRADED[index] * 0.2 + slot * 0.1
            samples.append(sample_of(group, "ruler", scores, repeat=repeat))
        table = score_table(group, Rubric(), samples, methods=["ruler"], convention="rloo", reward_method="ruler")
        found = the("position", table)
        assert "later slots" in found.title
        assert "n = 24" in found.title


class TestCriteria:
    RUBRIC = Rubric(criteria=(Criterion(title="Cites", description="Cites."), Criterion(description="Is short.")))

    def table(self, *marks: Sequence[bool | None]) -> ScoreTable:
        group = group_of(len(marks))
        verdicts = []
        for trajectory, given_marks in zip(group.trajectories, marks, strict=True):
            said = tuple(CriterionVerdict(position, holds) for position, holds in enumerate(given_marks))
            if None in given_marks:
                verdicts.append(Unscored(trajectory.id, Reason.WRONG_IDS, "", criteria=said))
            else:
                verdicts.append(Scored(trajectory.id, sum(map(bool, given_marks)) / 2, criteria=said))
        return score_table(
            group,
            self.RUBRIC,
            [Sample("rar_explicit", 0, 0, tuple(verdicts))],
            methods=["rar_explicit"],
            convention="rloo",
            reward_method="rar_explicit",
        )

    def test_dead_criteria_are_a_note_of_this_group(self) -> None:
        table = self.table((True, False), (True, False), (True, True))
        found = the("dead_criteria_all_true", table)
        assert (found.level, "“Cites” is true of every response" in found.title) == ("note", True)
        # Of a criterion that is met when false, what is true of all adds nothing.
        assert "counts the same in every reward" in found.meaning
        assert "dead_criteria_all_false" not in kinds(table)
        assert "“Is short.”" in the("dead_criteria_all_false", self.table((True, False), (False, False))).title

    def test_one_response_makes_no_criterion_dead(self) -> None:
        assert not any(kind.startswith("dead") for kind in kinds(self.table((True, False))))

    def test_a_criterion_left_unjudged(self) -> None:
        found = the("unjudged_criteria", self.table((True, None), (True, False), (False, True)))
        assert "“Is short.”" in found.title
        assert "“Cites”" not in found.title


class TestReward:
    def test_nemo_may_blow_up_the_outlier(self) -> None:
        scores = {"ruler": [0.3] * 7 + [0.9]}
        assert the("float_hazard", table_of(scores, convention="nemo_rl")).letters == ("H",)
        assert "float_hazard" not in kinds(table_of(scores, convention="trl_grpo"))

    def test_an_advantage_beyond_its_group(self) -> None:
        scores = {"ruler": [0.300001, 0.3, 0.3, 0.9]}
        assert the("large_advantage", table_of(scores, convention="nemo_rl")).letters == ("D",)
        assert "large_advantage" not in kinds(table_of(scores, convention="group_norm"))

    def test_large_rewards_are_not_taken_for_a_hazard(self) -> None:
        rubric = Rubric(scoring=Scoring(judge_weight=100))
        table = table_of({"ruler": [0.0, 1.0, 0.5, 0.2]}, rubric=rubric, convention="mean_only")
        assert table.rows[1].advantage == 57.5
        assert "large_advantage" not in kinds(table)

    def test_what_the_trainer_drops(self) -> None:
        dropped = the("dropped", table_of({"ruler": [0.0, 0.5, 1.0]}, convention="art_local"))
        assert (dropped.title, dropped.letters) == ("ART drops B.", ("B",))
        table = table_of({"ruler": [0.5] * 4}, convention="verl_grpo")
        assert the("dropped", table).title == "With filter_groups on, verl drops the group."

    def test_a_reward_with_an_unknown_part(self) -> None:
        table = table_of({"ruler": GRADED}, rubric=Rubric(verifiers=(Exact(),)))
        assert the("reward_unknown", table).letters == ("A", "B", "C", "D")


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=9),
    st.sampled_from(list(CONVENTIONS)),
)
def test_no_table_is_too_odd(scores: list[int | None], convention: str) -> None:
    given_scores = [None if one is None else one / 3 for one in scores]
    found = cautions(table_of({"ruler": given_scores, "rar_predefined": given_scores[::-1]}, convention=convention))
    assert len({(one.kind, one.method, one.title) for one in found}) == len(found)
