"""Mentions: whether a response says something, by the words, specifics and negations it shares with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reward_lab.judges import cues
from reward_lab.judges.evidence import Evidence
from reward_lab.judges.language import (
    CONTACTS,
    Kind,
    Sentence,
    features,
    is_negated,
    passage,
    quoted,
    shortened,
    words,
)

_ENOUGH = 0.5
"""The share of a statement's words that must stand together in a response that makes it."""

_SPEAKING = frozenset(
    features(
        "states mentions explains includes provides describes recommends advises suggests notes indicates tells clearly"
        " explicitly response answer reply assistant agent user reader correctly accurately identifies lists discusses"
        " acknowledges highlights emphasizes stresses warns instructs reminds appropriately properly relevant specific"
        " importance offers covers presents refers claims points gives addresses names reports asks uses contains shows"
        " encourages urges example information detail details such less fewer later earlier greater"
    )
)
"""Words about saying rather than about what is said."""

_KINDS: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("phone telephone hotline", frozenset({"phone"})),
    ("email mail", frozenset({"email"})),
    ("link url website", frozenset({"link"})),
    ("contact address", CONTACTS),
    ("number figure amount deadline price percentage statistic dose duration period date time", frozenset({"number"})),
    ("name person people", frozenset({"name"})),
)
KIND_WORDS = {feature: kinds for named, kinds in _KINDS for feature in features(named)}
"""The words by which statements name a kind of specific."""

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_ALTERNATIVE = re.compile(r",\s*(?:or\s+)?|\s+or\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a statement is true of a response, how far from 0 to 1, and the evidence in a sentence."""

    holds: bool
    degree: float
    because: str

    def negated(self) -> Finding:
        """The finding of the opposite statement, on the same evidence."""
        return Finding(not self.holds, 1.0 - self.degree, self.because)


def topic_of(text: str) -> list[str]:
    """What a statement is about: its features, each once, without the words about saying."""
    return [one for one in dict.fromkeys(features(text)) if one not in _SPEAKING]


def mention(core: str, evidence: Evidence) -> Finding:
    """Whether the core is said. Of alternatives ("a, b or c") one is enough; examples in brackets can stand for it."""
    plain = cues.EXAMPLES.sub(" ", core)
    options = [part for part in _ALTERNATIVE.split(plain) if topic_of(part)] if _OR.search(plain) else []
    found = max((_said(part, evidence) for part in options or [plain]), key=lambda one: (one.holds, one.degree))
    examples = frozenset(one for match in cues.EXAMPLES.finditer(core) for one in features(match.group()))
    if not found.holds and examples and topic_of(plain):
        share = 0.5 * found.degree + len(examples & evidence.told.features) / len(examples)
        if share >= _ENOUGH:
            best = max(evidence.told.sentences, key=lambda one: len(examples.intersection(one.features)))
            return Finding(True, min(1.0, share), f"“{shortened(best.text)}”")
    return found


def _said(core: str, evidence: Evidence) -> Finding:
    needed = topic_of(core) or list(dict.fromkeys(features(core)))
    lacking = [one for one in passage(core).specifics if one.kind != "name" and not evidence.spoken.hold(one)]
    if lacking:
        return Finding(False, 0.1, f"{quoted(one.shown for one in lacking)}: not said.")
    if not needed:
        return Finding(bool(evidence.claims), float(bool(evidence.claims)), "The statement names nothing to look for.")
    kinds = {one.kind for one in evidence.told.specifics}
    by_kind = frozenset(
        one for one in needed if not kinds.isdisjoint(KIND_WORDS.get(one, frozenset[Kind]()) & CONTACTS)
    )
    named = {feature for one in passage(core).specifics if one.kind == "name" for feature in features(one.shown)}
    known = evidence.demand.sources.features
    weights = {one: (0.5 if one in known else 1.0) * (2.0 if one in named else 1.0) for one in needed}
    share, where = _together(weights, by_kind, evidence.told.sentences)
    if not where:
        return Finding(False, 0.0, f"Nothing on {_in_words(needed, core)}.")
    if share < _ENOUGH:
        missing = [one for one in needed if one not in {feature for found in where for feature in found.features}]
        return Finding(False, share, f"Nothing on {_in_words(missing, core)}.")
    if _denies(core, [one.text for one in where], frozenset(needed)):
        return Finding(False, 0.2, f"It says the opposite: “{shortened(where[0].text)}”")
    return Finding(True, share, f"“{shortened(where[0].text)}”")


def _together(
    weights: dict[str, float], given: frozenset[str], sentences: tuple[Sentence, ...]
) -> tuple[float, tuple[Sentence, ...]]:
    """The largest share of the words that stand within three sentences, and those sentences, the richest first."""
    places: dict[int, frozenset[str]] = {}
    for at, one in enumerate(sentences):
        hits = [feature for feature in one.features if feature in weights]
        if hits:
            places[at] = frozenset(hits)
    total = sum(weights.values())
    nowhere = frozenset[str]()
    weighed: dict[tuple[frozenset[str], frozenset[str]], float] = {}
    best, where = 0.0, -1
    for at, own in places.items():
        held = own | places.get(at - 1, nowhere) | places.get(at + 1, nowhere)
        value = weighed.get((held, own))
        if value is None:
            # of two windows with as much in them, the one whose middle says more by itself
            value = sum(weights[one] for one in held | given) + 0.01 * sum(weights[one] for one in own | given)
            weighed[held, own] = value
        if value > best:
            best, where = value, at
    near = tuple(sentences[at] for at in (where, where - 1, where + 1) if at in places)
    return min(1.0, best / total), near


def _denies(core: str, said: list[str], needed: frozenset[str]) -> bool:
    """Whether core and response differ in their negation of the words they share."""
    claimed, denied = _polarity(core, needed)
    said_claimed, said_denied = frozenset[str](), frozenset[str]()
    for text in said:
        positive, negative = _polarity(text, needed)
        said_claimed |= positive
        said_denied |= negative
    if denied & (said_claimed | said_denied):
        return not said_denied
    shared = claimed & (said_claimed | said_denied)
    return bool(shared) and len(shared & said_denied - said_claimed) * 2 >= len(shared)


def _polarity(text: str, needed: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The needed features that a text has, and among them those that stand under a negation."""
    tokens = words(text)
    plain: set[str] = set()
    denied: set[str] = set()
    for at, token in enumerate(tokens):
        for feature in features(token):
            if feature in needed:
                (denied if is_negated(tokens, at) else plain).add(feature)
    return frozenset(plain), frozenset(denied)


def _in_words(wanted: Iterable[str], core: str) -> str:
    """Features as the words that the statement has for them."""
    known: dict[str, str] = {}
    for word in re.findall(r"\w+", core):
        for feature in features(word):
            known.setdefault(feature, word)
    return quoted(known.get(one, one) for one in wanted)
