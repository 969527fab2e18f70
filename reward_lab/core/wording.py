"""Wording: lists and counts as they are said."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence


def listed(words: Iterable[str], joint: str = "and") -> str:
    """One or more words as a list; nothing is "".

    >>> listed("A"), listed("AB"), listed("ABC", "or")
    ('A', 'A and B', 'A, B or C')
    """
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {joint} {last}" if most else last


def counted(count: int, noun: str) -> str:
    """A count with its noun, which takes an s.

    >>> counted(1, "response"), counted(0, "response"), counted(2000, "group")
    ('1 response', '0 responses', '2,000 groups')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def isolated(name: str) -> str:
    """A name as it stands in a sentence: one with right-to-left letters does not turn round what is about it.

    It stands between U+2068 and U+2069 (https://www.unicode.org/reports/tr9/, first strong isolate); others as is.

    >>> isolated("refunds"), ascii(isolated(chr(0x5D0) + " 2"))
    ('refunds', "'\\\\u2068\\\\u05d0 2\\\\u2069'")
    """
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}" if turned else name


def reason_of(error: Exception) -> str:
    """The message of an error, without its full stop; of a pydantic one the first fault with its place."""
    errors = getattr(error, "errors", None)
    if errors is None:
        return str(error).rstrip(".")
    first = errors()[0]
    place, message = place_of(first["loc"]), str(first["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def place_of(parts: Sequence[int | str]) -> str:
    """Where in a record, as a person counts.

    >>> place_of(("criteria", 2, "weight"))
    'criteria 3: weight'
    """
    named: list[str] = []
    for part in parts:
        if isinstance(part, int) and named:
            named[-1] += f" {part + 1}"
        else:
            named.append(str(part))
    return ": ".join(named)
