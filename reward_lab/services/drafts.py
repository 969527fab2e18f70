"""Drafts: what a person is writing on the Score page, kept as typed, and what it makes once it is whole.

A draft holds raw text, valid or not: half a JSON conversation survives a refresh like
anything else. :meth:`Draft.group`, :meth:`Draft.rubric`, :meth:`Draft.ensemble` and :meth:`Draft.settings`
turn it into what is scored, or say which field is wrong.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, Field, ValidationError

from reward_lab.core.chat import Json, Message, canonical_json, parse_messages, parse_tools, text_of
from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.judge import OFFLINE, Ensemble, Judge
from reward_lab.core.methods import METHODS
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import RunSettings
from reward_lab.core.table import letter
from reward_lab.core.wording import reason_of
from reward_lab.errors import InvalidChat, InvalidGroup, InvalidInput, InvalidJudge, InvalidRun
from reward_lab.services.rubric_drafts import OPEN, RubricFields


class ResponseDraft(BaseModel):
    """One response as typed: plain text, or a trajectory as a JSON list of messages."""

    model_config = OPEN

    id: str
    label: str = ""
    text: str = ""
    independent_reward: float | None = None
    tools: list[dict[str, Json]] | None = None
    metadata: dict[str, Json] = Field(default_factory=dict)


class JudgeDraft(BaseModel):
    """A judge as typed; ``parameters`` is a JSON object, blank for none."""

    model_config = OPEN

    model: str = OFFLINE
    api_base: str = ""
    parameters: str = ""

    @classmethod
    def of(cls, judge: Judge) -> Self:
        """The draft that makes this judge."""
        parameters = _pretty(judge.parameters) if judge.parameters else ""
        return cls(model=judge.model, api_base=judge.api_base or "", parameters=parameters)


class Draft(RubricFields):
    """All inputs of the Score page."""

    name: str = ""
    system_prompt: str = ""
    user: str = ""
    tools: str = ""
    reference: str = ""
    responses: list[ResponseDraft] = Field(default_factory=list)
    rubric_name: str = ""
    judges: list[JudgeDraft] = Field(default_factory=lambda: [JudgeDraft()])
    methods: list[str] = Field(default_factory=lambda: [name for name in METHODS if METHODS[name].asks])
    repeats: int = 1
    seed: int = 0
    budget_usd: float | None = None
    ask_again: bool = False
    group_metadata: dict[str, Json] = Field(default_factory=dict)

    def scenario(self) -> Scenario:
        """The scenario alone. Raises :class:`InvalidGroup` naming the field."""
        try:
            return Scenario(
                system_prompt=self.system_prompt,
                messages=_conversation(self.user),
                tools=parse_tools(_json(self.tools, "Tools"), where="Tools"),
                reference_answer=self.reference if self.reference.strip() else None,
            )
        except InvalidChat as error:
            raise InvalidGroup(str(error)) from error

    def group(self) -> Group:
        """The group that is scored. Raises :class:`InvalidGroup` naming the field or the response's letter."""
        scenario = self.scenario()
        if not self.responses:
            raise InvalidGroup("There is no response to score: add one under Responses, or load an example.")
        members = tuple(_trajectory(response, letter(index)) for index, response in enumerate(self.responses))
        return Group(id=self.name or "group", scenario=scenario, trajectories=members, metadata=self.group_metadata)

    def ensemble(self) -> Ensemble:
        """The judges that are asked, each once. Raises :class:`InvalidJudge` naming judge, field and value."""
        return ensemble_of(self.judges)

    def settings(self) -> RunSettings:
        """Methods and repeats. Raises :class:`InvalidRun`."""
        return settings_of(
            self.methods, repeats=self.repeats, seed=self.seed, budget_usd=self.budget_usd, ask_again=self.ask_again
        )

    @classmethod
    def of(cls, group: Group, rubric: Rubric, *, name: str = "") -> Self:
        """The draft that makes this group and rubric."""
        return cls(
            name=name or group.id,
            system_prompt=group.scenario.system_prompt,
            user=conversation_text(group.scenario.messages),
            tools=_pretty(group.scenario.tools) if group.scenario.tools else "",
            reference=group.scenario.reference_answer or "",
            responses=[response_of(trajectory) for trajectory in group.trajectories],
            group_metadata=group.metadata,
        ).with_rubric(rubric)


def settings_of(methods: Sequence[str], **rest: object) -> RunSettings:
    """What a run does, from fields as they were typed; methods in their usual order. Raises :class:`InvalidRun`."""
    if not methods:
        raise InvalidRun("No method is chosen: tick at least one under Methods.")
    try:
        return RunSettings.model_validate({"methods": tuple(name for name in METHODS if name in methods), **rest})
    except ValidationError as error:
        raise InvalidRun(f"{reason_of(error)}.") from error


def ensemble_of(drafts: Sequence[JudgeDraft]) -> Ensemble:
    """The judges that are asked, each once. Raises :class:`InvalidJudge` naming judge, field and value."""
    several = len(drafts) > 1
    judges = tuple(
        _judge(draft, f"Judge {number}" if several else "Judge") for number, draft in enumerate(drafts, start=1)
    )
    for place, judge in enumerate(judges):
        if judge in judges[:place]:
            raise InvalidJudge(
                f"Judges {judges.index(judge) + 1} and {place + 1} are the same ({judge.model}): choose another "
                "model, or remove one. To ask one judge several times, set Repeats."
            )
    return judges


