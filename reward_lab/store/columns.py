"""Column types: what a text column can hold, whatever the text.

UTF-8 has no lone surrogates and PostgreSQL no NUL character, yet models emit both. Each
type settles that at the column, so that no statement can forget it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy import Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from reward_lab.core.chat import Json, well_formed

_UNSTORABLE = re.compile(r"[\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4})")


class FreeText(TypeDecorator[str]):
    """Text for people to read: a lone surrogate or NUL is stored as its visible escape."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Text as the database can hold it."""
        if value is None:
            return None
        if not value.isascii():
            value = well_formed(value)
        return value.replace("\x00", "\\u0000") if "\x00" in value else value


class ExactText(TypeDecorator[str]):
    """An identifier that must come back as it was: what cannot be stored is escaped, and unescaped when read."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The identifier, escaped."""
        return None if value is None else _UNSTORABLE.sub(_escape, value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The identifier as it was given."""
        return value if value is None or "\\" not in value else _ESCAPED.sub(_unescape, value)


class JsonText(TypeDecorator[Json]):
    """JSON as ASCII text: every string survives exactly. NaN and infinity are refused (``ValueError``)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> str | None:
        """The value as JSON; keys keep their order."""
        return None if value is None else _encode(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Json:
        """The value, read back."""
        return None if value is None else json.loads(value)

    def coerce_compared_value(self, op: Any, value: Json) -> JsonText:
        """Comparisons are of JSON with JSON."""
        return self


_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def _escape(found: re.Match[str]) -> str:
    return "\\\\" if found.group() == "\\" else f"\\u{ord(found.group()):04x}"


def _unescape(found: re.Match[str]) -> str:
    return "\\" if found.group(1) == "\\" else chr(int(found.group(1)[1:], 16))
