"""Parts: criteria that ask for several things at once.

Judges are told that a statement of several parts is true only if all of them are. Lenient ones pass it for
some of them, and partial answers come to be rewarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reward_lab.core.lint import lists
from reward_lab.core.lint.clauses import joints, predicate
from reward_lab.core.lint.finding import Finding
from reward_lab.core.lint.qualities import measured
from reward_lab.core.lint.statement import Examined, Statement, excerpt, without_brackets
from reward_lab.core.wording import listed

_MOST_ITEMS = 4
"""Items of a list that a judge can still take as one demand."""


def compounds(examined: Examined) -> Iterator[Finding]:
    """Criteria that ask for several things, each of which could be so without the others."""
    if examined.rubric.scoring.partial:
        outcome = "counts half, however much of it"
    else:
        outcome = "is false to one judge and true to another"
    for statement in examined.statements:
        what = _several(statement)
        if what is None:
            continue
        yield Finding(
            "compound",
            "warning",
            f"{statement.name} {what}: a response with only some of it {outcome}.",
            "Split it into a criterion each.",
            statement.position,
        )


def long_lists(examined: Examined) -> Iterator[Finding]:
    """Criteria that list more than can be taken as one; lists of examples are none.

    Of what a verb of telling governs three are many: each can be told without the others.
    """
    partial = examined.rubric.scoring.partial
    outcome = "counts half for any of them" if partial else "is true only of a response with all of them"
    for statement in examined.statements:
        opening = statement.opening
        items = _items(statement.plain)
        if items <= _MOST_ITEMS:
            items = lists.told_things(opening)
            if items and any(joints(opening)):
                continue
        # What is a compound for its list already is not named twice.
        if items and not lists.objects(opening) and not measured(opening):
            yield Finding(
                "long_list",
                "note",
                f"{statement.name} lists {items} things, and {outcome}.",
                "Say how many are enough, or give those that matter a criterion each.",
                statement.position,
            )


_DEMANDS = re.compile(r"\b(?:must|should|needs?\sto|has\sto)\b|^step\s\d", re.IGNORECASE)


def _demands(description: str) -> int:
    """How many sentences demand something; what explains a demand in brackets is none."""
    lines = without_brackets(description).splitlines()
    sentences = (one for line in lines for one in re.split(r"(?<=[.!?])\s+(?=[A-Z(])", line))
    return sum(bool(_DEMANDS.search(one)) for one in sentences)


def _several(statement: Statement) -> str | None:
    """What a statement asks for at once, as a message says it; ``None`` where it is one thing."""
    opening = statement.opening
    demands = _demands(statement.description)
    if demands > 1:
        return f"makes {demands} demands in as many sentences"
    if joint := next(joints(opening), None):
        return f"asks for two things, {excerpt(f'{joint.first} ...')} and {excerpt(f'{joint.second} ...')}"
    if count := lists.objects(opening):
        return f"asks for {count} things under one verb, {excerpt(f'{predicate(opening)[0]} ...')}"
    if pair := lists.added(opening):
        first, second = pair
        return f"asks for two things, {excerpt(f'{first} ...')} and {excerpt(f'{second} ...')}"
    if qualities := measured(opening):
        return f"asks for {len(qualities)} qualities, {listed(map(excerpt, qualities[:_MOST_ITEMS]))}"
    return None


_LIST_OPENS = re.compile(r"\bincluding\b|:|\bnamely\b|\bconsisting\sof\b")
_ONLY_SOME = re.compile(
    r"\b(?:such\sas|like|e\.g|for\sexample|for\sinstance|any\sof|at\sleast|one\sof|some\sof|most\sof|either|whether|if|or)\b"
)
_AND = re.compile(r"(?:^|\s)and\s")


def _items(plain: str) -> int:
    """How many things a statement lists one by one; 0 where it lists none, only examples, or clauses."""
    sentence = re.split(r"[.?!](?:\s|$)", plain, maxsplit=1)[0]
    told = _LIST_OPENS.split(sentence)[-1]
    if _ONLY_SOME.search(sentence) or not _AND.search(told):
        return 0
    items = [item for item in re.split(r",\s+(?:and\s+)?|;\s+(?:and\s+)?", told) if item.strip()]
    if max((len(item.split()) for item in items[1:]), default=lists.LONGEST_ITEM + 1) > lists.LONGEST_ITEM:
        return 0
    # Without a comma before the "and", the last two items stand together.
    return len(items) + (not re.search(r"[,;]\s+and\s", told))
