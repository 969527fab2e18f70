from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.advantages import CONVENTIONS, advantages, rounded
from reward_lab.core.group import Group
from reward_lab.core.methods import METHODS
from reward_lab.core.rubric import Contains, Criterion, Exact, Rubric, Scoring
from reward_lab.core.table import CellState, Sample, ScoreTable, Statement, letter, score_table
from reward_lab.core.verdict import CriterionVerdict, Reason, Scored, Unscored
from reward_lab.errors import InvalidRun
from tests.core.tables import group_of, sample_of, table_of


def column_of(table: ScoreTable, method: str, what: str) -> list[object]:
    return [getattr(cell, what) for cell in table.cells(method)]


class TestScores:
    def test_one_sample_stands_as_it_is(self) -> None:
        table = table_of({"ruler": [0.9, 0.5, 0.5, 0.1]})
        assert column_of(table, "ruler", "score") == [0.9, 0.5, 0.5, 0.1]
        assert column_of(table, "ruler", "rank") == [1, 2, 2, 4]
        assert column_of(table, "ruler", "std") == [None] * 4
        assert column_of(table, "ruler", "n") == [1] * 4
        assert column_of(table, "ruler", "state") == [CellState.SCORED] * 4
        assert [row.letter for row in table.rows] == ["A", "B", "C", "D"]

    def test_samples_of_repeats_and_judges_are_averaged(self) -> None:
        group = group_of(2)
        samples = [
            sample_of(group, "ruler", [0.2, 0.6], judge=0, repeat=0),
            sample_of(group, "ruler", [0.4, 0.6], judge=0, repeat=1),
            sample_of(group, "ruler", [0.9, 0.6], judge=1, repeat=0),
        ]
        table = score_table(group, Rubric(), samples, methods=["ruler"], convention="trl_grpo", reward_method="ruler")
        first, second = table.cells("ruler")
        assert first.score == pytest.approx(0.5)
        assert first.std == pytest.approx(math.sqrt((0.09 + 0.01 + 0.16) / 2))
        assert (first.n, second.std) == (3, 0.0)
        assert [(one.judge, one.repeat) for one in first.verdicts] == [(0, 0), (0, 1), (1, 0)]
        assert table.column("ruler").samples == 3

    def test_samples_that_cover_one_response_each_are_joined(self) -> None:
        group = group_of(3)
        samples = [Sample("likert", 0, 0, (Scored(f"t{number}", float(number)),)) for number in (3, 1, 2)]
        table = score_table(group, Rubric(), samples, methods=["likert"], convention="trl_grpo", reward_method="likert")
        assert column_of(table, "likert", "score") == [1.0, 2.0, 3.0]
        assert table.column("likert").samples == 1

    def test_methods_that_are_no_column_are_left_out(self) -> None:
        group = group_of(1)
        samples = [sample_of(group, "likert", [5.0])]
        table = score_table(group, Rubric(), samples, methods=["ruler"], convention="trl_grpo", reward_method="ruler")
        assert [column.name for column in table.columns] == ["ruler"]
        assert table.rows[0].cells["ruler"].state is CellState.WAITING


class TestUnscored:
    def test_an_unscored_member_is_left_out_and_the_column_is_partial(self) -> None:
        table = table_of({"ruler": [0.9, None, 0.1]})
        cell = table.rows[1].cells["ruler"]
        assert (cell.state, cell.score, cell.reward, cell.rank, cell.advantage) == (
            CellState.UNSCORED,
            None,
            None,
            None,
            None,
        )
        assert column_of(table, "ruler", "rank") == [1, None, 2]
        expected = advantages([0.9, 0.1], "trl_grpo")
        assert column_of(table, "ruler", "advantage") == [expected[0], None, expected[1]]
        column = table.column("ruler")
        assert (column.scored, column.unscored, column.waiting, column.partial) == (2, 1, 0, True)

    def test_a_sample_without_a_score_is_counted_and_not_averaged(self) -> None:
        table = table_of({"ruler": [[0.8, 0.2], [None, 0.4]]})
        first, second = table.cells("ruler")
        assert (first.score, first.n, first.unscored, first.state) == (0.8, 1, 1, CellState.SCORED)
        assert second.score == pytest.approx(0.3)
        assert not table.column("ruler").partial

    def test_nothing_scored_is_not_partial(self) -> None:
        column = table_of({"ruler": [None, None]}).column("ruler")
        assert (column.partial, column.std, column.scored) == (False, None, 0)

    def test_no_verdict_yet_is_waiting(self) -> None:
        table = table_of({"ruler": [0.5, 0.6]}, waiting=["likert"])
        assert column_of(table, "likert", "state") == [CellState.WAITING] * 2
        assert table.column("likert").waiting == 2

    @given(
        st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8),
        st.sampled_from(list(CONVENTIONS)),
    )
    def test_the_unscored_never_count_as_zero(self, scores: list[float | None], convention: str) -> None:
        table = table_of({"ruler": scores}, convention=convention)
        scored = [score for score in scores if score is not None]
        kept = [row for row, score in zip(table.rows, scores, strict=True) if score is not None]
        if not scored:
            assert all(row.reward is None and row.advantage is None for row in table.rows)
            return
        alone = table_of({"ruler": scored}, convention=convention)
        assert [row.advantage for row in kept] == [row.advantage for row in alone.rows]
        assert [row.cells["ruler"].rank for row in kept] == [row.cells["ruler"].rank for row in alone.rows]
        assert table.column("ruler").std == alone.column("ruler").std


