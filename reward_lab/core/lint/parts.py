"""Parts: criteria that ask for several things at once.

Judges are told that a statement of several parts is true only if all of them are. Lenient ones pass it for
some of them, and partial answers come to be rewarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reward_lab.core.lint.finding import Finding
from reward_lab.core.lint.statement import Examined, excerpt, without_brackets

_MOST_ITEMS = 4
"""Items of a list that a judge can still take as one demand."""

_LONGEST_ITEM = 6
"""Words up to which what stands between two commas is an item and not a clause."""


def compounds(examined: Examined) -> Iterator[Finding]:
    """Criteria that ask for several things, each of which could be so without the others."""
    if examined.rubric.scoring.partial:
        outcome = "counts half, however much of it"
    else:
        outcome = "is false to one judge and true to another"
    for statement in examined.statements:
        demands = _demands(statement.description)
        if demands > 1:
            what = f"makes {demands} demands in as many sentences"
        elif joined := _joined(statement.opening):
            first, second = joined
            what = f"asks for two things, {excerpt(f'{first} ...')} and {excerpt(f'{second} ...')}"
        else:
            continue
        yield Finding(
            "compound",
            "warning",
            f"{statement.name} {what}: a response with only some of it {outcome}.",
            "Split it into a criterion each.",
            statement.position,
        )


def long_lists(examined: Examined) -> Iterator[Finding]:
    """Criteria that list more than can be taken as one; lists of examples are none."""
    partial = examined.rubric.scoring.partial
    outcome = "counts half for any of them" if partial else "is true only of a response with all of them"
    for statement in examined.statements:
        items = _items(statement.plain)
        if items > _MOST_ITEMS:
            yield Finding(
                "long_list",
                "note",
                f"{statement.name} lists {items} things, and {outcome}.",
                "Say how many are enough, or give those that matter a criterion each.",
                statement.position,
            )


_ACTS = re.findall(
    r"\w+",
    """
    acknowledge advise apologize apply arrive avoid calculate caution clarify compare conclude confirm correct decline
    define derive describe discuss distinguish emphasize emphasise encourage explain highlight identify include
    indicate instruct interpret justify mention outline propose provide recommend remind solve specify suggest
    summarize summarise tell urge warn
    """,
)
_ACTS_AND_NOUNS = re.findall(
    r"\w+", "address ask cite list name note offer present quote refer report request show state thank use"
)


def _done(acts: Iterable[str]) -> list[str]:
    """The acts as the response does them: "states" for "state"."""
    ending = re.compile(r"(?<=[^aeiou])y$")
    return [f"{act}es" if act.endswith(("ss", "sh")) else f"{ending.sub('ie', act)}s" for act in acts]


def _another(acts: list[str], nouns: list[str]) -> re.Pattern[str]:
    """A further act. One that is a noun as well must be followed by what only follows a verb."""
    return re.compile(
        rf"""(?P<joint>,?\s(?:and|as\swell\sas)\s(?P<adverb>(?:also|then|\w+ly)\s)?)
        (?P<act>(?:{"|".join(acts)})\b | (?:{"|".join(nouns)})(?=\s(?:the|an?|that|how|why|whether|what|which|when
        |it|its|them|any|all|each|further|more|additional|for\s(?:more|further|any|the))\b))""",
        re.VERBOSE,
    )


_ANOTHER = _another(_ACTS, _ACTS_AND_NOUNS)
_ANOTHER_DONE = _another(_done(_ACTS), _done(_ACTS_AND_NOUNS))
_TO_DO = frozenset(_ACTS + _ACTS_AND_NOUNS)
_ADVERB = re.compile(r"^\w+ly\s")
_OBLIGES = re.compile(r"(?:must|should|shall)$")
_IS_DONE = re.compile(r"\w{2,}s$")
_CLAUSE = re.compile(r"\b(?:that|how|why|what|where|when|if|whether)\b")
_SOMEONE_ELSE = re.compile(r"\b(?:who|which|authors?|papers?|study|studies|speaker|character|article)\b")
_TO_THE_READER = re.compile(r"recommend|advise|suggest|warn|ask|note|explain|mention|emphasi[sz]e|clarif")
_DEMANDS = re.compile(r"\b(?:must|should|needs?\sto|has\sto)\b|^step\s\d", re.IGNORECASE)


def _demands(description: str) -> int:
    """How many sentences demand something; what explains a demand in brackets is none."""
    lines = without_brackets(description).splitlines()
    sentences = (one for line in lines for one in re.split(r"(?<=[.!?])\s+(?=[A-Z(])", line))
    return sum(bool(_DEMANDS.search(one)) for one in sentences)


def _joined(opening: str) -> tuple[str, str] | None:
    """The two acts that an "and" joins, if both are the response's."""
    head, _, rest = _ADVERB.sub("", opening).partition(" ")
    if _OBLIGES.match(head):
        head, _, rest = rest.partition(" ")
    if head in _TO_DO:
        pattern = _ANOTHER
    elif _IS_DONE.match(head):
        pattern = _ANOTHER_DONE
    else:
        return None
    for found in pattern.finditer(rest):
        between = rest[: found.start()]
        if _SOMEONE_ELSE.search(between):
            return None
        told = found["joint"].startswith(",") or found["adverb"] or _TO_THE_READER.match(found["act"])
        if told or not _CLAUSE.search(between):
            return head, found["act"]
    return None


_LIST_OPENS = re.compile(r"\bincluding\b|:|\bnamely\b|\bconsisting\sof\b")
_ONLY_SOME = re.compile(
    r"\b(?:such\sas|like|e\.g|for\sexample|for\sinstance|any\sof|at\sleast|one\sof|some\sof|most\sof|either|whether|if|or)\b"
)
_AND = re.compile(r"(?:^|\s)and\s")


def _items(plain: str) -> int:
    """How many things a statement lists one by one; 0 where it lists none, only examples, or clauses."""
    sentence = re.split(r"[.?!](?:\s|$)", plain, maxsplit=1)[0]
    listed = _LIST_OPENS.split(sentence)[-1]
    if _ONLY_SOME.search(sentence) or not _AND.search(listed):
        return 0
    items = [item for item in re.split(r",\s+(?:and\s+)?|;\s+(?:and\s+)?", listed) if item.strip()]
    if max((len(item.split()) for item in items[1:]), default=_LONGEST_ITEM + 1) > _LONGEST_ITEM:
        return 0
    # Without a comma before the "and", the last two items stand together.
    return len(items) + (not re.search(r"[,;]\s+and\s", listed))
