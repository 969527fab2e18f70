"""Statements: whether a criterion's statement is literally true of a response, by its evidence. Pure and lexical.

A statement is taken apart into its polarity ("does not", "avoids", "fails to") and its core.
A core about the manner of an answer (invention, length, hedging, sources, completeness ...) is
decided by counting; any other is a mention, decided by whether its words, its specifics and
its negation are found together in the response.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from reward_lab.judges import cues
from reward_lab.judges.evidence import Evidence
from reward_lab.judges.language import CONTACTS, Kind, passage, quoted, shortened, words
from reward_lab.judges.mentions import KIND_WORDS, Finding, mention, topic_of

_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_AT_MOST = ("at most", "no more than", "up to", "under", "fewer than", "less than", "within", "in")
_AND_ALSO = re.compile(r",? (?:and|but) (?=(?:it )?(?:does not|doesn't|avoids|never|without)\b)", re.IGNORECASE)
_INNER_NEGATION = re.compile(r"\b(?:nothing|no|not|never|without|nor|none)\b|n't\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Statement:
    is_negated: bool
    core: str


def finding(statement: str, evidence: Evidence) -> Finding:
    """Whether ``statement`` is literally true of the response. An empty response makes none but a denial true."""
    parts = [_judged(part, evidence) for part in _parts(statement)]
    if len(parts) == 1:
        return parts[0]
    weakest = min(parts, key=lambda part: part.degree)
    return Finding(all(part.holds for part in parts), weakest.degree, weakest.because)


@lru_cache(maxsize=4096)
def _parts(statement: str) -> tuple[_Statement, ...]:
    text = cues.CATEGORY_LABEL.sub("", passage(statement).text.strip()).rstrip(" ?.")
    return tuple(_parsed(part) for part in _AND_ALSO.split(text) if part.strip())


def _parsed(text: str) -> _Statement:
    core, negated = text.strip(), False
    if subject := cues.SUBJECT.match(core):
        core = core[subject.end() :]
    for _ in range(3):
        found = cues.NEGATED.match(core)
        if found is None:
            break
        negated = not negated
        core = core[found.end() :]
    return _Statement(negated, core)


def _judged(statement: _Statement, evidence: Evidence) -> Finding:
    core = statement.core
    for cue, about in _MANNERS:
        match = cue.search(core)
        if match is None:
            continue
        left = topic_of(core[: match.start()] + " " + core[match.end() :])
        found = about(core, match, left, evidence)
        if found is not None:
            return found.negated() if statement.is_negated else found
    found = mention(core, evidence)
    return found.negated() if statement.is_negated else found


# -- about manner: each returns None where the statement is about something else after all ---------


def _about_invention(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    kinds = frozenset[Kind]().union(*(KIND_WORDS.get(one, frozenset()) for one in left))
    names_source = bool(cues.SOURCE_NOUN.search(core))
    found = _invention(evidence, kinds or (frozenset() if evidence.is_grounded or names_source else CONTACTS))
    return found.negated() if _INNER_NEGATION.search(core[: match.start()]) else found


def _invention(evidence: Evidence, kinds: frozenset[Kind]) -> Finding:
    """Whether something is invented: a specific of these kinds, or anything at all where no kind is named."""
    if evidence.to_grader and not kinds:
        return Finding(True, 1.0, f"It tells the grader how to score: “{shortened(evidence.to_grader[0])}”")
    named = [one for one in evidence.invented if not kinds or one.kind in kinds]
    if named:
        return Finding(True, 1.0, f"{quoted(one.shown for one in named)}: not in the context.")
    if not kinds and evidence.unbacked_acts:
        return Finding(True, 1.0, f"{quoted(evidence.unbacked_acts)}: no tool call did it.")
    if not kinds and evidence.hides_failure:
        return Finding(True, 1.0, "The last tool call failed, and the answer does not say so.")
    if not kinds and evidence.is_grounded and evidence.unsupported:
        return Finding(True, 0.8, f"“{shortened(evidence.unsupported[0].text)}” is not in the context.")
    told = (
        "Nothing in it goes beyond the context." if evidence.is_grounded else "There is no source to check it against."
    )
    return Finding(False, 0.0, told)


def _about_faithfulness(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    if len([one for one in left if one not in evidence.demand.topic]) > 3 or passage(core).specifics:
        return None
    if not evidence.claims:
        return Finding(False, 0.0, "It states nothing.")
    return _invention(evidence, frozenset() if evidence.is_grounded else CONTACTS).negated()


def _about_concision(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    if len(left) > 4:
        return None
    length = f"{len(words(evidence.answer.text))} words"
    if not evidence.claims:
        return Finding(False, 0.0, "It says nothing.")
    if evidence.repetition > 0.2:
        return Finding(False, 0.1, f"{evidence.repetition:.0%} of it is repetition.")
    excess = evidence.answer.length / evidence.expected_length
    return Finding(
        excess <= 1.5, max(0.0, min(1.0, 2.0 - excess)), f"{length}{', more than it takes' * (excess > 1.5)}."
    )


def _about_wordiness(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    found = _about_concision(core, match, left, evidence)
    if found is None or not evidence.claims:
        return found
    return found if _INNER_NEGATION.search(core[: match.start()]) else found.negated()


def _about_length(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    bound, number, unit = match.groups()
    if len(left) > 3 or (bound is None and not core.lower().startswith(("has", "is", "contains", "consists", "uses"))):
        return None
    low = number.lower()
    wanted = int(low) if low.isdigit() else _COUNTS.index(low) + 1 if low in _COUNTS else 1
    text = evidence.answer.text
    counted = {
        "sentence": len(evidence.answer.sentences),
        "word": len(words(text)),
        "paragraph": len([one for one in re.split(r"\n\s*\n", text) if one.strip()]),
    }.get(unit.lower(), evidence.items)
    bound = (bound or "exactly").lower()
    if bound in _AT_MOST:
        holds = counted <= wanted
    elif bound in ("at least", "more than", "over"):
        holds = counted >= wanted
    else:
        holds = counted == wanted
    return Finding(holds, float(holds), f"{counted} {unit.lower()}{'s' * (counted != 1)}.")


def _about_hedging(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    if len(left) > 4:
        return None
    if evidence.deflected >= 0.5:
        told = evidence.deflections[0].text if evidence.deflections else ""
        return Finding(True, evidence.deflected, f"“{shortened(told)}”" if told else "It says nothing.")
    return Finding(False, evidence.deflected, "It commits to an answer.")


def _about_completeness(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    if len([one for one in left if one not in evidence.demand.topic]) > 3:
        return None
    if evidence.deflected >= 0.5:
        return Finding(False, 0.0, "It does not answer.")
    if evidence.coverage is None:
        degree = min(evidence.on_topic / 0.8, evidence.answer.length / 8, 1.0)
        return Finding(
            degree >= 0.6, degree, "It takes up the question." if degree >= 0.6 else "It hardly takes up the question."
        )
    missing = [point.text for point in evidence.points if point.weight == 1.0 and not point.is_covered]
    covered = evidence.coverage >= 0.6
    told = (
        f"It leaves out “{shortened(missing[0])}”."
        if missing and not covered
        else "It covers what matters to the question."
    )
    return Finding(covered, evidence.coverage, told)


def _about_citing(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    if len(left) > 3 or passage(core).specifics:
        return None
    cited = cues.ATTRIBUTION.search(evidence.answer.text)
    if cited:
        return Finding(True, 1.0, f"“{shortened(cited.group(), 50)}”")
    return Finding(False, 0.0, "It names no source.")


def _about_help(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    if len(left) > 4:
        return None
    if evidence.deflected >= 0.5:
        return Finding(False, 0.1, "It does not answer.")
    advice = next((one for one in evidence.claims if cues.ADVICE.search(one.text) or one.specifics), None)
    if advice is None or evidence.on_topic + (evidence.coverage or 0.0) < 0.3:
        return Finding(False, 0.2, "It gives nothing to act on.")
    return Finding(True, 0.9, f"“{shortened(advice.text)}”")


def _about_asking(core: str, match: re.Match[str], left: list[str], evidence: Evidence) -> Finding | None:
    asked = [one for one in evidence.told.sentences if one.text.endswith("?") or cues.ASKING.search(one.text)]
    if not asked:
        return Finding(False, 0.0, "It asks nothing.")
    best = max(asked, key=lambda one: len(set(left).intersection(one.features)))
    share = len(set(left).intersection(best.features)) / len(left) if left else 1.0
    return Finding(share >= 0.2, min(1.0, 0.4 + share), f"“{shortened(best.text)}”")


_About = Callable[[str, re.Match[str], list[str], Evidence], Finding | None]

_MANNERS: tuple[tuple[re.Pattern[str], _About], ...] = (
    (cues.INVENTS, _about_invention),
    (cues.ASKS, _about_asking),
    (cues.LENGTH, _about_length),
    (cues.CONCISE, _about_concision),
    (cues.WORDY, _about_wordiness),
    (cues.HEDGES, _about_hedging),
    (cues.CITES, _about_citing),
    (cues.COMPLETE, _about_completeness),
    (cues.FAITHFUL, _about_faithfulness),
    (cues.HELPFUL, _about_help),
)
"""The manners of answering, in the order in which they are tried."""


# -- guidance in prose ---------------------------------------------------------------------------


def agreement(guidance: str, evidence: Evidence) -> float | None:
    """How far a response does what prose guidance asks, 0 to 1; ``None`` where the guidance says nothing to look for.

    A sentence that blames something ("penalise", "avoid", "must not") counts against a
    response of which it is true.
    """
    degrees = []
    for sentence in passage(guidance).sentences:
        blamed = cues.BLAME.search(sentence.text)
        text = cues.PRAISE.sub("", cues.BLAME.sub(" ", sentence.text)).strip(" .:,")
        if len(topic_of(text)) + bool(passage(text).specifics) < 2:
            continue
        found = finding(text, evidence)
        degree = 1.0 if found.holds else found.degree
        degrees.append(1.0 - degree if blamed else degree)
    return sum(degrees) / len(degrees) if degrees else None
