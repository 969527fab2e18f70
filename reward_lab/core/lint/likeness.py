"""Likeness: criteria that say the same, or that say the whole reference answer."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from reward_lab.core.lint.finding import Finding
from reward_lab.core.lint.statement import Examined, Statement, excerpt, spelled
from reward_lab.core.wording import listed

NEAR = 0.8
"""The share of all their terms that two statements have in common when they say nearly the same."""

_NEAR_ORDER = 0.35
"""The share of pairs of neighbouring terms, so that "A raises B" is not taken for "B raises A"."""

_FEWEST_TERMS = 4
_FEWEST_OF_REFERENCE = 15
"""Words from which a reference answer is more than one fact."""

_MOST_DIFFERENCES = 4


def duplicates(examined: Examined) -> Iterator[Finding]:
    """Criteria of the same words, signs and capitals aside; the later one is named."""
    first: dict[object, Statement] = {}
    for statement in examined.statements:
        said = statement.wording or statement.text
        anywhere = first.setdefault(said, statement)
        earlier = first.setdefault((said, *statement.path), statement)
        if earlier is statement:
            earlier = anywhere
        if earlier is statement:
            continue
        where = {"position": statement.position, "other": earlier.position}
        if earlier.criterion.meets_when != statement.criterion.meets_when:
            yield Finding(
                "contradiction",
                "warning",
                f"{statement.name} is criterion {earlier.position + 1} again, one met when true and one when false.",
                "Whatever the verdict, one of them is met: keep the one that is meant.",
                **where,
            )
        elif _apart(statement, earlier):
            yield Finding(
                "duplicate",
                "note",
                f"{statement.name} says the same as criterion {earlier.position + 1}, in another branch of the rubric's"
                f" tree: {excerpt(statement.text)}.",
                "Each counts in its own branch, yet a judge sees neither: name in each what it is about.",
                **where,
            )
        else:
            yield Finding(
                "duplicate",
                "warning",
                f"{statement.name} says the same as criterion {earlier.position + 1}: {excerpt(statement.text)}.",
                "It counts twice: drop one, or say in each what sets it apart.",
                **where,
            )


def near_duplicates(examined: Examined) -> Iterator[Finding]:
    """Criteria that share nearly all terms in nearly the same order; the later one is named.

    Statements of one pattern that differ in a name, a number or a "not" are told apart on purpose.
    """
    for statement, earlier in _alike(examined.statements):
        own, others = _differences(statement, earlier), _differences(earlier, statement)
        if own or others:
            differing = [excerpt(word) for word in (own + others)[:_MOST_DIFFERENCES]]
            told = f"they differ in {listed(differing)}"
        else:
            told = "they differ in how it is put"
        yield Finding(
            "near_duplicate",
            "note",
            f"{statement.name} says nearly the same as criterion {earlier.position + 1}: {told}.",
            "Judges may answer both alike, and see no branch of a tree: name in each what it is about."
            if _apart(statement, earlier)
            else "Judges answer both alike, so it counts twice: merge them, or name what sets each apart.",
            statement.position,
            earlier.position,
        )


def reference_given_away(examined: Examined) -> Iterator[Finding]:
    """Criteria that hold the whole reference answer; a reference of one short fact may be stated."""
    reference = spelled(examined.reference or "")
    if len(reference) < _FEWEST_OF_REFERENCE:
        return
    wanted = _triples(reference)
    for statement in examined.statements:
        if len(statement.wording) < NEAR * len(reference):
            continue
        if len(wanted & _triples(statement.wording)) >= NEAR * len(wanted):
            yield Finding(
                "whole_reference",
                "warning",
                f"{statement.name} holds the whole reference answer ({len(reference)} words).",
                "One verdict then stands for all of it: give each of its facts a criterion of its own.",
                statement.position,
            )


def _apart(one: Statement, other: Statement) -> bool:
    """Whether both come from a tree, and stand at different places of it."""
    return bool(one.path and other.path) and one.path != other.path


def _alike(statements: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Each statement with the earliest that it is like.

    Sets that share 0.8 of their union share one of their rarest terms: only those that do are compared
    (prefix filtering, Chaudhuri, Ganti and Kaushik 2006, ICDE).
    """
    often = Counter(term for statement in statements for term in statement.stems)
    holding: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        terms = sorted(statement.stems, key=lambda term: (often[term], term))
        if len(terms) < _FEWEST_TERMS:
            continue
        rarest = terms[: len(terms) - math.ceil(NEAR * len(terms)) + 1]
        candidates = {one.position: one for term in rarest for one in holding[term]}
        for position in sorted(candidates):
            if _is_alike(statement, candidates[position]):
                yield statement, candidates[position]
                break
        for term in rarest:
            holding[term].append(statement)


def _is_alike(one: Statement, other: Statement) -> bool:
    if one.wording == other.wording or one.exact != other.exact or one.negated != other.negated:
        return False
    return (
        _jaccard(len(one.stems & other.stems), len(one.stems), len(other.stems)) >= NEAR
        and _jaccard(len(one.shingles & other.shingles), len(one.shingles), len(other.shingles)) >= _NEAR_ORDER
    )


def _jaccard(shared: int, first: int, second: int) -> float:
    return shared / (first + second - shared)


def _differences(statement: Statement, other: Statement) -> list[str]:
    """The words whose terms only the first has, in its order."""
    found: dict[str, str] = {}
    for word in statement.content:
        if word.stem not in other.stems:
            found.setdefault(word.stem, word.text)
    return list(found.values())


def _triples(spoken: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(spoken[place : place + 3]) for place in range(len(spoken) - 2))
