"""Results: a run as a person reads it, as a table with its sentence, its cautions and what moved."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core.cautions import Caution, cautions
from reward_lab.core.changes import Change, Setup, changed_parts, changed_settings
from reward_lab.core.chat import Json
from reward_lab.core.group import Group
from reward_lab.core.movement import Movement, in_common, movement
from reward_lab.core.reasons import sentence_of, told_to_judge
from reward_lab.core.run import Call, NewRun, Run, RunState, Usage
from reward_lab.core.sentences import movement_sentence, result_sentence
from reward_lab.core.table import Cell, Sample, ScoreTable, score_table
from reward_lab.core.verdict import Scored, Unscored
from reward_lab.errors import NotFound, RewardLabError
from reward_lab.store import Store, StoredVerdict

_log = logging.getLogger(__name__)

DEFAULT_CONVENTION = "trl_grpo"

_LOOKED_BACK = 20
"""So many earlier runs are looked at for one to compare with."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What changed since an earlier run of the same responses: the settings, and the scores that followed."""

    since: Run
    sentence: str
    changes: tuple[Change, ...]
    movement: Movement


@dataclass(frozen=True, slots=True)
class Incomparable:
    """An earlier run that should have been compared with, and why it cannot be."""

    run_id: int
    why: str


@dataclass(frozen=True, slots=True)
class Result:
    """One group of a run. Of a run in progress: what is known so far.

    ``moved`` is ``None`` where there is no earlier run to compare with; ``incomparable`` are those that were passed
    over because they cannot be read or share nothing.
    """

    run: Run
    group_id: int
    table: ScoreTable
    sentence: str
    cautions: tuple[Caution, ...]
    moved: Moved | None
    incomparable: tuple[Incomparable, ...] = ()


