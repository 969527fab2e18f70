"""The group file: JSONL, one group a line, as ``reward-lab score`` reads it (README, "The group file")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reward_lab.core.group import Group
from reward_lab.errors import InvalidGroup, InvalidInput


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that holds no group: its number from 1, and why."""

    number: int
    why: str


def read_groups(path: Path) -> Iterator[Group | BadLine]:
    """Each line as a group, or as the reason why it is none. Blank lines are passed over.

    Only line feeds end a line: U+2028 and the like are content.

    Raises:
        InvalidInput: the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if line.strip():
                    yield _group(line, number)
    except OSError as error:
        raise InvalidInput(f"The group file {path} cannot be read: {error.strerror or error}.") from error


def _group(line: bytes, number: int) -> Group | BadLine:
    try:
        record = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return BadLine(number, f"not UTF-8 at byte {error.start + 1}")
    except json.JSONDecodeError as error:
        return BadLine(number, f"not JSON: {error.msg} at character {error.pos + 1}")
    except (ValueError, RecursionError) as error:
        return BadLine(number, f"not JSON: {error}")
    try:
        return Group.from_record(record, default_id=f"line-{number}")
    except InvalidGroup as error:
        return BadLine(number, str(error))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
