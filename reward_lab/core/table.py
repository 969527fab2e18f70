"""The score table of one group: responses x methods, with rewards, ranks and advantages.

What an unscored member does to its group is decided here. It has no score, reward, rank or
advantage, whatever the method's lowest score is; the others are ranked and compared without
it; and its column is marked partial, since their advantages would differ had it been scored.
The same holds for a member whose reward is unknown because a part of it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from reward_lab.core.advantages import advantages, convention_named, rounded
from reward_lab.core.agreement import kendall_tau_b, ranks, sample_std
from reward_lab.core.cells import Cell, CellState, Consensus, SampledVerdict, cell_of
from reward_lab.core.chat import canonical_json
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods import method_named
from reward_lab.core.methods.explicit import Checklist
from reward_lab.core.methods.method import Arrangement, Method
from reward_lab.core.methods.ruler import ORDERED
from reward_lab.core.methods.verifier import VERIFIER, verify
from reward_lab.core.position import PositionEffect, Reading, TopFlips, position_effect, top_flips
from reward_lab.core.rewards import Reward
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Scored, Verdict
from reward_lab.errors import InvalidRun

__all__ = [
    "Cell",
    "CellState",
    "Column",
    "Consensus",
    "MethodAgreement",
    "Row",
    "Sample",
    "SampledVerdict",
    "ScoreTable",
    "Statement",
    "letter",
    "score_table",
]


@dataclass(frozen=True, slots=True)
class Sample:
    """Verdicts of one method by one judge in one repeat; of the whole group or of some of its members."""

    method: str
    judge: int
    repeat: int
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a method finds true or false of a response: a criterion, or a verifier under its kind."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Column:
    """One method over the group.

    ``criteria`` are what it judges one by one, in the positions of its verdicts; empty for a
    method that only gives a score.
    ``scored``, ``unscored`` and ``waiting`` count members; ``partial`` says that some but not
    all are scored. ``unfinished`` counts those with samples to come, waiting or not. ``std`` is
    the standard deviation of the rewards (totals), which is what a trainer sees. ``distinct``
    counts different scores, ``tied`` the pairs of equal ones.
    ``samples`` counts pairs of judge and repeat that scored anything.
    """

    name: str
    head: str
    title: str
    asks: bool
    scale: tuple[float, float]
    criteria: tuple[Statement, ...]
    scored: int
    unscored: int
    waiting: int
    unfinished: int
    std: float | None
    distinct: int
    tied: int
    samples: int
    position: PositionEffect | None
    flips: TopFlips | None

    @property
    def partial(self) -> bool:
        """Whether ranks and advantages leave out a member of the group."""
        return 0 < self.scored < self.scored + self.unscored + self.waiting


@dataclass(frozen=True, slots=True)
class Row:
    """One response: its letter, its cell under each method, and its reward by the chosen one.

    ``spread`` is the largest less the smallest of the methods' rewards in [0, 1], before
    weights and verifiers; ``None`` below two scored methods.
    """

    letter: str
    trajectory: Trajectory
    cells: Mapping[str, Cell]
    spread: float | None
    reward: Reward | None
    advantage: float | None


@dataclass(frozen=True, slots=True)
class MethodAgreement:
    """Kendall's tau-b of two methods over the ``n`` responses that both scored; ``None`` where undefined."""

    first: str
    second: str
    tau: float | None
    n: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """All that is known of one group's scores. Rows in the group's order, columns in that of the methods."""

    group: Group
    rubric: Rubric
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    convention: str
    reward_method: str

    def cells(self, method: str) -> tuple[Cell, ...]:
        """(G,) the cells of one column."""
        return tuple(row.cells[method] for row in self.rows)

    def column(self, method: str) -> Column:
        """The column of this method. Raises ``KeyError``."""
        return {one.name: one for one in self.columns}[method]

    def criteria_of(self, method: str) -> tuple[Statement, ...]:
        """(C,) what this method judges one by one; a verdict's position is its place here. Raises ``KeyError``."""
        return self.column(method).criteria

    def agreement(self) -> tuple[MethodAgreement, ...]:
        """Every pair of methods, by rank: never by level, since each has a scale of its own."""
        return tuple(
            _method_agreement(first.name, second.name, self.rows) for first, second in combinations(self.columns, 2)
        )


