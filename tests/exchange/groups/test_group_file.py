"""Group files: good lines are groups, bad ones say what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.chat import Json
from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.group_file import ImportedGroup, group_record, read_groups, recorded_group
from reward_lab.exchange.groups.sheet import BadLine

GOOD = '{"id": "g", "trajectories": [{"text": "a\u2028b"}]}'


def _lines(folder: Path, content: bytes) -> list[Group | BadLine]:
    path = folder / "groups.jsonl"
    path.write_bytes(content)
    return list(read_groups(path))


def test_a_byte_order_mark_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    (group,) = _lines(tmp_path, b"\xef\xbb\xbf" + GOOD.encode() + b"\r\n\n  \n")
    assert isinstance(group, Group)
    assert group.trajectories[0].answer == "a\u2028b"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff{}", "not UTF-8 at byte 1"),
        (b"[]", "JSON object"),
        (b"{}", "'trajectories' must be a list"),
        (b'{"trajectories": []}', "at least one trajectory"),
        (b'{"id": "g7", "trajectories": [{"text": "a"}, {}]}', "Group 'g7': trajectory 2 needs either"),
        (b'{"trajectories": [{"text": 3}]}', "'text' must be a string"),
        (b'{"trajectories": [{"text": "a", "independent_reward": NaN}]}', "NaN is not a JSON number"),
        (b'{"trajectories": [{"messages": [{"role": "x"}]}]}', "role 'x'"),
        (b'{"scenario": 3, "trajectories": [{"text": "a"}]}', "'scenario' must be an object"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_read(tmp_path: Path, line: bytes, words: str) -> None:
    first, bad, last = _lines(tmp_path, b"\n".join([GOOD.encode(), line, GOOD.encode()]))
    assert isinstance(first, Group)
    assert isinstance(last, Group)
    assert isinstance(bad, BadLine)
    assert bad.number == 2
    assert words in bad.why


def test_unknown_keys_are_kept_as_metadata(tmp_path: Path) -> None:
    (group,) = _lines(tmp_path, b'{"id": 7, "kind": "pair", "trajectories": [{"text": "a", "model": "m"}]}')
    assert isinstance(group, Group)
    assert (group.id, group.metadata) == ("7", {"kind": "pair"})
    assert group.trajectories[0].metadata == {"model": "m"}
    assert Group.from_record(group.to_record()) == group


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="absent"):
        list(read_groups(tmp_path / "absent.jsonl"))


LABELS = [
    {
        "annotator": "ann",
        "comment": "close",
        "responses": {
            "a": {"rank": 1, "score": 4.5, "mark": "good", "comment": "brief", "criteria": {"Is polite.": True}}
        },
    },
    {"annotator": "bob", "responses": {"a": {"rank": 2}, "b": {"rank": 1}}},
]


def _labelled(labels: object) -> dict[str, Json]:
    return {"id": "g", "labels": labels, "trajectories": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]}


def test_labels_are_read_and_are_no_metadata(tmp_path: Path) -> None:
    found = recorded_group(_labelled(LABELS), 7)
    assert isinstance(found, ImportedGroup)
    assert (found.group.metadata, found.lines) == ({}, (7,))
    assert found.labels == (
        Label(
            annotator="ann",
            comment="close",
            responses={
                "a": ResponseLabel(rank=1, score=4.5, mark=Mark.GOOD, comment="brief", criteria={"Is polite.": True})
            },
        ),
        Label(annotator="bob", responses={"a": ResponseLabel(rank=2), "b": ResponseLabel(rank=1)}),
    )
    (group,) = _lines(tmp_path, json.dumps(_labelled(LABELS)).encode())
    assert group == found.group


@pytest.mark.parametrize("given", [["refund", "urgent"], "refund", {"topic": "refund"}])
def test_labels_that_are_no_list_of_objects_are_metadata(given: object) -> None:
    found = recorded_group(_labelled(given), 1)
    assert isinstance(found, ImportedGroup)
    assert (found.group.metadata, found.labels) == ({"labels": given}, ())


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([{"responses": {}}], "Group 'g': label 1: annotator: Field required."),
        (
            [{"annotator": " ", "responses": {}}],
            "Group 'g': label 1: annotator: a label needs the name of its annotator.",
        ),
        (
            [{"annotator": "ann", "responses": {"c": {"rank": 1}}}],
            "Group 'g': label 1 is of response 'c', which the group has not; it has 'a' and 'b'.",
        ),
        (
            [{"annotator": "ann", "responses": {}}, {"annotator": "ann ", "responses": {}}],
            "Group 'g': label 2 is a second one by 'ann'; one annotator has one label a group.",
        ),
        (
            [{"annotator": "ann", "responses": {"a": {"rank": 0}}}],
            "Group 'g': label 1: responses: a: rank: Input should be greater than or equal to 1.",
        ),
        (
            [{"annotator": "ann", "responses": {"a": {"mark": "fine"}}}],
            "Group 'g': label 1: responses: a: mark: Input should be 'good' or 'bad'.",
        ),
    ],
)
def test_a_label_that_cannot_be_read_is_named(labels: object, why: str) -> None:
    assert recorded_group(_labelled(labels), 3) == BadLine(3, why)


_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_OPINIONS = st.builds(
    ResponseLabel,
    rank=st.none() | st.integers(1, 9),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    mark=st.none() | st.sampled_from(Mark),
    comment=_WORDS,
    criteria=st.dictionaries(_WORDS, st.booleans(), max_size=2),
)


@st.composite
def _labelled_groups(draw: st.DrawFn) -> tuple[Group, tuple[Label, ...]]:
    ids = draw(st.lists(_WORDS.filter(bool), min_size=1, max_size=4, unique=True))
    group = Group(
        id=draw(_WORDS.filter(bool)),
        scenario=Scenario(system_prompt=draw(_WORDS), reference_answer=draw(st.none() | _WORDS)),
        trajectories=tuple(
            Trajectory(id=one, label=draw(_WORDS), messages=({"role": "assistant", "content": draw(_WORDS)},))
            for one in ids
        ),
        metadata=draw(st.dictionaries(st.sampled_from(["labels", "source"]), st.just([{"annotator": 1}]))),
    )
    names = draw(st.lists(_WORDS.filter(str.strip).map(str.strip), max_size=3, unique=True))
    labels = [
        Label(annotator=name, comment=draw(_WORDS), responses=draw(st.dictionaries(st.sampled_from(ids), _OPINIONS)))
        for name in names
    ]
    return group, tuple(labels)


@given(_labelled_groups())
def test_a_written_line_is_read_back(labelled: tuple[Group, tuple[Label, ...]]) -> None:
    group, labels = labelled
    line = json.dumps(group_record(group, labels))
    assert recorded_group(json.loads(line), 1) == ImportedGroup(group, labels, (1,))
