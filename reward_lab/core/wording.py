"""Wording: lists and counts as they are said."""

from __future__ import annotations

from collections.abc import Iterable


def listed(words: Iterable[str], joint: str = "and") -> str:
    """One or more words as a list; nothing is "".

    >>> listed("A"), listed("AB"), listed("ABC", "or")
    ('A', 'A and B', 'A, B or C')
    """
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {joint} {last}" if most else last


def counted(count: int, noun: str) -> str:
    """A count with its noun, which takes an s.

    >>> counted(1, "response"), counted(0, "response")
    ('1 response', '0 responses')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
