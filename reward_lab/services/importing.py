"""Importing: what a file of groups holds, seen before anything is stored, and its groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups import (
    BadLine,
    ImportedGroup,
    Mapping,
    Role,
    Sheet,
    guess_mapping,
    imported_groups,
    read_sheet,
)
from reward_lab.exchange.groups.sheet import Kind

_SIZES_TOLD = 5
_BAD_TOLD = 50


@dataclass(frozen=True, slots=True)
class ColumnPreview:
    """A column, what it holds by the mapping, and its first values as text cut for display."""

    name: str
    role: Role
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file holds under a mapping. ``groups`` and ``bad`` are the first of theirs, counts are of all.

    ``columns`` are empty for lines of our own format, which need no mapping. ``labels`` counts the groups that each
    annotator has labelled. ``keys`` are of the groups' contents, one each. ``sizes`` says in words how many groups have
    how many responses. ``problem`` says why the mapping gives no groups and what to change, "" where it does.
    """

    kind: Kind
    columns: tuple[ColumnPreview, ...]
    mapping: Mapping
    groups: tuple[ImportedGroup, ...] = ()
    group_count: int = 0
    response_count: int = 0
    labels: tuple[tuple[str, int], ...] = ()
    keys: tuple[str, ...] = ()
    sizes: str = ""
    bad: tuple[BadLine, ...] = ()
    bad_count: int = 0
    problem: str = ""


class Importing:
    """Files of groups. Nothing is stored here."""

    def preview(self, data: bytes, name: str, mapping: Mapping | None = None, *, limit: int = 20) -> Preview:
        """What a file holds by a mapping, or by the one that is guessed; at most ``limit`` groups are shown.

        ``name`` is the file's, "" for what was pasted. All groups are read to be counted: seconds for 100 MB.

        Raises:
            InvalidInput: the file cannot be read at all; a mapping that cannot be used is ``problem`` instead.
        """
        sheet = read_sheet(data, name)
        used = mapping or guess_mapping(sheet)
        try:
            return _counted(sheet, used, limit)
        except InvalidInput as error:
            bad = sheet.bad
            return Preview(
                sheet.kind, _columns(sheet, used), used, bad=bad[:_BAD_TOLD], bad_count=len(bad), problem=str(error)
            )

    def groups(self, data: bytes, name: str, mapping: Mapping | None = None) -> Iterator[ImportedGroup]:
        """The groups of a file; lines that give none are passed over, and told by the preview.

        Raises:
            InvalidInput: the file or the mapping cannot be used.
        """
        sheet = read_sheet(data, name)
        found = imported_groups(sheet, mapping or guess_mapping(sheet))
        return (one for one in found if isinstance(one, ImportedGroup))


def _columns(sheet: Sheet, mapping: Mapping) -> tuple[ColumnPreview, ...]:
    if sheet.kind == "groups":
        return ()
    return tuple(
        ColumnPreview(name, mapping.roles.get(name, Role.METADATA), sheet.examples[name]) for name in sheet.columns
    )


def _counted(sheet: Sheet, mapping: Mapping, limit: int) -> Preview:
    first: list[ImportedGroup] = []
    bad = list(sheet.bad)
    sizes: Counter[int] = Counter()
    labels: Counter[str] = Counter()
    keys: list[str] = []
    for one in imported_groups(sheet, mapping):
        if isinstance(one, BadLine):
            bad.append(one)
            continue
        sizes[len(one.group.trajectories)] += 1
        labels.update(label.annotator for label in one.labels)
        keys += _keys(one)
        if len(first) < limit:
            first.append(one)
    bad.sort(key=lambda line: line.number)
    return Preview(
        kind=sheet.kind,
        columns=_columns(sheet, mapping),
        mapping=mapping,
        groups=tuple(first),
        group_count=sizes.total(),
        response_count=sum(size * count for size, count in sizes.items()),
        labels=tuple(labels.most_common()),
        keys=tuple(keys),
        sizes=sizes_in_words(sizes),
        bad=tuple(bad[:_BAD_TOLD]),
        bad_count=len(bad),
    )


def _keys(one: ImportedGroup) -> list[str]:
    """The group's key; none where a message holds NaN, which adding it will refuse."""
    try:
        return [one.group.key]
    except ValueError:
        return []


def sizes_in_words(sizes: Counter[int]) -> str:
    """How many groups have how many responses, the most frequent first.

    >>> sizes_in_words(Counter({4: 1200, 1: 30}))
    '1,200 groups with 4 responses, 30 with 1'
    """
    told = sizes.most_common(_SIZES_TOLD)
    words = [
        f"{counted(count, 'group')} with {counted(size, 'response')}" if place == 0 else f"{count:,} with {size:,}"
        for place, (size, count) in enumerate(told)
    ]
    rest = sizes.total() - sum(count for _, count in told)
    return ", ".join([*words, f"{rest:,} with other numbers"] if rest else words)
