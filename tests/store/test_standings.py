"""Runs as flat figures."""

from __future__ import annotations

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.matching import Member
from reward_lab.core.run import RunState
from reward_lab.store import PlannedItem, Store
from tests.store.examples import finish, group, make_run, new_run, scored, unscored


def test_groups_are_told_in_the_order_of_the_run_with_their_members(store: Store) -> None:
    first, second = group("g\\1"), group("h", ("c",), question="And\nthis?")
    run_id = make_run(store, new_run(second, first))
    other = make_run(store, new_run(first))
    found = store.run_groups([run_id, other, 99])
    assert [(one.name, one.opening) for one in found[run_id]] == [("h", "And this?"), ("g\\1", "May I return it?")]
    assert found[run_id][0].members == (Member(second.trajectories[0].key, "c"),)
    assert found[other] == found[run_id][1:]
    assert found[99] == ()


def test_scores_stand_in_the_order_of_the_group_as_they_are_or_as_means_over_samples(store: Store) -> None:
    made = new_run(group("g", ("b\\1", "a")))
    plan = [PlannedItem(group=0, method="ruler", repeat=repeat) for repeat in range(3)]
    run_id = store.create_run(made, {"ruler": "1"}, plan)
    groups = store.run_groups([run_id])[run_id]
    (group_id,) = store.run(run_id).group_ids
    assert store.mean_scores(run_id, groups, ["ruler"], sampled=False) == {group_id: {}}
    first, second, _ = store.pending_items(run_id)
    finish(store, first, scored("a", 0.5), unscored("b\\1"))
    assert store.mean_scores(run_id, groups, ["ruler"], sampled=False) == {group_id: {"ruler": [None, 0.5]}}
    finish(store, second, scored("a", 0.8), scored("b\\1", 0.2))
    assert store.mean_scores(run_id, groups, ["ruler"], sampled=True) == {
        group_id: {"ruler": [0.2, pytest.approx(0.65)]}
    }
    assert store.mean_scores(run_id, groups, ["likert"], sampled=False) == {group_id: {}}


def test_a_run_stands_as_it_did_until_it_ends(store: Store) -> None:
    run_id = make_run(store)
    assert store.standing_of([run_id, 99]) == {run_id: ("running", None)}
    assert store.claim(run_id)
    store.release(run_id, RunState.FINISHED)
    state, ended = store.standing_of([run_id])[run_id]
    assert state == "finished"
    assert ended == store.run(run_id).finished_at


def test_judges_are_held_against_each_other_by_their_means(store: Store) -> None:
    judges = (Judge(), Judge(model="openai/m"))
    plan = [PlannedItem(group=0, method="ruler", judge=judge, repeat=repeat) for judge in (0, 1) for repeat in (0, 1)]
    run_id = store.create_run(new_run(judges=judges), {"ruler": "1"}, plan)
    (group_id,) = store.run(run_id).group_ids
    for item, score in zip(store.pending_items(run_id), (0.25, 0.5, 0.75, 1.0), strict=True):
        finish(store, item, scored("a", score), scored("b", 0.5) if item.judge == 0 else unscored("b"))
    assert store.judge_extremes(run_id) == [(group_id, "ruler", "a", 0.375, 0.875)]
