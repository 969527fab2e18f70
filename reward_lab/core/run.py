"""Run: groups x methods under one rubric version and one judge setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, field_validator

from reward_lab.core.chat import Message
from reward_lab.core.group import Group
from reward_lab.core.judge import Ensemble
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Fault, Verdict


class RunSettings(BaseModel):
    """What a run does with its groups.

    ``repeats`` asks every question so many times, each in an order of its own. ``budget_usd``
    stops the run before a call once so much is spent; calls of unknown cost cannot be counted
    against it. ``ask_again`` leaves stored replies aside and asks the judge anew.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    methods: tuple[str, ...]
    repeats: int = Field(default=1, ge=1, le=100)
    seed: int = 0
    budget_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    ask_again: bool = False

    @field_validator("methods")
    @classmethod
    def _some_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError("choose at least one method")
        return tuple(dict.fromkeys(value))


class ItemStatus(StrEnum):
    """Where one item of a run stands; committed as it changes."""

    PENDING = "pending"
    RUNNING = "running"
    SCORED = "scored"
    PARTLY = "partly_scored"
    UNSCORED = "unscored"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the item was asked and answered, well or badly."""
        return self in (ItemStatus.SCORED, ItemStatus.PARTLY, ItemStatus.UNSCORED)


class RunState(StrEnum):
    """Where a run stands, and what it is after something happens to it::

        state        claimed  pause      cancel     resume    its process ends
        RUNNING      no (1)   asked (2)  asked (2)  refused   INTERRUPTED
        INTERRUPTED  RUNNING  PAUSED     CANCELLED  RUNNING   -
        PAUSED       no       PAUSED     CANCELLED  RUNNING   PAUSED
        CANCELLED    no       CANCELLED  CANCELLED  RUNNING   CANCELLED
        FINISHED     no       FINISHED   FINISHED   FINISHED  FINISHED

    (1) But by its maker, once. (2) It goes on until its calls in flight are back, a few seconds at most; then it is
    FINISHED where nothing is left, CANCELLED where that was asked for or its budget is spent, else PAUSED. What was
    not asked is pending in a paused run and cancelled in a cancelled one; both go on from there.
    """

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Item:
    """The smallest unit of work: one method on one group or trajectory, by one judge, once.

    ``group_id`` is the store's id of the group; ``trajectory_id`` the trajectory's own id, ``None``
    for a method whose unit is the group. ``judge`` is the judge's place in the run's ensemble.
    """

    id: int
    run_id: int
    group_id: int
    method: str
    trajectory_id: str | None
    judge: int
    repeat: int
    status: ItemStatus = ItemStatus.PENDING


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a judge: what was asked, what came back, what it took. Unknown figures are ``None``.

    ``key`` is the identity of the question (everything asked and how). ``cached`` calls cost
    nothing again; their tokens and cost are those of the call that was made.
    """

    key: str
    messages: tuple[Message, ...]
    reply: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    cached: bool = False
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What one item came to: its final status, a verdict a trajectory, and the calls it took."""

    item_id: int
    status: ItemStatus
    verdicts: tuple[Verdict, ...]
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls made and what they took. A sum with an unknown part is unknown (``None``)."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost_usd: float | None = 0.0
    latency_s: float | None = None
    """Mean seconds of the calls that were made, not cached."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Items of a run, or of one method in it, by status."""

    counts: Mapping[ItemStatus, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All items."""
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        """Items asked and answered."""
        return sum(count for status, count in self.counts.items() if status.is_final)


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be planned.

    ``draft_id`` ties the iterations of one draft together, ``sweep_id`` the cells of one sweep, whose budget is that
    of all its runs together.
    """

    groups: tuple[Group, ...]
    rubric: Rubric
    judges: Ensemble
    settings: RunSettings
    name: str = ""
    rubric_name: str = ""
    draft_id: str | None = None
    sweep_id: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run, without its verdicts."""

    id: int
    name: str
    state: RunState
    created_at: datetime
    finished_at: datetime | None
    rubric: Rubric
    rubric_name: str
    rubric_version: int
    judges: Ensemble
    settings: RunSettings
    method_versions: Mapping[str, str]
    draft_id: str | None
    group_ids: tuple[int, ...]
    progress: Progress
    usage: Usage
    sweep_id: int | None = None
