"""Reward Lab: design a reward from a prompt, a rubric and a judge before training on it.

>>> import reward_lab
>>> verdicts = await reward_lab.ruler(message_lists, judge="openai/gpt-4.1")  # doctest: +SKIP

Names are loaded when they are used: ``import reward_lab`` itself costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reward_lab.api import GroupScores, ruler, score_group
    from reward_lab.core.group import Group, Scenario, Trajectory
    from reward_lab.core.judge import Judge
    from reward_lab.core.rubric import Criterion, Rubric
    from reward_lab.core.verdict import Scored, Unscored, Verdict
    from reward_lab.errors import RewardLabError

__version__ = "0.1.0"

_HOMES = {
    "GroupScores": "api",
    "ruler": "api",
    "score_group": "api",
    "Group": "core.group",
    "Scenario": "core.group",
    "Trajectory": "core.group",
    "Judge": "core.judge",
    "Criterion": "core.rubric",
    "Rubric": "core.rubric",
    "Scored": "core.verdict",
    "Unscored": "core.verdict",
    "Verdict": "core.verdict",
    "RewardLabError": "errors",
}

__all__ = [
    "Criterion",
    "Group",
    "GroupScores",
    "Judge",
    "RewardLabError",
    "Rubric",
    "Scenario",
    "Scored",
    "Trajectory",
    "Unscored",
    "Verdict",
    "ruler",
    "score_group",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'reward_lab' has no attribute {name!r}")
    return getattr(import_module(f"reward_lab.{home}"), name)
