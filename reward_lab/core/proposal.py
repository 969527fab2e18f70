"""Proposal: a criterion that a judge suggests, with what a reviewer has to know about it."""

from __future__ import annotations

from dataclasses import dataclass

from reward_lab.core.rubric import Criterion


@dataclass(frozen=True, slots=True)
class Proposal:
    """One suggested criterion.

    ``why`` is the judge's reason. ``replaces`` is the place, from 0, of the rubric's criterion
    that this one stands for (several may stand for one that was split); ``None`` adds to the
    rubric. ``notes`` are sentences about what was changed or doubted when it was read.
    """

    criterion: Criterion
    why: str = ""
    replaces: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposals:
    """All that one reply suggests, in its order; ``notes`` are about the whole."""

    items: tuple[Proposal, ...]
    notes: tuple[str, ...] = ()
