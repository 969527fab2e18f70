from __future__ import annotations

import pytest

from reward_lab.core.group import Group
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.core.split import Split
from reward_lab.errors import InvalidGroup, InvalidInput, NotFound
from reward_lab.store import Added, Store
from tests.store.examples import group, make_run, new_run


def label(annotator: str, **ranks: int) -> Label:
    return Label(annotator=annotator, responses={one: ResponseLabel(rank=rank) for one, rank in ranks.items()})


def said(text: str, name: str = "g", **record: object) -> Group:
    return Group.from_record({"id": name, "trajectories": [{"text": text}], **record})


def filled(store: Store, *groups: Group) -> int:
    dataset_id = store.create_dataset("mine")
    store.add_to_dataset(dataset_id, [(one, ()) for one in groups])
    return dataset_id


def names(store: Store, dataset_id: int, **filters: object) -> list[str]:
    found = store.dataset_places(dataset_id, **filters)  # type: ignore[arg-type] - filters by name
    return [line.name for line in store.dataset_lines(dataset_id, [place.position for place in found])]


def test_equal_groups_stand_once_and_labels_come_in_beside_those_of_others(store: Store) -> None:
    dataset_id = store.create_dataset(" mine ")
    ann, ben = label("ann", a=1, b=2), label("ben", a=2, b=1)
    assert store.add_to_dataset(dataset_id, [(group("g"), [ann]), (group("h"), ()), (group("g"), ())]) == Added(2, 1, 0)
    assert store.add_to_dataset(dataset_id, [(group("g"), [ann])]) == Added(0, 1, 0), "nothing new is said"
    assert store.add_to_dataset(dataset_id, [(group("g"), [ben]), (group("h"), ())]) == Added(0, 2, 1)
    group_id = store.dataset_places(dataset_id)[0].group_id
    assert store.labels_within([group_id]) == {group_id: (ann, ben)}
    changed = label("ann", a=1, b=1)
    assert store.add_to_dataset(dataset_id, [(group("g"), [changed])]) == Added(0, 1, 1)
    assert store.labels_within([group_id]) == {group_id: (changed, ben)}
    (summary,) = store.datasets()
    assert (summary.name, summary.groups, summary.labelled) == ("mine", 2, 1)


def test_lines_hold_what_a_list_shows(store: Store) -> None:
    dataset_id = filled(store, group("g", ("a", "b", "c")), group("h\ud800", question="Why?"))
    store.tag_in_dataset(dataset_id, [0, 1, 99], add=["late", "bad\ud83d", "late"])
    store.split_in_dataset(dataset_id, {1: Split.HOLDOUT})
    store.add_to_dataset(dataset_id, [(group("h\ud800", question="Why?"), [label("ben", a=1), label("ann", a=1)])])
    first, second = store.dataset_lines(dataset_id, [1, 0, 99])
    assert (first.position, first.name, first.opening, first.responses) == (0, "g", "May I return it?", 3)
    assert (first.split, first.tags, first.labelled_by) == (Split.NONE, ("bad\ud83d", "late"), ())
    assert (second.name, second.split, second.labelled_by) == ("h\ud800", Split.HOLDOUT, ("ann", "ben"))
    store.tag_in_dataset(dataset_id, [0], remove=["late"])
    assert store.dataset_lines(dataset_id, [0])[0].tags == ("bad\ud83d",)
    assert store.dataset_tags(dataset_id) == ("bad\ud83d", "late")
    (summary,) = store.datasets()
    assert (summary.tune, summary.holdout) == (0, 1)


CALL = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "look_up", "arguments": '{"Stadt": "Köln"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "Straße\nnächste"},
]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("MAY I", ["asked"]),
        ("asked", ["asked"]),
        ("退款", ["chinese"]),
        ("🎉", ["chinese"]),
        ("éCOLE", ["école", "called"]),
        ("köln", ["called"]),
        ('"stadt"', ["called"]),
        ("look_up", ["called"]),
        ("100%", ["signs"]),
        ("a_b", ["signs"]),
        ("C:\\new", ["signs"]),
        ("urgent", ["signs"]),
        ("nothing of the kind", []),
        # Nobody said these: they are how JSON writes a record.
        ("content", []),
        ("assistant", []),
        ("trajectories", []),
        ("tool", []),
        ("9000", []),
        ("nnächste", []),
        # And these are said, though they are written as the others are.
        ("scenario", ["signs"]),
        ("5230", ["signs"]),
    ],
)
def test_search_reads_everything_that_was_said(store: Store, search: str, found: list[str]) -> None:
    dataset_id = filled(
        store,
        group("asked"),
        said("可以退款, 退出 🎉 到 退", "chinese"),
        said("École Normale", "école"),
        Group.from_record({"id": "called", "trajectories": [{"messages": CALL, "label": "école"}]}),
        said("100% of a_b in C:\\new; 1000 axb 退; 5230 of the scenario", "signs"),
    )
    store.tag_in_dataset(dataset_id, [4], add=["Urgent 50"])
    assert names(store, dataset_id, search=f" {search} ") == found


