from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.movement import movement
from reward_lab.core.rubric import Contains, Rubric, Scoring
from reward_lab.core.sentences import movement_sentence, result_sentence
from tests.core.tables import group_of, table_of

UNSCORED = None


CHECKED = Rubric(verifiers=(Contains(value="Response"),))


class TestResult:
    def test_agreement_a_tie_and_the_last(self) -> None:
        table = table_of(
            {
                "ruler": [0.98, 0.45, 0.05, 0.96],
                "rar_explicit": [1.0, 0.6, 0.0, 0.8],
                "likert": [9.0, 4.0, 1.0, 9.0],
            }
        )
        assert result_sentence(table) == (
            "RULER and RaR exp agree that A is best; Likert cannot tell A from D; C is last everywhere."
        )

    def test_methods_that_differ(self) -> None:
        table = table_of({"ruler": [0.9, 0.5, 0.1], "likert": [3.0, 9.0, 1.0], "rar_implicit": [2.0, 8.0, 4.0]})
        assert result_sentence(table) == "Likert and RaR imp agree that B is best; RULER puts A first."

    def test_many_favourites_are_not_all_listed(self) -> None:
        columns = {
            "ruler": [0.9, 0.1, 0.1, 0.2],
            "likert": [1.0, 9.0, 1.0, 2.0],
            "likert_reference": [1.0, 9.0, 2.0, 1.0],
            "rar_implicit": [1.0, 2.0, 9.0, 1.0],
            "rar_predefined": [0.1, 0.2, 0.1, 0.9],
        }
        assert result_sentence(table_of(columns)) == (
            "Likert and Likert+ref agree that B is best; RULER puts A first; 2 methods favour yet others."
        )

    def test_one_method(self) -> None:
        assert result_sentence(table_of({"ruler": [0.9, 0.5, 0.1]})) == "RULER puts A first; C is last."

    def test_two_responses_need_no_last(self) -> None:
        assert result_sentence(table_of({"ruler": [0.9, 0.5]})) == "RULER puts A first."

    def test_three_and_more_tied(self) -> None:
        assert result_sentence(table_of({"ruler": [0.9, 0.9, 0.9, 0.1]})) == (
            "RULER cannot tell A, B and C apart; D is last."
        )

    def test_all_alike(self) -> None:
        table = table_of({"ruler": [0.5, 0.5, 0.5], "likert": [7.0, 7.0, 7.0], "rar_implicit": [7.0, 3.0, 1.0]})
        assert result_sentence(table) == "RaR imp puts A first; RULER and Likert score all alike."
        assert result_sentence(table_of({"ruler": [0.5, 0.5]})) == "RULER scores all alike."

    def test_a_tie_at_the_bottom_names_no_last(self) -> None:
        assert result_sentence(table_of({"ruler": [0.9, 0.1, 0.1]})) == "RULER puts A first."

    def test_an_unscored_response_is_named_and_last_is_not_claimed(self) -> None:
        table = table_of({"ruler": [0.9, 0.5, 0.1, 0.3], "likert": [9.0, 5.0, UNSCORED, 3.0]})
        assert result_sentence(table) == (
            "RULER and Likert (of the 3 scored) agree that A is best; Likert could not score C."
        )

    def test_what_is_best_is_said_of_those_scored_only(self) -> None:
        alone = table_of({"likert": [9.0, UNSCORED, 5.0, UNSCORED]})
        assert result_sentence(alone) == "Likert puts A first of the 2 scored; Likert could not score B or D."
        together = table_of({"likert": [9.0, UNSCORED, 5.0], "rar_implicit": [8.0, UNSCORED, 3.0]})
        assert result_sentence(together) == (
            "Likert and RaR imp agree that A is best of the 2 scored; Likert and RaR imp could not score B."
        )
        tied = table_of({"likert": [9.0, UNSCORED, 9.0, 1.0]})
        assert result_sentence(tied) == ("Likert (of the 3 scored) cannot tell A from C; Likert could not score B.")
        flat = table_of({"likert": [9.0, UNSCORED, 9.0]})
        assert result_sentence(flat) == "Likert (of the 2 scored) scores all alike; Likert could not score B."

    def test_a_method_that_scored_nothing(self) -> None:
        table = table_of({"ruler": [0.9, 0.5, 0.1], "likert": [UNSCORED] * 3})
        assert result_sentence(table) == "RULER puts A first; Likert could not score any response."

    def test_a_method_that_scored_one(self) -> None:
        table = table_of({"ruler": [0.9, UNSCORED, UNSCORED]})
        assert result_sentence(table) == (
            "RULER scored one response only, so there is nothing to compare; RULER could not score B or C."
        )

    def test_everything_unscored(self) -> None:
        assert result_sentence(table_of({"ruler": [UNSCORED, UNSCORED]})) == (
            "No response could be scored; open a cell to see why."
        )

    def test_nothing_yet_and_not_done(self) -> None:
        assert result_sentence(table_of({}, group=group_of(2), waiting=["ruler"])) == "Nothing is scored yet."
        table = table_of({"ruler": [0.9, 0.5, 0.1]}, waiting=["likert", "rar_implicit"])
        assert result_sentence(table) == "RULER puts A first; Likert and RaR imp are not done."

    def test_a_method_with_samples_to_come_is_not_done_and_has_no_say(self) -> None:
        ruler = [[0.9, 0.5, 0.1]] * 3
        table = table_of({"ruler": ruler, "likert": [[7.0, 7.0, 7.0]]}, planned=3)
        assert result_sentence(table) == "RULER puts A first; Likert is not done."
        whole = table_of({"ruler": ruler, "likert": [[7.0, 7.0, 7.0]] * 3}, planned=3)
        assert result_sentence(whole) == "RULER puts A first; Likert scores all alike."
        begun = table_of({"likert": [[9.0, 7.0, 7.0]] * 2}, planned=3)
        assert result_sentence(begun) == "So far Likert puts A first; Likert is not done."

    def test_checks_are_done_at_the_first_look(self) -> None:
        table = table_of({"ruler": [[0.9, 0.5]] * 3, "verifier": [1.0, 0.0]}, rubric=CHECKED, planned=3)
        assert "not done" not in result_sentence(table)

    def test_one_response(self) -> None:
        table = table_of({"ruler": [0.9], "likert": [3.0]})
        assert result_sentence(table) == "A is the only response, so there is nothing to compare."

    def test_checks_tie_by_nature(self) -> None:
        table = table_of({"ruler": [0.9, 0.5, 0.1], "verifier": [1.0, 1.0, 0.0]}, rubric=CHECKED)
        assert result_sentence(table) == "RULER puts A first; Checks put A and B first; C is last everywhere."
        alike = table_of(
            {"ruler": [0.9, 0.5, 0.1], "likert": [9.0, 5.0, 1.0], "verifier": [1.0, 1.0, 1.0]}, rubric=CHECKED
        )
        assert result_sentence(alike) == (
            "RULER and Likert agree that A is best; Checks score all alike; C is last in every judged method."
        )

    @pytest.mark.parametrize("count", range(1, 10))
    def test_reads_well_for_every_small_table(self, count: int) -> None:
        levels = (None, 0.2, 0.8)
        for first in product(levels, repeat=min(count, 4)):
            scores = [*first, *[0.5] * (count - len(first))]
            sentence = result_sentence(table_of({"ruler": scores, "verifier": scores[::-1]}, rubric=CHECKED))
            assert sentence.endswith(".")
            assert ";;" not in sentence
            assert "  " not in sentence
            assert not sentence.startswith((";", ".", " "))


