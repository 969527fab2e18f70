"""What a rubric format is, and what its reading and writing report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from reward_lab.core.chat import Json
from reward_lab.core.group import Scenario
from reward_lab.core.rubric import Rubric
from reward_lab.exchange.rubrics.contents import Contents, Note, Record

NO, PLAIN, MAYBE, SURE = 0, 1, 2, 3
"""How much a record looks like a format: not at all; a list as anybody has it; as others do too; as no other does."""


@dataclass(frozen=True, slots=True)
class NamedRubric:
    """A rubric with its name and, where they came with it, the prompt and the reference that it is for."""

    name: str
    rubric: Rubric
    scenario: Scenario | None = None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was read: the format's name, the rubrics, and what a person should know of each.

    ``notes`` name a place and what was understood, assumed or skipped there; ``lost`` says what
    the format holds that a rubric does not.
    """

    format: str
    rubrics: tuple[NamedRubric, ...]
    notes: tuple[Note, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def skipped(self) -> tuple[Note, ...]:
        """The places that gave no rubric, and why."""
        return tuple(note for note in self.notes if note.skipped)


@dataclass(frozen=True, slots=True)
class Written:
    """A file's content, the ending its name should have, how many rubrics it holds, and what it could not hold."""

    data: bytes
    suffix: str
    count: int
    lost: tuple[str, ...] = ()


@dataclass(slots=True)
class Findings:
    """What is found while reading; filled by the formats."""

    notes: list[Note] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def note(self, place: str, text: str) -> None:
        """Something that was understood or assumed."""
        self.notes.append(Note(place, text))

    def skip(self, place: str, text: str) -> None:
        """Something that gave no rubric."""
        self.notes.append(Note(place, text, skipped=True))

    def lose(self, text: str) -> None:
        """Something that a rubric cannot hold; said once."""
        if text not in self.lost:
            self.lost.append(text)


class RubricFormat(ABC):
    """One format. A *record* is the value that one rubric is written as: an object of a JSONL line, a whole text.

    ``scoring_rule`` says how the format scores and what becomes of that here.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    scoring_rule: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json", ".parquet")

    @abstractmethod
    def likeness(self, record: Record, contents: Contents) -> int:
        """``NO``, ``PLAIN``, ``MAYBE`` or ``SURE``, from a look at the record."""

    @abstractmethod
    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The rubric of one record. Raises ``InvalidInput`` or ``ValueError`` with the reason."""

    @abstractmethod
    def write(self, named: NamedRubric) -> Json:
        """The record of one rubric. Raises :class:`~reward_lab.errors.InvalidRubric` where it cannot be one."""
