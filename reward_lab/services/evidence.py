"""Evidence: what stored runs show of the criteria of a rubric version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reward_lab.core.agreement import mean
from reward_lab.core.criterion_evidence import CriterionEvidence, criterion_evidence
from reward_lab.core.marks import Mark, Response, marks_of
from reward_lab.core.rubric import Rubric
from reward_lab.core.table import Row, ScoreTable
from reward_lab.core.weighting import WeightProposal, proposed_weights
from reward_lab.services.results import Results

_METHOD = "rar_explicit"

_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Said:
    """What a response is called, and its first words."""

    head: str
    text: str


@dataclass(frozen=True)
class Judged:
    """The marks on single criteria of some runs under one rubric version, and the responses they are about.

    ``judges`` are the models that gave them. ``labels`` are the independent rewards that came with the responses, above
    the group's mean as 1 and below it as 0.
    """

    rubric: Rubric
    marks: tuple[Mark, ...]
    texts: Mapping[Response, Said]
    labels: Mapping[Response, float]
    judges: tuple[str, ...] = ()

    @cached_property
    def evidence(self) -> tuple[CriterionEvidence, ...]:
        """(C,) what they show of each criterion."""
        return criterion_evidence(self.rubric, self.marks)

    @property
    def responses(self) -> int:
        """How many responses were judged."""
        return len({mark.response for mark in self.marks})

    @property
    def groups(self) -> int:
        """Of how many groups they are."""
        return len({mark.response.group for mark in self.marks})

    def proposed_weights(self, labels: Mapping[Response, float | None]) -> tuple[WeightProposal, ...]:
        """(C,) the weights that labels speak for; see :func:`reward_lab.core.weighting.proposed_weights`."""
        return proposed_weights(self.rubric, self.marks, labels)


class Evidence:
    """Gathers verdicts on criteria out of stored runs."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def of(self, rubric: Rubric, run_ids: Sequence[int]) -> Judged:
        """The marks of runs under ``rubric``, newest run first. Equal responses of equal groups are one.

        Of one judge's one repeat the newest run counts: an older one is often the same cached reply, and no repeat.

        Raises:
            NotFound: a run that is not stored.
        """
        marks: dict[tuple[Response, int, str, int], Mark] = {}
        texts: dict[Response, Said] = {}
        labels: dict[Response, float] = {}
        judges: dict[str, int] = {}
        models: dict[str, None] = {}
        for run_id in sorted(run_ids, reverse=True):
            asked = self._results.run(run_id).judges
            for table in self._results.tables(run_id):
                if _METHOD not in {column.name for column in table.columns}:
                    continue
                known = {row.trajectory.id: Response(table.group.key, row.trajectory.key) for row in table.rows}
                for mark in marks_of(table, _METHOD):
                    response = known[mark.response.trajectory]
                    judge = asked[mark.judge].key
                    models.setdefault(asked[mark.judge].model)
                    place = (response, mark.position, judge, mark.repeat)
                    number = judges.setdefault(judge, len(judges))
                    marks.setdefault(place, Mark(mark.position, response, mark.truth, number, mark.repeat))
                for row in table.rows:
                    texts.setdefault(known[row.trajectory.id], _said(table.group.id, row))
                labels |= _came_along(table, known)
        return Judged(rubric, tuple(marks.values()), texts, labels, tuple(models))


def _said(group_id: str, row: Row) -> Said:
    answer = row.trajectory.answer
    return Said(f"{group_id}, {row.letter}", answer if len(answer) <= _SHOWN else f"{answer[:_SHOWN]} …")


def _came_along(table: ScoreTable, known: Mapping[str, Response]) -> dict[Response, float]:
    """1 for an independent reward above the group's mean, 0 for one below; those at the mean tell nothing."""
    rewards = {row.trajectory.id: row.trajectory.independent_reward for row in table.rows}
    given = {one: reward for one, reward in rewards.items() if reward is not None}
    centre = mean(list(given.values()))
    if centre is None:
        return {}
    return {known[one]: float(reward > centre) for one, reward in given.items() if reward != centre}
