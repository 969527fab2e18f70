"""A row of a table by a mapping: the scenario, the responses, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reward_lab.core.chat import Json, Message, parse_tools
from reward_lab.core.wording import listed, reason_of
from reward_lab.errors import InvalidChat, InvalidInput
from reward_lab.exchange.groups.answers import Answer, listed_answer
from reward_lab.exchange.groups.cells import as_json, as_list, as_messages, as_text, is_unknown, spoken
from reward_lab.exchange.groups.preferences import ranks_by_preference
from reward_lab.exchange.groups.response_columns import ResponseColumn, attached, response_columns
from reward_lab.exchange.groups.roles import OF_A_RATER, OF_A_RESPONSE, SEVERAL, Mapping, Role


class Shape(StrEnum):
    """How responses lie in a table."""

    EACH = "one response a row"
    LISTED = "a list of responses a row"
    COLUMNS = "one response a column"


@dataclass(slots=True)
class ReadRow:
    """What one row tells. ``scenario`` is as in a group file; ``metadata`` is by column."""

    scenario: dict[str, Json]
    answers: list[Answer]
    annotator: str
    comment: str = ""
    metadata: dict[str, Json] = field(default_factory=dict)


class RowReader:
    """Reads the rows of a table whose columns have the roles of a mapping.

    A conversation is what the responses answer; where no column holds responses, it is the response with all that
    came before it. ``blank_is_text``: a blank cell of the column of responses is an empty response; one of several
    response columns is none, since groups differ in size.

    Raises:
        InvalidInput: the mapping names a column that is not there, gives a role to two columns of which one can have
            it, or leaves out what holds the responses or tells which of them belong together.
    """

    def __init__(self, columns: Sequence[str], mapping: Mapping, *, blank_is_text: bool = False) -> None:
        roles = {column: mapping.roles.get(column, Role.METADATA) for column in columns}
        missing = [column for column in mapping.roles if column not in roles]
        if missing:
            raise InvalidInput(f"There is no column {missing[0]!r}. The columns are {listed(map(repr, columns))}.")
        if not mapping.annotator.strip():
            raise InvalidInput("Who has labelled has no name: write one where no column says who.")
        by_role = {role: [column for column, one in roles.items() if one is role] for role in Role}
        held = [role for role in (Role.RESPONSE, Role.RESPONSES, Role.RESPONSE_COLUMN) if by_role[role]]
        self._blank_response = "" if blank_is_text and held else None
        if not held and by_role[Role.MESSAGES]:
            by_role[Role.RESPONSE], by_role[Role.MESSAGES] = by_role[Role.MESSAGES], []
        elif not held:
            raise InvalidInput(
                f"No column holds responses: give one the role {Role.RESPONSE.value!r} (one a row), "
                f"{Role.RESPONSES.value!r} or, to each of several, {Role.RESPONSE_COLUMN.value!r}."
            )
        elif len(held) > 1:
            raise InvalidInput(
                f"Responses are either {listed((f'a {role.value!r}' for role in held), 'or')}: choose one."
            )
        self._by_role = by_role
        self._default_annotator = mapping.annotator.strip()
        self._side_by_side = response_columns(by_role[Role.RESPONSE_COLUMN])
        self.shape = Shape.COLUMNS if self._side_by_side else Shape.LISTED if by_role[Role.RESPONSES] else Shape.EACH
        self._about = [(role, column) for role in OF_A_RESPONSE for column in by_role[role]]
        self._raters = mapping.raters
        self._check_single()
        if self._side_by_side:
            self._side_by_side = attached(self._side_by_side, {role: by_role[role] for role in OF_A_RESPONSE})

    def _check_single(self) -> None:
        several = SEVERAL.union(OF_A_RESPONSE if self.shape is Shape.COLUMNS else OF_A_RATER)
        for role, columns in self._by_role.items():
            if len(columns) > 1 and role not in several:
                raise InvalidInput(
                    f"{listed(map(repr, columns))} have the role {role.value!r}, which one column can have here: "
                    f"give the others another, or {Role.METADATA.value!r}."
                )
        if self._raters and self.has_annotators:
            says_who = self._by_role[Role.ANNOTATOR][0]
            raise InvalidInput(
                f"{listed(map(repr, self._raters))} are an annotator each, and {says_who!r} has the role "
                f"{Role.ANNOTATOR.value!r}: leave one column of scores, ranks or marks, or give {says_who!r} the role "
                f"{Role.METADATA.value!r}."
            )
        if self.shape is not Shape.EACH:
            return
        if self._by_role[Role.PREFERENCE]:
            raise InvalidInput(
                f"{self._by_role[Role.PREFERENCE][0]!r} has the role {Role.PREFERENCE.value!r}, which is for rows with "
                f"several responses: where a row is one response, use {Role.RANK.value!r}."
            )

    @property
    def metadata_columns(self) -> Sequence[str]:
        """The columns that are kept as metadata."""
        return self._by_role[Role.METADATA]

    @property
    def has_annotators(self) -> bool:
        """Whether a column says who scored, ranked or marked."""
        return bool(self._by_role[Role.ANNOTATOR])

    def group_id(self, row: dict[str, Json]) -> str:
        """The row's group id; "" where no column has one, or its cell is blank."""
        return self._text(row, Role.GROUP_ID)

    def read(self, row: dict[str, Json]) -> ReadRow:
        """All that a row tells. Raises ``ValueError`` naming the column and the value."""
        read = ReadRow(
            self.scenario(row),
            self._answers(row),
            self._text(row, Role.ANNOTATOR).strip() or self._default_annotator,
            metadata={column: row[column] for column in self.metadata_columns if row.get(column) is not None},
        )
        if self.shape is not Shape.EACH:
            self._prefer(row, read.answers)
            if not any(Role.COMMENT in column.about for column in self._side_by_side):
                read.comment = self._text(row, Role.COMMENT)
        return read

    def _cell(self, row: dict[str, Json], role: Role) -> tuple[str, Json]:
        """The column that has a role, and its cell; "" and ``None`` where none has it."""
        columns = self._by_role[role]
        return (columns[0], row.get(columns[0])) if columns else ("", None)

    def _text(self, row: dict[str, Json], role: Role) -> str:
        _, value = self._cell(row, role)
        return "" if is_unknown(value) else as_text(value)

    def scenario(self, row: dict[str, Json]) -> dict[str, Json]:
        """What the responses answer, as a group file has it; what is not told is left out. Raises ``ValueError``."""
        column, value = self._cell(row, Role.MESSAGES)
        messages = [] if is_unknown(value) else as_messages(value, _named(column))
        asked: list[str] = []
        for column in self._by_role[Role.PROMPT]:
            said = "" if is_unknown(row.get(column)) else spoken(row[column], _named(column))
            if isinstance(said, list):
                messages += said
            elif said:
                asked.append(said)
        if asked:
            messages.append({"role": "user", "content": "\n\n".join(asked)})
        told = {
            "system_prompt": self._text(row, Role.SYSTEM_PROMPT),
            "messages": messages,
            "tools": self._tools(row),
            "reference_answer": self._text(row, Role.REFERENCE),
        }
        return {key: one for key, one in told.items() if one}

    def _tools(self, row: dict[str, Json]) -> list[Json]:
        column, value = self._cell(row, Role.TOOLS)
        if is_unknown(value):
            return []
        try:
            return list(parse_tools(as_json(value), where=_named(column)))
        except InvalidChat as error:
            raise ValueError(reason_of(error)) from error
        except ValueError as error:
            raise ValueError(f"{_named(column)}: {error}; expected tool definitions") from None

    def _answers(self, row: dict[str, Json]) -> list[Answer]:
        if self.shape is Shape.COLUMNS:
            answers = [answer for column in self._side_by_side for answer in _beside(row, column)]
            if not answers:
                raise ValueError(f"no response: {listed(_named(one.name) for one in self._side_by_side)} are blank")
            return answers
        if self.shape is Shape.LISTED:
            return self._listed(row)
        answer = Answer(self._one_response(row))
        for role, about in self._about:
            self._take(answer, role, about, row.get(about))
        return [answer]

    def _one_response(self, row: dict[str, Json]) -> str | list[Message]:
        column, value = self._cell(row, Role.RESPONSE)
        return _response(self._blank_response if value is None else value, column)

    def _listed(self, row: dict[str, Json]) -> list[Answer]:
        column, value = self._cell(row, Role.RESPONSES)
        items = _list(value, column)
        if not items:
            raise ValueError(f"no response: {_named(column)} is blank")
        answers = [listed_answer(item, f"{_named(column)}, item {place}") for place, item in enumerate(items, start=1)]
        for role, about in self._about:
            value = row.get(about)
            if role is Role.COMMENT or is_unknown(value):
                continue
            each = _list(value, about)
            if len(each) != len(answers):
                raise ValueError(f"{_named(about)} has {len(each)} values for {len(answers)} responses")
            for answer, one in zip(answers, each, strict=True):
                self._take(answer, role, about, one)
        return answers

    def _take(self, answer: Answer, role: Role, column: str, value: Json) -> None:
        """What a cell says of a response: of the row's annotator, or of the one that the column is."""
        if column not in self._raters:
            _take(answer, role, column, value)
            return
        apart = Answer("")
        _take(apart, role, column, value)
        if opinion := apart.opinion():
            answer.apart[column] = opinion

    def _prefer(self, row: dict[str, Json], answers: Sequence[Answer]) -> None:
        """Ranks by what the row says is best, where no rank says it already."""
        column, value = self._cell(row, Role.PREFERENCE)
        if not column or is_unknown(value):
            return
        if isinstance(value, int) and not all(answer.names for answer in answers):
            raise ValueError(f"{_named(column)}: {value} may count from 0 or from 1: write the response's id")
        names = {answer.id or str(place): answer.names for place, answer in enumerate(answers, start=1)}
        try:
            ranks = ranks_by_preference(value, names)
        except ValueError as error:
            raise ValueError(f"{_named(column)}: {error}") from None
        for one, answer in zip(names, answers, strict=True):
            answer.rank = ranks.get(one, answer.rank)