def test_filters_hold_together(store: Store) -> None:
    dataset_id = filled(store, *(group(f"g{number}") for number in range(6)))
    store.tag_in_dataset(dataset_id, [1, 2, 3], add=["hard"])
    store.split_in_dataset(dataset_id, {2: Split.TUNE, 3: Split.HOLDOUT, 4: Split.TUNE})
    assert names(store, dataset_id, tag="hard") == ["g1", "g2", "g3"]
    assert names(store, dataset_id, split=Split.TUNE) == ["g2", "g4"]
    assert names(store, dataset_id, split=Split.NONE) == ["g0", "g1", "g5"]
    assert names(store, dataset_id, tag="hard", split=Split.TUNE, search="G2") == ["g2"]
    assert names(store, dataset_id, tag="none") == []


def test_an_edited_group_keeps_its_place_and_the_old_one_stays_stored(store: Store) -> None:
    dataset_id = filled(store, group("g"), group("h"))
    old = store.dataset_places(dataset_id)[0].group_id
    store.tag_in_dataset(dataset_id, [0], add=["hard"])
    store.split_in_dataset(dataset_id, {0: Split.TUNE})
    new = store.replace_in_dataset(dataset_id, 0, group("g", question="Now?"), old=old)
    (line,) = store.dataset_lines(dataset_id, [0])
    assert (line.group_id, line.opening, line.tags, line.split) == (new, "Now?", ("hard",), Split.TUNE)
    assert store.groups([old])[old] == group("g")
    assert store.replace_in_dataset(dataset_id, 0, group("g", question="Now?"), old=new) == new
    with pytest.raises(NotFound, match="another window"):
        store.replace_in_dataset(dataset_id, 0, group("g", question="Later?"), old=old)
    with pytest.raises(InvalidInput, match="stands in this dataset already"):
        store.replace_in_dataset(dataset_id, 0, group("h"))
    with pytest.raises(NotFound):
        store.replace_in_dataset(dataset_id, 7, group("x"))


def test_what_is_removed_leaves_the_other_places_as_they_are(store: Store) -> None:
    dataset_id = filled(store, *(group(f"g{number}") for number in range(4)))
    store.tag_in_dataset(dataset_id, [1, 3], add=["hard"])
    store.remove_from_dataset(dataset_id, [1])
    assert [place.position for place in store.dataset_places(dataset_id)] == [0, 2, 3]
    assert store.add_to_dataset(dataset_id, [(group("g1"), ())]) == Added(1, 0, 0)
    assert names(store, dataset_id) == ["g0", "g2", "g3", "g1"]
    assert names(store, dataset_id, tag="hard") == ["g3"]


def test_a_deleted_dataset_leaves_groups_labels_and_other_datasets(store: Store) -> None:
    dataset_id = filled(store, group("g"))
    store.add_to_dataset(dataset_id, [(group("g"), [label("ann", a=1)])])
    store.tag_in_dataset(dataset_id, [0], add=["hard"])
    other = store.create_dataset("other")
    store.add_to_dataset(other, [(group("g"), ())])
    group_id = store.dataset_places(other)[0].group_id
    store.delete_dataset(dataset_id)
    assert [one.name for one in store.datasets()] == ["other"]
    assert store.labels_within([group_id])[group_id] == (label("ann", a=1),)
    with pytest.raises(NotFound, match="deleted"):
        store.dataset_places(dataset_id)


def test_a_name_is_one_datasets_own(store: Store) -> None:
    first, second = store.create_dataset("Zeta\ud800"), store.create_dataset("alpha")
    assert [one.name for one in store.datasets()] == ["alpha", "Zeta\ud800"]
    with pytest.raises(InvalidInput, match="'alpha' already"):
        store.create_dataset(" alpha ")
    with pytest.raises(InvalidInput, match="needs a name"):
        store.create_dataset(" ")
    with pytest.raises(InvalidInput, match="'alpha' already"):
        store.rename_dataset(first, "alpha")
    store.rename_dataset(second, "alpha")
    store.rename_dataset(first, "beta")
    assert [one.name for one in store.datasets()] == ["alpha", "beta"]
    with pytest.raises(NotFound):
        store.rename_dataset(99, "x")


def test_a_runs_groups_become_a_dataset(store: Store) -> None:
    run_id = make_run(store, new_run(group("b"), group("a")))
    dataset_id = store.create_dataset_of_run(run_id, "of the run")
    assert names(store, dataset_id) == ["b", "a"]
    with pytest.raises(NotFound, match="Run 99"):
        store.create_dataset_of_run(99, "none")
    assert [one.name for one in store.datasets()] == ["of the run"]


