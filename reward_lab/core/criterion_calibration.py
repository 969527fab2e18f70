"""Criterion calibration: what a judge found true of responses, held against what people say is true of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.labelled import Holding
from reward_lab.core.proportions import wilson


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of ``n`` with Wilson's 95% interval; all three are ``None`` where n is 0."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class CriterionFigures:
    """One criterion's verdicts against people's, of its statement being true.

    ``precision``: of those that the judge found true, how many people did; ``recall``: of those that people found true,
    how many the judge did. The counts are of responses, once for each annotator who labelled the statement of it;
    ``unjudged`` have a label and no verdict.
    """

    position: int
    statement: str
    precision: Proportion
    recall: Proportion
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """One group: by the place of a response and the position of a criterion the share of samples that found it true."""

    shares: Mapping[tuple[int, int], float]
    labels: Sequence[Holding]


def criterion_figures(statements: Sequence[str], groups: Iterable[JudgedGroup]) -> tuple[CriterionFigures, ...]:
    """The criteria that people labelled, in their order; () where nobody did.

    A label is of the criterion whose statement has its words; case and blanks make no difference. Of several samples
    the statement is true where at least half found it so.
    """
    positions: dict[str, list[int]] = {}
    for position, statement in enumerate(statements):
        positions.setdefault(_words(statement), []).append(position)
    counts: dict[int, Counter[tuple[bool | None, bool]]] = {}
    for group in groups:
        for label in group.labels:
            for place, said in enumerate(label.criteria):
                for statement, true in said.items():
                    for position in positions.get(_words(statement), ()):
                        share = group.shares.get((place, position))
                        found = None if share is None else share >= 0.5
                        counts.setdefault(position, Counter())[found, true] += 1
    return tuple(_figures(position, statements[position], counts[position]) for position in sorted(counts))


def _figures(position: int, statement: str, counts: Mapping[tuple[bool | None, bool], int]) -> CriterionFigures:
    both, only_judge = counts[True, True], counts[True, False]
    only_people, neither = counts[False, True], counts[False, False]
    return CriterionFigures(
        position=position,
        statement=statement,
        precision=_proportion(both, both + only_judge),
        recall=_proportion(both, both + only_people),
        true_positives=both,
        false_positives=only_judge,
        false_negatives=only_people,
        true_negatives=neither,
        unjudged=counts[None, True] + counts[None, False],
    )


def _proportion(count: int, n: int) -> Proportion:
    if not n:
        return Proportion(None, None, None, 0)
    low, high = wilson(count / n, n)
    return Proportion(count / n, low, high, n)


def _words(statement: str) -> str:
    return " ".join(statement.casefold().split())
