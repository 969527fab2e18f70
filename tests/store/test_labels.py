"""Labels in the database: each annotator's own, and never lost to another save."""

from __future__ import annotations

import threading
from datetime import datetime

import pytest

from reward_lab.core.group import Scenario
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.store import Store
from reward_lab.store.labels import labels_within, put_label
from tests.store.examples import group, make_run, new_run


def label(annotator: str = "ann", *, a: int = 1, b: int = 2, comment: str = "") -> Label:
    said = {"a": ResponseLabel(rank=a), "b": ResponseLabel(rank=b, comment=comment)}
    return Label(annotator=annotator, responses=said)


FULL = Label(
    annotator="A\ud800nn \\ \x00",
    responses={
        "a\\1": ResponseLabel(
            rank=1, score=-2.5, mark=Mark.BAD, comment="<b>\u2028 \x00 \udfff", criteria={"Says $5-$10.": True}
        ),
        "b": ResponseLabel(),
    },
    comment="none of these",
)


def test_a_label_comes_back_as_it_was_said(store: Store) -> None:
    group_id = store.add_group(group("g", ("a\\1", "b")))
    assert store.label(group_id, FULL.annotator) is None
    save = store.save_label(group_id, FULL, expected_version=0)
    assert save.saved
    stored = store.label(group_id, FULL.annotator)
    assert stored == save.stored
    assert stored is not None
    assert (stored.group_id, stored.label, stored.version) == (group_id, FULL, 1)
    assert isinstance(stored.updated_at, datetime)


def test_a_save_that_began_from_an_older_one_writes_nothing(store: Store) -> None:
    group_id = store.add_group(group())
    store.save_label(group_id, label(), expected_version=0)
    assert store.save_label(group_id, label(a=2, b=1), expected_version=1).saved
    for began in (0, 1, 3):
        late = store.save_label(group_id, label(comment="late"), expected_version=began)
        assert not late.saved
        assert late.stored == store.label(group_id, "ann")
    stored = store.label(group_id, "ann")
    assert stored is not None
    assert (stored.version, stored.label) == (2, label(a=2, b=1))


def test_a_label_that_was_removed_meanwhile_is_not_brought_back(store: Store) -> None:
    group_id = store.add_group(group())
    store.save_label(group_id, label(), expected_version=0)
    store.remove_label(group_id, "ann")
    save = store.save_label(group_id, label(), expected_version=1)
    assert (save.saved, save.stored, store.label(group_id, "ann")) == (False, None, None)
    store.remove_label(group_id, "ann")


def test_nobody_touches_anothers_label(store: Store) -> None:
    group_id = store.add_group(group())
    for name in ("ann", "Ann", "bob"):
        assert store.save_label(group_id, label(name), expected_version=0).saved
    store.save_label(group_id, label("bob", a=2, b=1), expected_version=1)
    store.remove_label(group_id, "Ann")
    assert [(one.label, one.version) for one in store.labels_of(group_id)] == [
        (label("ann"), 1),
        (label("bob", a=2, b=1), 2),
    ]


def test_two_windows_that_save_at_once_end_with_one_of_the_two(store: Store) -> None:
    group_id = store.add_group(group())
    saves = []

    def save(comment: str) -> None:
        saves.append(store.save_label(group_id, label(comment=comment), expected_version=0))

    threads = [threading.Thread(target=save, args=(f"window {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [one for one in saves if one.saved]
    assert store.label(group_id, "ann") == winner.stored
    assert all(one.stored == winner.stored for one in saves)


def test_a_label_is_of_a_stored_group_and_its_responses(store: Store) -> None:
    group_id = store.add_group(group())
    stranger = Label(annotator="ann", responses={"z": ResponseLabel(rank=1)})
    with pytest.raises(InvalidInput, match=r"no response 'z': label one of \['a', 'b'\]"):
        store.save_label(group_id, stranger, expected_version=0)
    with pytest.raises(NotFound, match="Group 99 is not stored"):
        store.save_label(99, label(), expected_version=0)


def test_annotators_are_told_with_what_they_labelled(store: Store) -> None:
    first, second = store.add_group(group("g")), store.add_group(group("h", ("a", "b", "c")))
    assert store.labels_standing() == (0, 0, None)
    store.save_label(second, label("bob"), expected_version=0)
    store.save_label(first, label("ann"), expected_version=0)
    last = store.save_label(second, label("ann"), expected_version=0).stored
    assert last is not None
    ann, bob = store.annotators()
    assert tuple(ann) == ("ann", 2, last.updated_at)
    assert (bob.annotator, bob.groups) == ("bob", 1)
    assert store.labelled_by("ann") == {first, second}
    assert store.labels_within([second, 99]) == {second: (label("ann"), label("bob"))}


def test_the_labels_for_runs_are_of_the_groups_that_share_a_response(store: Store) -> None:
    kind = group("g", ("a", "z")).model_copy(update={"scenario": Scenario(system_prompt="Be kind.")})
    run_id = make_run(store, new_run(kind))
    shares, does_not = store.add_group(group("h", ("a", "b"))), store.add_group(group("i", ("b", "c")))
    said = {name: Label(annotator=name, responses={"b": ResponseLabel(rank=1)}) for name in ("ann", "bob")}
    for name, group_id in (("bob", shares), ("ann", shares), ("ann", does_not)):
        store.save_label(group_id, said[name], expected_version=0)
    assert store.labels_for_runs([run_id]) == {"ann": {shares: said["ann"]}, "bob": {shares: said["bob"]}}
    assert store.labels_for_runs([run_id], ["bob", "nobody"]) == {"bob": {shares: said["bob"]}}
    assert store.labels_for_runs([run_id], []) == {}
    assert store.labels_for_runs([99]) == {}


def test_labels_stand_as_they_did_until_one_changes(store: Store) -> None:
    group_id = store.add_group(group())
    seen = [store.labels_standing()]
    store.save_label(group_id, label(), expected_version=0)
    seen.append(store.labels_standing())
    assert store.labels_standing() == seen[-1]
    store.save_label(group_id, label(a=2), expected_version=1)
    seen.append(store.labels_standing())
    store.remove_label(group_id, "ann")
    store.save_label(group_id, label(), expected_version=0)
    seen.append(store.labels_standing())
    assert len(set(seen)) == 4


def test_labels_that_come_with_data_take_the_place_of_the_same_persons_only(store: Store) -> None:
    group_id = store.add_group(group())
    store.save_label(group_id, label("bob"), expected_version=0)
    with store._database.write() as connection:
        put_label(connection, group_id, label("published"))
        assert put_label(connection, group_id, label("published", a=2, b=1)).version == 2
        found = labels_within(connection, [group_id])
    assert found == {group_id: (label("bob"), label("published", a=2, b=1))}