class TestRewards:
    def test_each_method_is_brought_to_the_unit_and_spread_is_between_them(self) -> None:
        table = table_of({"ruler": [0.9, 0.5], "likert": [10.0, 1.0]})
        assert [row.spread for row in table.rows] == pytest.approx([0.1, 0.5])
        assert [cell.reward.total for cell in table.cells("likert") if cell.reward] == [1.0, 0.0]

    def test_spread_needs_two_scored_methods(self) -> None:
        assert [row.spread for row in table_of({"ruler": [0.9, 0.5]}).rows] == [None, None]
        table = table_of({"ruler": [0.9, 0.5], "likert": [None, 5.5]})
        assert [row.spread for row in table.rows] == pytest.approx([None, 0.0])

    def test_the_chosen_method_decides_the_rows_reward(self) -> None:
        table = table_of({"ruler": [0.9, 0.5], "likert": [1.0, 10.0]}, reward_method="likert")
        assert [row.reward.total for row in table.rows if row.reward] == [0.0, 1.0]
        assert [row.advantage for row in table.rows] == column_of(table, "likert", "advantage")

    def test_verifiers_are_added_and_kept_as_their_own_figures(self) -> None:
        rubric = Rubric(verifiers=(Contains(value="number 1", weight=0.5),), scoring=Scoring(judge_weight=2))
        table = table_of({"ruler": [0.25, 0.5]}, rubric=rubric)
        first, second = (row.reward for row in table.rows)
        assert first is not None
        assert second is not None
        assert (first.total, first.judge, first.judge_weight, first.verifiers) == (1.0, 0.25, 2, (0.5,))
        assert (second.total, second.verifiers) == (1.0, (0.0,))
        assert [row.cells["ruler"].rank for row in table.rows] == [2, 1]
        assert [row.advantage for row in table.rows] == [0.0, 0.0]
        assert table.column("ruler").std == 0.0

    def test_checks_as_the_reward_do_not_count_twice(self) -> None:
        rubric = Rubric(verifiers=(Contains(value="number 1", weight=0.5),))
        table = table_of({"verifier": [0.5, 0.0]}, rubric=rubric)
        assert [row.reward.total for row in table.rows if row.reward] == [0.5, 0.0]

    def test_what_the_verifier_method_said_is_not_found_out_again(self) -> None:
        group = group_of(1)
        rubric = Rubric(verifiers=(Contains(value="number 1"),))
        said = Sample("verifier", 0, 0, (Scored("t1", 0.0, criteria=(CriterionVerdict(0, False),)),))
        samples = [sample_of(group, "ruler", [0.5]), said]
        table = score_table(group, rubric, samples, methods=["ruler"], convention="rloo", reward_method="ruler")
        assert table.rows[0].reward is not None
        assert table.rows[0].reward.verifiers == (0.0,)

    def test_an_unknown_part_makes_the_reward_unknown_and_leaves_the_member_out(self) -> None:
        rubric = Rubric(scoring=Scoring(add_independent=True))
        group = group_of(3)
        first, *others = group.trajectories
        known = [one.model_copy(update={"independent_reward": 1.0}) for one in others]
        group = Group(id="g", trajectories=(first, *known))
        table = table_of({"ruler": [0.9, 0.5, 0.1]}, group=group, rubric=rubric)
        assert [row.reward.total for row in table.rows if row.reward] == [None, 1.5, 1.1]
        assert table.rows[0].advantage is None
        assert [row.advantage for row in table.rows[1:]] == list(advantages([1.5, 1.1], "trl_grpo"))

    def test_a_verifier_without_a_reference_is_unknown(self) -> None:
        table = table_of({"ruler": [0.9, 0.5]}, rubric=Rubric(verifiers=(Exact(),)))
        assert [row.reward.total for row in table.rows if row.reward] == [None, None]


class TestColumns:
    def test_ties_distinct_scores_and_scale(self) -> None:
        column = table_of({"likert": [7.0, 7.0, 3.0, 7.0]}).column("likert")
        assert (column.tied, column.distinct, column.scale, column.head) == (3, 2, (1, 10), METHODS["likert"].head)

    def test_scores_equal_to_six_places_are_tied(self) -> None:
        column = table_of({"ruler": [0.1 + 0.2, 0.3]}).column("ruler")
        assert (column.tied, column.distinct, column.std) == (1, 1, 0.0)

    def test_agreement_is_by_rank_over_what_both_scored(self) -> None:
        table = table_of({"ruler": [0.9, 0.5, 0.1, 0.7], "likert": [9.0, 4.0, None, 8.0], "rar_implicit": [5.0] * 4})
        both = {(one.first, one.second): (one.tau, one.n) for one in table.agreement()}
        assert both == {
            ("ruler", "likert"): (1.0, 3),
            ("ruler", "rar_implicit"): (None, 4),
            ("likert", "rar_implicit"): (None, 3),
        }


