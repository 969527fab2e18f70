"""Labels as people give them: queues of their own, saves that lose nothing, and agreement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.core.split import Split
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.services.labelling import Labelling, Source
from reward_lab.store import Store
from tests.services.judged import groups, judged, ranks, save


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'lab.db'}") as opened:
        yield opened


@pytest.fixture
def labelling(store: Store) -> Labelling:
    return Labelling(store)


@pytest.fixture
def dataset(store: Store) -> int:
    """Twelve groups: the first four to tune on, the next four held out, the last four neither."""
    dataset_id = store.create_dataset("d")
    store.add_to_dataset(dataset_id, [(one, ()) for one in groups(12)])
    sides = {place: Split.TUNE if place < 4 else Split.HOLDOUT for place in range(8)}
    store.split_in_dataset(dataset_id, sides)
    return dataset_id


def test_a_queue_is_in_an_order_of_the_annotators_own_that_stays(labelling: Labelling, dataset: int) -> None:
    source = Source(dataset_id=dataset)
    ann, bob = labelling.queue(source, "ann"), labelling.queue(source, "bob")
    assert sorted(ann.group_ids) == sorted(bob.group_ids)
    assert len(ann.group_ids) == 12
    assert ann.group_ids != bob.group_ids
    assert list(ann.group_ids) != sorted(ann.group_ids)
    assert labelling.queue(source, " ann ") == ann


def test_groups_that_are_added_leave_the_order_of_the_others(labelling: Labelling, store: Store, dataset: int) -> None:
    before = labelling.queue(Source(dataset_id=dataset), "ann").group_ids
    store.add_to_dataset(dataset, [(one, ()) for one in groups(20)])
    after = labelling.queue(Source(dataset_id=dataset), "ann").group_ids
    assert len(after) == 20
    assert tuple(one for one in after if one in before) == before


def test_a_queue_tells_what_is_labelled_by_this_annotator(labelling: Labelling, store: Store, dataset: int) -> None:
    first, second, *_ = groups(12)
    done = save(store, first, ranks(1, 2, 3))
    save(store, second, ranks(1, 2, 3, annotator="bob"))
    assert labelling.queue(Source(dataset_id=dataset), "ann").labelled == {done}
    assert labelling.queue(Source(dataset_id=dataset, split="holdout"), "ann").labelled == frozenset()


def test_a_source_is_a_dataset_a_split_of_it_a_run_or_what_both_have(
    labelling: Labelling, store: Store, dataset: int
) -> None:
    given = (*groups(12)[3:6], *groups(14)[12:])
    run_id = judged(store, given, {"ruler": [[0.1, 0.2, 0.3]] * 5})
    of_run = store.run(run_id).group_ids
    splits = store.dataset_splits(dataset)
    held_out = {group_id for group_id, side in splits.items() if side is Split.HOLDOUT}
    assert set(labelling.queue(Source(dataset_id=dataset, split="holdout"), "ann").group_ids) == held_out
    assert set(labelling.queue(Source(run_id=run_id), "ann").group_ids) == set(of_run)
    assert set(labelling.queue(Source(dataset_id=dataset, run_id=run_id), "ann").group_ids) == set(of_run[:3])
    both = Source(dataset_id=dataset, split="holdout", run_id=run_id)
    assert set(labelling.queue(both, "ann").group_ids) == set(of_run[1:3])


@pytest.mark.parametrize(
    ("source", "annotator", "error", "said"),
    [
        (Source(), "ann", InvalidInput, "choose a dataset or a run"),
        (Source(run_id=1, split="tune"), "ann", InvalidInput, "'tune' is one of a dataset"),
        (Source(dataset_id=1, split="train"), "ann", InvalidInput, "no split 'train'"),
        (Source(dataset_id=1), "  ", InvalidInput, "write yours"),
        (Source(dataset_id=99), "ann", NotFound, "Dataset 99"),
        (Source(run_id=99), "ann", NotFound, "Run 99"),
    ],
)
def test_a_source_that_is_none_says_what_to_choose(
    labelling: Labelling, dataset: int, source: Source, annotator: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        labelling.queue(source, annotator)


def test_responses_stand_in_an_order_of_the_annotators_own(labelling: Labelling, store: Store) -> None:
    ids = [store.add_group(one) for one in groups(6, size=6)]
    orders = [labelling.order(group_id, "ann") for group_id in ids]
    assert all(sorted(order) == [*range(6)] for order in orders)
    assert len(set(orders)) > 3
    assert [labelling.order(group_id, "bob") for group_id in ids] != orders
    assert [labelling.order(group_id, "ann ") for group_id in ids] == orders
    with pytest.raises(NotFound, match="Group 99"):
        labelling.order(99, "ann")
    with pytest.raises(NotFound, match="Group 99"):
        labelling.group(99)


def test_what_is_saved_is_there_for_its_annotator_alone(labelling: Labelling, store: Store) -> None:
    group_id = store.add_group(groups(1)[0])
    saved = labelling.save(group_id, ranks(1, 2, 2), expected_version=0)
    assert (saved.label, saved.version) == (ranks(1, 2, 2), 1)
    assert labelling.label(group_id, " ann ") == saved
    assert labelling.label(group_id, "bob") is None
    again = labelling.save(group_id, ranks(2, 1, 3), expected_version=saved.version)
    other = labelling.save(group_id, ranks(3, 2, 1, annotator="bob"), expected_version=0)
    assert labelling.of_group(group_id) == (again, other)
    labelling.remove(group_id, "ann")
    assert labelling.of_group(group_id) == (other,)


def test_a_save_over_ones_own_other_window_is_told_and_writes_nothing(labelling: Labelling, store: Store) -> None:
    group_id = store.add_group(groups(1)[0])
    first = labelling.save(group_id, ranks(1, 2, 3), expected_version=0)
    with pytest.raises(InvalidInput, match="ann saved a label of this group in another window"):
        labelling.save(group_id, ranks(3, 2, 1), expected_version=0)
    assert labelling.label(group_id, "ann") == first
    labelling.remove(group_id, "ann")
    with pytest.raises(InvalidInput, match="ann removed a label"):
        labelling.save(group_id, ranks(3, 2, 1), expected_version=1)


def test_names_that_differ_by_case_or_blanks_are_told_and_stay_apart(labelling: Labelling, store: Store) -> None:
    group_id = store.add_group(groups(1)[0])
    for name in ("Ann Lee", "ann  lee", "ANNLEE", "bob"):
        labelling.save(group_id, ranks(1, 2, 3, annotator=name), expected_version=0)
    told = {one.name: (one.groups, one.alike) for one in labelling.annotators()}
    assert told == {
        "ANNLEE": (1, ("Ann Lee", "ann  lee")),
        "Ann Lee": (1, ("ANNLEE", "ann  lee")),
        "ann  lee": (1, ("ANNLEE", "Ann Lee")),
        "bob": (1, ()),
    }
    assert labelling.alike(" Bob") == ("bob",)
    assert labelling.alike("bob") == ()


def test_agreement_is_over_the_groups_of_the_source(labelling: Labelling, store: Store, dataset: int) -> None:
    given = groups(12)
    for place in range(6):
        save(store, given[place], ranks(1, 2, 3))
        save(store, given[place], ranks(1, 3, 2, annotator="bob") if place < 4 else ranks(1, 2, 3, annotator="bob"))
    everywhere = labelling.agreement(Source(dataset_id=dataset))
    (pair,) = everywhere.pairs
    assert (everywhere.n_groups, pair.groups, pair.pairs) == (6, 6, 18)
    assert pair.alike.value == pytest.approx(14 / 18)
    assert pair.tau.value == pytest.approx((4 * (1 / 3) + 2) / 6)
    held_out = labelling.agreement(Source(dataset_id=dataset, split="holdout"))
    assert (held_out.alpha.value, held_out.n_groups) == (1.0, 2)


def test_ranks_scores_and_marks_are_held_against_each_other_by_their_order(
    labelling: Labelling, store: Store, dataset: int
) -> None:
    given = groups(12)[0]
    save(store, given, ranks(1, 2, 3))
    scored = {str(at): ResponseLabel(score=score) for at, score in enumerate((9.5, 3.0, 4.0), start=1)}
    save(store, given, Label(annotator="bob", responses=scored))
    marked = {"1": ResponseLabel(mark=Mark.GOOD), "3": ResponseLabel(mark=Mark.BAD)}
    save(store, given, Label(annotator="cem", responses=marked))
    found = labelling.agreement(Source(dataset_id=dataset))
    assert [(pair.first, pair.second, pair.alike.value) for pair in found.pairs] == [
        ("ann", "bob", pytest.approx(2 / 3)),
        ("ann", "cem", 1.0),
        ("bob", "cem", 1.0),
    ]
