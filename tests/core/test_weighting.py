from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.marks import Mark, Response
from reward_lab.core.proportions import newcombe
from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring
from reward_lab.core.weighting import WeightProposal, proposed_weights


def rubric_of(*weights: float, faults: Sequence[int] = ()) -> Rubric:
    criteria = tuple(
        Criterion(description=f"Statement {place}.", weight=weight, meets_when=place not in faults)
        for place, weight in enumerate(weights)
    )
    return Rubric(criteria=criteria, scoring=Scoring(weights="own"))


def share(met: int, of: int) -> list[float]:
    return [1.0] * met + [0.0] * (of - met)


def marks(position: int, good: Sequence[float], bad: Sequence[float], group: str = "g") -> list[Mark]:
    return [
        *(Mark(position, Response(group, f"good{place}"), truth) for place, truth in enumerate(good)),
        *(Mark(position, Response(group, f"bad{place}"), truth) for place, truth in enumerate(bad)),
    ]


def labels(good: int, bad: int, *groups: str) -> dict[Response, float | None]:
    return {
        Response(group, f"{kind}{place}"): float(kind == "good")
        for group in groups or ("g",)
        for kind, count in (("good", good), ("bad", bad))
        for place in range(count)
    }


def weights(proposals: Sequence[WeightProposal]) -> list[float]:
    return [one.proposed for one in proposals]


def test_by_hand() -> None:
    told = [*marks(0, share(8, 10), share(2, 10)), *marks(1, share(5, 10), share(5, 10))]
    first, second = proposed_weights(rubric_of(1, 1), told, labels(10, 10))
    # Discriminations 0.6 and 0: by the data 2 and 0; ten of each kind count half.
    assert weights([first, second]) == pytest.approx([1.5, 0.5])
    assert first.discrimination is not None
    assert (first.discrimination.met_good, first.discrimination.met_bad) == (0.8, 0.2)
    assert (first.discrimination.good, first.discrimination.bad, first.discrimination.groups) == (10, 10, 1)
    # Wilson: 0.8 (0.4902, 0.9433) and 0.2 (0.0567, 0.5098), each 0.3098 and 0.1433 away.
    low, high = 0.6 - math.hypot(0.3098, 0.3098), 0.6 + math.hypot(0.1433, 0.1433)
    assert (first.discrimination.low, first.discrimination.high) == pytest.approx((low, high), abs=2e-4)
    assert first.evidence == (
        "Met by 80% of 10 good responses and 20% of 10 bad ones in 1 group: +60 points (interval +16 to +80)."
    )
    assert second.evidence.endswith("This may be chance.")


@pytest.mark.parametrize(("each", "counts"), [(1, 1 / 11), (5, 1 / 3), (10, 0.5), (40, 0.8)])
def test_few_data_change_little(each: int, counts: float) -> None:
    told = [*marks(0, share(each, each), share(0, each)), *marks(1, share(0, each), share(0, each))]
    proposals = proposed_weights(rubric_of(1, 3), told, labels(each, each))
    assert weights(proposals) == pytest.approx([1 + 3 * counts, 3 - 3 * counts])


def test_unbalanced_labels_count_by_the_harmonic_mean() -> None:
    # 2 / (1/2 + 1/30) = 3.75, so k = 3.75 / 13.75.
    told = [*marks(0, share(2, 2), share(0, 30)), *marks(1, share(0, 2), share(0, 30))]
    proposals = proposed_weights(rubric_of(1, 1), told, labels(2, 30))
    assert weights(proposals) == pytest.approx([1 + 3.75 / 13.75, 1 - 3.75 / 13.75])


def test_one_that_discriminates_the_wrong_way_is_named_and_not_turned_round() -> None:
    told = [*marks(0, share(1, 10), share(9, 10)), *marks(1, share(9, 10), share(1, 10))]
    wrong, right = proposed_weights(rubric_of(1, 1), told, labels(10, 10))
    assert (wrong.turned, right.turned) == (True, False)
    assert weights([wrong, right]) == pytest.approx([0.5, 1.5])
    assert "Bad responses meet it more often: check its polarity and wording" in wrong.evidence


def test_the_wrong_way_by_chance_is_not_named() -> None:
    told = marks(0, share(2, 5), share(3, 5))
    (one,) = proposed_weights(rubric_of(1), told, labels(5, 5))
    assert not one.turned
    assert one.evidence.endswith("This may be chance.")


def test_polarity_is_taken_into_account() -> None:
    told = marks(0, share(0, 10), share(10, 10))
    (one,) = proposed_weights(rubric_of(2, faults=[0]), told, labels(10, 10))
    assert one.discrimination is not None
    assert one.discrimination.value == 1.0


