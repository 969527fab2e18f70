"""Group files: good lines are groups, bad ones say what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from reward_lab.core.group import Group
from reward_lab.errors import InvalidInput
from reward_lab.exchange.group_file import BadLine, read_groups

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
