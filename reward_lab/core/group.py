"""Scenario, trajectory and group: what is scored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from reward_lab.core.chat import (
    INSTRUCTION_ROLES,
    Json,
    Message,
    Tool,
    content_hash,
    final_text,
    parse_messages,
    parse_tools,
)
from reward_lab.core.value import Value
from reward_lab.core.wording import reason_of
from reward_lab.errors import InvalidChat, InvalidGroup


class Scenario(Value):
    """What every response of a group answers."""

    system_prompt: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    reference_answer: str | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)

    @cached_property
    def conversation(self) -> tuple[Message, ...]:
        """The messages that every response follows: the system prompt, if there is one, then the rest."""
        if not self.system_prompt:
            return self.messages
        return ({"role": "system", "content": self.system_prompt}, *self.messages)


class Trajectory(Value):
    """One agent interaction: the messages that follow the scenario's.

    ``tools`` are the trajectory's own where it had others than the scenario's.
    ``independent_reward`` is a reward that came with it, from a verifier or a person.
    """

    id: str
    label: str = ""
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] | None = None
    independent_reward: float | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)

    @field_validator("independent_reward")
    @classmethod
    def _finite(cls, value: float | None) -> float | None:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"independent_reward must be a finite number, got {value}")
        return value

    @property
    def answer(self) -> str:
        """The text of the last assistant message, "" where it only calls tools."""
        return final_text(self.messages)

    @cached_property
    def key(self) -> str:
        """Identity by content (messages and own tools): equal responses match across runs and groups."""
        return content_hash([self.messages, self.tools])


class Group(Value):
    """A scenario and its trajectories: the unit of RULER, of GRPO and of a score table.

    Ids of trajectories are unique within the group; there is at least one.
    """

    id: str
    scenario: Scenario = Field(default_factory=Scenario)
    trajectories: tuple[Trajectory, ...]
    metadata: dict[str, Json] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _members(self) -> Self:
        if not self.trajectories:
            raise ValueError("a group needs at least one trajectory")
        counts = Counter(trajectory.id for trajectory in self.trajectories)
        twice = sorted(one for one, count in counts.items() if count > 1)
        if twice:
            raise ValueError(f"trajectory ids must be unique, but {', '.join(map(repr, twice))} stands more than once")
        return self

    def conversation(self, trajectory: Trajectory) -> tuple[Message, ...]:
        """The whole conversation of one trajectory, scenario included.

        A trajectory that opens with an instruction of its own (system or developer) is
        whole already: its system prompt is the one it was sampled under.
        """
        if trajectory.messages and trajectory.messages[0].get("role") in INSTRUCTION_ROLES:
            return trajectory.messages
        return (*self.scenario.conversation, *trajectory.messages)

    def tools_of(self, trajectory: Trajectory) -> tuple[Tool, ...]:
        """The tools that one trajectory had."""
        return self.scenario.tools if trajectory.tools is None else trajectory.tools

    def member(self, trajectory_id: str) -> Trajectory:
        """The trajectory with this id. Raises ``KeyError``."""
        return self._by_id[trajectory_id]

    @cached_property
    def _by_id(self) -> dict[str, Trajectory]:
        return {trajectory.id: trajectory for trajectory in self.trajectories}

    @cached_property
    def key(self) -> str:
        """Identity by content: scenario and trajectories in order, ids and metadata left out."""
        scenario = self.scenario
        asked = [scenario.system_prompt, scenario.messages, scenario.tools, scenario.reference_answer]
        return content_hash([asked, [trajectory.key for trajectory in self.trajectories]])

    @classmethod
    def from_record(cls, record: object, *, default_id: str = "group") -> Self:
        """Build a group from one line of a group file (see README, "The group file").

        ``{"id", "scenario": {"system_prompt", "messages", "tools", "reference_answer",
        "metadata"}, "trajectories": [{"id", "label", "text" or "messages",
        "independent_reward", "tools", "metadata"}], "metadata"}``. Missing ids are numbered
        from 1. A trajectory may repeat the scenario's messages in front of its own; they are
        recognised and kept once. Keys that the format does not name are kept in ``metadata``.

        Raises:
            InvalidGroup: naming the group, the trajectory and the value.
        """
        if not isinstance(record, Mapping):
            raise InvalidGroup(f"A group must be a JSON object with 'trajectories', got {type(record).__name__}.")
        group_id = _identity(record.get("id"), default_id)
        try:
            scenario = _scenario(record.get("scenario") or {})
            listed = record.get("trajectories")
            if not isinstance(listed, Sequence) or isinstance(listed, str):
                raise ValueError(f"'trajectories' must be a list, got {type(listed).__name__}")
            members = tuple(_trajectory(one, number, scenario) for number, one in enumerate(listed, start=1))
            known = ("id", "scenario", "trajectories", "metadata")
            return cls(id=group_id, scenario=scenario, trajectories=members, metadata=_metadata(record, known))
        except (InvalidChat, ValueError) as error:
            raise InvalidGroup(f"Group {group_id!r}: {reason_of(error)}.") from error

    def to_record(self) -> dict[str, Json]:
        """The line of a group file that :meth:`from_record` reads back to an equal group."""
        return self.model_dump(mode="json", exclude_defaults=True)


def _scenario(record: object) -> Scenario:
    if not isinstance(record, Mapping):
        raise ValueError(f"'scenario' must be an object, got {type(record).__name__}")
    known = ("system_prompt", "messages", "tools", "reference_answer", "metadata")
    return Scenario(
        system_prompt=record.get("system_prompt") or "",
        messages=parse_messages(record.get("messages") or (), where="scenario.messages"),
        tools=parse_tools(record.get("tools"), where="scenario.tools"),
        reference_answer=record.get("reference_answer"),
        metadata=_metadata(record, known),
    )


def _trajectory(record: object, number: int, scenario: Scenario) -> Trajectory:
    where = f"trajectory {number}"
    if not isinstance(record, Mapping):
        raise ValueError(f"{where} must be an object with 'text' or 'messages', got {type(record).__name__}")
    text, messages = record.get("text"), record.get("messages")
    if (text is None) == (messages is None):
        raise ValueError(f"{where} needs either 'text' or 'messages'")
    if messages is None:
        if not isinstance(text, str):
            raise ValueError(f"{where}: 'text' must be a string, got {type(text).__name__}")
        spoken: tuple[Message, ...] = ({"role": "assistant", "content": text},)
    else:
        spoken = _continuation(parse_messages(messages, where=f"{where}: messages"), scenario)
    own_tools = record.get("tools")
    known = ("id", "label", "text", "messages", "tools", "independent_reward", "metadata")
    try:
        return Trajectory(
            id=_identity(record.get("id"), str(number)),
            label=record.get("label") or "",
            messages=spoken,
            tools=None if own_tools is None else parse_tools(own_tools, where=f"{where}: tools"),
            independent_reward=record.get("independent_reward"),
            metadata=_metadata(record, known),
        )
    except ValueError as error:
        raise ValueError(f"{where}: {reason_of(error)}") from error


def _continuation(messages: tuple[Message, ...], scenario: Scenario) -> tuple[Message, ...]:
    for repeated in (scenario.conversation, scenario.messages):
        if repeated and len(messages) > len(repeated) and messages[: len(repeated)] == repeated:
            return messages[len(repeated) :]
    return messages


def _metadata(record: Mapping[str, Any], known: Sequence[str]) -> dict[str, Json]:
    given = record.get("metadata") or {}
    if not isinstance(given, Mapping):
        raise ValueError(f"'metadata' must be an object, got {type(given).__name__}")
    return {**{key: value for key, value in record.items() if key not in known}, **given}


def _identity(value: object, default: str) -> str:
    return default if value is None or value == "" else str(value)
