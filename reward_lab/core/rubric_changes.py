"""Rubric changes: what became of each criterion from one version to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reward_lab.core.rubric import Criterion, Rubric


class CriterionFate(StrEnum):
    """What a version did to a criterion; one that stayed can have had several done to it."""

    ADDED = "added"
    REMOVED = "removed"
    REWORDED = "reworded"
    RETITLED = "retitled"
    RECATEGORISED = "recategorised"
    REWEIGHTED = "reweighted"
    TURNED = "polarity changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """One criterion in two versions, with its places there from 0; ``None`` where a version does not have it.

    ``fates`` is empty for one that is the same in both. ``old_share`` and ``new_share`` are its shares of all weight.
    """

    old: Criterion | None
    new: Criterion | None
    old_position: int | None
    new_position: int | None
    old_share: float | None
    new_share: float | None
    fates: tuple[CriterionFate, ...]


def criterion_changes(old: Rubric, new: Rubric) -> tuple[CriterionChange, ...]:
    """Every criterion of both, in the order of the new version; each removed one after its old neighbour.

    A criterion is reweighted where its own number differs, or its weight by category does while the category is the
    same. What merely shifts its share of the whole (another one was added) is no change of its own.
    """
    pairs = paired(old.criteria, new.criteria)
    moved = _moved([pairs[position] for position in sorted(pairs)])
    found = [
        _change(old, new, pairs.get(position), position, moved=pairs.get(position) in moved)
        for position in range(len(new.criteria))
    ]
    kept = set(pairs.values())
    for position in range(len(old.criteria)):
        if position not in kept:
            before = next((place for place, one in enumerate(found) if one.old_position == position - 1), None)
            found.insert(0 if position == 0 else len(found) if before is None else before + 1, _gone(old, position))
    return tuple(found)


def shares(rubric: Rubric) -> tuple[float | None, ...]:
    """(C,) each criterion's share of all weight, in [0, 1]; unknown where all weights are 0.

    >>> shares(Rubric(criteria=(Criterion(description="a"), Criterion(description="b"))))
    (0.5, 0.5)
    """
    total = sum(rubric.weights)
    return tuple(weight / total if total else None for weight in rubric.weights)


def paired(old: Sequence[Criterion], new: Sequence[Criterion]) -> dict[int, int]:
    """New position -> old position of the same criterion: matched by content, then title, description, place."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()

    def same_content(before: int, after: int) -> bool:
        return old[before] == new[after]

    def same_title(before: int, after: int) -> bool:
        return bool(new[after].title) and old[before].title == new[after].title

    def same_description(before: int, after: int) -> bool:
        return old[before].description == new[after].description

    def same_place(before: int, after: int) -> bool:
        return len(old) == len(new) and before == after

    for same in (same_content, same_title, same_description, same_place):
        for after in range(len(new)):
            if after in pairs:
                continue
            found = next((before for before in range(len(old)) if before not in taken and same(before, after)), None)
            if found is not None:
                pairs[after] = found
                taken.add(found)
    return pairs


def _change(old: Rubric, new: Rubric, before: int | None, after: int, *, moved: bool) -> CriterionChange:
    criterion = new.criteria[after]
    if before is None:
        return CriterionChange(None, criterion, None, after, None, shares(new)[after], (CriterionFate.ADDED,))
    former = old.criteria[before]
    reweighted = former.weight != criterion.weight or (
        former.category == criterion.category and old.weights[before] != new.weights[after]
    )
    fates = {
        CriterionFate.REWORDED: former.description != criterion.description,
        CriterionFate.RETITLED: former.title != criterion.title,
        CriterionFate.RECATEGORISED: former.category != criterion.category,
        CriterionFate.REWEIGHTED: reweighted,
        CriterionFate.TURNED: former.meets_when != criterion.meets_when,
        CriterionFate.MOVED: moved,
    }
    return CriterionChange(
        former,
        criterion,
        before,
        after,
        shares(old)[before],
        shares(new)[after],
        tuple(fate for fate, befell in fates.items() if befell),
    )


def _gone(old: Rubric, position: int) -> CriterionChange:
    return CriterionChange(
        old.criteria[position], None, position, None, shares(old)[position], None, (CriterionFate.REMOVED,)
    )


def _moved(places: Sequence[int]) -> set[int]:
    """The old places that left the order: all but a longest run of those that still stand in it."""
    runs: list[list[int]] = []
    for place in places:
        before = _longest([run for run in runs if run[-1] < place])
        runs.append([*before, place])
    return set(places) - set(_longest(runs))


def _longest(runs: Sequence[list[int]]) -> list[int]:
    return max(runs, key=len, default=[])
