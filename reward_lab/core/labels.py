"""Labels: what a person says of the responses of one group, in the order that a judge is held to."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from pydantic import Field, field_validator

from reward_lab.core.value import Value


class Mark(StrEnum):
    """Known to be good, or known to be bad."""

    GOOD = "good"
    BAD = "bad"


class Measure(StrEnum):
    """How an annotator said which response is better."""

    RANK = "rank"
    SCORE = "score"
    MARK = "mark"


class ResponseLabel(Value):
    """What one annotator says of one response; what was not said is ``None`` or empty.

    ``rank`` counts from 1, the best; equal ranks are a tie. ``score`` is in a scale of the annotator's own, higher is
    better. ``criteria`` says of statements, by their words, whether they are true of the response.
    """

    rank: int | None = Field(default=None, ge=1)
    score: float | None = None
    mark: Mark | None = None
    comment: str = ""
    criteria: dict[str, bool] = Field(default_factory=dict)

    @field_validator("score")
    @classmethod
    def _finite(cls, value: float | None) -> float | None:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"a label's score must be a finite number, got {value}")
        return value


class Label(Value):
    """What one annotator says of one group. ``responses`` is by the trajectory's id; those left out are unlabelled."""

    annotator: str
    responses: dict[str, ResponseLabel]
    comment: str = ""

    @field_validator("annotator")
    @classmethod
    def _somebody(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a label needs the name of its annotator")
        return value.strip()

    @property
    def measure(self) -> Measure | None:
        """What orders the responses: ranks where there is any, else scores, else marks; ``None`` without any."""
        given = self.responses.values()
        return next((one for one, level in _LEVELS.items() if any(level(said) is not None for said in given)), None)

    def levels(self, ids: Sequence[str]) -> tuple[float | None, ...]:
        """(G,) how good each response is by :attr:`measure`, higher is better, for comparison within the group only.

        A rank counts negative, good is 1 and bad 0; ``None`` is not labelled in that way.

        >>> label = Label(annotator="ann", responses={"a": ResponseLabel(rank=2), "b": ResponseLabel(rank=1)})
        >>> label.levels(["a", "b", "c"])
        (-2.0, -1.0, None)
        """
        level = None if self.measure is None else _LEVELS[self.measure]
        said = [self.responses.get(one) for one in ids]
        return tuple(None if level is None or one is None else level(one) for one in said)


def _by_rank(label: ResponseLabel) -> float | None:
    return None if label.rank is None else -float(label.rank)


def _by_score(label: ResponseLabel) -> float | None:
    return label.score


def _by_mark(label: ResponseLabel) -> float | None:
    return None if label.mark is None else float(label.mark is Mark.GOOD)


_LEVELS: Mapping[Measure, Callable[[ResponseLabel], float | None]] = {
    Measure.RANK: _by_rank,
    Measure.SCORE: _by_score,
    Measure.MARK: _by_mark,
}