@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 2)), st.one_of(st.none(), st.integers(0, 2))),
        min_size=3,
        max_size=8,
    )
)
def test_everywhere_is_claimed_only_where_it_holds(both: list[tuple[int | None, int | None]]) -> None:
    columns = {
        "ruler": [None if one is None else one / 2 for one, _ in both],
        "rar_explicit": [None if other is None else other / 2 for _, other in both],
    }
    sentence = result_sentence(table_of(columns))
    if "last everywhere" in sentence:
        index = "ABCDEFGH".index(sentence.split(" is last")[0][-1])
        for scores in columns.values():
            known = [one for one in scores if one is not None]
            assert len(known) == len(both)
            assert known.count(min(known)) == 1
            assert scores[index] == min(known)


class TestMovement:
    def test_the_largest_change_leads(self) -> None:
        old = table_of({"ruler": [0.97, 0.45, 0.05]})
        new = table_of({"ruler": [0.97, 0.20, 0.05]})
        assert movement_sentence(movement(old, new), "run 3") == "B falls from 0.45 to 0.20 since run 3."

    def test_several_methods_are_named_and_others_counted(self) -> None:
        old = table_of({"ruler": [0.5, 0.4], "likert": [9.0, 5.0]})
        new = table_of({"ruler": [0.5, 0.8], "likert": [1.0, 6.0]})
        assert movement_sentence(movement(old, new), "run 3") == (
            "B rises from 0.40 to 0.80 in RULER since run 3, from rank 2 to 1; 2 other scores moved."
        )

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [(9.0, 6.0, "falls from 9 to 6"), (9.0, 8.5, "falls from 9.00 to 8.50"), (1.0, 10.0, "rises from 1 to 10")],
    )
    def test_whole_ratings_are_said_whole(self, old: float, new: float, said: str) -> None:
        moved = movement(table_of({"likert": [old]}), table_of({"likert": [new]}))
        assert movement_sentence(moved, "run 3") == f"A {said} since run 3."

    def test_ones_and_zeros_of_a_scale_to_one_keep_their_decimals(self) -> None:
        moved = movement(table_of({"ruler": [1.0]}), table_of({"ruler": [0.0]}))
        assert movement_sentence(moved, "run 3") == "A falls from 1.00 to 0.00 since run 3."

    def test_responses_that_came_or_went_are_said(self) -> None:
        old = table_of({"ruler": [0.5, 0.4, 0.1]}, group=group_of(3, texts=["One.", "Two.", "Three."]))
        new = table_of(
            {"ruler": [0.5, 0.7, 0.2]},
            group=group_of(3, texts=["One.", "Four.", "Five."], ids=["t1", "t4", "t5"]),
        )
        assert movement_sentence(movement(old, new), "run 3") == (
            "No score moved since run 3; B and C were added; B and C of run 3 were removed."
        )

    def test_a_small_change_shows_in_the_figures(self) -> None:
        moved = movement(table_of({"ruler": [0.9, 0.4499]}), table_of({"ruler": [0.9, 0.4501]}))
        assert movement_sentence(moved, "run 3") == "B rises from 0.4499 to 0.4501 since run 3."

    def test_nothing_moved(self) -> None:
        table = table_of({"ruler": [0.5, 0.4]})
        assert movement_sentence(movement(table, table), "run 3") == "No score moved since run 3."

    def test_another_scale_cannot_be_compared(self) -> None:
        old = table_of({"likert": [4.0, 2.0]}, rubric=Rubric(scoring=Scoring(likert_max=5)))
        new = table_of({"likert": [8.0, 4.0]})
        assert movement_sentence(movement(old, new), "run 3") == "No score can be compared with run 3."

    def test_no_response_in_common(self) -> None:
        old = table_of({"ruler": [0.5]}, group=group_of(1, ids=["x"], texts=["Other."]))
        new = table_of({"ruler": [0.5]})
        assert movement_sentence(movement(old, new), "run 3") == (
            "No response is shared with run 3, so nothing can be compared."
        )

    def test_a_score_that_was_lost_is_said(self) -> None:
        old, new = table_of({"ruler": [0.5, 0.4]}), table_of({"ruler": [0.5, UNSCORED]})
        assert movement_sentence(movement(old, new), "run 3") == "No score moved since run 3; B lost a score."

    def test_a_rewritten_response_is_called_so(self) -> None:
        old = table_of({"ruler": [0.5, 0.4]}, group=group_of(2, texts=["One.", "Two."]))
        new = table_of({"ruler": [0.5, 0.6]}, group=group_of(2, texts=["One.", "Two, better."]))
        assert movement_sentence(movement(old, new), "run 3") == (
            "B, rewritten, rises from 0.40 to 0.60 since run 3, from rank 2 to 1."
        )
