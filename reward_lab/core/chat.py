"""Chat messages in OpenAI format.

A message is a plain mapping, not a model: it keeps every field it came with, so that
what is exported is what was imported, and a judge call handles dozens of them within a
millisecond. :func:`parse_messages` is the gate where a list from outside is checked, once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from reward_lab.errors import InvalidChat

Json: TypeAlias = Any
"""A JSON value. Spelled out, the recursive type makes every caller narrow what it never reads."""

Message: TypeAlias = dict[str, Json]
"""One chat message: ``role``, ``content`` and whatever else it came with."""

Tool: TypeAlias = dict[str, Json]
"""One tool definition in OpenAI format: ``{"type": "function", "function": {...}}``."""

ROLES = ("system", "developer", "user", "assistant", "tool", "function")

INSTRUCTION_ROLES = ("system", "developer")

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def parse_messages(value: object, *, where: str = "messages") -> tuple[Message, ...]:
    """Check a conversation from outside; return it unchanged, as a tuple.

    Accepted in ``content``: text, null, or a list of content parts. An assistant message
    needs content or ``tool_calls`` (``content: null`` with tool calls is how OpenAI writes
    a turn that only calls tools). ``where`` names the list in errors.

    Raises:
        InvalidChat: not a list, a message that is no object, an unknown role, content of
            another type; the message's number and the offending value are named.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InvalidChat(f"{where}: expected a list of chat messages, got {_shown(value)}.")
    return tuple(_checked(message, f"{where}[{index}]") for index, message in enumerate(value))


def _checked(message: object, where: str) -> Message:
    if not isinstance(message, Mapping):
        raise InvalidChat(
            f'{where}: expected an object such as {{"role": "user", "content": "..."}}, got {_shown(message)}.'
        )
    role = message.get("role")
    if role not in ROLES:
        raise InvalidChat(f"{where}: role {_shown(role)} is not one of {', '.join(ROLES)}.")
    content = message.get("content")
    if content is not None and not isinstance(content, str) and not _are_parts(content):
        raise InvalidChat(f"{where}: content must be text, null or a list of content parts, got {_shown(content)}.")
    tool_calls = message.get("tool_calls")
    if tool_calls is not None and (not isinstance(tool_calls, Sequence) or isinstance(tool_calls, str)):
        raise InvalidChat(f"{where}: tool_calls must be a list, got {_shown(tool_calls)}.")
    if role == "user" and content is None:
        raise InvalidChat(f"{where}: a user message needs content.")
    return dict(message)


def _are_parts(content: object) -> bool:
    return isinstance(content, Sequence) and all(isinstance(part, Mapping | str) for part in content)


def parse_tools(value: object, *, where: str = "tools") -> tuple[Tool, ...]:
    """Check a list of tool definitions; ``None`` is no tools. Raises :class:`InvalidChat`."""
    if value is None:
        return ()
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InvalidChat(f"{where}: expected a list of tool definitions, got {_shown(value)}.")
    tools = tuple(value)
    for index, tool in enumerate(tools):
        if not isinstance(tool, Mapping):
            raise InvalidChat(f"{where}[{index}]: expected a tool definition (an object), got {_shown(tool)}.")
    return tuple(dict(tool) for tool in tools)


def text_of(message: Message) -> str:
    """The text of one message: its content, text parts joined by line breaks, "" where there is none.

    >>> text_of({"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]})
    'a\\n[image_url]'
    """
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(_part_text(part) for part in content)


def _part_text(part: Json) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text", part.get("refusal"))
    return text if isinstance(text, str) else f"[{part.get('type', 'part')}]"


def final_text(messages: Sequence[Message]) -> str:
    """The answer a trajectory ends with: the text of its last assistant message, "" where there is none."""
    for message in reversed(messages):
        if message.get("role") == "assistant":
            return text_of(message)
    return ""


def transcript(messages: Sequence[Message]) -> str:
    """Everything said in a conversation as plain text: contents, tool calls with their arguments, tool results."""
    lines: list[str] = []
    for message in messages:
        lines.append(text_of(message))
        for call in message.get("tool_calls") or ():
            function = call.get("function", {}) if isinstance(call, Mapping) else {}
            lines.append(f"{function.get('name', '')} {function.get('arguments', '')}".strip())
    return "\n".join(line for line in lines if line)


def well_formed(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate becomes its visible escape, all else stays.

    >>> well_formed("a\\ud800b")
    'a\\\\ud800b'
    """
    try:
        text.encode()  # some forty times faster than the search, which nearly no text needs
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text


def canonical_json(value: Json) -> str:
    """One spelling for equal JSON values: keys sorted, no blanks, ASCII. NaN and infinity raise ``ValueError``."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_hash(value: Json) -> str:
    """SHA-256 of the canonical JSON, in hex: the identity by which contents are matched across runs."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."
