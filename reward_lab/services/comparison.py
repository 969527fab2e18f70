"""Comparisons: a baseline run beside others, as light figures of all their groups and as tables of the open one."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from reward_lab.core.advantages import rounded
from reward_lab.core.agreement import Estimate
from reward_lab.core.changes import Change, Setup, changed_settings
from reward_lab.core.chat import transcript
from reward_lab.core.comparison import (
    Comparison,
    GroupFigures,
    RunFigures,
    comparison,
    paired_difference,
)
from reward_lab.core.group import Scenario
from reward_lab.core.matching import RunGroup
from reward_lab.core.methods import method_named
from reward_lab.core.movement import Movement, movement
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Run
from reward_lab.core.table import ScoreTable
from reward_lab.errors import InvalidRun
from reward_lab.services.results import DEFAULT_CONVENTION, table_of
from reward_lab.store import Store

_log = logging.getLogger(__name__)

MOST_RUNS = 6
_WHOLE = object()
_KEPT = 6
"""So many comparisons are held for the process: each rerun of a page asks for the same one."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A baseline and other runs, the baseline first.

    ``changes`` are the settings that differ, for each other run; of the scenario those of the first group in common.
    ``differences`` holds the intervals that were asked for, by place among the other runs and method.
    """

    runs: tuple[Run, ...]
    figures: Comparison
    changes: tuple[tuple[Change, ...], ...]
    differences: dict[tuple[int, str], Estimate] = field(default_factory=dict)

    def difference(self, run: int, method: str) -> Estimate:
        """The paired difference of mean rewards; see :func:`~reward_lab.core.comparison.paired_difference`."""
        if (run, method) not in self.differences:
            self.differences[run, method] = paired_difference(self.figures, run, method)
        return self.differences[run, method]


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """One group in full: its table in each run (``None``: the run has no such group), and what moved in each other."""

    tables: tuple[ScoreTable | None, ...]
    movements: tuple[Movement | None, ...]

    @property
    def baseline(self) -> ScoreTable:
        """The baseline's table, which is always there."""
        table = self.tables[0]
        if table is None:
            raise ValueError("a group of a comparison is in its baseline")
        return table


