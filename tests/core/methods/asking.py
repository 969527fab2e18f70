"""A judge of a few lines for the tests of methods: it reads the blocks of a prompt and answers by their content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.method import Arrangement, Method, Question, Replied
from reward_lab.core.replies import ReplyFault
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Fault, Reason, Verdict

_BLOCK = r'<{}(?: id="(\d+)")?>\n(.*?)\n</{}>'


def prompt(question: Question) -> str:
    return "\n\n".join(str(message["content"]) for message in question.messages)


def blocks(question: Question, tag: str) -> list[tuple[str, str]]:
    """(id, body) of every block of this name, as the judge sees them."""
    return re.findall(_BLOCK.format(tag, tag), prompt(question), re.DOTALL)


def decoded(question: Question, tag: str) -> list[Any]:
    """What the blocks of this name hold."""
    return [json.loads(body) for _, body in blocks(question, tag)]


def replied(question: Question, text: str) -> Replied:
    """What an asker makes of a reply, without asking again."""
    try:
        return Replied(question, question.read(text), None, text)
    except ReplyFault as fault:
        return Replied(question, fault.partial, fault.fault, text)


def failed(question: Question) -> Replied:
    """A call that brought no reply at all."""
    return Replied(question, None, Fault(Reason.TIMEOUT, "No reply within 60 s: raise the timeout."))


Answering = Callable[[Question], str]


def score(
    method: Method,
    group: Group,
    rubric: Rubric,
    answering: Answering,
    arrangement: Arrangement | None = None,
) -> list[Verdict]:
    """The verdicts of one method on a whole group, in the order of its trajectories."""
    units: Sequence[Sequence[Trajectory]] = (
        [group.trajectories] if method.unit == "group" else [(one,) for one in group.trajectories]
    )
    verdicts: list[Verdict] = []
    for members in units:
        questions = method.questions(group, members, rubric, arrangement or Arrangement())
        replies = [replied(question, answering(question)) for question in questions]
        verdicts += method.verdicts(group, members, rubric, replies)
    return verdicts


def by_content(question: Question) -> str:
    """A reply in which each score and verdict follows from the content of its own block alone."""
    task = question.task
    match task.kind:
        case "listwise":
            entries = [
                {"trajectory_id": one, "explanation": body, "score": _hash(body) % 101 / 100}
                for one, body in blocks(question, "trajectory")
            ]
            return json.dumps({"scores": entries[::-1]})
        case "rating":
            ((_, body),) = blocks(question, "response")
            return json.dumps({"explanation": body, "rating": 1 + _hash(body) % task.rating_max})
        case "criteria":
            ((_, body),) = blocks(question, "response")
            entries = [
                {"id": one, "explanation": said, "met": _hash(body + said) % 2 == 0}
                for one, said in blocks(question, "criterion")
            ]
            return json.dumps({"criteria": entries[::-1]})
        case "criterion":
            ((_, body),), ((_, said),) = blocks(question, "response"), blocks(question, "criterion")
            return json.dumps({"explanation": said, "met": _hash(body + said) % 2 == 0})


def _hash(text: str) -> int:
    return sum(index * ord(character) for index, character in enumerate(text, start=1))


def changed(rubric: Rubric, **fields: object) -> Rubric:
    """The rubric with other fields. Not ``model_copy``, which would keep the cached weights of the old ones."""
    return Rubric.model_validate({**{name: getattr(rubric, name) for name in Rubric.model_fields}, **fields})


def group_of(*texts: str, reference: str | None = "The reference is 42.", **scenario: object) -> Group:
    """A group whose trajectories are called t1, t2, ... and answer with ``texts``."""
    return Group.from_record(
        {
            "id": "g",
            "scenario": {
                "system_prompt": "You are an agent.",
                "messages": [{"role": "user", "content": "What is it?"}],
                "reference_answer": reference,
                **scenario,
            },
            "trajectories": [{"id": f"t{number}", "text": text} for number, text in enumerate(texts, start=1)],
        }
    )
