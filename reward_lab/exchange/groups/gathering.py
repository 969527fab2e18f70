"""Rows gathered to groups: by their group id, else by what they answer."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from reward_lab.core.chat import Json, content_hash
from reward_lab.core.wording import listed
from reward_lab.exchange.groups.group_file import ImportedGroup, recorded_group
from reward_lab.exchange.groups.growing import GrowingGroup, opening
from reward_lab.exchange.groups.roles import Mapping, Role
from reward_lab.exchange.groups.rows import ReadRow, RowReader, Shape
from reward_lab.exchange.groups.sheet import BadLine, Sheet


def imported_groups(sheet: Sheet, mapping: Mapping) -> Iterator[ImportedGroup | BadLine]:
    """The groups of a sheet in the order of their first lines, and the lines that gave none (``sheet.bad`` not again).

    Where a row is one response, rows with the same group id make a group, else those that answer the same; a column
    of metadata that tells no rows of a group apart is the group's, another the response's. Otherwise each row is a
    group; one that repeats another's responses under the same id, or by another annotator, adds its labels to it.
    Lines of our own format need no mapping.

    Raises:
        InvalidInput: the mapping cannot be used; what to change is told.
    """
    if sheet.kind == "groups":
        return (recorded_group(row, number) for number, row in sheet.rows)
    return _Gathering(sheet, RowReader(sheet.columns, mapping, blank_is_text=sheet.blank_is_text)).groups()


_PARTS = {
    "system_prompt": Role.SYSTEM_PROMPT.value,
    "messages": Role.PROMPT.value,
    "tools": "set of tools",
    "reference_answer": Role.REFERENCE.value,
}
"""What the parts of a scenario are called."""


class _Gathering:
    """Two passes: which rows belong together, then group by group, so that one group at a time is held."""

    def __init__(self, sheet: Sheet, reader: RowReader) -> None:
        self._rows = sheet.rows
        self._reader = reader
        self._of_group: frozenset[str] = frozenset()

    def groups(self) -> Iterator[ImportedGroup | BadLine]:
        """Lines that cannot be read as the first pass meets them, then the groups."""
        together: dict[Hashable, list[int]] = {}
        for place, (number, row) in enumerate(self._rows):
            try:
                together.setdefault(self._key(place, row), []).append(place)
            except ValueError as error:
                yield BadLine(number, str(error))
        gather = self._responses_of_one if self._reader.shape is Shape.EACH else self._rows_of_one
        if self._reader.shape is Shape.EACH:
            self._of_group = self._shared_columns(together.values())
        for places in together.values():
            yield from gather(places)

    def _key(self, place: int, row: dict[str, Json]) -> Hashable:
        """Equal for rows that may make one group. Raises ``ValueError``."""
        group_id = self._reader.group_id(row)
        if group_id:
            return "id", group_id
        if self._reader.shape is Shape.EACH:
            scenario = self._reader.scenario(row)
            asked = scenario.get("messages") or opening([one.said for one in self._reader.read(row).answers])
            if not asked:
                raise ValueError(
                    f"no prompt: a row needs a {Role.PROMPT.value}, a {Role.MESSAGES.value} or a {Role.GROUP_ID.value}"
                )
            return content_hash([scenario, asked])
        return _content(self._reader.read(row)) if self._reader.has_annotators else place

    def _shared_columns(self, together: Iterable[Sequence[int]]) -> frozenset[str]:
        """The metadata columns that tell no rows of a group apart, if any group has several."""
        shared = set(self._reader.metadata_columns)
        several = False
        for places in together:
            first = self._rows[places[0]][1]
            for place in places[1:]:
                several = True
                row = self._rows[place][1]
                shared -= {column for column in shared if row.get(column) != first.get(column)}
        return frozenset(shared) if several else frozenset()

    def _responses_of_one(self, places: Sequence[int]) -> Iterator[ImportedGroup | BadLine]:
        group: GrowingGroup | None = None
        for number, row in (self._rows[place] for place in places):
            try:
                read = self._reader.read(row)
                if group is None:
                    of_group = {key: value for key, value in read.metadata.items() if key in self._of_group}
                    group = GrowingGroup(self._reader.group_id(row) or f"line-{number}", read.scenario, of_group)
                elif read.scenario != group.scenario:
                    raise ValueError(_differs(group, read))
                (answer,) = read.answers
                answer.metadata = {key: one for key, one in read.metadata.items() if key not in self._of_group}
                group.add_response(answer, number, read.annotator, rated_apart=self._reader.has_annotators)
            except ValueError as error:
                yield BadLine(number, str(error))
        if group is not None:
            yield group.finished()

    def _rows_of_one(self, places: Sequence[int]) -> Iterator[ImportedGroup | BadLine]:
        groups: dict[str, GrowingGroup] = {}
        for number, row in (self._rows[place] for place in places):
            try:
                read = self._reader.read(row)
                content = _content(read) if len(places) > 1 else ""
                if content not in groups:
                    group_id = self._reader.group_id(row) or f"line-{number}"
                    # Another row with the same id and other responses is a group of its own: ranks of one row do not
                    # hold against those of another.
                    own_id = f"{group_id}-line-{number}" if groups else group_id
                    groups[content] = GrowingGroup(own_id, read.scenario, read.metadata)
                groups[content].add_row(read, number)
            except ValueError as error:
                yield BadLine(number, str(error))
        for group in groups.values():
            yield group.finished()


def _content(read: ReadRow) -> str:
    return content_hash([read.scenario, [(answer.id, answer.said) for answer in read.answers]])


def _differs(group: GrowingGroup, read: ReadRow) -> str:
    there, here = group.scenario, read.scenario
    parts = [_PARTS[key] for key in there | here if there.get(key) != here.get(key)]
    return (
        f"group {group.id!r} has another {listed(parts)} in line {group.lines[0]}; the responses of a group answer "
        "the same"
    )
