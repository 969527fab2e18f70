"""Statement: a criterion's description cut into what the rules look at."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from reward_lab.core.differences import words
from reward_lab.core.polarity import opening, without_label, worded_polarity
from reward_lab.core.rubric import Criterion, Rubric

_MOST_READ = 20_000
"""Characters of a description that are looked at, so that an absurd one cannot hold up the page."""

_SHOWN = 60


class Term(NamedTuple):
    """A word, and its stem by which its inflections are one."""

    text: str
    stem: str


@dataclass(frozen=True)
class Statement:
    """One criterion at its ``position``."""

    position: int
    criterion: Criterion

    @property
    def name(self) -> str:
        """How a message calls it: by its number, from 1."""
        return f"Criterion {self.position + 1}"

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The nodes above it in the tree that the rubric was flattened from, from the root down; else ()."""
        path = self.criterion.source.get("path")
        return tuple(map(str, path)) if isinstance(path, list) else ()

    @cached_property
    def description(self) -> str:
        """The criterion's description, as far as it is read."""
        return self.criterion.description[:_MOST_READ]

    @cached_property
    def text(self) -> str:
        """The description without a category's label, its blanks made single."""
        return " ".join(without_label(self.description).split())

    @cached_property
    def plain(self) -> str:
        """The text in lower case, without what stands in brackets."""
        return without_brackets(self.text).lower()

    @cached_property
    def opening(self) -> str:
        """The first sentence from its verb on, in lower case."""
        return opening(self.description)

    @cached_property
    def polarity(self) -> bool | None:
        """What its wording alone says of its polarity."""
        return worded_polarity(self.description)

    @cached_property
    def wording(self) -> tuple[str, ...]:
        """Its words in order and lower case, without signs."""
        return spelled(self.text)

    @cached_property
    def content(self) -> tuple[Term, ...]:
        """The words that carry its content: not those that say how it is told, or how well."""
        return tuple(Term(word, _stem(word)) for word in self.wording if word not in _NO_CONTENT)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content."""
        return frozenset(term.stem for term in self.content)

    @cached_property
    def shingles(self) -> frozenset[tuple[str, str]]:
        """Pairs of stems next to each other."""
        return frozenset(pairwise(term.stem for term in self.content))

    @cached_property
    def exact(self) -> frozenset[str]:
        """Names, numbers and code in it, which tell statements of one pattern apart."""
        found = [word.strip(".") for word in re.findall(r"[^\s,;:!?()\[\]\"“”]+", self.text)]
        return frozenset(word for number, word in enumerate(found) if _EXACT.search(word if number else word[1:]))

    @cached_property
    def negated(self) -> bool:
        """Whether it says that something is not so."""
        return any(word in _NEGATIONS for word in self.wording)


@dataclass(frozen=True)
class Examined:
    """What is examined: a rubric, the statements of its criteria, the reference answer where there is one."""

    rubric: Rubric
    statements: tuple[Statement, ...]
    reference: str | None = None


def spelled(text: str) -> tuple[str, ...]:
    """The words of a text in order and lower case, without signs; of a script without blanks, its pairs of characters.

    >>> spelled("States the date, 5 May."), spelled("退款期限")
    (('states', 'the', 'date', '5', 'may'), ('退款', '款期', '期限'))
    """
    if text.isascii():
        return tuple(re.findall(r"[a-z0-9]\w*", text.lower()))
    found: list[str] = []
    spoken = (word for word in words(text) if word[0].isalnum())
    for unspaced, grouped in groupby(spoken, _is_unspaced):
        run = list(grouped)
        found += _paired(run) if unspaced else [word.casefold() for word in run]
    return tuple(found)


def without_brackets(text: str) -> str:
    """The text without what stands in round brackets."""
    return re.sub(r"\s?\([^()]*\)", "", text)


def excerpt(text: str) -> str:
    """The text in quotes without its full stop, cut to what a message can show."""
    text = re.sub(r"(?<!\.)\.$", "", text)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
    return f'"{shown}"'


def _is_unspaced(word: str) -> bool:
    """Whether a word is one character of a script that has no blanks between words."""
    return unicodedata.category(word[0]) == "Lo" and all(unicodedata.category(one)[0] == "M" for one in word[1:])


def _paired(run: list[str]) -> list[str]:
    return ["".join(pair) for pair in pairwise(run)] or run


_EXACT = re.compile(r"\d|[A-Z]|_")

_NEGATIONS = frozenset(
    ["not", "no", "nothing", "never", "without", "avoid", "avoids", "cannot", "against", "fail", "fails", "omits", "t"]
)

_LINKS = """
    a an the this that these those it its their there and or but of to in on at by for from with as into about than then
    is are was were be been being has have had does do did will would should must can could may might shall not
    response answer reply output completion assistant user s t also both each all any which who whose what when where
    how whether if so such e g i eg ie including include includes included
"""
_TELLING = """
    states state stating mentions mention mentioning says say explains explain explaining explanation describes describe
    describing description identifies identify notes note provides provide providing gives give giving lists list
    discusses discuss addresses address highlights highlight emphasizes emphasize emphasises covers cover covering
    indicates indicate outlines outline presents present offers offer contains contain acknowledges acknowledge tells
    tell points point out uses use using clarifies clarify specifies specify explores explore makes make refers refer
    information
"""
_HOW_WELL = """
    clear clearly explicitly explicit correctly correct accurately accurate properly proper appropriate appropriately
    detail details detailed depth specific specifically thorough thoroughly comprehensive fully briefly directly
    adequately adequate good well very across according
"""
_NO_CONTENT = frozenset(f"{_LINKS} {_TELLING} {_HOW_WELL}".split())

_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ings", ""), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """The word without its commonest English ending: enough to know an inflection again."""
    if not word.isascii() or len(word) < 5 or word.endswith("ss"):
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            return (word[: -len(ending)] + instead).rstrip("e")
    return word.rstrip("e")
