"""Keys: where they come from, and how they are kept out of everything that is shown or stored."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from typing import Final

NO_KEY: Final = "no-key"
"""Sent where a server must not learn a key, or needs none. An absent key would be looked up in the environment."""

_SECRET_NAME: Final = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|CUSTOM_HEADERS|AUTH(?!OR(?!IZ))|OPENAI_(?:ORG|PROJECT)", re.IGNORECASE
)
_LEAST_SECRET_LENGTH: Final = 8
_HIDDEN: Final = "[key]"

_LOOKS_SECRET: Final = re.compile(
    r"(?P<before>\bbearer\s+|\b(?:[\w-]*key|[\w-]*token|authorization)[\"']?\s*[=:]\s*[\"']?(?:(?:bearer|basic)\s+)?)"
    r"[^\s\"'&,;}]{6,}"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|r8|pplx)[-_][A-Za-z0-9*._-]{3,}[A-Za-z0-9*]"
    r"|\bAIza[A-Za-z0-9_-]{10,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",
    re.IGNORECASE,
)


def scrubbed(text: str) -> str:
    """A message without anything that is, or looks like, a key.

    >>> scrubbed("Incorrect API key provided: sk-proj-ab12****wxyz. Bearer abcdef123")
    'Incorrect API key provided: [key]. Bearer [key]'
    """
    return _LOOKS_SECRET.sub(lambda found: (found["before"] or "") + _HIDDEN, without_keys(text))


def without_keys(text: str) -> str:
    """A model's reply without the keys of this process, should its server have put one in.

    What only looks like a key stays: a judge may well speak of tokens and passwords.
    """
    for secret in _secrets():
        text = text.replace(secret, _HIDDEN)
    return text


class ScrubbingFilter(logging.Filter):
    """Takes keys out of the records of a logger: an address may carry one as ``?key=``, an error may repeat one."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes, its message scrubbed."""
        record.msg, record.args = scrubbed(record.getMessage()), None
        return True


def _secrets() -> Iterator[str]:
    """Values in the environment that may be secret, the longest first, and each header of a list of headers."""
    found: set[str] = set()
    for name, value in os.environ.items():
        if _SECRET_NAME.search(name):
            found.update((value, *(line.partition(":")[2].strip() for line in value.splitlines())))
    return (value for value in sorted(found, key=len, reverse=True) if len(value) >= _LEAST_SECRET_LENGTH)
