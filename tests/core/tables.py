"""Score tables from bare scores, for the tests of what is read from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.rubric import Rubric
from reward_lab.core.table import Sample, ScoreTable, score_table
from reward_lab.core.verdict import Reason, Scored, Unscored, Verdict

Scores = Sequence[float | None]
"""(G,) scores in the order of the group; ``None`` is unscored."""


def group_of(count: int, *, texts: Sequence[str] | None = None, ids: Sequence[str] | None = None) -> Group:
    """A group of ``count`` responses with ids t1, t2, ... and texts of their own."""
    texts = texts or [f"Response number {number}." for number in range(1, count + 1)]
    ids = ids or [f"t{number}" for number in range(1, count + 1)]
    members = tuple(
        Trajectory(id=one, messages=({"role": "assistant", "content": text},))
        for one, text in zip(ids, texts, strict=True)
    )
    scenario = Scenario(system_prompt="Answer from the context.", messages=({"role": "user", "content": "Refunds?"},))
    return Group(id="g", scenario=scenario, trajectories=members)


def verdict_of(trajectory_id: str, score: float | None) -> Verdict:
    if score is None:
        return Unscored(trajectory_id, Reason.REFUSAL, "The judge refused.")
    return Scored(trajectory_id, score)


def sample_of(group: Group, method: str, scores: Scores, *, repeat: int = 0, judge: int = 0) -> Sample:
    members = group.trajectories
    verdicts = tuple(verdict_of(one.id, score) for one, score in zip(members, scores, strict=True))
    return Sample(method, judge, repeat, verdicts)


def table_of(
    scores: Mapping[str, Scores | Sequence[Scores]],
    *,
    group: Group | None = None,
    rubric: Rubric | None = None,
    convention: str = "trl_grpo",
    reward_method: str | None = None,
    waiting: Sequence[str] = (),
    planned: int = 1,
) -> ScoreTable:
    """A table of scores by method: (G,) of one sample, or a list of such, one a repeat; ``waiting`` has none."""
    repeats = {name: list(given) if _nested(given) else [given] for name, given in scores.items()}
    count = next((len(one[0]) for one in repeats.values()), 1)
    group = group or group_of(count)
    samples = [
        sample_of(group, name, given, repeat=repeat)
        for name, all_given in repeats.items()
        for repeat, given in enumerate(all_given)
    ]
    methods = [*scores, *waiting]
    return score_table(
        group,
        rubric or Rubric(),
        samples,
        methods=methods,
        convention=convention,
        reward_method=reward_method or methods[0],
        planned=planned,
    )


def _nested(given: Scores | Sequence[Scores]) -> bool:
    return bool(given) and isinstance(given[0], Sequence)