class Results:
    """Reads runs from the store into tables and records."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(
        self,
        run_id: int,
        *,
        group_id: int | None = None,
        convention: str = DEFAULT_CONVENTION,
        reward_method: str | None = None,
        since: int | None = None,
    ) -> Result:
        """One group of a run (the first where none is named), and what moved since an earlier run.

        ``reward_method`` is the method whose rewards the trainer would get: the run's first one
        by default. ``since`` is the earlier run to compare with: by default the last one of the
        draft that has scores in common with this one, by the same models if there is one. One
        that cannot be compared is told in ``incomparable``, and never stands in the way.

        Raises:
            NotFound: there is no such run, or the group is not in it.
            InvalidRun: an unknown convention, or a reward method that the run has not scored.
        """
        run = self._store.run(run_id)
        chosen = _chosen_group(run, group_id)
        table = self._table(run, chosen, convention, reward_method)
        moved, incomparable = self._moved(run, table, convention, reward_method, since)
        return Result(run, chosen, table, result_sentence(table), _cautions(run, table), moved, incomparable)

    def earlier(self, run_id: int) -> tuple[int, ...]:
        """The runs before this one that it may be compared with, the last one first: of its draft, else alike.

        Raises:
            NotFound: there is no such run.
        """
        return tuple(self._before(run_id))

    def edits(self, run: Run, new: NewRun) -> tuple[str, ...]:
        """What ``new`` would ask otherwise than ``run`` did of its first group, as a person calls it; () for nothing.

        "the rubric", "the responses" ...: what decides verdicts or rewards, not names or the budget.
        """
        group = self._store.groups(run.group_ids[:1])[run.group_ids[0]]
        (mine,) = new.groups[:1]
        asked = Setup(mine.scenario, new.rubric, new.judges, new.settings, run.method_versions)
        parts = changed_parts(_setup(run, group), asked)
        return parts if _answers(group) == _answers(mine) else (*parts, "the responses")

    def calls(self, run_id: int, group_id: int, method: str, trajectory_id: str) -> list[Call]:
        """The calls behind one cell, oldest first: prompt, raw reply, usage. [] for a method that asks no judge."""
        behind = [
            stored.item
            for stored in self._store.items(run_id, group_id=group_id)
            if stored.item.method == method and stored.item.trajectory_id in (None, trajectory_id)
        ]
        return [call for item in behind for call in self._store.calls(run_id, item_id=item.id)]

    def run(self, run_id: int) -> Run:
        """A stored run without its verdicts. Raises :class:`NotFound`."""
        return self._store.run(run_id)

    def tables(self, run_id: int) -> Iterator[ScoreTable]:
        """The score table of every group of a run, in its order. Raises :class:`NotFound`."""
        run = self._store.run(run_id)
        for group_id in run.group_ids:
            yield self._table(run, group_id, DEFAULT_CONVENTION, None)

    def records(self, run_id: int, *, convention: str = DEFAULT_CONVENTION) -> Iterator[dict[str, Json]]:
        """A run as records, one a group in the run's order; figures that are unknown are ``None``.

        ``{"id", "results": [{"trajectory_id", "method", "status", "score", "reward", "rank",
        "advantage", "explanation", "criteria", "reason", "told_to_judge"}], "usage": {"calls",
        "cached", "prompt_tokens", "completion_tokens", "cost_usd"}}``. ``reason`` is said to a
        person; where a reply could not be used, ``told_to_judge`` is what the judge was told of it.
        """
        run = self._store.run(run_id)
        for group_id in run.group_ids:
            table = self._table(run, group_id, convention, None)
            usage = self._store.usage(run_id, group_id=group_id)
            yield {
                "id": table.group.id,
                "results": [
                    _record(table, row.trajectory.id, row.cells[column.name])
                    for column in table.columns
                    for row in table.rows
                ],
                "usage": _usage_record(usage),
            }

    def _table(self, run: Run, group_id: int, convention: str, reward_method: str | None) -> ScoreTable:
        group = self._store.groups((group_id,))[group_id]
        return table_of(run, group, self._store.verdicts(run.id, group_id=group_id), convention, reward_method)

    def _before(self, run_id: int) -> Iterator[int]:
        before = self._store.previous_run(run_id)
        for _ in range(_LOOKED_BACK):
            if before is None:
                return
            yield before
            before = self._store.previous_run(before)

    def _moved(
        self, run: Run, table: ScoreTable, convention: str, reward_method: str | None, since: int | None
    ) -> tuple[Moved | None, tuple[Incomparable, ...]]:
        """Compare with an earlier run, and say of which that cannot be done."""
        incomparable: list[Incomparable] = []
        for earlier in self._alike_first(run, self._before(run.id) if since is None else (since,), incomparable):
            try:
                found = self._compared(earlier, run, table, convention, reward_method, chosen=since is not None)
            except _BROKEN as error:
                incomparable.append(_told(run, earlier.id, error))
                continue
            if found is not None:
                return found, tuple(incomparable)
        return None, tuple(incomparable)

    def _alike_first(self, run: Run, ids: Iterable[int], incomparable: list[Incomparable]) -> Iterator[Run]:
        """The runs that can be read: as they come those by the same models, after them the others."""
        models = [judge.model for judge in run.judges]
        others: list[Run] = []
        for earlier_id in ids:
            try:
                earlier = self._store.run(earlier_id)
            except _BROKEN as error:
                incomparable.append(_told(run, earlier_id, error))
                continue
            if [judge.model for judge in earlier.judges] == models:
                yield earlier
            else:
                others.append(earlier)
        yield from others

    def _compared(
        self, earlier: Run, run: Run, table: ScoreTable, convention: str, reward_method: str | None, *, chosen: bool
    ) -> Moved | None:
        """What moved since one earlier run; ``None`` where nothing is in common, unless it was chosen."""
        group_id = self._store.group_sharing(earlier.id, [row.trajectory.key for row in table.rows])
        if group_id is None:
            if chosen:
                raise NotFound(f"Run {earlier.id} has no response in common with this group: choose another run.")
            return None
        group = self._store.groups((group_id,))[group_id]
        method = reward_method if reward_method in earlier.settings.methods else None
        old = self._table(earlier, group_id, convention, method)
        if not (chosen or in_common(old, table)):
            return None
        found = movement(old, table)
        changes = changed_settings(_setup(earlier, group), _setup(run, table.group))
        return Moved(earlier, movement_sentence(found, f"run {earlier.id}"), changes, found)


def table_of(
    run: Run, group: Group, verdicts: Sequence[StoredVerdict], convention: str, reward_method: str | None
) -> ScoreTable:
    """The score table of one group of a run from its stored verdicts."""
    samples: dict[tuple[str, int, int], list[Scored | Unscored]] = defaultdict(list)
    for stored in verdicts:
        samples[stored.method, stored.judge, stored.repeat].append(stored.verdict)
    return score_table(
        group,
        run.rubric,
        [Sample(method, judge, repeat, tuple(one)) for (method, judge, repeat), one in samples.items()],
        methods=run.settings.methods,
        convention=convention,
        reward_method=reward_method or run.settings.methods[0],
        seed=run.settings.seed,
        planned=run.settings.repeats * len(run.judges),
    )


def _cautions(run: Run, table: ScoreTable) -> tuple[Caution, ...]:
    """The table's cautions once the run is over: before that, what is missing is merely not there yet.

    The offline judge says the same each time, so more repeats of it would tell nothing.
    """
    if run.state is RunState.RUNNING:
        return ()
    varies = any(not judge.is_offline for judge in run.judges)
    return tuple(caution for caution in cautions(table) if varies or caution.kind != "few_samples")


def _chosen_group(run: Run, group_id: int | None) -> int:
    if group_id is None:
        return run.group_ids[0]
    if group_id not in run.group_ids:
        raise NotFound(f"Group {group_id} is not in run {run.id}: open the run without a group and choose one there.")
    return group_id


_BROKEN = (RewardLabError, ValueError, KeyError)
"""What reading an earlier run may raise. Nothing that it left behind must keep anybody from the present one."""


def _told(run: Run, earlier_id: int, error: Exception) -> Incomparable:
    _log.warning("run %d cannot be compared with run %d", run.id, earlier_id, exc_info=error)
    return Incomparable(earlier_id, _reason_of(error))


def _reason_of(error: Exception) -> str:
    """An error in a line: its own words, or what it is about where it has none for a person."""
    if isinstance(error, RewardLabError):
        return str(error)
    return f"what is stored of it cannot be read ({(str(error).splitlines() or [type(error).__name__])[0][:160]})."


def _answers(group: Group) -> list[tuple[str, float | None]]:
    """What of the responses decides verdicts and rewards."""
    return [(one.key, one.independent_reward) for one in group.trajectories]


def _setup(run: Run, group: Group) -> Setup:
    return Setup(group.scenario, run.rubric, run.judges, run.settings, run.method_versions)


def _record(table: ScoreTable, trajectory_id: str, cell: Cell) -> dict[str, Json]:
    explanations = [one.verdict.explanation for one in cell.verdicts if isinstance(one.verdict, Scored)]
    faults = [one.verdict for one in cell.verdicts if isinstance(one.verdict, Unscored)]
    return {
        "trajectory_id": trajectory_id,
        "method": cell.method,
        "status": "unscored" if cell.score is None else "scored",
        "score": cell.score,
        "reward": None if cell.reward is None else cell.reward.total,
        "rank": cell.rank,
        "advantage": cell.advantage,
        "explanation": told_together(explanations) or None,
        "criteria": _criteria_records(table, cell),
        "reason": f"{faults[0].reason.value}: {sentence_of(faults[0], cell.method)}" if faults else None,
        "told_to_judge": (told_to_judge(faults[0]) or None) if faults else None,
    }


def told_together(explanations: Sequence[str]) -> str:
    """The explanations of several samples as one text: equal ones once with their count, different ones numbered.

    >>> told_together(["Faithful.", "Faithful.", "Faithful."])
    'Faithful. (3 times)'
    >>> told_together(["Faithful.", "Invents a number.", "Faithful."])
    '1. Faithful. (2 times)\\n\\n2. Invents a number.'
    """
    counts = Counter(filter(None, explanations))
    told = [text if count == 1 else f"{text} ({count} times)" for text, count in counts.items()]
    return told[0] if len(told) == 1 else "\n\n".join(f"{number}. {text}" for number, text in enumerate(told, start=1))


def _criteria_records(table: ScoreTable, cell: Cell) -> list[dict[str, Json]] | None:
    """One record a criterion; of several samples the share that found its statement true, and the first reason."""
    if not cell.criteria:
        return None
    said = {mark.position: mark.explanation for one in reversed(cell.verdicts) for mark in one.verdict.criteria}
    criteria = table.criteria_of(cell.method)
    return [
        {
            "title": criteria[one.position].title,
            "description": criteria[one.position].description,
            "holds": None if one.share is None else one.share >= 0.5,
            "share": one.share,
            "explanation": said.get(one.position) or None,
        }
        for one in cell.criteria
    ]


def _usage_record(usage: Usage) -> dict[str, Json]:
    return {
        "calls": usage.calls,
        "cached": usage.cached,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost_usd": usage.cost_usd,
    }