def response_of(trajectory: Trajectory) -> ResponseDraft:
    """The draft of one trajectory: its text where it is a plain answer, its messages as JSON otherwise."""
    return ResponseDraft(
        id=trajectory.id,
        label=trajectory.label,
        text=trajectory_text(trajectory.messages),
        independent_reward=trajectory.independent_reward,
        tools=None if trajectory.tools is None else list(trajectory.tools),
        metadata=trajectory.metadata,
    )


def trajectory_text(messages: tuple[Message, ...]) -> str:
    """How a trajectory stands in a response field: a single plain answer as its text, else JSON messages."""
    if len(messages) == 1 and set(messages[0]) == {"role", "content"} and messages[0]["role"] == "assistant":
        content = messages[0]["content"]
        if isinstance(content, str) and not looks_like_messages(content):
            return content
    return _pretty(messages)


def conversation_text(messages: tuple[Message, ...]) -> str:
    """How a conversation stands in the "user message" field: a single user message as its text, else JSON."""
    if not messages:
        return ""
    if len(messages) == 1 and set(messages[0]) == {"role", "content"} and messages[0]["role"] == "user":
        text = text_of(messages[0])
        if isinstance(messages[0]["content"], str) and not looks_like_messages(text):
            return text
    return _pretty(messages)


def looks_like_messages(text: str) -> bool:
    """Whether a text is meant as a JSON list of chat messages rather than as an answer.

    >>> looks_like_messages('[{"role": "user"'), looks_like_messages("[1] Smith 2020")
    (True, False)
    """
    head = text.lstrip()[:200].replace(" ", "").replace("\n", "")
    return head.startswith('[{"') and '"role"' in text


def new_id() -> str:
    """An id that no other response or draft has."""
    return secrets.token_hex(4)


def _conversation(text: str) -> tuple[Message, ...]:
    if not text.strip():
        return ()
    if looks_like_messages(text):
        return parse_messages(_json(text, "Conversation"), where="Conversation")
    return ({"role": "user", "content": text},)


def _trajectory(response: ResponseDraft, letter: str) -> Trajectory:
    messages: tuple[Message, ...] = ({"role": "assistant", "content": response.text},)
    where = f"Response {letter}"
    try:
        if looks_like_messages(response.text):
            messages = parse_messages(_json(response.text, where), where=where)
        return Trajectory(
            id=response.id,
            label=response.label,
            messages=messages,
            tools=None if response.tools is None else tuple(response.tools),
            independent_reward=response.independent_reward,
            metadata=response.metadata,
        )
    except (InvalidChat, ValidationError) as error:
        raise InvalidGroup(str(error)) from error


OWN_PARAMETERS = {
    "model": "choose it under Judge",
    "messages": "the methods write the prompt",
    "response_format": "the methods set the format of the reply",
    "stream": "replies are read whole",
    "stream_options": "replies are read whole",
    "n": "set Repeats to ask several times",
    "timeout": "set REWARD_LAB_TIMEOUT_S where the server is started",
    "request_timeout": "set REWARD_LAB_TIMEOUT_S where the server is started",
    "num_retries": "failed calls are repeated by themselves",
    "max_retries": "failed calls are repeated by themselves",
    "fallbacks": "add a judge instead",
    "api_base": "write it as the endpoint",
    "base_url": "write it as the endpoint",
    "api_key": "keys come from the environment of the server, such as OPENAI_API_KEY",
}
"""Parameters that are Reward Lab's own, and what to do in their place."""


def check_parameters(parameters: Mapping[str, Json], whose: str = "Judge") -> None:
    """Refuse what is not the judge's to set. Raises :class:`InvalidJudge` naming it and the right setting."""
    for name in parameters:
        if name in OWN_PARAMETERS:
            raise InvalidJudge(f"{whose}: the parameter {name!r} is not the judge's to set; {OWN_PARAMETERS[name]}.")


def _judge(judge: JudgeDraft, whose: str) -> Judge:
    if not judge.model.strip():
        raise InvalidJudge(f"{whose}: no model is chosen. Choose one, or type a LiteLLM name such as openai/gpt-4.1.")
    parameters = _json(judge.parameters, f"{whose} parameters", error=InvalidJudge) or {}
    if not isinstance(parameters, dict):
        raise InvalidJudge(
            f'{whose} parameters must be a JSON object such as {{"temperature": 0}}, got {judge.parameters!r}.'
        )
    check_parameters(parameters, whose)
    try:
        return Judge(model=judge.model, api_base=judge.api_base or None, parameters=parameters)
    except ValidationError as error:
        raise InvalidJudge(f"{whose}: {str(error.errors()[0]['msg']).removeprefix('Value error, ')}.") from error


def _json(text: str, where: str, *, error: type[InvalidInput] = InvalidChat) -> Json:
    if not text.strip():
        return None
    try:
        value = json.loads(text)
        canonical_json(value)
    except ValueError as fault:
        raise error(f"{where}: this is not valid JSON ({fault}).") from fault
    return value


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
