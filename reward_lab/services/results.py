"""Results: a run as a person reads it, as a table with its sentence, its cautions and what moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core.cautions import Caution, cautions
from reward_lab.core.changes import Change, Setup, changed_settings
from reward_lab.core.chat import Json
from reward_lab.core.group import Group
from reward_lab.core.movement import Movement, movement
from reward_lab.core.run import Call, Run, RunState, Usage
from reward_lab.core.sentences import movement_sentence, result_sentence
from reward_lab.core.table import Cell, Sample, ScoreTable, score_table
from reward_lab.core.verdict import Scored, Unscored
from reward_lab.errors import NotFound
from reward_lab.store import Store, StoredVerdict

DEFAULT_CONVENTION = "trl_grpo"


@dataclass(frozen=True, slots=True)
class Moved:
    """What changed since an earlier run of the same responses: the settings, and the scores that followed."""

    since: Run
    sentence: str
    changes: tuple[Change, ...]
    movement: Movement


@dataclass(frozen=True, slots=True)
class Result:
    """One group of a run. Of a run in progress: what is known so far."""

    run: Run
    group_id: int
    table: ScoreTable
    sentence: str
    cautions: tuple[Caution, ...]
    moved: Moved | None


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
    ) -> Result:
        """One group of a run (the first where none is named), and what moved since the run before.

        ``reward_method`` is the method whose rewards the trainer would get: the run's first one
        by default.

        Raises:
            NotFound: there is no such run, or the group is not in it.
            InvalidRun: an unknown convention, or a reward method that the run has not scored.
        """
        run = self._store.run(run_id)
        chosen = _chosen_group(run, group_id)
        table = self._table(run, chosen, convention, reward_method)
        moved = self._moved(run, table, convention, reward_method)
        return Result(run, chosen, table, result_sentence(table), _cautions(run, table), moved)

    def calls(self, run_id: int, group_id: int, method: str, trajectory_id: str) -> list[Call]:
        """The calls behind one cell, oldest first: prompt, raw reply, usage. [] for a method that asks no judge."""
        behind = [
            stored.item
            for stored in self._store.items(run_id, group_id=group_id)
            if stored.item.method == method and stored.item.trajectory_id in (None, trajectory_id)
        ]
        return [call for item in behind for call in self._store.calls(run_id, item_id=item.id)]

    def records(self, run_id: int, *, convention: str = DEFAULT_CONVENTION) -> Iterator[dict[str, Json]]:
        """A run as records, one a group in the run's order; figures that are unknown are ``None``.

        ``{"id", "results": [{"trajectory_id", "method", "status", "score", "reward", "rank",
        "advantage", "explanation", "criteria", "reason"}], "usage": {"calls", "cached",
        "prompt_tokens", "completion_tokens", "cost_usd"}}``
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

    def _moved(self, run: Run, table: ScoreTable, convention: str, reward_method: str | None) -> Moved | None:
        """Compare with the run before, where it shares a response with this group."""
        earlier_id = self._store.previous_run(run.id)
        if earlier_id is None:
            return None
        keys = [row.trajectory.key for row in table.rows]
        group_id = self._store.group_sharing(earlier_id, keys)
        if group_id is None:
            return None
        earlier = self._store.run(earlier_id)
        group = self._store.groups((group_id,))[group_id]
        method = reward_method if reward_method in earlier.settings.methods else None
        old = self._table(earlier, group_id, convention, method)
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
        "explanation": "\n\n".join(filter(None, explanations)) or None,
        "criteria": _criteria_records(table, cell),
        "reason": f"{faults[0].reason.value}: {faults[0].detail}" if faults else None,
    }


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