def _named(column: str) -> str:
    return f"column {column!r}"


def _response(value: Json, column: str) -> str | list[Message]:
    if value is None or value == []:
        raise ValueError(f"no response: {_named(column)} is blank")
    said = spoken(value, _named(column))
    if isinstance(said, list) and all(message["role"] != "assistant" for message in said):
        raise ValueError(f"no response: {_named(column)} has no message of the assistant")
    return said


def _list(value: Json, column: str) -> list[Json]:
    try:
        return [] if is_unknown(value) else as_list(value)
    except ValueError as error:
        raise ValueError(f"{_named(column)}: {error}") from None


def _take(answer: Answer, role: Role, column: str, value: Json) -> None:
    try:
        answer.take(role, value)
    except ValueError as error:
        raise ValueError(f"{_named(column)}: {error}") from None


def _beside(row: dict[str, Json], column: ResponseColumn) -> list[Answer]:
    """The responses of one response column: one, none where it is blank, or several where it is a list of texts."""
    value = row.get(column.name)
    if value is None or value == []:
        return []
    several = isinstance(value, list) and all(isinstance(one, str) for one in value)
    answers = []
    for place, one in enumerate(value if several else [value], start=1):
        number = f"-{place}" if several and len(value) > 1 else ""
        answer = Answer(_response(one, column.name), id=f"{column.name}{number}", rank=column.rank)
        answer.other_names = column.other_names
        for role, about in column.about.items():
            if role is not Role.RESPONSE_ID or not number:
                _take(answer, role, about, row.get(about))
        answers.append(answer)
    return answers
