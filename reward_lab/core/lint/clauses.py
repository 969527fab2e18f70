"""Clauses: where a statement says a further thing that the response does or is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

_ACTS = re.findall(
    r"\w+",
    """
    acknowledge add advise apologize apologise apply arrive avoid calculate caution clarify compare conclude confirm
    contain correct decline define derive describe discuss distinguish emphasize emphasise encourage explain give greet
    highlight identify include indicate instruct interpret invite justify keep mention outline propose provide
    recognize recognise recommend refrain refuse remain remind solve specify stay suggest summarize
    summarise tell urge warn
    """,
)
_ACTS_AND_NOUNS = re.findall(
    r"\w+",
    "address answer ask cite cover end link list name note offer present quote refer report request show state"
    " thank use",
)
_MANNER = r"(?:also|then|both|\w+ly)\s"


class Joint(NamedTuple):
    """Where one act is joined to the one before, and both of them."""

    start: int
    first: str
    second: str


def _done(acts: Iterable[str]) -> list[str]:
    """The acts as the response does them: "states" for "state"."""
    ending = re.compile(r"(?<=[^aeiou])y$")
    return [f"{act}es" if act.endswith(("ss", "sh")) else f"{ending.sub('ie', act)}s" for act in acts]


def _doing(acts: Iterable[str]) -> list[str]:
    """The acts as they stand behind "as well as": "stating" for "state"."""
    return [f"{re.sub('(?<=[^e])e$', '', act)}ing" for act in acts]


def _another(acts: list[str], nouns: list[str], being: str) -> re.Pattern[str]:
    """A further act. One that is a noun as well must be followed by what only follows a verb."""
    return re.compile(
        rf"""(?:(?P<joint>\s?;\s(?:and\s)? | ,?\s(?:and|&|as\swell\sas|plus|but(?=\salso\b))\s | ,\s)
            (?:(?:it|the\s(?:reply|response|answer|output|summary|review|agent))\s)?
            (?:(?:must|should|shall)\s)?(?P<adverb>(?:{_MANNER})?)
            (?P<act>(?:{"|".join(acts)})\b | (?P<being>{being})\b(?!\sto\b) | (?:{"|".join(nouns)})(?=\s(?:the|an?
            |that|how|why|whether|what|which|when|it|its|them|any|all|each|both|further|more|additional|at\sleast
            |for\s(?:more|further|any|the))\b)))
          | (?:,?\s(?:as\swell\sas|along\swith|together\swith|in\saddition\sto|besides)\s)
            (?P<doing>(?:{"|".join(_doing(_ACTS + _ACTS_AND_NOUNS))})\b)""",
        re.VERBOSE,
    )


_TOLD = (
    r"(?:the|an?|its)(?:\s\w+){1,3}?\s(?:is|are)\s(?:\w+ly\s)?(?:stated|named|given|mentioned|explained|listed|cited"
    r"|described|identified|provided)"
)
"""In the passive, as in "the fee is stated and the deadline is named"."""

_BEING_DONE = rf"is|are|does\snot|doesn't|has|sounds|{_TOLD}"
_BEING = r"be|do\snot|don't|not|have|sound"
_ANOTHER = _another(_ACTS, _ACTS_AND_NOUNS, _BEING)
_ANOTHER_DONE = _another(_done(_ACTS), _done(_ACTS_AND_NOUNS), _BEING_DONE)
_TO_DO = frozenset([*_ACTS, *_ACTS_AND_NOUNS, "be"])
_SUBJECT = re.compile(r"^(?:the|this|its)\s(?:[\w-]+(?<!s)\s){1,3}?(?=(?:\w+ly\s)?(?:\w+s|must|should|shall)\s)")
_ADVERB = re.compile(rf"^{_MANNER}")
_OBLIGES = re.compile(r"(?:must|should|shall)$")
_IS_DONE = re.compile(r"(?:is|are|\w{2,}s)$")
_CLAUSE = re.compile(r"\b(?:that|how|why|what|where|when|if|whether|or)\b")
_SOMEONE_ELSE = re.compile(r"\b(?:who|which|authors?|papers?|study|studies|speaker|character|article)\b")
_TO_THE_READER = re.compile(r"recommend|advise|suggest|warn|ask|note|explain|mention|emphasi[sz]|clarif")
_ADVISES = re.compile(r"(?:recommend|advis|suggest|encourag|urg|instruct|remind|tell|propos)")


def predicate(opening: str) -> tuple[str, str]:
    """The verb that a statement opens with, and what follows it.

    >>> predicate("the letter clearly states the dose")
    ('states', 'the dose')
    """
    head, _, rest = _ADVERB.sub("", _SUBJECT.sub("", opening)).partition(" ")
    if _OBLIGES.match(head):
        head, _, rest = _ADVERB.sub("", rest).partition(" ")
    return head, rest


def joints(opening: str) -> Iterator[Joint]:
    """Where the response is said to do a second thing; what somebody else does is none.

    Places count from the start of what follows the first verb.
    """
    head, rest = predicate(opening)
    if head in _TO_DO:
        pattern = _ANOTHER
    elif _IS_DONE.match(head):
        pattern = _ANOTHER_DONE
    else:
        return
    other = _SOMEONE_ELSE.search(rest)
    clause = _CLAUSE.search(rest)
    for found in pattern.finditer(rest):
        start = found.start()
        if other and other.start() < start:
            return
        if found["doing"] and _ADVISES.match(head):
            continue
        if not (clause and clause.start() < start) or _is_told(found):
            yield Joint(start, head, found["act"] or found["doing"])


def _is_told(found: re.Match[str]) -> bool:
    """Whether an act behind a clause such as "that ..." is still the response's, and not of the clause."""
    joint = found["joint"]
    if joint is None or found["being"] or joint == ", ":
        return False
    return joint.startswith((",", ";", " ;")) or bool(found["adverb"] or _TO_THE_READER.match(found["act"]))


def clauses(opening: str) -> list[str]:
    """The statement cut before every further thing that the response does or is."""
    head, rest = predicate(opening)
    places = [0, *(one.start for one in joints(opening)), len(rest)]
    found = [rest[start:end] for start, end in pairwise(places)]
    return [f"{head} {found[0]}", *found[1:]]
