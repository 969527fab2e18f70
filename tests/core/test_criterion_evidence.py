from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from scipy import stats

from reward_lab.core.criterion_evidence import CriterionEvidence, Flips, criterion_evidence, evidence_findings
from reward_lab.core.marks import Mark, Response
from reward_lab.core.rubric import Criterion, Rubric, Scoring

Truths = Sequence[Sequence[float | None]]
"""(C, n) the truth of each criterion for each response of a group."""


def rubric_of(count: int, *, weights: Sequence[float] | None = None, faults: Sequence[int] = ()) -> Rubric:
    criteria = tuple(
        Criterion(
            description=f"Statement {place}.",
            weight=weights[place] if weights else None,
            meets_when=place not in faults,
        )
        for place in range(count)
    )
    return Rubric(criteria=criteria, scoring=Scoring(weights="own" if weights else "category"))


def marks(truths: Truths, *, group: str = "g", repeat: int = 0, judge: int = 0) -> Iterator[Mark]:
    for position, row in enumerate(truths):
        for number, truth in enumerate(row):
            yield Mark(position, Response(group, f"t{number}"), truth, judge, repeat)


def evidence(*groups: Truths, **rubric: Sequence[float]) -> tuple[CriterionEvidence, ...]:
    told = [mark for number, truths in enumerate(groups) for mark in marks(truths, group=f"g{number}")]
    return criterion_evidence(rubric_of(len(groups[0]), **rubric), told)  # type: ignore[arg-type]


ONE = [1, 1, 1, 0, 1, 0, 0, 0, 1, 0]
TWO = [1, 1, 0, 0, 1, 0, 1, 0, 1, 0]
THREE = [1, 0, 1, 0, 1, 1, 0, 0, 1, 0]
AGAINST = [0, 0, 0, 1, 0, 1, 1, 1, 0, 1]


def test_item_rest_is_the_correlation_with_the_mean_of_the_others() -> None:
    first, *_ = evidence([ONE, TWO, THREE])
    theirs = stats.pearsonr(ONE, [(a + b) / 2 for a, b in zip(TWO, THREE, strict=True)])
    assert first.item_rest.value == pytest.approx(theirs.statistic)
    assert (first.item_rest.low, first.item_rest.high) == pytest.approx(tuple(theirs.confidence_interval()))
    assert (first.item_rest.n, first.item_rest.groups) == (10, 1)


def test_the_others_count_by_their_weights() -> None:
    first, *_ = evidence([ONE, TWO, THREE], weights=[1, 3, 1])
    theirs = stats.pearsonr(ONE, [(3 * a + b) / 4 for a, b in zip(TWO, THREE, strict=True)])
    assert first.item_rest.value == pytest.approx(theirs.statistic)


def test_polarity_turns_a_fault_round() -> None:
    plain, *_ = evidence([ONE, TWO, THREE])
    turned, *_ = evidence([[1 - one for one in ONE], TWO, THREE], faults=[0])
    assert turned.item_rest.value == pytest.approx(plain.item_rest.value)
    assert turned.met == plain.met == 0.5


def test_levels_of_groups_do_not_count() -> None:
    # Across the groups both go up together; within each they are opposed.
    low, high = [[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]], [[1, 0.5, 0.5, 1], [0.5, 1, 1, 0.5]]
    first, _ = evidence(low, high)
    assert first.item_rest.value == pytest.approx(-1.0)
    assert (first.item_rest.n, first.item_rest.groups) == (8, 2)


def test_within_groups_it_is_the_correlation_of_deviations() -> None:
    groups = [[ONE[:5], TWO[:5]], [ONE[5:], TWO[5:]]]
    first, _ = evidence(*groups)
    deviations = [[value - sum(row) / 5 for row in (whole[:5], whole[5:]) for value in row] for whole in (ONE, TWO)]
    assert first.item_rest.value == pytest.approx(stats.pearsonr(*deviations).statistic)


def test_what_does_not_vary_has_no_correlation() -> None:
    dead, other = evidence([[1] * 10, ONE])
    assert (dead.item_rest.value, dead.item_rest.low) == (None, None)
    assert other.item_rest.value is None
    alone, *_ = evidence([ONE])
    assert (alone.item_rest.value, alone.item_rest.n) == (None, 0)
    single, *_ = evidence([[1.0], [0.0]], [[0.0], [1.0]])
    assert (single.item_rest.value, single.item_rest.n) == (None, 0)


