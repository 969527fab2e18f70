"""Lists: several objects or qualities that one verb governs.

What is joined by "or", stands in brackets or follows "such as" is a choice or an example, and no list.
"""

from __future__ import annotations

import re

from reward_lab.core.lint.clauses import predicate

LONGEST_ITEM = 6
"""Words up to which what stands between two commas is an item and not a clause."""

_LONGEST_OBJECT = 9
"""Words up to which an object that opens with an article or a question word is still one."""

FEWEST = 3
"""Things from which a verb governs a list."""

_TELLS = re.compile(
    r"""(?:state|name|mention|list|give|cite|include|provide|describe|explain|identif(?:y|ie)|specif(?:y|ie)|note|report
        |quote|cover|address(?:e)?|show|contain|discuss(?:e)?|outline|present|indicate|summari[sz]e|clarif(?:y|ie)|say|tell
        |confirm|acknowledge|highlight|define|offer|has|have|use|recommend|ask
        |request|warn|refer|apologi[sz]e|thank)s?$""",
    re.VERBOSE,
)
_EXAMPLES = re.compile(r",?\s(?:such\sas|like|e\.g|for\sexample|for\sinstance|including|especially|namely)\b|:")
_CHOICE = re.compile(
    r"""\b(?:any\sof|at\sleast|one\sof|two\sof|three\sof|some\sof|most\sof|either|whether|if|or)\b
      | \b(?:sum|total|difference|ratio|average|mean|product|combination|relation\w*|interaction|interplay|balance
          |trade-?off|link|comparison|connection|choice|order)s?\s(?:of|to)\b
      | \b(?:between|among)\b""",
    re.VERBOSE,
)
"""Things to choose from, or that are one thing only together."""

_NO_ITEM = re.compile(
    r"""(?:which|who|whose|but|even|so|because|since|as|with|without|for|in|at|on|by|to|from|not|i\.e|rather|then|while
        |where(?:by|as)|if|unless|\w+ing(?=\s(?:the|an?|its?|that|how|why|what)\b))\b""",
    re.VERBOSE,
)
_ABOUT = re.compile(
    r"^(?:(?:the|a)\s(?:user|customer|patient|reader)\s)?(?:for|of|about|against|to(?=\s(?:the|an?|its)\b))\s"
)
"""Between a verb of telling and what is told, as in "asks the user for the date"."""

_THING = re.compile(r"(?:the|an?|its?|their|his|her|your|our|any|all|each|every|both|one|two|three|who(?:m|se)?)\b")
_ASKED = re.compile(r"(?:(?:by|for|from|to|in)\s)?(?:what|when|how|why|where|who|which|that)\b")
_BELONGS = re.compile(r"\s(?:for|of|in|on|to|with|by|from|about|at|against|under|than|as|into)\s")
"""In the first thing, to which bare ones behind it then belong: "the deadline for books, records and films"."""

_APPOSITION = re.compile(r"an?\b")
_COMMA = re.compile(r"\s?[,;]\s(?:(?:and|as\swell\sas|along\swith|together\swith|plus)\s)?")
_AND_THE = re.compile(r"\sand\s(?=(?:the|an?|its|their|what|when|how|why|where|who)\b)")
_LAST = re.compile(r"\s(?:and|as\swell\sas|along\swith|together\swith|plus)\s")
_AS_WELL = re.compile(
    r""",?\s(?:(?:as\swell\sas|in\saddition\sto|besides)\s(?!possible|it\b|they\b|you\b|we\b|he\b|she\b|can\b|\w+ing(?:\s(?:the|an?|its?|that|how|why|what)\b|$))
        | (?:along\swith|together\swith|plus)
            \s(?=(?:the|an?|its|their|any|all|each|every|both|how|why|what|when|where)\b))
        (?P<second>\S+(?:\s\S+){0,2})""",
    re.VERBOSE,
)
_OR = re.compile(r"or\b")
_CLAUSE = re.compile(r"\b(?:that|how|why|what|where|when|if|whether|who|which)\b")


def objects(opening: str) -> int:
    """How many objects with an article or a question word of their own one verb of telling governs; 0 for no list.

    >>> objects("states the window, the contact and the exclusion of digital products")
    3
    """
    items = _governed(opening)
    own = any(all(starts.match(item) for item in items) for starts in (_THING, _ASKED))
    return len(items) if own and max(map(_length, items[:-1]), default=0) <= _LONGEST_OBJECT else 0


def told_things(opening: str) -> int:
    """How many short things, with an article or without, one verb of telling governs; 0 for no list."""
    items = _governed(opening)
    if items and _BELONGS.search(items[0]) and not _THING.match(items[1]):
        return 0
    if any(_CLAUSE.search(item) or _length(item) > LONGEST_ITEM for item in items[:-1]):
        return 0
    return len(items)


def added(opening: str) -> tuple[str, str] | None:
    """The first words of two objects that "as well as" or its like joins under one verb of telling."""
    head, rest = predicate(opening)
    if not _TELLS.match(head):
        return None
    rest = _EXAMPLES.split(rest, maxsplit=1)[0]
    found = _AS_WELL.search(rest)
    before = rest[: found.start()] if found else ""
    if not found or _CHOICE.search(before):
        return None
    asked = _ASKED.match(before)
    if _CLAUSE.search(before, asked.end() if asked else 0) or (asked and not _ASKED.match(found["second"])):
        return None
    return " ".join(before.split()[:3]), found["second"]


def _governed(opening: str) -> list[str]:
    """The objects of the statement's verb, where it is one of telling and they are a list with "and"; else none."""
    head, rest = predicate(opening)
    rest = _ABOUT.sub("", _EXAMPLES.split(rest, maxsplit=1)[0])
    items = [item for item in _COMMA.split(rest) if item.strip()]
    if len(items) == 1:
        items = _AND_THE.split(rest)
    if not _TELLS.match(head) or len(items) < 2:
        return []
    joined = len(items) >= FEWEST and not _COMMA.search(rest)
    joined |= (
        re.search(r"[,;]\s(?:and|as\swell\sas|along\swith|together\swith|plus)\s", rest) is not None or ";" in rest
    )
    # Without a comma before the "and", the last two items stand together.
    if not joined:
        pair = _LAST.split(items[-1], maxsplit=1)
        if len(pair) == 1:
            return []
        items[-1:] = [pair[0], pair[-1]]
    last_is_choice = _OR.match(items[-1])
    if len(items) < FEWEST or _CHOICE.search(" ".join(items[:-1])) or last_is_choice:
        return []
    if all(_ASKED.match(item) for item in items):
        return items
    if any(_NO_ITEM.match(item) for item in items):
        return []
    apposed = 0 if _APPOSITION.match(items[0]) else sum(bool(_APPOSITION.match(item)) for item in items[1:-1])
    return items if len(items) - apposed >= FEWEST else []


def _length(item: str) -> int:
    return len(item.split())
