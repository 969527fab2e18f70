"""The Python API: score message lists or groups with a few lines, as RULER's users know it.

Judge calls run on one background loop of the process, whatever loop the caller is on, so that
limits and connections are shared and survive any number of ``asyncio.run``.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.chat import Json, parse_messages, parse_tools
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.judge import Judge
from reward_lab.core.methods import METHODS
from reward_lab.core.methods.method import Arrangement
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.core.table import ScoreTable
from reward_lab.core.verdict import Verdict
from reward_lab.settings import read_settings
from reward_lab.wiring import Judging, Lab, open_judging, open_lab


@dataclass(frozen=True, slots=True)
class GroupScores:
    """What :func:`score_group` gives: the score table, and the id of the stored run."""

    table: ScoreTable
    run_id: int

    def rewards(self, method: str) -> list[float | None]:
        """(G,) the rewards of one method in the group's order; ``None`` where a response is unscored."""
        return [None if cell.reward is None else cell.reward.total for cell in self.table.cells(method)]


async def ruler(
    message_lists: Sequence[Iterable[Mapping[str, Json]]],
    judge: str | Judge = "openai/o3",
    *,
    rubric: str | Rubric | None = None,
    tools: Sequence[Mapping[str, Json]] | None = None,
    api_base: str | None = None,
    parameters: Mapping[str, Json] | None = None,
) -> list[Verdict]:
    """Score trajectories against each other in one judge call (RULER). Nothing is stored but the cached reply.

    Args:
        message_lists: (G,) whole conversations in OpenAI format; what they share in front is sent once.
        judge: a LiteLLM model name, ``"offline"``, or a :class:`~reward_lab.core.judge.Judge`.
        rubric: guidance in prose, or a rubric; RULER's general guidance by default.
        tools: the tools the trajectories had.
        api_base, parameters: the judge's endpoint and parameters, where ``judge`` is a name.

    Returns:
        (G,) verdicts in the order given, their ids "1" to "G": ``Scored`` with a score in [0, 1] and
        an explanation, or ``Unscored`` with the reason. A judge that fails raises nothing.

    Raises:
        InvalidChat: a list that is no conversation.
    """
    if not message_lists:
        return []
    members = tuple(
        Trajectory(id=str(number), messages=parse_messages(messages, where=f"message_lists[{number - 1}]"))
        for number, messages in enumerate(message_lists, start=1)
    )
    known_tools = parse_tools(tools)
    group = Group.model_validate({"id": "ruler", "scenario": {"tools": known_tools}, "trajectories": members})
    method = METHODS["ruler"]
    asked_of = (
        judge if isinstance(judge, Judge) else Judge(model=judge, api_base=api_base, parameters=dict(parameters or {}))
    )
    content = rubric if isinstance(rubric, Rubric) else Rubric(guidance=rubric or "")
    (question,) = method.questions(group, group.trajectories, content, Arrangement())
    judging = _judging()
    asking = judging.asker.ask(question, asked_of, method_version=method.version, sample=0)
    asked = await asyncio.wrap_future(judging.loop.submit(asking))
    return method.verdicts(group, group.trajectories, content, (asked.replied,))


async def score_group(
    group: Group | Mapping[str, Json],
    *,
    methods: Sequence[str] = ("ruler",),
    judge: str | Judge = "offline",
    rubric: str | Rubric | None = None,
    repeats: int = 1,
    convention: str = "trl_grpo",
) -> GroupScores:
    """Score one group by any methods, and store the run: it opens in the app.

    Args:
        group: a :class:`~reward_lab.core.group.Group`, or a line of a group file.
        convention: whose advantages to compute (:mod:`reward_lab.core.advantages`).

    Raises:
        InvalidGroup, InvalidRun: the group or a method's name.
        StoreError: the database cannot be opened.
    """
    whole = group if isinstance(group, Group) else Group.from_record(group)
    asked_of = judge if isinstance(judge, Judge) else Judge(model=judge)
    content = rubric if isinstance(rubric, Rubric) else Rubric(guidance=rubric or "")
    settings = RunSettings(methods=tuple(methods), repeats=repeats)
    lab = await asyncio.to_thread(_lab)
    run_id, future = await asyncio.to_thread(
        lab.scoring.start, NewRun((whole,), content, (asked_of,), settings, name=whole.id)
    )
    await asyncio.wrap_future(future)
    result = await asyncio.to_thread(lab.results.of, run_id, convention=convention)
    return GroupScores(result.table, run_id)


_lock = threading.Lock()
_opened: dict[str, Judging | Lab] = {}


def _judging() -> Judging:
    with _lock:
        opened = _opened.get("judging")
        if not isinstance(opened, Judging):
            # Whoever calls Python owns the environment its keys stand in, so any endpoint named here is trusted.
            opened = _opened["judging"] = open_judging(read_settings(), trust_all_endpoints=True)
            atexit.register(close)
        return opened


def _lab() -> Lab:
    with _lock:
        opened = _opened.get("lab")
        if not isinstance(opened, Lab):
            opened = _opened["lab"] = open_lab(read_settings(), trust_all_endpoints=True)
            atexit.register(close)
        return opened


def close() -> None:
    """Close what this module opened; the next call opens it anew. Called when the process ends."""
    with _lock:
        for opened in _opened.values():
            opened.close()
        _opened.clear()
