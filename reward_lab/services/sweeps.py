"""Sweeps: score many groups under several rubric versions, judges and system prompts at once.

A sweep is stored as it was planned before its first run is. Its cells are then laid out one after another in the
background, each as an ordinary run that begins at once, so that the first scores come within a second or two. Whatever
ends the process, :meth:`Sweeps.resume` goes on with the runs that are not over and lays out those that were not.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from reward_lab.core.chat import content_hash
from reward_lab.core.group import Group
from reward_lab.core.run import NewRun, RunState
from reward_lab.core.sweep import SweepCell, SweepPlan, keeping_own_prompt, sweep_cells, under_prompt
from reward_lab.errors import InvalidRun, NotFound
from reward_lab.services.engine import Engine
from reward_lab.services.loop import BackgroundLoop
from reward_lab.services.planning import CallEstimate, Estimate, Extent, estimate, method_versions
from reward_lab.services.planning import plan as items_of
from reward_lab.services.scoring import Scoring
from reward_lab.services.sweep_figures import CellStatus, Mean, SweepFigures, SweepStatus
from reward_lab.store import Listing, RunFilter, Store, SweepSummary

__all__ = ["CellStatus", "Listing", "Mean", "SweepEstimate", "SweepStatus", "SweepSummary", "Sweeps"]

_log = logging.getLogger(__name__)

_MEASURED = 20
"""Groups that an estimate is taken from, spread over all: a sweep may be of thousands."""
_KEPT = 64


@dataclass(frozen=True, slots=True)
class SweepEstimate:
    """What a sweep will take at most, by cell: questions that two cells share are asked once.

    ``responses`` are those of the groups, whatever the number of cells. ``exact`` is false where the figures are
    scaled up from some of the groups. Of the ``looked_at`` responses of those, ``own_prompts`` keep a system message
    of their own under any prompt.
    """

    cells: tuple[Estimate, ...]
    groups: int
    responses: int
    looked_at: int
    own_prompts: int
    exact: bool

    @property
    def total(self) -> CallEstimate:
        """All cells together; the cost is ``None`` where that of any cell is."""
        costs = [cell.cost_usd for cell in self.cells]
        known = [cost for cost in costs if cost is not None]
        return CallEstimate(
            calls=sum(cell.calls for cell in self.cells),
            prompt_tokens=sum(cell.prompt_tokens for cell in self.cells),
            completion_tokens=sum(cell.completion_tokens for cell in self.cells),
            cost_usd=sum(known) if len(known) == len(costs) else None,
        )


class Sweeps:
    """What a person does with sweeps. Safe for the threads of several tabs."""

    def __init__(self, store: Store, scoring: Scoring, engine: Engine, loop: BackgroundLoop) -> None:
        self._store = store
        self._scoring = scoring
        self._engine = engine
        self._loop = loop
        self._figures = SweepFigures(store)
        self._turn = Lock()
        self._laying: dict[int, RunState | None] = {}
        """The sweeps being laid out, each with what it was asked to become meanwhile."""
        self._plans: OrderedDict[int, tuple[datetime, SweepPlan, tuple[SweepCell, ...]]] = OrderedDict()
        self._estimates: OrderedDict[object, Estimate] = OrderedDict()

    def estimate(self, plan: SweepPlan) -> SweepEstimate:
        """Calls, tokens and cost of a sweep that is not started yet.

        Raises:
            InvalidInput: what is missing or too much, and the next step (:func:`~reward_lab.core.sweep.sweep_cells`).
            NotFound: a group is not stored.
        """
        plan = plan.without_repeats()
        cells = sweep_cells(plan)
        counts = self._responses(plan)
        ids = plan.group_ids
        chosen = (
            tuple(ids[place * len(ids) // _MEASURED] for place in range(_MEASURED)) if len(ids) > _MEASURED else ids
        )
        stored = self._store.groups(chosen)
        looked_at = [stored[one] for one in chosen]
        whole = Extent(len(ids), sum(counts.values()))
        return SweepEstimate(
            cells=tuple(self._estimate(plan, cell, chosen, looked_at, whole) for cell in cells),
            groups=len(ids),
            responses=whole.responses,
            looked_at=sum(len(group.trajectories) for group in looked_at),
            own_prompts=sum(map(keeping_own_prompt, looked_at)),
            exact=len(chosen) == len(ids),
        )

    def start(self, plan: SweepPlan) -> int:
        """Store a sweep and begin it; return its id at once. Raises as :meth:`estimate`."""
        plan = plan.without_repeats()
        sweep_cells(plan)
        method_versions(plan.settings)
        self._responses(plan)
        sweep_id = self._store.create_sweep(plan.name, plan.model_dump(mode="json"))
        self._begin(sweep_id)
        return sweep_id

    def status(self, sweep_id: int) -> SweepStatus:
        """Where a sweep stands now, its cells in the order of the plan. Raises :class:`NotFound`."""
        with self._turn:
            # Looked up before the runs are: what is laid out in between is not missed.
            laying_out = sweep_id in self._laying
        created_at, plan, cells = self._planned(sweep_id)
        run_ids = self._store.sweep_runs(sweep_id)
        # The list of runs may be shorter: the n-th is of the n-th cell.
        known = self._figures.of(dict(zip(run_ids, cells, strict=False)), repeats=plan.settings.repeats)
        told = tuple(known[run_ids[cell.place]] if cell.place < len(run_ids) else CellStatus(cell) for cell in cells)
        return SweepStatus(sweep_id, created_at, plan, told, laying_out)

    def pause(self, sweep_id: int) -> None:
        """Pause all runs that are not over (see :meth:`Scoring.pause`). Raises :class:`NotFound`."""
        self._stop(sweep_id, RunState.PAUSED)

    def cancel(self, sweep_id: int) -> None:
        """Cancel all runs that are not over (see :meth:`Scoring.cancel`). Raises :class:`NotFound`."""
        self._stop(sweep_id, RunState.CANCELLED)

    def resume(self, sweep_id: int) -> None:
        """Go on with every run that is not finished, and lay out those that were not; nothing finished is asked again.

        Raises :class:`NotFound`.
        """
        for cell in self.status(sweep_id).cells:
            if cell.run is not None and cell.run.state not in (RunState.RUNNING, RunState.FINISHED):
                with suppress(InvalidRun):  # somebody else took it up a moment ago
                    self._scoring.resume(cell.run.id)
        self._begin(sweep_id)

    def retry(self, sweep_id: int) -> None:
        """Ask once more what came out unscored in the runs that are not going on, and go on with what they have left.

        Raises :class:`NotFound`.
        """
        for cell in self.status(sweep_id).cells:
            if cell.run is not None and cell.run.state is not RunState.RUNNING:
                with suppress(InvalidRun):
                    self._scoring.retry(cell.run.id)
        self._begin(sweep_id)

    def listing(self, wanted: RunFilter, *, offset: int = 0, limit: int = 50) -> Listing:
        """Stored runs, newest first, a sweep on one line; filtered and paged in the database."""
        return self._store.listing(wanted, offset=offset, limit=limit)

    def _responses(self, plan: SweepPlan) -> dict[int, int]:
        counts = self._store.response_counts(plan.group_ids)
        missing = next((one for one in plan.group_ids if one not in counts), None)
        if missing is not None:
            raise NotFound(f"Group {missing} is not stored here: choose groups of a dataset, or add them to one.")
        return counts

    def _estimate(
        self, plan: SweepPlan, cell: SweepCell, chosen: Sequence[int], looked_at: Sequence[Group], whole: Extent
    ) -> Estimate:
        """One cell's estimate, kept for the next rerun of the page."""
        judges = tuple(judge.key for judge in cell.judges)
        asked = plan.settings.model_copy(update={"budget_usd": None, "ask_again": False})
        key = (tuple(chosen), whole, cell.rubric.rubric.key, judges, cell.prompt, asked)
        with self._turn:
            known = self._estimates.get(key)
        if known is not None:
            return known
        groups = [under_prompt(group, cell.prompt) for group in looked_at]
        found = estimate(groups, cell.rubric.rubric, cell.judges, plan.settings, whole=whole)
        with self._turn:
            self._estimates[key] = found
            while len(self._estimates) > 4 * _KEPT:
                self._estimates.popitem(last=False)
        return found

    def _planned(self, sweep_id: int) -> tuple[datetime, SweepPlan, tuple[SweepCell, ...]]:
        """What a sweep was planned as, which never changes: read once for the many times that a page asks."""
        with self._turn:
            known = self._plans.get(sweep_id)
        if known is None:
            stored = self._store.sweep(sweep_id)
            plan = SweepPlan.model_validate(stored.settings)
            known = (stored.created_at, plan, sweep_cells(plan))
            with self._turn:
                self._plans[sweep_id] = known
                while len(self._plans) > _KEPT:
                    self._plans.popitem(last=False)
        return known

    def _stop(self, sweep_id: int, state: RunState) -> None:
        self._planned(sweep_id)
        with self._turn:
            if sweep_id in self._laying:
                self._laying[sweep_id] = state
        for run_id in self._store.sweep_runs(sweep_id):
            self._ask_to_stop(run_id, state)

    def _ask_to_stop(self, run_id: int, state: RunState) -> None:
        if state is RunState.PAUSED:
            self._scoring.pause(run_id)
        else:
            self._scoring.cancel(run_id)

    def _begin(self, sweep_id: int) -> None:
        """Lay out what is missing, unless this process is at it."""
        with self._turn:
            at_it = sweep_id in self._laying
            self._laying[sweep_id] = None
        if not at_it:
            self._loop.submit(self._lay_out(sweep_id))

    async def _lay_out(self, sweep_id: int) -> None:
        try:
            _, plan, cells = await self._engine.aside(self._planned, sweep_id)
            begun = await self._engine.aside(self._store.sweep_runs, sweep_id)
            before = None
            for cell in cells[len(begun) :]:
                if self._laying[sweep_id] is not None:
                    return
                run_id = await self._engine.aside(self._create, sweep_id, plan, cell)
                if run_id is None:
                    continue
                asked = self._laying[sweep_id]
                if asked is None and before is not None:
                    # By another process, which knows of the runs alone.
                    asked = await self._engine.aside(self._store.stop_requested, before)
                if asked is not None:
                    await self._engine.aside(self._ask_to_stop, run_id, asked)
                    return
                self._engine.start(run_id)
                before = run_id
        except Exception:
            _log.exception("sweep %d was not laid out whole; it can be resumed", sweep_id)
            raise
        finally:
            with self._turn:
                del self._laying[sweep_id]

    def _create(self, sweep_id: int, plan: SweepPlan, cell: SweepCell) -> int | None:
        stored = self._store.groups(plan.group_ids)
        groups = tuple(under_prompt(stored[one], cell.prompt) for one in plan.group_ids)
        if cell.prompt is not None:
            groups = _once(groups)
        new = NewRun(
            groups=groups,
            rubric=cell.rubric.rubric,
            judges=cell.judges,
            settings=plan.settings,
            name=" · ".join(filter(None, (plan.name, cell.title))),
            rubric_name=cell.rubric.name,
            sweep_id=sweep_id,
        )
        return self._store.create_cell(cell.place, new, method_versions(new.settings), items_of(new))


def _once(groups: Sequence[Group]) -> tuple[Group, ...]:
    """The groups; those that differed by their system prompt alone, and now are equal, once."""
    return tuple({content_hash(group.to_record()): group for group in groups}.values())
