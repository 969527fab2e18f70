"""Method: a way to turn a group, a rubric and a judge into verdicts.

A method is pure. It writes the questions, and reads the answers into verdicts; asking
is the judges' part. The same three steps serve every method::

    obstacle(group, rubric)                -> Fault | None      can it be applied at all?
    questions(group, members, rubric, ..)  -> [Question]        what is a judge asked?
    verdicts(group, members, rubric, replies) -> [Verdict]      what did it say of each member?
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from reward_lab.core.chat import Json, Message
from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.replies import Answer
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.verdict import CriterionVerdict, Fault, Unscored, Verdict

Unit: TypeAlias = Literal["group", "trajectory"]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The order in which trajectories and criteria are shown to the judge.

    Judges favour slots, for responses and for criteria alike. Repeat 0 keeps the given
    order; each later repeat is a shuffle of its own, seeded, so that a run can be told again.
    """

    seed: int = 0
    repeat: int = 0

    def order(self, count: int, *, of: str) -> list[int]:
        """A permutation of ``range(count)``; ``of`` names what is ordered, so that two orders differ."""
        order = list(range(count))
        if self.repeat:
            random.Random(f"{self.seed}:{self.repeat}:{of}").shuffle(order)
        return order


@dataclass(frozen=True, slots=True)
class Task:
    """A question in parts, for a judge that does not read prompts (the offline one).

    ``members`` stand in the order of the prompt with the ids used there ("1", "2", ...), and
    so do ``criteria``. ``reference`` is the reference answer where the method shows it.
    """

    kind: Literal["listwise", "rating", "criteria", "criterion"]
    group: Group
    members: tuple[tuple[str, Trajectory], ...]
    guidance: str = ""
    reference: str | None = None
    criteria: tuple[tuple[str, Criterion], ...] = ()
    rating_max: int = 10


@dataclass(frozen=True, slots=True)
class Drafting:
    """A request for criteria in parts, for a judge that does not read prompts.

    ``members`` and ``criteria`` stand as in :class:`Task`; of two members the first was held the
    better one.
    """

    kind: Literal["generate", "sharpen", "pitfalls", "separate"]
    scenario: Scenario
    members: tuple[tuple[str, Trajectory], ...] = ()
    reference: str | None = None
    criteria: tuple[tuple[str, Criterion], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a judge, with all that decides its answer.

    ``schema`` is the JSON Schema of the reply, ``schema_name`` its name where a provider wants
    one. ``read`` turns the text of a reply into an answer and raises
    :class:`~reward_lab.core.replies.ReplyFault` where it holds none.
    """

    messages: tuple[Message, ...]
    schema_name: str
    schema: dict[str, Json]
    read: Callable[[str], Answer]
    task: Task | Drafting


@dataclass(frozen=True, slots=True)
class Replied:
    """What became of one question: an answer, a fault, or both, and the raw text of the last reply.

    Both stand where a reply could be read in part: the answer holds what was said, the fault
    what is missing.
    """

    question: Question
    answer: Answer | None
    fault: Fault | None
    raw_reply: str = ""


class Method(Protocol):
    """One method. ``name`` is its identifier, ``head`` the short column head, ``title`` the full name.

    ``version`` changes whenever the prompt or the reading of replies does: a verdict belongs
    to the version it was asked under. ``unit`` says whether one item covers a whole group or
    one trajectory. ``asks`` is false for methods that need no judge.
    """

    name: str
    head: str
    title: str
    version: str
    unit: Unit
    asks: bool

    def scale(self, rubric: Rubric) -> tuple[float, float]:
        """The lowest and the highest score."""
        ...

    def reward(self, score: float, rubric: Rubric) -> float:
        """A score brought to [0, 1]."""
        ...

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """Why the method cannot be applied here, or ``None``."""
        ...

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """The questions of one item. ``members``: the whole group, or its one trajectory."""
        ...

    def verdicts(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, replies: Sequence[Replied]
    ) -> list[Verdict]:
        """One verdict a member, in the order of ``members``. ``replies`` in the order of the questions."""
        ...


def unscored(trajectory: Trajectory, replied: Replied, criteria: tuple[CriterionVerdict, ...] = ()) -> Unscored:
    """The verdict on a trajectory that a reply left without a score, for the reply's own reason.

    Raises:
        ValueError: the reply has neither an answer for the trajectory nor a fault.
    """
    if replied.fault is None:
        raise ValueError(f"the reply has no verdict on {trajectory.id!r} and no fault either")
    return Unscored(trajectory.id, replied.fault.reason, replied.fault.detail, replied.raw_reply, criteria)