def letter(index: int) -> str:
    """The letter of the response at this place: A, B, ... Z, AA, AB ...

    >>> letter(0), letter(25), letter(26), letter(52)
    ('A', 'Z', 'AA', 'BA')
    """
    name = ""
    index += 1
    while index:
        index, place = divmod(index - 1, 26)
        name = chr(ord("A") + place) + name
    return name


def score_table(
    group: Group,
    rubric: Rubric,
    samples: Iterable[Sample],
    *,
    methods: Sequence[str],
    convention: str,
    reward_method: str,
    seed: int = 0,
    planned: int = 1,
) -> ScoreTable:
    """Bring the verdicts of one group into a table.

    Args:
        samples: verdicts as they stand, in any order; of a run in progress, those that arrived.
        methods: the columns, in order. Samples of other methods are left out.
        convention: the name of an advantage convention (:mod:`reward_lab.core.advantages`).
        reward_method: the method whose rewards the trainer would get; one of ``methods``.
        seed: the run's, from which the orders of its questions were drawn.
        planned: samples that the run takes of each response by a judged method: repeats x judges.

    Raises:
        InvalidRun: an unknown method or convention, or a reward method that is not a column.
        ValueError: a verdict on a trajectory that is not in the group, or two on the same
            one in the same sample: a bug of the caller's.
    """
    convention_named(convention)
    chosen = [method_named(name) for name in methods]
    if reward_method not in methods:
        raise InvalidRun(f"The reward method {reward_method!r} was not scored: choose from {', '.join(methods)}.")
    given = _verdicts_by_cell(group, samples)
    verified = _verified(group, rubric, given.get(VERIFIER.name, {}))
    cells = {
        one.name: _cells(group, rubric, one, given.get(one.name, {}), verified, convention, planned if one.asks else 1)
        for one in chosen
    }
    columns = tuple(_column(group, rubric, one, cells[one.name], seed) for one in chosen)
    rows = tuple(
        _row(index, trajectory, {name: cells[name][index] for name in methods}, reward_method)
        for index, trajectory in enumerate(group.trajectories)
    )
    return ScoreTable(group, rubric, columns, rows, convention, reward_method)


_Given = Mapping[str, Sequence[SampledVerdict]]
"""Trajectory id -> its verdicts under one method, in the order of judge and repeat."""


def _verdicts_by_cell(group: Group, samples: Iterable[Sample]) -> dict[str, _Given]:
    given: dict[str, dict[str, list[SampledVerdict]]] = {}
    members = {trajectory.id for trajectory in group.trajectories}
    told: set[tuple[str, int, int, str]] = set()
    for sample in sorted(samples, key=lambda one: (one.judge, one.repeat)):
        column = given.setdefault(sample.method, {})
        for verdict in sample.verdicts:
            place = (sample.method, sample.judge, sample.repeat, verdict.trajectory_id)
            if verdict.trajectory_id not in members:
                raise ValueError(f"a verdict of {sample.method} is on {verdict.trajectory_id!r}, not in {group.id!r}")
            if place in told:
                raise ValueError(f"two verdicts on {verdict.trajectory_id!r} in one sample of {sample.method}")
            told.add(place)
            column.setdefault(verdict.trajectory_id, []).append(SampledVerdict(sample.judge, sample.repeat, verdict))
    return dict(given)


def _verified(group: Group, rubric: Rubric, given: _Given) -> list[tuple[bool | None, ...]]:
    """(G, V) whether each verifier holds: from the verdicts where it was asked for as a method, else found out here."""
    values = []
    for trajectory in group.trajectories:
        told = given.get(trajectory.id, ())[:1]
        marks = [None if mark.truth is None else mark.truth == 1.0 for one in told for mark in one.verdict.criteria]
        known = len(marks) == len(rubric.verifiers)
        values.append(tuple(marks) if known else verify(rubric, group, trajectory))
    return values


