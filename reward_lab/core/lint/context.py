"""Context: what points to something that the judge of a criterion does not see.

It is given the conversation, the response and the criterion's description: no title, no reference answer,
the other criteria in an order of their own or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reward_lab.core.lint.finding import Finding, Level
from reward_lab.core.lint.statement import Examined, excerpt


def leaning(examined: Examined) -> Iterator[Finding]:
    """Criteria that cannot be decided by themselves."""
    for statement in examined.statements:
        if found := _leans_on(statement.text):
            words, level, why = found
            yield Finding(
                "not_self_contained",
                level,
                f"{statement.name} leans on {excerpt(words)}: {why}.",
                "Write into the criterion what a judge needs to decide.",
                statement.position,
            )


_BEFORE = re.compile(
    r"""\b(?: as\s(?:above|before|(?:described|mentioned|stated|noted)\s(?:above|before))
        | (?:the\s)?aforementioned\b(?:\s\w+)?
        | (?:mentioned|described|listed|stated|noted|given|defined|named)\s(?:above|earlier|previously)
        | see\sabove | the\sabove(?!\s\d)(?:[\s-]\w+)? | same\sas\sbefore
        | (?:the\s)?(?:previous|preceding|other|next|first|last|above)\scriteri(?:on|a)\b
        | criteri(?:on|a)\s\#?\d+ | rubric\sitem\s\#?\d+ )
      | ^(?:also|additionally|furthermore|moreover|likewise)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REFERENCE = re.compile(
    r"""\b(?:the|our)\s(?:(?:reference|ground[-\s]truth|gold|golden|model|sample|ideal|expert)\s(?:answer|response|solution)
        |ground\struth|answer\skey)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_RIGHT = re.compile(
    r"""\bthe\s(?:correct|right|expected|desired|intended)\s(?:final\s)?
        (?:answer|option|choice|diagnosis|result|value|solution|conclusion|number|formula|output)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_WHICH = re.compile(r"[\d\"“(:=]|\b(?:as|is|namely|that|of)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"""\b(?:the|this)\s(?:document|passage|article|attachment|excerpt|paper|original\spaper|attached\s\w+
        |provided\s(?:text|context|source|material|document|passage))\b
      | \b(?:section|table|figure|appendix|page|chapter|slide)\s\d+(?:\.\d+)*
      | \b(?:specified|described|defined|listed|given)\sin\s\d+\.\d+""",
    re.IGNORECASE | re.VERBOSE,
)


def _leans_on(text: str) -> tuple[str, Level, str] | None:
    """The words that point elsewhere, how bad that is, and why."""
    if found := _BEFORE.search(text):
        return found[0], "warning", "each criterion is judged on its own"
    if found := _REFERENCE.search(text):
        return found[0], "warning", "the judge of a criterion does not see a reference answer"
    if (found := _RIGHT.search(text)) and not _SAYS_WHICH.search(text[: found.start()] + text[found.end() :]):
        return found[0], "note", "the judge has to find out by itself which that is"
    if found := _ELSEWHERE.search(text):
        return found[0], "note", "the judge sees it only if it stands in the conversation"
    return None
