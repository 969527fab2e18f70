"""Finding: one thing about a rubric that its author may want to mend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. ``rule`` is its stable identifier, ``position`` the criterion it is about, from 0.

    ``None`` as position is the rubric as a whole. ``other`` is a second criterion that is concerned.
    A ``warning`` is about what gives a wrong or noisy reward; a ``note`` about what may be meant so.
    """

    rule: str
    level: Level
    message: str
    advice: str
    position: int | None = None
    other: int | None = None
