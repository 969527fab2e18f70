"""Differences between two texts, word by word."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["same", "added", "removed"]

_MOST_COMPARISONS = 2_000_000
"""Above so many pairs of words, matching takes seconds: lines are matched instead."""

_ZERO_WIDTH_JOINER = "\u200d"

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),  # CJK, extension A
    (0x4E00, 0x9FFF),  # CJK
    (0xF900, 0xFAFF),  # CJK, compatibility
    (0x20000, 0x3FFFF),  # CJK, further extensions
)
"""Scripts written without blanks between words: each of their characters is a word here."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that both texts share, or that only the new (added) or the old one (removed) has."""

    kind: Kind
    text: str


def word_diff(old: str, new: str) -> tuple[Piece, ...]:
    """What changed from one text to another, in whole words.

    The texts of the same and removed pieces spell ``old``, those of the same and added ones
    ``new``. Where words are replaced, removed stands before added.

    >>> [(piece.kind, piece.text) for piece in word_diff("use the context", "use only the context")]
    [('same', 'use '), ('added', 'only '), ('same', 'the context')]
    """
    before, after = words(old), words(new)
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    middle = _changes(before[start : len(before) - end], after[start : len(after) - end])
    shared = [("".join(before[:start]),) * 2, *middle, ("".join(before[len(before) - end :]),) * 2]
    return tuple(Piece(kind, "".join(piece.text for piece in run)) for kind, run in groupby(_pieces(shared), _kind_of))


def words(text: str) -> list[str]:
    """The text cut into words, runs of blanks and single signs; joined, they spell it again.

    A combining mark, and what a zero-width joiner ties on, stays with the character before it.

    >>> words("Use it, 東京!")
    ['Use', ' ', 'it', ',', ' ', '東', '京', '!']
    """
    found: list[str] = []
    last = ""
    for character in text:
        kind = _kind(character)
        tied = found and (kind == "mark" or found[-1].endswith(_ZERO_WIDTH_JOINER))
        if tied or (kind == last and kind in ("word", "blank")):
            found[-1] += character
        else:
            found.append(character)
            last = kind
    return found


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    if character.isspace():
        return "blank"
    if character == _ZERO_WIDTH_JOINER or unicodedata.category(character).startswith("M"):
        return "mark"
    if any(low <= ord(character) <= high for low, high in _UNSPACED):
        return "unspaced"
    return "word" if character.isalnum() or character == "_" else "sign"


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many items the two begin with alike."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """(old, new) text of each run; the two are equal where the run is shared."""
    if len(before) * len(after) > _MOST_COMPARISONS:
        before, after = "".join(before).splitlines(keepends=True), "".join(after).splitlines(keepends=True)
        if len(before) * len(after) > _MOST_COMPARISONS:
            yield "".join(before), "".join(after)
            return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, low, high, new_low, new_high in matcher.get_opcodes():
        yield "".join(before[low:high]), "".join(after[new_low:new_high])


def _pieces(runs: Sequence[tuple[str, str]]) -> Iterator[Piece]:
    """Runs as pieces; blanks that two changes share are taken into them, or every word would stand alone."""
    removed = added = blank = ""
    for old, new in runs:
        if old == new and old.isspace() and (removed or added):
            blank += old
        elif old != new:
            removed, added, blank = removed + blank + old, added + blank + new, ""
        elif old:
            yield from _changed(removed, added)
            yield Piece("same", blank + old)
            removed = added = blank = ""
    yield from _changed(removed, added)
    if blank:
        yield Piece("same", blank)


def _kind_of(piece: Piece) -> Kind:
    return piece.kind


def _changed(removed: str, added: str) -> Iterator[Piece]:
    if removed:
        yield Piece("removed", removed)
    if added:
        yield Piece("added", added)