def test_responses_without_every_verdict_are_left_out_of_the_correlation() -> None:
    first, second = evidence([[1, 0, 1, None], [1, 0, None, 0]])
    assert (first.judged, first.unjudged, first.met) == (3, 1, pytest.approx(2 / 3))
    assert (first.item_rest.n, second.item_rest.n) == (2, 2)


@pytest.mark.parametrize(("truth", "fault", "words"), [(1, False, "all"), (0, False, "none"), (1, True, "none")])
def test_dead_criteria(truth: float, fault: bool, words: str) -> None:
    dead, _ = evidence([[truth] * 10, ONE], faults=[0] if fault else [])
    assert dead.dead is True
    (finding,) = evidence_findings([dead])
    assert (finding.rule, finding.level, finding.position) == ("dead", "warning", 0)
    assert finding.message.startswith(f"Criterion 1 is met by {words} of 10 judged responses (")


def test_seven_responses_are_too_few_to_call_it_dead() -> None:
    dead, _ = evidence([[1] * 7, ONE[:7]])
    assert (dead.few, dead.dead) == (True, None)
    assert [(one.rule, one.level, one.message) for one in evidence_findings([dead])] == [
        ("dead", "note", "Criterion 1 is met by all of 7 judged responses: too few to call it dead (below 8).")
    ]


def test_one_that_is_met_partly_or_sometimes_is_alive() -> None:
    partly, sometimes = evidence([[0.5] * 10, ONE])
    assert (partly.dead, sometimes.dead) == (False, False)
    assert not [one for one in evidence_findings([partly, sometimes]) if one.rule == "dead"]


def test_without_verdicts_nothing_is_said() -> None:
    found = evidence([[None] * 10, ONE])
    assert (found[0].judged, found[0].unjudged, found[0].met, found[0].dead) == (0, 10, None, None)
    assert evidence_findings(found) == ()
    assert criterion_evidence(rubric_of(1), [])[0].met is None


def test_a_criterion_against_the_rest() -> None:
    found = evidence([AGAINST, ONE, TWO, THREE])
    (finding,) = evidence_findings(found[:1])
    assert (finding.rule, finding.level) == ("against_the_rest", "warning")
    item_rest = found[0].item_rest
    assert item_rest.value is not None
    assert item_rest.high is not None
    assert item_rest.value < item_rest.high < 0
    assert f"(r = {item_rest.value:.2f}, interval " in finding.message
    assert "n = 10)" in finding.message


def test_a_criterion_that_does_not_go_with_the_rest_is_only_noted() -> None:
    unrelated = [1, 0, 1, 1, 0, 1, 1, 0, 0, 0]
    found = evidence([unrelated, ONE, TWO, THREE])
    assert [(one.rule, one.level) for one in evidence_findings(found[:1])] == [("against_the_rest", "note")]
    # Of seven responses nothing is said.
    assert evidence_findings(evidence([AGAINST[:7], ONE[:7], TWO[:7]])[:1]) == ()


def test_flips_between_repeats() -> None:
    told = [*marks([ONE]), *marks([[1 - ONE[0], 1 - ONE[1], 1 - ONE[2], *ONE[3:]]], repeat=1)]
    (one,) = criterion_evidence(rubric_of(1), told)
    assert (one.flips.count, one.flips.n, one.flips.share) == (3, 10, 0.3)
    theirs = stats.binomtest(3, 10).proportion_ci(method="wilson")
    assert (one.flips.low, one.flips.high) == pytest.approx((theirs.low, theirs.high))
    (finding,) = evidence_findings([one])
    assert finding.message == "Criterion 1 flips between repeats in 3 of 10 responses (30%, interval 11 to 60%)."


def test_judges_that_differ_are_no_flips() -> None:
    told = [*marks([ONE]), *marks([AGAINST], judge=1)]
    (one,) = criterion_evidence(rubric_of(1), told)
    assert one.flips == Flips(0, 0, None, None)
    assert one.flips.share is None


def test_missing_verdicts_are_no_flips_and_no_repeats() -> None:
    told = [*marks([[1, 1, None]]), *marks([[1, None, None]], repeat=1)]
    (one,) = criterion_evidence(rubric_of(1), told)
    assert (one.flips.count, one.flips.n) == (0, 1)


def test_a_partial_verdict_that_changes_is_a_flip() -> None:
    told = [*marks([[1, 0.5]]), *marks([[0.5, 0.5]], repeat=1)]
    (one,) = criterion_evidence(rubric_of(1), told)
    assert (one.flips.count, one.flips.n) == (1, 2)
