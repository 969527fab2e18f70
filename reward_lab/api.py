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
from reward_lab.wiring import Judging, Lab, lab_around, open_judging


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
    rubric: str | Rubric | Mapping[str, Json] | None = None,
    tools: Sequence[Mapping[str, Json]] | None = None,
    api_base: str | None = None,
    parameters: Mapping[str, Json] | None = None,
) -> list[Verdict]:
    """Score trajectories against each other in one judge call (RULER). Nothing is stored but the cached reply.

    Args:
        message_lists: (G,) whole conversations in OpenAI format; what they share in front is sent once.
        judge: a LiteLLM model name, ``"offline"``, or a :class:`~reward_lab.core.judge.Judge`.
        rubric: guidance in prose, a rubric, or the record of a rubric file; RULER's general guidance by default.
        tools: the tools the trajectories had.
        api_base, parameters: the judge's endpoint and parameters, where ``judge`` is a name.

    Returns:
        (G,) verdicts in the order given, their ids "1" to "G": ``Scored`` with a score in [0, 1] and
        an explanation, or ``Unscored`` with the reason. A judge that fails raises nothing.

    Raises:
        InvalidChat: a list that is no conversation.
        InvalidRubric: a record that is no rubric.
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
    asked_of, content = _judge(judge, api_base, parameters), _rubric(rubric)
    (question,) = method.questions(group, group.trajectories, content, Arrangement())
    judging = _process.judging()
    asking = judging.asker.ask(question, asked_of, method_version=method.version, sample=0)
    asked = await asyncio.wrap_future(judging.loop.submit(asking))
    return method.verdicts(group, group.trajectories, content, (asked.replied,))


async def score_group(
    group: Group | Mapping[str, Json],
    *,
    methods: Sequence[str] = ("ruler",),
    judge: str | Judge = "offline",
    rubric: str | Rubric | Mapping[str, Json] | None = None,
    api_base: str | None = None,
    parameters: Mapping[str, Json] | None = None,
    repeats: int = 1,
    convention: str = "trl_grpo",
) -> GroupScores:
    """Score one group by any methods, and store the run: it opens in the app.

    Args:
        group: a :class:`~reward_lab.core.group.Group`, or a line of a group file.
        judge, rubric, api_base, parameters: as for :func:`ruler`; the offline judge by default, which needs no key.
        convention: whose advantages to compute (:mod:`reward_lab.core.advantages`).

    Raises:
        InvalidGroup, InvalidRun, InvalidRubric: the group, a method's name, or the rubric.
        StoreError: the database cannot be opened.
    """
    whole = group if isinstance(group, Group) else Group.from_record(group)
    asked_of, content = _judge(judge, api_base, parameters), _rubric(rubric)
    settings = RunSettings(methods=tuple(methods), repeats=repeats)
    lab = await asyncio.to_thread(_process.lab)
    run_id, future = await asyncio.to_thread(
        lab.scoring.start, NewRun((whole,), content, (asked_of,), settings, name=whole.id)
    )
    await asyncio.wrap_future(future)
    result = await asyncio.to_thread(lab.results.of, run_id, convention=convention)
    return GroupScores(result.table, run_id)


class _Process:
    """What this process has opened so far: judges for :func:`ruler`, and a whole installation around them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._judging: Judging | None = None
        self._lab: Lab | None = None

    def judging(self) -> Judging:
        with self._lock:
            if self._judging is None:
                # Whoever calls Python owns the environment its keys stand in, so any endpoint named here is trusted.
                self._judging = open_judging(read_settings(), trust_all_endpoints=True)
                atexit.register(close)
            return self._judging

    def lab(self) -> Lab:
        with self._lock:
            if self._lab is None:
                self._lab = lab_around(self.judging(), read_settings())
            return self._lab

    def close(self) -> None:
        with self._lock:
            opened, self._lab, self._judging = self._lab or self._judging, None, None
            if opened is not None:
                opened.close()


_process = _Process()


def close() -> None:
    """Close what this module opened; the next call opens it anew. Called when the process ends."""
    _process.close()


def _judge(judge: str | Judge, api_base: str | None, parameters: Mapping[str, Json] | None) -> Judge:
    if isinstance(judge, Judge):
        return judge
    return Judge(model=judge, api_base=api_base, parameters=dict(parameters or {}))


def _rubric(rubric: str | Rubric | Mapping[str, Json] | None) -> Rubric:
    if isinstance(rubric, Rubric):
        return rubric
    if rubric is None or isinstance(rubric, str):
        return Rubric(guidance=rubric or "")
    return Rubric.from_record({name: value for name, value in rubric.items() if name != "name"})