class Comparisons:
    """Compares stored runs. Safe for the threads of several tabs.

    Runs with more than ``at_once`` items are read one method first, all others a moment later in the background, so
    that a page opens at once and finds the rest when it asks for it.
    """

    def __init__(self, store: Store, *, at_once: int = 10_000, later_s: float = 1.5) -> None:
        self._store = store
        self._at_once = at_once
        self._later_s = later_s
        self._kept: OrderedDict[object, Future[Compared]] = OrderedDict()
        self._turn = threading.Lock()

    def of(self, run_ids: Sequence[int], *, only: str | None = None, whole: bool = True) -> Compared:
        """Compare the runs, the first of them being the baseline; of one in progress what is known so far.

        Without ``whole`` the figures of ``only`` (else of the first method in common) are enough: of large runs the
        others may be missing.

        Raises:
            NotFound: a run is not stored.
            InvalidRun: fewer than two different runs, or more than six.
        """
        ids = tuple(dict.fromkeys(run_ids))
        if not 2 <= len(ids) <= MOST_RUNS:
            raise InvalidRun(
                f"{len(ids)} runs were given to compare: choose a baseline and one to {MOST_RUNS - 1} others."
            )
        # Asked by every rerun of a page: runs that are over are not read again.
        standing = self._store.standing_of(ids)
        stamp: object = tuple((run_id, standing.get(run_id)) for run_id in ids)
        if any(run_id not in standing or standing[run_id][1] is None for run_id in ids):
            runs = tuple(self._store.run(run_id) for run_id in ids)
            stamp = tuple((run.id, run.state, *sorted(run.progress.counts.items())) for run in runs)
        known = self._known((stamp, _WHOLE))
        if whole or known is not None:
            return known or self._once((stamp, _WHOLE), ids, None)
        known = self._known((stamp, only))
        return known or self._narrow(stamp, ids, only)

    def _narrow(self, stamp: object, ids: Sequence[int], only: str | None) -> Compared:
        runs = [self._store.run(run_id) for run_id in ids]
        shared = [name for name in runs[0].settings.methods if any(name in one.settings.methods for one in runs[1:])]
        if sum(run.progress.total for run in runs) <= self._at_once or not shared:
            return self._once((stamp, _WHOLE), ids, None)
        found = self._once((stamp, only), ids, (only if only in shared else shared[0],))
        later = threading.Timer(self._later_s, self._in_background, ((stamp, _WHOLE), ids))
        later.daemon = True
        later.start()
        return found

    def _known(self, key: object) -> Compared | None:
        """What was worked out already."""
        with self._turn:
            future = self._kept.get(key)
        return future.result() if future is not None and future.done() and future.exception() is None else None

    def _once(self, key: object, ids: Sequence[int], methods: Sequence[str] | None) -> Compared:
        """Work it out, or wait for the thread that is at it."""
        with self._turn:
            future = self._kept.get(key)
            mine = future is None
            if future is None:
                future = self._kept[key] = Future()
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        if mine:
            try:
                future.set_result(self._compared(tuple(self._store.run(run_id) for run_id in ids), methods))
            except Exception as error:  # noqa: BLE001 - told to everyone who waits, this thread among them
                with self._turn:
                    self._kept.pop(key, None)
                future.set_exception(error)
        return future.result()

    def _in_background(self, key: object, ids: Sequence[int]) -> None:
        try:
            self._once(key, ids, None).figures.method_gaps()
        except Exception:  # noqa: BLE001 - nobody waits for it: who asks next is told
            _log.warning("runs %s could not be compared in the background", ids, exc_info=True)

    def group(
        self, compared: Compared, place: int, *, method: str | None = None, convention: str = DEFAULT_CONVENTION
    ) -> OpenGroup:
        """The group at this place of the comparison, in full. ``method`` is the one whose rewards a trainer would get.

        Raises:
            InvalidRun: an unknown convention.
        """
        found = compared.figures.groups[place].found
        stored = self._store.groups(one.id for one in found if one is not None)
        tables: list[ScoreTable | None] = []
        for run, one in zip(compared.runs, found, strict=True):
            if one is None:
                tables.append(None)
                continue
            reward_method = method if method in run.settings.methods else None
            verdicts = self._store.verdicts(run.id, group_id=one.id)
            tables.append(table_of(run, stored[one.id], verdicts, convention, reward_method))
        old = tables[0]
        moves = [None if old is None or table is None else movement(old, table) for table in tables[1:]]
        return OpenGroup(tuple(tables), tuple(moves))

    def lengths(self, compared: Compared, places: Iterable[int]) -> Mapping[int, tuple[int, ...]]:
        """The length in characters of each response of these groups of the baseline, tool calls included."""
        ids = {place: compared.figures.groups[place].group.id for place in places}
        stored = self._store.groups(ids.values())
        return {
            place: tuple(len(transcript(one.messages)) for one in stored[group_id].trajectories)
            for place, group_id in ids.items()
        }

    def _compared(self, runs: tuple[Run, ...], methods: Sequence[str] | None) -> Compared:
        groups = self._store.run_groups([run.id for run in runs])
        baseline, *others = [run_figures(self._store, run, groups[run.id], methods) for run in runs]
        found = comparison(baseline, others)
        return Compared(runs, found, tuple(self._changes(runs, found, place) for place in range(len(others))))

    def _changes(self, runs: Sequence[Run], found: Comparison, place: int) -> tuple[Change, ...]:
        """What differs between the baseline and another run."""
        shared = next((one for group in found.groups if (one := _pair(group.found, place)) is not None), None)
        scenarios = (Scenario(), Scenario())
        if shared is not None:
            stored = self._store.groups(shared)
            scenarios = (stored[shared[0]].scenario, stored[shared[1]].scenario)
        old, new = (
            Setup(scenario, run.rubric, run.judges, run.settings, run.method_versions)
            for scenario, run in zip(scenarios, (runs[0], runs[place + 1]), strict=True)
        )
        return changed_settings(old, new)


def _pair(found: Sequence[RunGroup | None], place: int) -> tuple[int, int] | None:
    old, new = found[0], found[place + 1]
    return None if old is None or new is None else (old.id, new.id)


def run_figures(store: Store, run: Run, groups: Sequence[RunGroup], only: Sequence[str] | None) -> RunFigures:
    """The rewards of a run, as its score tables have them before weights and verifiers; of some methods or all."""
    methods = [name for name in run.settings.methods if only is None or name in only]
    rewards = {name: _Rewards(name, run.rubric) for name in methods}
    sampled = len(run.judges) > 1 or run.settings.repeats > 1
    scores = store.mean_scores(run.id, groups, methods, sampled=sampled)
    gaps: dict[int, list[float]] = defaultdict(list)
    for group_id, method, _, low, high in store.judge_extremes(run.id) if len(run.judges) > 1 else ():
        if method in rewards:
            gaps[group_id].append((rewards[method][high] or 0.0) - (rewards[method][low] or 0.0))
    figures = [
        GroupFigures(
            group,
            {
                name: tuple(map(rewards[name].__getitem__, scores[group.id].get(name) or [None] * len(group.members)))
                for name in methods
            },
            sum(gaps[group.id]) / len(gaps[group.id]) if group.id in gaps else None,
        )
        for group in groups
    ]
    return RunFigures(run.id, run.settings.methods, tuple(figures))


class _Rewards(dict[float | None, float | None]):
    """Scores of one method -> rewards in [0, 1], worked out once: the same few scores come again and again."""

    def __init__(self, method: str, rubric: Rubric) -> None:
        super().__init__({None: None})
        self._method = method_named(method)
        self._rubric = rubric

    def __missing__(self, score: float) -> float:
        self[score] = reward = rounded(self._method.reward(score, self._rubric))
        return reward
