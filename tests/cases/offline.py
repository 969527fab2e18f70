"""Asking the offline judge as an item of a run does, without the engine."""

from __future__ import annotations

import asyncio

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.methods import METHODS
from reward_lab.core.methods.method import Arrangement, Replied
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Scored, Verdict
from reward_lab.judges.offline import OfflineTransport

JUDGED = tuple(name for name, method in METHODS.items() if method.asks)
"""The methods that ask a judge."""


def verdicts(
    group: Group, method_name: str, rubric: Rubric | None = None, arrangement: Arrangement | None = None
) -> list[Verdict]:
    """(G,) the offline judge's verdicts by one method, in the group's order."""
    rubric = rubric or Rubric()
    method = METHODS[method_name]
    whole = [group.trajectories] if method.unit == "group" else [(one,) for one in group.trajectories]
    found: list[Verdict] = []
    for members in whole:
        questions = method.questions(group, members, rubric, arrangement or Arrangement())
        replied = []
        for question in questions:
            completion = asyncio.run(OfflineTransport().complete(question, question.messages, Judge()))
            assert completion.text is not None
            replied.append(Replied(question, question.read(completion.text), None, completion.text))
        found.extend(method.verdicts(group, members, rubric, replied))
    return found


def scores(group: Group, method_name: str, rubric: Rubric | None = None) -> dict[str, float]:
    """Trajectory id -> score; every one of them is scored."""
    found = {}
    for verdict in verdicts(group, method_name, rubric):
        assert isinstance(verdict, Scored)
        found[verdict.trajectory_id] = verdict.score
    return found


def rewards(group: Group, method_name: str, rubric: Rubric | None = None) -> dict[str, float]:
    """Trajectory id -> score brought to [0, 1]."""
    method = METHODS[method_name]
    return {one: method.reward(score, rubric or Rubric()) for one, score in scores(group, method_name, rubric).items()}
