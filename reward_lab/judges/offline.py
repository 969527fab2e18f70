"""The offline judge: answers questions from lexical evidence. No model, no network, no key.

It reads the task of a question, never its prompt, and replies with the JSON text that the
question's reader expects, so that everything behind it is the same as for a model. The same
question always gets the same reply, whatever the order of trajectories and criteria.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence

from reward_lab.core.chat import Json, Message, well_formed
from reward_lab.core.group import Trajectory
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Drafting, Question, Task
from reward_lab.core.prefix import before_response
from reward_lab.judges.appraisal import Appraisal, appraised
from reward_lab.judges.completion import Completion
from reward_lab.judges.drafting import drafted
from reward_lab.judges.evidence import Evidence, evidence
from reward_lab.judges.statements import finding

_CONTRAST = 1.2
"""How far a comparison draws a group apart around its mean."""


class OfflineTransport:
    """The transport of the judge ``offline``. It uses no tokens and costs nothing, and says so as 0."""

    async def prepare(self) -> None:
        """Always ready."""

    async def complete(
        self, question: Question, messages: Sequence[Message], judge: Judge, *, max_tokens: int | None = None
    ) -> Completion:
        """Answer from the question's task; ``messages``, the judge's parameters and ``max_tokens`` play no part."""
        started = time.perf_counter()
        reply = well_formed(json.dumps(_reply(question.task), ensure_ascii=False))
        return Completion(
            reply,
            finish_reason="stop",
            prompt_tokens=0,
            completion_tokens=0,
            cost_usd=0.0,
            latency_s=time.perf_counter() - started,
        )

    async def aclose(self) -> None:
        """Nothing to let go of."""


def _reply(task: Task | Drafting) -> dict[str, Json]:
    if isinstance(task, Drafting):
        return {"proposals": drafted(task)}
    if task.kind == "listwise":
        return {"scores": _compared(task)}
    ((_, member),) = task.members
    found = _evidence(task, member)
    if task.kind == "rating":
        verdict = appraised(found, guidance=task.guidance, criteria=[one for _, one in task.criteria])
        rating = 1 + math.floor(verdict.quality * (task.rating_max - 1) + 0.5)
        return {"explanation": verdict.explanation, "rating": rating}
    marks = [
        {"id": number, "explanation": one.because, "met": one.holds}
        for number, one in ((number, finding(criterion.description, found)) for number, criterion in task.criteria)
    ]
    if task.kind == "criteria":
        return {"criteria": marks}
    (mark,) = marks
    return {"explanation": mark["explanation"], "met": mark["met"]}


def _compared(task: Task) -> list[dict[str, Json]]:
    """A score from 0 to 1 for every member, the gaps a little wider than each taken alone."""
    verdicts: list[tuple[str, Appraisal]] = [
        (number, appraised(_evidence(task, member), guidance=task.guidance)) for number, member in task.members
    ]
    mean = math.fsum(verdict.quality for _, verdict in verdicts) / len(verdicts)
    return [
        {
            "trajectory_id": number,
            "explanation": verdict.explanation,
            "score": round(min(1.0, max(0.0, mean + _CONTRAST * (verdict.quality - mean))), 3),
        }
        for number, verdict in verdicts
    ]


def _evidence(task: Task, member: Trajectory) -> Evidence:
    conversation = task.group.conversation(member)
    start = before_response(task.group, member)
    return evidence(
        conversation[:start],
        conversation[start:],
        guidance=task.guidance,
        reference=task.reference,
        has_tools=bool(task.group.tools_of(member)),
    )