class TestCriteria:
    def test_consensus_is_the_share_of_samples_that_say_true(self) -> None:
        group = group_of(1)
        marks = [(True, None), (True, False), (False, None)]
        samples = [
            Sample(
                "rar_explicit",
                0,
                repeat,
                (Scored("t1", 0.5, criteria=tuple(CriterionVerdict(at, holds) for at, holds in enumerate(pair))),),
            )
            for repeat, pair in enumerate(marks)
        ]
        table = score_table(
            group, Rubric(), samples, methods=["rar_explicit"], convention="rloo", reward_method="rar_explicit"
        )
        [cell] = table.cells("rar_explicit")
        assert [(one.position, one.share, one.judged, one.unjudged) for one in cell.criteria] == [
            (0, 2 / 3, 3, 0),
            (1, 0.0, 1, 2),
        ]

    def test_a_column_names_what_it_judges_one_by_one(self) -> None:
        rubric = Rubric(
            criteria=(Criterion(title="Cites", description="Cites."), Criterion(description="Is short.")),
            verifiers=(Contains(value="30"),),
        )
        table = table_of(
            {"ruler": [0.5], "rar_explicit": [0.5], "rar_predefined": [0.5], "verifier": [1.0]}, rubric=rubric
        )
        assert table.criteria_of("ruler") == ()
        assert [one.title for one in table.criteria_of("rar_explicit")] == ["Cites", ""]
        assert [one.description for one in table.criteria_of("rar_explicit")] == ["Cites.", "Is short."]
        assert len(table.criteria_of("rar_predefined")) == 4
        assert table.criteria_of("verifier") == (Statement("contains", '{"case_sensitive":false,"value":"30"}'),)

    def test_what_was_judged_of_an_unscored_response_is_kept(self) -> None:
        group = group_of(1)
        verdict = Unscored("t1", Reason.REFUSAL, "", criteria=(CriterionVerdict(0, True), CriterionVerdict(1, None)))
        table = score_table(
            group,
            Rubric(),
            [Sample("rar_explicit", 0, 0, (verdict,))],
            methods=["rar_explicit"],
            convention="rloo",
            reward_method="rar_explicit",
        )
        [cell] = table.cells("rar_explicit")
        assert [one.share for one in cell.criteria] == [1.0, None]
        assert cell.score is None


class TestRefusals:
    def test_unknown_names(self) -> None:
        with pytest.raises(InvalidRun, match="no method 'rular'"):
            table_of({"rular": [0.5]})
        with pytest.raises(InvalidRun, match="convention 'grpo'"):
            table_of({"ruler": [0.5]}, convention="grpo")
        with pytest.raises(InvalidRun, match="'likert' was not scored"):
            table_of({"ruler": [0.5]}, reward_method="likert")

    def test_verdicts_that_cannot_belong(self) -> None:
        group = group_of(1)
        stray = Sample("ruler", 0, 0, (Scored("t9", 0.5),))
        twice = [sample_of(group, "ruler", [0.5]), sample_of(group, "ruler", [0.6])]
        for samples, message in (([stray], "'t9', not in 'g'"), (twice, "two verdicts on 't1'")):
            with pytest.raises(ValueError, match=message):
                score_table(group, Rubric(), samples, methods=["ruler"], convention="rloo", reward_method="ruler")


def test_letters_go_on_past_z() -> None:
    assert [letter(index) for index in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(1, 10))), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_permuting_responses_permutes_the_table(given_scores: list[tuple[int, int | None]], source: Random) -> None:
    count = len(given_scores)
    group = group_of(count)
    samples = [
        sample_of(group, "ruler", [one / 4 for one, _ in given_scores]),
        sample_of(group, "likert", [None if other is None else float(other) for _, other in given_scores]),
    ]
    order = list(range(count))
    source.shuffle(order)
    shuffled = group.model_copy(update={"trajectories": tuple(group.trajectories[index] for index in order)})
    plain, permuted = (
        score_table(one, Rubric(), samples, methods=["ruler", "likert"], convention="trl_grpo", reward_method="ruler")
        for one in (group, shuffled)
    )
    for place, index in enumerate(order):
        before, after = plain.rows[index], permuted.rows[place]
        assert after.trajectory == before.trajectory
        assert after.spread == before.spread
        assert rounded(after.advantage or 0.0) == rounded(before.advantage or 0.0)
        for name in ("ruler", "likert"):
            one, other = before.cells[name], after.cells[name]
            assert (one.advantage is None) == (other.advantage is None)
            assert replace(one, advantage=None) == replace(other, advantage=None)
