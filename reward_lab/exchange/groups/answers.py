"""One response as a row of a table tells it, and what the row's annotator says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from reward_lab.core.chat import Json, Message
from reward_lab.core.labels import Mark, ResponseLabel
from reward_lab.exchange.groups.cells import (
    as_mark,
    as_number,
    as_rank,
    as_text,
    is_unknown,
    looks_like_messages,
    spoken,
)
from reward_lab.exchange.groups.roles import Role
from reward_lab.exchange.groups.sheet import shown
from reward_lab.exchange.groups.vocabulary import NAMES, spelling


@dataclass(slots=True)
class Answer:
    """A response: a text or chat messages. An id that is "" is not given. ``other_names`` are those of its column.

    ``apart`` is what the annotators say of it that are columns, by the column.
    """

    said: str | list[Message]
    id: str = ""
    label: str = ""
    other_names: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None
    mark: Mark | None = None
    comment: str = ""
    apart: dict[str, ResponseLabel] = field(default_factory=dict)
    metadata: dict[str, Json] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What a preference may call it."""
        return tuple(name for name in (self.id, self.label, *self.other_names) if name)

    def record(self, trajectory_id: str) -> dict[str, Json]:
        """The trajectory as a group file has it."""
        key = "text" if isinstance(self.said, str) else "messages"
        return {"id": trajectory_id, "label": self.label, key: self.said, "metadata": self.metadata}

    def opinion(self) -> ResponseLabel | None:
        """What is said of the response, if anything is."""
        said = ResponseLabel(rank=self.rank, score=self.score, mark=self.mark, comment=self.comment)
        return None if said == ResponseLabel() else said

    def take(self, role: Role, value: Json) -> None:
        """Take what a cell says of the response. Raises ``ValueError`` where it cannot be that."""
        if role is Role.SCORE:
            self.score = as_number(value)
        elif role is Role.RANK:
            self.rank = as_rank(value)
        elif role is Role.MARK:
            self.mark = as_mark(value)
        elif not is_unknown(value):
            text = as_text(value)
            if role is Role.RESPONSE_ID:
                self.id = text
            elif role is Role.LABEL:
                self.label = text
            else:
                self.comment = text


_ITEM_ROLES: tuple[tuple[Role, tuple[str, ...]], ...] = (
    (Role.RESPONSE, ("text", *NAMES[Role.RESPONSE], "content", *NAMES[Role.MESSAGES])),
    (Role.RESPONSE_ID, ("id", *NAMES[Role.RESPONSE_ID])),
    (Role.RANK, NAMES[Role.RANK]),
    (Role.SCORE, NAMES[Role.SCORE]),
    (Role.MARK, NAMES[Role.MARK]),
    (Role.LABEL, NAMES[Role.LABEL]),
    (Role.COMMENT, NAMES[Role.COMMENT]),
)


def is_response(item: Json) -> bool:
    """Whether an item of a list can be read as a response."""
    if isinstance(item, Mapping):
        return Role.RESPONSE in _item_roles(tuple(item)).values()
    return isinstance(item, str) or looks_like_messages(item)


def listed_answer(item: Json, where: str) -> Answer:
    """The response that an item of a list is: a text, chat messages, or an object with either.

    An object's keys are told by their names; what is no score, rank or mark under such a name, and every other key, is
    metadata. Raises ``ValueError``.
    """
    if not is_response(item):
        raise ValueError(
            f"{where} is no response: expected a text, chat messages, or an object with 'text', got {shown(item, 60)!r}"
        )
    if not isinstance(item, Mapping):
        return Answer(spoken(item, where))
    roles = _item_roles(tuple(item))
    held = next(key for key, role in roles.items() if role is Role.RESPONSE)
    if item[held] is None:
        raise ValueError(f"{where} is no response: its {held!r} is null")
    answer = Answer(spoken(item[held], where))
    for key, value in item.items():
        if key == held:
            continue
        if key == "metadata" and isinstance(value, Mapping):
            answer.metadata |= value
        elif key not in roles or not _taken(answer, roles[key], value):
            answer.metadata[key] = value
    return answer


def _taken(answer: Answer, role: Role, value: Json) -> bool:
    if isinstance(value, list | dict):
        return False
    try:
        answer.take(role, value)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=256)
def _item_roles(keys: tuple[str, ...]) -> dict[str, Role]:
    """The roles of an object's keys, the first of each role's names for each."""
    spelled = {spelling(key): key for key in reversed(keys)}
    found: dict[str, Role] = {}
    for role, names in _ITEM_ROLES:
        key = next((spelled[name] for name in names if name in spelled and spelled[name] not in found), None)
        if key is not None:
            found[key] = role
    return found
