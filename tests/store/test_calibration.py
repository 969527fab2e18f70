from __future__ import annotations

import pytest

from reward_lab.core.matching import Member, RunGroup
from reward_lab.core.split import Split
from reward_lab.core.verdict import CriterionVerdict, Scored
from reward_lab.errors import NotFound
from reward_lab.store import PlannedItem, Store
from tests.store.examples import finish, group, make_run, new_run


def test_groups_are_as_runs_have_them_to_be_matched(store: Store) -> None:
    run_id = make_run(store, new_run(group("g\\1"), group("h", ("c",), question="And\nthis?")))
    first, second = store.run_groups([run_id])[run_id]
    assert store.groups_as_matched([second.id, first.id, 99]) == {first.id: first, second.id: second}
    assert second == RunGroup(second.id, "h", "And this?", (Member(second.members[0].key, "c"),))


def test_the_question_is_the_same_under_another_system_prompt(store: Store) -> None:
    plain = group()
    kind = plain.model_copy(update={"scenario": plain.scenario.model_copy(update={"system_prompt": "Be kind."})})
    ids = [store.add_group(one) for one in (plain, kind, group(question="Must I?"))]
    keys = store.question_keys(ids)
    assert keys[ids[0]] == keys[ids[1]] != keys[ids[2]]


def test_a_dataset_tells_the_side_of_each_group(store: Store) -> None:
    dataset = store.create_dataset("d")
    store.add_to_dataset(dataset, [(group(name), ()) for name in ("g", "h", "i")])
    store.split_in_dataset(dataset, {0: Split.TUNE, 2: Split.HOLDOUT})
    assert [*store.dataset_splits(dataset).values()] == [Split.TUNE, Split.NONE, Split.HOLDOUT]
    with pytest.raises(NotFound, match="Dataset 99"):
        store.dataset_splits(99)


def test_the_dataset_of_runs_is_the_one_that_most_of_their_groups_are_in(store: Store) -> None:
    groups = [group(name) for name in ("g", "h", "i")]
    run_id = make_run(store, new_run(*groups))
    assert store.dataset_of_runs([run_id]) is None
    few, most, later = (store.create_dataset(name) for name in ("few", "most", "later"))
    for dataset, size in ((few, 1), (most, 2), (later, 2)):
        store.add_to_dataset(dataset, [(one, ()) for one in groups[:size]])
    assert store.dataset_of_runs([run_id]) == most
    assert store.dataset_of_runs([99]) is None


def test_verdicts_on_criteria_are_shares_of_the_samples_that_have_one(store: Store) -> None:
    plan = [PlannedItem(0, "rar_explicit", "a", repeat=repeat) for repeat in range(3)]
    run_id = store.create_run(new_run(methods=("rar_explicit",)), {"rar_explicit": "1"}, plan)
    (group_id,) = store.run(run_id).group_ids
    for item, truth in zip(store.pending_items(run_id), (1.0, 0.0, None), strict=True):
        finish(store, item, Scored("a", 0.5, criteria=(CriterionVerdict(0, truth), CriterionVerdict(1, 1.0))))
    found = {tuple(row) for row in store.criterion_shares(run_id, "rar_explicit", [group_id, 99])}
    assert found == {(group_id, "a", 0, 0.5), (group_id, "a", 1, 1.0)}
    assert store.criterion_shares(run_id, "ruler", [group_id]) == ()
    assert store.criterion_shares(run_id, "rar_explicit", []) == ()
