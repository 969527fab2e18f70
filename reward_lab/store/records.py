"""What the store takes and gives back, beside the words of :mod:`reward_lab.core`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Item, Progress, RunState, Usage
from reward_lab.core.verdict import Fault, Verdict


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item of a run to be created. ``group`` is the group's place in the run, from 0; the rest as in ``Item``."""

    group: int
    method: str
    trajectory_id: str | None = None
    judge: int = 0
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item with what became of it. ``fault`` is the first that cost a verdict, ``None`` where none did."""

    item: Item
    fault: Fault | None
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict with its place in the run. ``judge`` is the judge's place in the ensemble."""

    item_id: int
    group_id: int
    method: str
    judge: int
    repeat: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RubricVersion:
    """A version of a rubric. ``number`` counts from 1; ``name`` is "" for one that was never named.

    ``origin`` is the name and number of the version that it was made from, where that is known.
    """

    id: int
    name: str
    number: int
    rubric: Rubric
    note: str
    author: str
    created_at: datetime
    origin: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class RubricSave:
    """The version that is current now. ``saved`` is false where another save came first: ``version`` is that one."""

    version: RubricVersion
    saved: bool


@dataclass(frozen=True, slots=True)
class RubricSummary:
    """A named rubric: how many versions it has, which is current (``head``), and when the last was saved."""

    name: str
    versions: int
    head: int
    updated_at: datetime
    archived: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the editor. ``version`` goes up by one with each save, from 1."""

    id: str
    content: Mapping[str, Json]
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class DraftSave:
    """The draft as it is stored now. ``saved`` is false where another save came first: ``draft`` is that one."""

    draft: Draft
    saved: bool


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A line of the list of runs. ``opening`` is the first words of the first group's scenario."""

    id: int
    name: str
    state: RunState
    created_at: datetime
    finished_at: datetime | None
    rubric_name: str
    rubric_version: int
    models: tuple[str, ...]
    methods: tuple[str, ...]
    draft_id: str | None
    groups: int
    opening: str
    progress: Progress
    usage: Usage
    sweep_id: int | None = None


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are listed; all of what is set must hold.

    ``search`` is looked for in the names of run, rubric and groups and in the openings of the scenarios, letters of
    either case alike. ``method`` and ``model`` (a part of its name) are among the run's.
    """

    search: str = ""
    method: str | None = None
    model: str | None = None
    state: RunState | None = None


ALL_RUNS = RunFilter()


@dataclass(frozen=True, slots=True)
class RunPage:
    """A page of runs, newest first; ``total`` counts all that match."""

    rows: tuple[RunSummary, ...]
    total: int
