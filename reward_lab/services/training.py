"""Training: a run as a trainer would see it, over all of its groups."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from reward_lab.core.cells import full_reward
from reward_lab.core.chat import transcript
from reward_lab.core.comparison import RunFigures
from reward_lab.core.group import Group
from reward_lab.core.matching import RunGroup
from reward_lab.core.methods import method_named
from reward_lab.core.methods.verifier import verify
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Run
from reward_lab.core.training import GroupRewards, TrainingView, training_view
from reward_lab.errors import InvalidRun
from reward_lab.services.comparison import run_figures
from reward_lab.services.results import DEFAULT_CONVENTION
from reward_lab.store import Store

T = TypeVar("T")

_MEASURED = 400
"""So many groups, spread over the run, have the length of their responses measured."""
_AT_ONCE = 200
_KEPT = 4


@dataclass(frozen=True, slots=True)
class RunTraining:
    """A run's groups with their rewards by one method, in the run's order, and what a trainer makes of them.

    ``figures`` are the rewards in [0, 1] of every method, before weights and verifiers.
    """

    run: Run
    method: str
    figures: RunFigures
    groups: tuple[GroupRewards, ...]
    view: TrainingView


class Trainings:
    """Reads runs for training. Safe for the threads of several tabs; runs that are over are read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read_lately: OrderedDict[object, tuple[RunFigures, tuple[GroupRewards, ...]]] = OrderedDict()
        self._seen_lately: OrderedDict[object, RunTraining] = OrderedDict()
        self._turn = threading.Lock()

    def of(self, run_id: int, *, method: str | None = None, convention: str = DEFAULT_CONVENTION) -> RunTraining:
        """The training view of a run; of one in progress, what is known so far.

        ``method`` is the one whose rewards the trainer would get: the run's first one by default.

        Raises:
            NotFound: there is no such run.
            InvalidRun: an unknown convention, or a method that the run has not.
        """
        run = self._store.run(run_id)
        chosen = method or run.settings.methods[0]
        if chosen not in run.settings.methods:
            raise InvalidRun(f"Run {run_id} has no {chosen!r}: choose from {', '.join(run.settings.methods)}.")
        key = (run.id, run.state, tuple(sorted(run.progress.counts.items())), chosen)
        figures, groups = self._kept(self._read_lately, key, lambda: self._read(run, chosen))
        return self._kept(
            self._seen_lately,
            (*key, convention),
            lambda: RunTraining(run, chosen, figures, groups, training_view(groups, convention)),
        )

    def _kept(self, lately: OrderedDict[object, T], key: object, work_out: Callable[[], T]) -> T:
        with self._turn:
            known = lately.get(key)
        if known is None:
            known = work_out()
            with self._turn:
                lately[key] = known
                while len(lately) > _KEPT:
                    lately.popitem(last=False)
        return known

    def _read(self, run: Run, method: str) -> tuple[RunFigures, tuple[GroupRewards, ...]]:
        placed = self._store.run_groups([run.id])[run.id]
        figures = run_figures(self._store, run, placed, None)
        levels = self._levels(run, method, placed)
        stride = -(-len(placed) // _MEASURED)
        texts_matter = bool(run.rubric.verifiers) or run.rubric.scoring.add_independent
        found = [GroupRewards(_totals(run.rubric, method, of_group, None), of_group) for of_group in levels]
        for place, group in self._groups([one.id for one in placed], stride=1 if texts_matter else stride):
            measured = place % stride == 0
            found[place] = GroupRewards(
                _totals(run.rubric, method, levels[place], group),
                levels[place],
                tuple(len(transcript(one.messages)) for one in group.trajectories) if measured else None,
            )
        return figures, tuple(found)

    def _levels(self, run: Run, name: str, placed: Sequence[RunGroup]) -> list[tuple[float | None, ...]]:
        """Not rounded, as those of the figures are: a weight would make the rounding larger."""
        method = method_named(name)
        sampled = len(run.judges) > 1 or run.settings.repeats > 1
        scores = self._store.mean_scores(run.id, placed, [name], sampled=sampled)
        return [
            tuple(
                None if score is None else method.reward(score, run.rubric)
                for score in scores[group.id].get(name) or [None] * len(group.members)
            )
            for group in placed
        ]

    def _groups(self, ids: Sequence[int], *, stride: int) -> Iterator[tuple[int, Group]]:
        """Every ``stride``-th group with its place, some at a time."""
        places = range(0, len(ids), stride)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            stored = self._store.groups(ids[place] for place in some)
            yield from ((place, stored[ids[place]]) for place in some)


def _totals(rubric: Rubric, name: str, levels: Sequence[float | None], group: Group | None) -> tuple[float | None, ...]:
    """(G,) full rewards. Without the ``group`` what depends on its text is unknown."""
    method = method_named(name)
    members = [None] * len(levels) if group is None else group.trajectories
    totals: list[float | None] = []
    for level, member in zip(levels, members, strict=True):
        if level is None:
            totals.append(None)
        elif group is None or member is None:
            unknown = (None,) * len(rubric.verifiers)
            totals.append(full_reward(method, rubric, level, unknown, None).total)
        else:
            verified = verify(rubric, group, member)
            totals.append(full_reward(method, rubric, level, verified, member.independent_reward).total)
    return tuple(totals)
