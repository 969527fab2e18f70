"""Sweep figures: where a sweep and its cells stand, in figures that are cheap enough to be asked for every second."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import TypeAlias

from reward_lab.core.methods import method_named
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Progress, RunState, Usage
from reward_lab.core.sweep import SweepCell, SweepPlan, progress_together, state_together, usage_together
from reward_lab.core.verdict import Reason
from reward_lab.store import RunSummary, Store

_OVER = (RunState.FINISHED, RunState.CANCELLED)
_KEPT = 256

_Standing: TypeAlias = tuple[str, datetime | None]
"""The stored state of a run and its end."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean reward over ``n`` responses."""

    value: float
    n: int


@dataclass(frozen=True, slots=True)
class CellStatus:
    """Where one cell stands. ``run`` is ``None`` before it is laid out.

    ``means`` has the mean reward by method over the responses scored so far, without weights and verifiers as on the
    Compare page; ``failures`` counts unscored items by reason; ``stopping`` is what the run was asked to become.
    """

    cell: SweepCell
    run: RunSummary | None = None
    means: Mapping[str, Mean] = field(default_factory=dict)
    failures: Mapping[Reason, int] = field(default_factory=dict)
    stopping: RunState | None = None


@dataclass(frozen=True, slots=True)
class SweepStatus:
    """Where a sweep stands. ``laying_out``: runs of it are still being stored by this process."""

    id: int
    created_at: datetime
    plan: SweepPlan
    cells: tuple[CellStatus, ...]
    laying_out: bool

    @property
    def runs(self) -> tuple[RunSummary, ...]:
        """The runs so far, in the order of the cells."""
        return tuple(cell.run for cell in self.cells if cell.run is not None)

    @property
    def state(self) -> RunState:
        """Where its runs stand together; one that is still to be laid out is running, or else interrupted."""
        if self.laying_out:
            return RunState.RUNNING
        state = state_together({run.state for run in self.runs})
        whole = len(self.runs) == len(self.cells)
        return RunState.INTERRUPTED if state is RunState.FINISHED and not whole else state

    @property
    def progress(self) -> Progress:
        """The items of all runs so far."""
        return progress_together(run.progress for run in self.runs)

    @property
    def usage(self) -> Usage:
        """What all runs took together."""
        return usage_together([run.usage for run in self.runs])

    @property
    def budget_is_spent(self) -> bool:
        """Whether what the runs cost, as far as all of it is known, has reached the budget."""
        budget, cost = self.plan.settings.budget_usd, self.usage.cost_usd
        return budget is not None and cost is not None and cost >= budget


class SweepFigures:
    """Reads cells from the store; those whose runs are over once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = Lock()
        self._over: OrderedDict[int, tuple[_Standing, CellStatus]] = OrderedDict()

    def of(self, cells: Mapping[int, SweepCell], *, repeats: int) -> dict[int, CellStatus]:
        """Run id -> where its cell stands."""
        found = self._known(list(cells))
        # The runs first: what is counted after a run was seen to be over does not change any more.
        read = self._store.run_summaries([run_id for run_id in cells if run_id not in found])
        stops = self._store.stops_requested([run.id for run in read])
        failures = self._store.failures([run.id for run in read])
        for run in read:
            cell = cells[run.id]
            counts = self._store.score_counts(run.id, sampled=len(cell.judges) > 1 or repeats > 1)
            found[run.id] = CellStatus(
                cell,
                run,
                means={name: _mean(name, scores, cell.rubric.rubric) for name, scores in counts.items()},
                failures=failures[run.id],
                stopping=stops.get(run.id) if run.state is RunState.RUNNING else None,
            )
            if run.state in _OVER:
                self._keep(run, found[run.id])
        return found

    def _known(self, run_ids: Sequence[int]) -> dict[int, CellStatus]:
        """Those that are over, and stand as they did when they were read: one that was taken up again does not."""
        standing = self._store.standing_of(run_ids)
        with self._turn:
            kept = {run_id: self._over[run_id] for run_id in standing if run_id in self._over}
        return {run_id: cell for run_id, (stood, cell) in kept.items() if stood == standing[run_id]}

    def _keep(self, run: RunSummary, cell: CellStatus) -> None:
        with self._turn:
            self._over[run.id] = (run.state.value, run.finished_at), cell
            while len(self._over) > _KEPT:
                self._over.popitem(last=False)


def _mean(method: str, counts: Mapping[float, int], rubric: Rubric) -> Mean:
    n = sum(counts.values())
    total = sum(method_named(method).reward(score, rubric) * count for score, count in counts.items())
    return Mean(total / n, n)
