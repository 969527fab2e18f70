"""The group file: JSONL, one group a line, as ``reward-lab score`` reads it (README, "The group file")."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from reward_lab.core.chat import Json
from reward_lab.core.group import Group
from reward_lab.core.labels import Label
from reward_lab.core.wording import listed, reason_of
from reward_lab.errors import InvalidGroup, InvalidInput
from reward_lab.exchange.groups.sheet import BadLine

_LABELS = "labels"


@dataclass(frozen=True, slots=True)
class ImportedGroup:
    """A group, what came with it from people (one label an annotator), and the lines that it was read from."""

    group: Group
    labels: tuple[Label, ...] = ()
    lines: tuple[int, ...] = ()


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
    found = recorded_group(record, number)
    return found if isinstance(found, BadLine) else found.group


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def recorded_group(record: object, number: int) -> ImportedGroup | BadLine:
    """The group and the labels of one line, or the reason why it holds none; ``number`` is the line's.

    ``labels`` is a list of objects: ``{"annotator", "comment", "responses": {trajectory id: {"rank", "score", "mark",
    "comment", "criteria": {statement: bool}}}}``. Anything else under that name is metadata, as under any other.
    """
    try:
        given, rest = _parted(record)
        group = Group.from_record(rest, default_id=f"line-{number}")
        return ImportedGroup(group, _labels(given, group), (number,))
    except InvalidGroup as error:
        return BadLine(number, str(error))


def _parted(record: object) -> tuple[Sequence[Json], object]:
    """The labels of a record, and the record without them."""
    labels = record.get(_LABELS) if isinstance(record, Mapping) else None
    if not isinstance(record, Mapping) or not isinstance(labels, list):
        return (), record
    if not all(isinstance(one, Mapping) for one in labels):
        return (), record
    return labels, {key: value for key, value in record.items() if key != _LABELS}


def _labels(given: Sequence[Json], group: Group) -> tuple[Label, ...]:
    ids = {trajectory.id for trajectory in group.trajectories}
    labels: dict[str, Label] = {}
    for number, one in enumerate(given, start=1):
        where = f"Group {group.id!r}: label {number}"
        try:
            label = Label.model_validate(one)
        except ValidationError as error:
            raise InvalidGroup(f"{where}: {reason_of(error)}.") from error
        unknown = [one for one in label.responses if one not in ids]
        if unknown:
            raise InvalidGroup(
                f"{where} is of response {unknown[0]!r}, which the group has not; "
                f"it has {listed(map(repr, sorted(ids)))}."
            )
        if label.annotator in labels:
            raise InvalidGroup(f"{where} is a second one by {label.annotator!r}; one annotator has one label a group.")
        labels[label.annotator] = label
    return tuple(labels.values())


def group_record(group: Group, labels: Sequence[Label] = ()) -> dict[str, Json]:
    """The line of a group file that :func:`recorded_group` reads back to an equal group with equal labels."""
    record = group.to_record()
    if labels:
        record[_LABELS] = [label.model_dump(mode="json", exclude_defaults=True) for label in labels]
    return record
