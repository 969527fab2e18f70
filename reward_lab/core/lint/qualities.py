"""Qualities: adjectives and adverbs by which one statement measures a response."""

from __future__ import annotations

import re

from reward_lab.core.lint.clauses import clauses

FEWEST = 3
"""Qualities from which a statement is a list of them; a pair such as "calm and friendly" is often one."""

_FEWEST_KNOWN = 2
"""Words known as qualities from which the others beside them are taken for qualities too."""

_LONGEST = 3
"""Words of a quality, as in "easy to read"."""

VAGUE = (
    r"(?:good|great|nice|excellent|quality|high-quality|appropriate(?:ly)?|suitabl[ey]|adequate(?:ly)?|sufficient(?:ly)?"
    r"|reasonabl[ey]|proper(?:ly)?|clear(?:ly)?|helpful(?:ly)?|useful|relevant|effective(?:ly)?|thorough(?:ly)?"
    r"|comprehensive(?:ly)?|detailed|concise(?:ly)?|well-written|well-structured|well-organi[sz]ed|readable"
    r"|easy\sto\s(?:understand|follow|read)|user-friendly|informative|insightful|compelling|professional(?:ly)?|natural"
    r"|engaging|interesting|enough|several|various|some|many|few)"
)
_EXACT = (
    r"(?:accurate(?:ly)?|complete(?:ly)?|correct(?:ly)?|polite(?:ly)?|friendly|calm(?:ly)?|kind|warm(?:ly)?|honest(?:ly)?"
    r"|respectful(?:ly)?|courteous(?:ly)?|empathetic(?:ally)?|objective(?:ly)?|neutral(?:ly)?|balanced|consistent(?:ly)?"
    r"|coherent(?:ly)?|logical(?:ly)?|short|brief(?:ly)?|simple|simply|safe(?:ly)?|truthful(?:ly)?|factual|precise(?:ly)?"
    r"|specific|actionable|realistic|formal|patient|supportive|fluent(?:ly)?|focused|grammatical|up-to-date|fair(?:ly)?"
    r"|reliable|persuasive|original|creative|structured|organi[sz]ed|harmless|inclusive|faithful(?:ly)?|grounded|tactful|gentle|gently|encouraging|confident|direct|credible|plausible|unbiased|impartial|fast|quick(?:ly)?)"
)
_DEGREE = r"(?:(?:very|fully|both|also|factually|highly|always|completely|sufficiently|easily|as|more)\s)?"
_QUALITY = rf"{_DEGREE}(?:{VAGUE}|{_EXACT})"
_JOINT = r"(?:,?\s(?:and|as\swell\sas|along\swith|plus)\s|[,;]\s)"
_SERIES = re.compile(rf"\b{_QUALITY}(?:{_JOINT}{_QUALITY})+\b(?!-)")
_ONE_OF_THEM = re.compile(rf"\b(?:{VAGUE})\b")
_KNOWN = re.compile(rf"{_QUALITY}\b")
_SPLIT = re.compile(_JOINT)
_EXPLICIT = re.compile(r"\s(?:as\swell\sas|along\swith|plus)\s")
_CLAUSE = re.compile(r"\b(?:that|how|why|what|where|when|if|whether|who|which|or)\b")
_OR = re.compile(r"\bor\b")
_IS = re.compile(r"^\W*(?:(?:and|but|plus|also|both)\s)*(?:is|are|be|sounds?|stays?|remains?|feels?|reads)\s")


def measured(opening: str) -> list[str]:
    """The qualities of a statement that asks for three or more at once, or for two "as well as" each other.

    >>> measured("is accurate, complete and polite")
    ['accurate', 'complete', 'polite']
    """
    if (being := _IS.match(opening)) and not _OR.search(opening):
        series = _SPLIT.split(opening[being.end() :])
        known = sum(bool(_KNOWN.match(quality)) for quality in series)
        if len(series) >= FEWEST and known >= _FEWEST_KNOWN and all(len(one.split()) <= _LONGEST for one in series):
            return series
    for found in _SERIES.finditer(opening):
        if _CLAUSE.search(opening, 0, found.start()):
            break
        series = _SPLIT.split(found[0])
        if len(series) >= FEWEST or _EXPLICIT.search(found[0]):
            return series
    return []


def vague_among(opening: str) -> re.Match[str] | None:
    """The first vague quality of a coordination that a clause says the response is."""
    for clause in clauses(opening):
        being = _IS.match(clause)
        series = _SERIES.match(clause, being.end() if being else 0)
        if series and not clause[series.end() :].strip(" ,;") and (found := _ONE_OF_THEM.search(series[0])):
            return found
    return None
