"""Cells: one response under one method, from the verdicts of all judges and repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reward_lab.core.agreement import mean, sample_std
from reward_lab.core.group import Trajectory
from reward_lab.core.methods.method import Method
from reward_lab.core.rewards import Reward, compose
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Scored, Verdict


class CellState(StrEnum):
    """``WAITING``: no verdict has arrived. ``UNSCORED``: verdicts have, none with a score."""

    SCORED = "scored"
    UNSCORED = "unscored"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class SampledVerdict:
    """A verdict with the judge (its place in the ensemble) and the repeat that it came from."""

    judge: int
    repeat: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the samples say of one criterion: how far its statement is true.

    ``share`` is the mean truth over the ``judged`` samples, of yes-or-no verdicts the share of
    those that say yes, and ``None`` where there are none; ``unjudged`` samples gave no verdict on it.
    """

    position: int
    share: float | None
    judged: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One response under one method.

    ``score`` is the mean of the ``n`` scored samples in the method's scale, ``std`` their
    standard deviation (``None`` below two), ``unscored`` the number of samples without a
    score, ``missing`` of those that the run has not asked for yet. ``rank`` is by score within
    the column; ``advantage`` by ``reward.total``.
    """

    method: str
    state: CellState
    score: float | None = None
    std: float | None = None
    n: int = 0
    unscored: int = 0
    missing: int = 0
    reward: Reward | None = None
    rank: int | None = None
    advantage: float | None = None
    verdicts: tuple[SampledVerdict, ...] = ()
    criteria: tuple[Consensus, ...] = ()

    @property
    def total(self) -> float | None:
        """The reward that a trainer would get, ``None`` where there is none or a part of it is unknown."""
        return None if self.reward is None else self.reward.total

    @property
    def standing(self) -> str:
        """How many samples there are of those that the run asks for: "2 of 3"."""
        return f"{len(self.verdicts)} of {len(self.verdicts) + self.missing}"

    @property
    def scored_verdicts(self) -> tuple[SampledVerdict, ...]:
        """The ``n`` samples that ``score`` is the mean of."""
        return tuple(one for one in self.verdicts if isinstance(one.verdict, Scored))


def cell_of(
    method: Method,
    rubric: Rubric,
    trajectory: Trajectory,
    verdicts: Sequence[SampledVerdict],
    verified: tuple[bool | None, ...],
    planned: int = 1,
) -> Cell:
    """A cell on its own, without the rank and the advantage that only its group decides.

    ``verified`` (V,) says for each of the rubric's verifiers whether it holds, ``None`` where unknown.
    ``planned`` is how many samples a finished run has here at least.
    """
    scores = [one.verdict.score for one in verdicts if isinstance(one.verdict, Scored)]
    score = mean(scores)
    cell = Cell(
        method=method.name,
        state=CellState.UNSCORED if verdicts else CellState.WAITING,
        unscored=len(verdicts) - len(scores),
        missing=max(planned - len(verdicts), 0),
        verdicts=tuple(verdicts),
        criteria=_consensus(verdicts),
    )
    if score is None:
        return cell
    return replace(
        cell,
        state=CellState.SCORED,
        score=score,
        std=sample_std(scores),
        n=len(scores),
        reward=full_reward(method, rubric, method.reward(score, rubric), verified, trajectory.independent_reward),
    )


def full_reward(
    method: Method, rubric: Rubric, level: float, verified: tuple[bool | None, ...], independent: float | None
) -> Reward:
    """The reward with this method in the judge's place; verifiers are not counted twice where they are the method.

    ``level`` is the method's own reward in [0, 1].
    """
    if not method.asks:
        rubric = rubric.model_copy(update={"scoring": rubric.scoring.model_copy(update={"judge_weight": 0.0})})
    return compose(rubric, level, verified=verified, independent=independent)


def _consensus(verdicts: Sequence[SampledVerdict]) -> tuple[Consensus, ...]:
    said: dict[int, list[float | None]] = {}
    for one in verdicts:
        for mark in one.verdict.criteria:
            said.setdefault(mark.position, []).append(mark.truth)
    found = []
    for position, marks in sorted(said.items()):
        judged = [mark for mark in marks if mark is not None]
        share = sum(judged) / len(judged) if judged else None
        found.append(Consensus(position, share, len(judged), len(marks) - len(judged)))
    return tuple(found)
