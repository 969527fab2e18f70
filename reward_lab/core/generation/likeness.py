"""Likeness: whether two statements say nearly the same, by their words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reward_lab.core.differences import words

_SAME = 0.8
"""The least share of common words in all words of both (Jaccard)."""

# fmt: off
_NEGATIONS = frozenset((
    "no", "not", "never", "none", "nothing", "neither", "nor", "without", "cannot", "doesn", "don", "isn", "aren",
    "avoid", "avoids", "avoiding", "fail", "fails", "omit", "omits", "lack", "lacks",
))
# fmt: on


@dataclass(frozen=True, slots=True)
class Gist:
    """A statement's words, and those among them that decide: numbers and negations."""

    words: frozenset[str]
    deciding: frozenset[str]

    def is_like(self, other: Gist) -> bool:
        """Whether both say nearly the same. "30 days" and "90 days" never do, nor a statement and its denial."""
        if self.deciding != other.deciding:
            return False
        common, union = len(self.words & other.words), len(self.words | other.words)
        return union > 0 and common >= _SAME * union


def gist_of(statement: str) -> Gist:
    """What there is to compare in a statement.

    >>> gist_of("States the 30-day limit.").is_like(gist_of("states the 30 day limit"))
    True
    >>> gist_of("States the limit.").is_like(gist_of("Never states the limit."))
    False
    """
    found = frozenset(one for one in words(statement.casefold()) if re.search(r"\w", one))
    return Gist(found, frozenset(one for one in found if one in _NEGATIONS or any(map(str.isdigit, one))))