def _cells(
    group: Group,
    rubric: Rubric,
    method: Method,
    given: _Given,
    verified: Sequence[tuple[bool | None, ...]],
    convention: str,
    planned: int,
) -> tuple[Cell, ...]:
    """(G,) the cells of one column: each on its own first, then what only the group decides."""
    plain = [
        cell_of(method, rubric, trajectory, given.get(trajectory.id, ()), values, planned)
        for trajectory, values in zip(group.trajectories, verified, strict=True)
    ]
    placed = ranks([cell.score for cell in plain])
    compared = advantages([cell.total for cell in plain], convention)
    return tuple(
        replace(cell, rank=rank, advantage=advantage)
        for cell, rank, advantage in zip(plain, placed, compared, strict=True)
    )


def _column(group: Group, rubric: Rubric, method: Method, cells: Sequence[Cell], seed: int) -> Column:
    scores = [rounded(cell.score) for cell in cells if cell.score is not None]
    totals = [rounded(total) for cell in cells if (total := cell.total) is not None]
    readings = _readings(group, method, cells, seed)
    scored = [
        trajectory.id
        for trajectory, cell in zip(group.trajectories, cells, strict=True)
        if cell.state is CellState.SCORED
    ]
    return Column(
        name=method.name,
        head=method.head,
        title=method.title,
        asks=method.asks,
        scale=method.scale(rubric),
        criteria=_criteria(method, rubric),
        scored=len(scored),
        unscored=sum(cell.state is CellState.UNSCORED for cell in cells),
        waiting=sum(cell.state is CellState.WAITING for cell in cells),
        unfinished=sum(cell.missing > 0 for cell in cells),
        std=sample_std(totals),
        distinct=len(set(scores)),
        tied=sum(one == other for one, other in combinations(scores, 2)),
        samples=len(readings),
        position=position_effect(readings, seed=seed),
        flips=top_flips(readings, scored),
    )


def _criteria(method: Method, rubric: Rubric) -> tuple[Statement, ...]:
    if isinstance(method, Checklist):
        return tuple(Statement(criterion.title, criterion.description) for criterion in method.criteria(rubric))
    if method is not VERIFIER:
        return ()
    hidden = {"kind", "weight"}
    return tuple(
        Statement(one.kind, canonical_json(one.model_dump(mode="json", exclude=hidden))) for one in rubric.verifiers
    )


def _readings(group: Group, method: Method, cells: Sequence[Cell], seed: int) -> list[Reading]:
    """Scores by sample, in the order in which the judge saw the responses where it saw them together."""
    scores: dict[tuple[int, int], dict[str, float]] = {}
    for cell in cells:
        for one in cell.verdicts:
            if isinstance(one.verdict, Scored):
                scores.setdefault((one.judge, one.repeat), {})[one.verdict.trajectory_id] = one.verdict.score
    ids = [trajectory.id for trajectory in group.trajectories]
    readings = []
    for (_, repeat), by_id in sorted(scores.items()):
        order: tuple[str, ...] = ()
        if method.unit == "group":
            shown = Arrangement(seed, repeat).order(len(ids), of=ORDERED)
            order = tuple(ids[index] for index in shown)
        readings.append(Reading(by_id, order))
    return readings


def _row(index: int, trajectory: Trajectory, cells: Mapping[str, Cell], reward_method: str) -> Row:
    levels = [cell.reward.judge for cell in cells.values() if cell.reward is not None]
    chosen = cells[reward_method]
    return Row(
        letter=letter(index),
        trajectory=trajectory,
        cells=cells,
        spread=max(levels) - min(levels) if len(levels) > 1 else None,
        reward=chosen.reward,
        advantage=chosen.advantage,
    )


def _method_agreement(first: str, second: str, rows: Sequence[Row]) -> MethodAgreement:
    both = [
        (rounded(one), rounded(other))
        for row in rows
        if (one := row.cells[first].score) is not None and (other := row.cells[second].score) is not None
    ]
    tau = kendall_tau_b([one for one, _ in both], [other for _, other in both])
    return MethodAgreement(first, second, tau, len(both))