def test_without_evidence_a_weight_stays() -> None:
    told = [
        *marks(0, share(8, 10), share(2, 10)),
        *marks(1, share(5, 10), share(5, 10)),
        Mark(2, Response("h", "x"), 1.0),
    ]
    proposals = proposed_weights(rubric_of(1, 1, 4), told, labels(10, 10))
    assert weights(proposals) == pytest.approx([1.5, 0.5, 4])
    assert proposals[2].discrimination is None
    assert proposals[2].evidence == "No group has judged responses of both kinds: the weight stays."


def test_where_nothing_discriminates_all_weights_stay() -> None:
    told = [*marks(0, share(5, 10), share(5, 10)), *marks(1, share(2, 10), share(8, 10))]
    assert weights(proposed_weights(rubric_of(1, 2), told, labels(10, 10))) == [1, 2]


def test_weights_by_category_are_the_present_ones() -> None:
    rubric = Rubric(criteria=(Criterion(description="A", category=Category.ESSENTIAL), Criterion(description="B")))
    told = [*marks(0, share(5, 10), share(5, 10)), *marks(1, share(9, 10), share(1, 10))]
    proposals = proposed_weights(rubric, told, labels(10, 10))
    assert [one.present for one in proposals] == [1.0, 0.7]
    assert weights(proposals) == pytest.approx([0.5, 0.35 + 0.85])


def test_only_responses_of_one_group_are_compared() -> None:
    # Group h is hard: all of its responses miss the criterion, the good ones too.
    told = [*marks(0, [1, 1], [1, 1], "g"), *marks(0, [0, 0, 0], [0], "h")]
    (one,) = proposed_weights(rubric_of(1), told, labels(2, 2, "g") | labels(3, 1, "h"))
    assert one.discrimination is not None
    assert one.discrimination.value == 0.0
    assert (one.discrimination.good, one.discrimination.bad, one.discrimination.groups) == (5, 3, 2)


def test_groups_count_alike_whatever_their_size() -> None:
    told = [*marks(0, [1] * 8, [0] * 8, "g"), *marks(0, [1], [1], "h")]
    (one,) = proposed_weights(rubric_of(1), told, labels(8, 8, "g") | labels(1, 1, "h"))
    assert one.discrimination is not None
    assert (one.discrimination.met_good, one.discrimination.met_bad) == (1.0, 0.5)
    assert (one.discrimination.low, one.discrimination.high) == newcombe(1.0, 9, 0.5, 9)


def test_groups_of_one_kind_say_nothing() -> None:
    told = marks(0, [1, 1], [])
    (one,) = proposed_weights(rubric_of(1), told, labels(2, 0))
    assert one.discrimination is None


def test_from_eight_groups_on_the_interval_is_by_group() -> None:
    names = [f"g{number}" for number in range(8)]
    told = [mark for number, name in enumerate(names) for mark in marks(0, [float(number % 4 > 0)], [0], name)]
    (one,) = proposed_weights(rubric_of(1), told, labels(1, 1, *names))
    assert one.discrimination is not None
    assert one.discrimination.value == 0.75
    # Resamples of six ones and two zeros: quantiles of a binomial with n = 8, p = 0.75.
    assert (one.discrimination.low, one.discrimination.high) == (0.375, 1.0)


def test_figures_as_labels_are_split_at_the_mean_of_their_group() -> None:
    told = [Mark(0, Response("g", name), truth) for name, truth in [("a", 1.0), ("b", 1.0), ("c", 0.0), ("d", 0.0)]]
    figures = {Response("g", "a"): 9.0, Response("g", "b"): 5.0, Response("g", "c"): 1.0, Response("g", "d"): None}
    (one,) = proposed_weights(rubric_of(1), told, figures)
    assert one.discrimination is not None
    # The mean is 5: b is neither, and d has no label.
    assert (one.discrimination.good, one.discrimination.bad, one.discrimination.value) == (1, 1, 1.0)


def test_a_label_that_is_no_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="label of 'a' must be a finite number, got nan"):
        proposed_weights(rubric_of(1), [], {Response("g", "a"): math.nan})


truths = st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=6, max_size=6)


@given(
    st.lists(st.tuples(st.floats(0, 10), truths), min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_weights_are_never_negative_and_keep_their_total(
    rows: list[tuple[float, list[float | None]]], good: list[bool]
) -> None:
    told = [
        Mark(position, Response("g", str(place)), truth)
        for position, (_, row) in enumerate(rows)
        for place, truth in enumerate(row)
    ]
    known = {Response("g", str(place)): float(one) for place, one in enumerate(good)}
    proposals = proposed_weights(rubric_of(*(weight for weight, _ in rows)), told, known)
    assert all(one.proposed >= 0 for one in proposals)
    assert math.fsum(weights(proposals)) == pytest.approx(math.fsum(weight for weight, _ in rows))
