"""A group while its rows are read: its responses, and who said what of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from reward_lab.core.chat import INSTRUCTION_ROLES, Json, Message, content_hash
from reward_lab.core.group import Group
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.core.prefix import shared_prefix
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidGroup
from reward_lab.exchange.groups.answers import Answer
from reward_lab.exchange.groups.group_file import ImportedGroup
from reward_lab.exchange.groups.rows import ReadRow
from reward_lab.exchange.groups.sheet import BadLine

MAX_RESPONSES = 1_000
"""A group of more is a mistaken group id."""


@dataclass(slots=True)
class _Kept:
    """A response, the line that it was first read from, what each annotator says of it, and who had a row for it."""

    answer: Answer
    number: int
    opinions: dict[str, ResponseLabel] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def hear(self, annotator: str, opinion: ResponseLabel | None) -> None:
        """Take an annotator's row, which may say nothing."""
        self.asked.add(annotator)
        if opinion:
            self.opinions[annotator] = opinion


@dataclass(slots=True)
class GrowingGroup:
    """A group begun by one row."""

    id: str
    scenario: dict[str, Json]
    metadata: dict[str, Json]
    lines: list[int] = field(default_factory=list)
    _kept: list[_Kept] = field(default_factory=list)
    _by_content: dict[str, list[_Kept]] = field(default_factory=dict)
    _comments: dict[str, str] = field(default_factory=dict)

    def add_response(self, answer: Answer, number: int, annotator: str, *, rated_apart: bool) -> None:
        """Add the one response of a row, or what another annotator says of a response that is there.

        ``rated_apart``: a column names the annotators, so that the same text by another one is the same response,
        also where that one's cell is blank.

        Raises:
            ValueError: the response's id stands for another text, or its annotator has spoken of it before.
        """
        opinion = answer.opinion()
        content = f"id {answer.id}" if answer.id else content_hash(answer.said)
        there = self._by_content.get(content, [])
        if answer.id and there:
            (kept,) = there
            if kept.answer.said != answer.said:
                raise ValueError(f"response id {answer.id!r} stands in line {kept.number} with another text")
            if annotator in (kept.opinions if opinion else kept.asked):
                raise ValueError(f"response id {answer.id!r} stands in line {kept.number} already")
            kept.hear(annotator, opinion)
        elif rated_apart and (unasked := _unasked(there, annotator)):
            unasked.hear(annotator, opinion)
        else:
            kept = _Kept(answer, number, {**answer.apart})
            kept.hear(annotator, opinion)
            self._kept.append(kept)
            self._by_content.setdefault(content, []).append(kept)
        self.lines.append(number)

    def add_row(self, read: ReadRow, number: int) -> None:
        """Add the responses of a row; for a row after the first, which has the same, what its annotator says of them.

        Raises:
            ValueError: the annotator has labelled the group before, or says nothing.
        """
        opinions = [answer.opinion() for answer in read.answers]
        if self.lines:
            known = read.annotator in self._comments or any(read.annotator in kept.opinions for kept in self._kept)
            if known or not (any(opinions) or read.comment):
                raise ValueError(f"it says again what line {self.lines[0]} says of the same responses")
        else:
            self._kept = [_Kept(answer, number, {**answer.apart}) for answer in read.answers]
        for kept, opinion in zip(self._kept, opinions, strict=True):
            if opinion:
                kept.opinions[read.annotator] = opinion
        if read.comment:
            self._comments[read.annotator] = read.comment
        self.lines.append(number)

    def finished(self) -> ImportedGroup | BadLine:
        """The group with its labels."""
        if len(self._kept) > MAX_RESPONSES:
            return BadLine(
                self.lines[0],
                f"Group {self.id!r} would have {counted(len(self._kept), 'response')}; at most {MAX_RESPONSES:,} are "
                "read. Is another column the group id?",
            )
        answers = [kept.answer for kept in self._kept]
        ids = _ids(answers)
        record = {
            "id": self.id,
            "scenario": opened(self.scenario, answers),
            "trajectories": [answer.record(one) for one, answer in zip(ids, answers, strict=True)],
            "metadata": self.metadata,
        }
        try:
            return ImportedGroup(Group.from_record(record), tuple(self._labels(ids)), tuple(self.lines))
        except InvalidGroup as error:
            return BadLine(self.lines[0], str(error))

    def _labels(self, ids: Sequence[str]) -> Iterator[Label]:
        annotators = dict.fromkeys(name for kept in self._kept for name in kept.opinions) | self._comments
        for annotator in annotators:
            said = {
                one: kept.opinions[annotator]
                for one, kept in zip(ids, self._kept, strict=True)
                if annotator in kept.opinions
            }
            yield Label(annotator=annotator, responses=said, comment=self._comments.get(annotator, ""))


def _unasked(there: Sequence[_Kept], annotator: str) -> _Kept | None:
    return next((kept for kept in there if annotator not in kept.asked), None)


def _ids(answers: Sequence[Answer]) -> list[str]:
    """The responses' ids, and for those without one the first numbers that are no other's."""
    given = {answer.id for answer in answers}
    free = (str(number) for number in count(1) if str(number) not in given)
    return [answer.id or next(free) for answer in answers]


def opened(scenario: dict[str, Json], answers: Sequence[Answer]) -> dict[str, Json]:
    """The scenario, with the messages that all responses begin with where no column holds them.

    A first system message is the system prompt.
    """
    messages: list[Message] = scenario.get("messages") or opening([answer.said for answer in answers])
    first = messages[0] if messages else {}
    if first.get("role") == "system" and isinstance(first.get("content"), str) and "system_prompt" not in scenario:
        return scenario | {"system_prompt": first["content"], "messages": messages[1:]}
    return scenario | {"messages": messages}


def opening(said: Sequence[str | list[Message]]) -> list[Message]:
    """What whole conversations have in common, up to the last message of a user or an instruction; [] for texts."""
    conversations = [one for one in said if isinstance(one, list)]
    if len(conversations) < len(said):
        return []
    shared = shared_prefix(conversations)
    while shared and conversations[0][shared - 1].get("role") not in ("user", *INSTRUCTION_ROLES):
        shared -= 1
    return conversations[0][:shared]
