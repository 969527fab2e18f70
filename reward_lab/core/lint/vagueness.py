"""Vagueness: criteria whose demand is a word that each judge measures in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reward_lab.core.lint.finding import Finding
from reward_lab.core.lint.qualities import VAGUE, vague_among
from reward_lab.core.lint.statement import Examined, Statement

_MOST_BESIDES = 1
"""Words of content beside a vague one up to which the vague one is the whole demand."""


def vague(examined: Examined) -> Iterator[Finding]:
    """Criteria that turn on a vague word or leave open when they are met; "clear" beside a clear demand is fine."""
    for statement in examined.statements:
        found = _open_end(statement) or _whole_demand(statement) or vague_among(statement.opening)
        if found:
            yield Finding(
                "vague",
                "note",
                f'{statement.name} turns on "{found[0].strip(" ,.")}", which each judge measures in its own way.',
                "Name what must be there, or how much of it.",
                statement.position,
            )


_OPEN_ENDED = re.compile(
    r"""\b(?:as|where|when|if)\s(?:appropriate|needed|necessary|relevant)\b | \b(?:where|when|if)\spossible\b
      | \bto\ssome\s(?:extent|degree)\b | \bin\salmost\sall\scases\b | \bmost\sof\sthe\stime\b | \betc\b
      | \band\sso\s(?:on|forth)\b""",
    re.VERBOSE,
)
_VAGUE = re.compile(rf"\b{VAGUE}\b")
_MANNER = frozenset(["manner", "way", "style", "tone", "written", "writ", "word", "phras", "presented", "put"])
"""Stems of words that say no more than that a quality is meant."""

_ADVICE = re.compile(r"(?:advis|recommend|suggest|encourag|urg|tell|instruct|remind)")
"""What such a statement leaves open is up to the person advised."""


def _open_end(statement: Statement) -> re.Match[str] | None:
    found = _OPEN_ENDED.search(statement.opening)
    return None if _ADVICE.match(statement.opening) else found


def _whole_demand(statement: Statement) -> re.Match[str] | None:
    found = _VAGUE.search(statement.plain)
    if found is None:
        return None
    besides = {term.stem for term in statement.content if not _VAGUE.fullmatch(term.text)}
    return found if len(besides) <= _MOST_BESIDES or besides <= _MANNER else None