def test_a_batch_with_a_group_that_cannot_be_stored_adds_none(store: Store) -> None:
    dataset_id = store.create_dataset("mine")
    odd = Group.from_record({"trajectories": [{"text": "x", "independent_reward": 1}]})
    odd = odd.model_copy(update={"trajectories": (replace_message(odd),)})
    with pytest.raises(InvalidGroup, match="NaN"):
        store.add_to_dataset(dataset_id, [(group("g"), ()), (odd, ())])
    assert store.dataset_places(dataset_id) == ()
    with pytest.raises(NotFound):
        store.add_to_dataset(99, [(group("g"), ())])


def replace_message(odd: Group) -> object:
    return odd.trajectories[0].model_copy(
        update={"messages": ({"role": "assistant", "content": "x", "p": float("nan")},)}
    )


def test_questions_are_told_apart_where_their_first_words_are_not(store: Store) -> None:
    long = "word " * 100
    dataset_id = filled(
        store,
        group("a", question=f"{long} one"),
        group("b", question=f"{long} two"),
        group("c", ("x", "y"), question=f"{long} one"),
        group("d", question="another"),
    )
    a, b, c, d = store.dataset_questions(dataset_id).values()
    assert a == c != b
    assert a.opening == b.opening
    assert (d.opening, d.key) == ("another", "")
    contents = store.dataset_contents(dataset_id)
    assert [one.question for one in contents] == [a.key, b.key, a.key, None]
    assert contents[0].responses == tuple(one.key for one in group("a").trajectories)


def renamed(name: str) -> Group:
    """The group of ``group()`` under other ids, with metadata."""
    one = group(name)
    members = [member.model_copy(update={"id": f"{member.id}-{name}"}) for member in one.trajectories]
    return one.model_copy(update={"trajectories": tuple(members), "metadata": {"of": name}})


def test_the_first_of_equal_groups_gets_the_labels_of_the_others_but_for_its_own_annotators(store: Store) -> None:
    dataset_id = filled(store, group("g"), renamed("h"), renamed("i"), group("other", question="Why?"))
    own, theirs = label("ann", a=1, b=2), Label(annotator="ann", responses={"a-h": ResponseLabel(rank=2)})
    ben_h = Label(annotator="ben", responses={"b-h": ResponseLabel(score=1)}, comment="short")
    ben_i = Label(annotator="ben", responses={"b-i": ResponseLabel(score=7)})
    cem = Label(annotator="cem", responses={"a-i": ResponseLabel(score=3)})
    store.add_to_dataset(
        dataset_id, [(group("g"), [own]), (renamed("h"), [theirs, ben_h]), (renamed("i"), [ben_i, cem])]
    )
    places = store.dataset_places(dataset_id)
    kept, h = places[0].group_id, places[1].group_id

    assert store.keep_first_in_dataset(dataset_id, [(0, 1, 2, 3, 99), (98, 3)]) == 2
    assert names(store, dataset_id) == ["g", "other"], "what is not equal stays"
    assert store.labels_within([kept])[kept] == (
        own,
        Label(annotator="ben", responses={"b": ResponseLabel(score=1)}, comment="short"),
        Label(annotator="cem", responses={"a": ResponseLabel(score=3)}),
    )
    assert store.labels_within([h])[h] == (theirs, ben_h)


def test_groups_with_a_content_that_stands_only_bring_their_labels(store: Store) -> None:
    dataset_id = filled(store, group("g"), renamed("h"))
    standing = store.dataset_equals(dataset_id)
    of_i = Label(annotator="ann", responses={"b-i": ResponseLabel(score=1)})
    of_j = Label(annotator="ben", responses={"a-j": ResponseLabel(score=2)})
    of_h = Label(annotator="ann", responses={"a-h": ResponseLabel(score=4)})
    other = group("other", question="Why?")
    given = [(renamed("i"), [of_i]), (renamed("j"), [of_j]), (renamed("h"), [of_h]), (other, [label("ann", a=1)])]

    assert store.add_to_dataset(dataset_id, given, standing=standing) == Added(1, 3, 2)
    assert names(store, dataset_id) == ["g", "h", "other"]
    g, h, _ = (place.group_id for place in store.dataset_places(dataset_id))
    assert store.labels_within([g, h]) == {
        g: (
            Label(annotator="ann", responses={"b": ResponseLabel(score=1)}),
            Label(annotator="ben", responses={"a": ResponseLabel(score=2)}),
        ),
        h: (of_h,),
    }
    assert store.add_to_dataset(dataset_id, [(renamed("i"), [of_i])]) == Added(1, 0, 0)
