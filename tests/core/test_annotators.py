"""How far people agree, against the package ``krippendorff`` and scipy."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from reward_lab.core.annotators import annotator_agreement
from reward_lab.core.reliability import Level, krippendorff_alpha

GROUPS = [
    {"ann": (4.0, 3.0, 2.0, 1.0), "bob": (4.0, 2.0, 3.0, 1.0), "cem": (9.0, 7.0, 5.0, None)},
    {"ann": (1.0, 0.0), "bob": (0.0, 1.0)},
    {"ann": (1.0, 2.0, 3.0), "bob": (-3.0, -2.0, None), "cem": (None, None, 1.0)},
]


def test_alpha_is_of_the_centred_ranks_of_what_everybody_labelled() -> None:
    units = [
        # of the first group A, B and C, ranked from the lowest, less 2
        *[(1.0, 1.0, 1.0), (0.0, -1.0, 0.0), (-1.0, 0.0, -1.0)],
        *[(0.5, -0.5), (-0.5, 0.5)],
        # of the third A and B by ann and bob: cem labelled one response only
        *[(-0.5, -0.5), (0.5, 0.5)],
    ]
    found = annotator_agreement(GROUPS)
    assert found.alpha.value == pytest.approx(krippendorff_alpha(units, Level.ORDINAL), abs=1e-12)
    # krippendorff.alpha of these units, ordinal, by the package krippendorff 0.9.0.
    assert found.alpha.value == pytest.approx(0.5294117647058824, abs=1e-9)
    assert (found.alpha.n, found.n_groups) == (3, 3)


def test_people_who_rank_at_random_do_not_seem_to_agree_because_groups_differ_in_size() -> None:
    source = random.Random(1)
    groups = [
        {name: source.sample(range(size), size) for name in ("ann", "bob")} for size in (2, 8) for _ in range(1500)
    ]
    found = annotator_agreement(groups)
    assert found.alpha.value == pytest.approx(0, abs=0.03)
    raw = [unit for group in groups for unit in zip(group["ann"], group["bob"], strict=True)]
    assert (krippendorff_alpha(raw, Level.ORDINAL) or 0) > 0.1, "plain ranks would"


def test_two_annotators_are_held_against_each_other_where_both_labelled() -> None:
    ann_bob, ann_cem, bob_cem = annotator_agreement(GROUPS).pairs
    assert (ann_bob.first, ann_bob.second, ann_bob.groups, ann_bob.pairs) == ("ann", "bob", 3, 8)
    assert ann_bob.alike.value == pytest.approx((5 + 0 + 1) / 8)
    taus = [float(stats.kendalltau([4, 3, 2, 1], [4, 2, 3, 1]).statistic), -1.0, 1.0]
    assert ann_bob.tau.value == pytest.approx(sum(taus) / 3, abs=1e-9)
    assert (ann_cem.groups, ann_cem.alike.value) == (1, 1.0)
    assert (bob_cem.groups, bob_cem.alike.value) == (1, pytest.approx(2 / 3))


def test_what_one_holds_equal_is_in_no_order_to_agree_on() -> None:
    (pair,) = annotator_agreement(
        [{"ann": (1.0, 1.0, 0.0), "bob": (2.0, 1.0, 0.0)}, {"ann": (1, 1), "bob": (1, 2)}]
    ).pairs
    assert (pair.pairs, pair.alike.value, pair.groups, pair.tau.n) == (2, 1.0, 2, 1)


def test_without_two_annotators_of_a_group_there_is_no_agreement_to_tell() -> None:
    found = annotator_agreement([{"ann": (1.0, 2.0)}, {"bob": (1.0, 2.0)}, {"ann": (1.0, None), "bob": (None, 1.0)}])
    assert (found.alpha.value, found.n_groups, found.pairs) == (None, 0, ())
