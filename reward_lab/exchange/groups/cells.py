"""One cell as what its column's role says it is. Each function raises ``ValueError`` with what the cell is not.

``None`` and blank text are unknown everywhere but in a response, which may be an empty text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from reward_lab.core.chat import Json, Message, parse_messages
from reward_lab.core.labels import Mark
from reward_lab.core.wording import reason_of
from reward_lab.errors import InvalidChat
from reward_lab.exchange.groups.sheet import shown
from reward_lab.exchange.groups.strict_json import read_json

_GOOD = frozenset({"good", "true", "yes", "y", "1", "+", "+1", "correct", "pass", "passed", "up", "accepted", "👍"})
_BAD = frozenset(
    {"bad", "false", "no", "n", "0", "-", "-1", "incorrect", "wrong", "fail", "failed", "down", "rejected"} | {"👎"}
)

_UNKNOWN = frozenset({"", "nan", "null", "none", "n/a", "na", "-", "?", "unknown"})
"""How tables write that a number is not known."""

_SHAREGPT_ROLES = {
    "human": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bot": "assistant",
    "observation": "tool",
}
"""Roles of ShareGPT's ``{"from": ..., "value": ...}``; others are those of OpenAI."""


def is_unknown(value: Json) -> bool:
    """Whether a cell says nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def as_text(value: Json) -> str:
    """A text as it is; a number, a list or an object as its JSON.

    >>> as_text("007"), as_text(7), as_text(True)
    ('007', '7', 'true')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_number(value: Json) -> float | None:
    """A finite number, or ``None`` where it is not known.

    >>> as_number("4.5"), as_number("n/a")
    (4.5, None)
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _UNKNOWN):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{shown(value, 60)!r} is not a number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{shown(value, 60)!r} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{shown(value, 60)!r} is not a finite number")
    return number


def as_rank(value: Json) -> int | None:
    """A rank from 1, or ``None`` where it is not known."""
    number = as_number(value)
    if number is None:
        return None
    if number < 1 or not number.is_integer():
        raise ValueError(f"{shown(value, 60)!r} is not a rank: ranks are whole numbers from 1, the best")
    return int(number)


def as_mark(value: Json) -> Mark | None:
    """Good or bad, or ``None`` where it is not known.

    >>> as_mark(True), as_mark("Bad"), as_mark(0), as_mark("")
    (<Mark.GOOD: 'good'>, <Mark.BAD: 'bad'>, <Mark.BAD: 'bad'>, None)
    """
    if is_unknown(value):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    word = as_text(value).strip().lower()
    if word in _GOOD:
        return Mark.GOOD
    if word in _BAD:
        return Mark.BAD
    if word in _UNKNOWN:
        return None
    raise ValueError(f"{shown(value, 60)!r} is neither good nor bad: write good or bad, true or false, 1 or 0")


def as_json(value: Json) -> Json:
    """A value that a text cell may hold as JSON."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except ValueError:
        raise ValueError(f"{shown(value, 60)!r} is not JSON") from None


def as_list(value: Json) -> list[Json]:
    """A list, which a text cell holds as JSON."""
    read = as_json(value)
    if not isinstance(read, list):
        raise ValueError(f"{shown(value, 60)!r} is not a list")
    return read


def as_messages(value: Json, where: str) -> list[Message]:
    """Chat messages in OpenAI's or ShareGPT's form, which a text cell holds as JSON. ``where`` begins each error."""
    try:
        read = as_list(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}; expected chat messages") from None
    try:
        return list(parse_messages([_openai(one) for one in read], where=where))
    except InvalidChat as error:
        raise ValueError(reason_of(error)) from error


def spoken(value: Json, where: str) -> str | list[Message]:
    """What was said in a response or a prompt: chat messages where the cell holds them, else its text."""
    if isinstance(value, list) or looks_like_messages(value):
        return as_messages(value, where)
    return as_text(value)


def looks_like_messages(value: Json) -> bool:
    """Whether a cell is a list of chat messages, or the JSON of one."""
    if isinstance(value, str):
        if value.lstrip()[:1] != "[":
            return False
        try:
            value = as_json(value)
        except ValueError:
            return False
    return isinstance(value, list) and bool(value) and all(_is_message(one) for one in value)


def _is_message(value: Json) -> bool:
    return isinstance(value, Mapping) and ("role" in value or {"from", "value"} <= value.keys())


def _openai(message: Json) -> Json:
    if not isinstance(message, Mapping) or "role" in message or "from" not in message:
        return message
    rest = {key: value for key, value in message.items() if key not in ("from", "value")}
    role = message["from"]
    return {"role": _SHAREGPT_ROLES.get(str(role), role), "content": message.get("value"), **rest}
