"""Conversations as blocks to read: who said what, what was called, what came back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from reward_lab.core.chat import Json, Message, text_of
from reward_lab.ui.reading import Block, plain

_ROLES = {"system": "System", "developer": "Developer", "user": "User", "assistant": "Assistant"}


def conversation_blocks(messages: Sequence[Message], *, prefix: str) -> tuple[Block, ...]:
    """The messages in order. A tool's result is told by the name of the call that it answers."""
    called = {str(call.get("id")): _function(call) for message in messages for call in _calls(message)}
    blocks: list[Block] = []
    for message in messages:
        blocks += _message(message, called, f"{prefix}-{len(blocks)}")
    return tuple(blocks)


def _message(message: Message, called: Mapping[str, tuple[str, Json]], place: str) -> Iterator[Block]:
    role = str(message.get("role", ""))
    text = text_of(message)
    if role in ("tool", "function"):
        name, _ = called.get(str(message.get("tool_call_id")), (str(message.get("name", "")), None))
        title = f"Result of {name}" if name else "Tool result"
        yield Block(place, "message", title, pieces=plain(text or "(empty)"), mono=True)
        return
    title = _ROLES.get(role, role)
    thoughts = message.get("reasoning_content")
    if isinstance(thoughts, str) and thoughts:
        yield Block(f"{place}-thoughts", "message", f"{title}, thinking", pieces=plain(thoughts))
    calls = _calls(message)
    if text or not calls:
        yield Block(place, "message", title, pieces=plain(text or "(empty)"))
    for number, call in enumerate(calls):
        name, arguments = _function(call)
        yield Block(
            f"{place}-call-{number}", "message", f"Call of {name}", pieces=plain(_written(arguments)), mono=True
        )


def _calls(message: Message) -> list[Mapping[str, Json]]:
    return [call for call in message.get("tool_calls") or () if isinstance(call, Mapping)]


def _function(call: Mapping[str, Json]) -> tuple[str, Json]:
    """Name and arguments of a call, whose arguments are JSON in a text."""
    function = call.get("function")
    if not isinstance(function, Mapping):
        return str(call.get("type", "a tool")), call
    return str(function.get("name", "a tool")), function.get("arguments")


def _written(arguments: Json) -> str:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return arguments or "(no arguments)"
    return json.dumps(arguments, ensure_ascii=False, indent=2)
