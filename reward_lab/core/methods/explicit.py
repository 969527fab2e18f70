"""RaR explicit: a verdict for each criterion, aggregated by weight and polarity.

RaR (arXiv 2507.17746), Eq. 1 in its safe form (:func:`reward_lab.core.rewards.explicit_score`).
The judge is asked only whether each statement is literally true of the response, never
whether that is good: published pitfalls are phrased both ways ("avoids ...", "recommends
..."), and a judge that guesses the intent turns their sign.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from reward_lab.core.chat import Json
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.method import Arrangement, Question, Replied, Task, Unit, unscored
from reward_lab.core.prompt import BLOCKS_ARE_DATA, block, enclosed, response_blocks
from reward_lab.core.replies import read_mark, read_marks
from reward_lab.core.reply_json import quoted
from reward_lab.core.rewards import explicit_score, points_score
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.verdict import CriterionVerdict, Fault, Reason, Scored, Verdict

_TASK = """\
You check statements about one response of an AI assistant. The context block holds the conversation it answers, \
instructions included; the response block holds what the assistant then said and did."""

_STATEMENTS = """\
Each criterion block holds a statement. Decide of each on its own, from the response alone and not from what the \
assistant may have meant, whether it is literally true of the response. Do not ask whether that is good or bad: a \
statement that describes a fault is true when the response has the fault, and one that says the response avoids a \
fault is true when it does. A statement of several parts is true only if all of them are. A label in front of a \
statement, such as Essential or Pitfall, is no part of it."""

_ONE_STATEMENT = """\
The criterion block holds a statement. Decide from the response alone, and not from what the assistant may have meant, \
whether it is literally true of the response. Do not ask whether that is good or bad: a statement that describes a \
fault is true when the response has the fault, and one that says the response avoids a fault is true when it does. A \
statement of several parts is true only if all of them are. A label in front of it, such as Essential or Pitfall, is \
no part of it."""

_REPLY = """\
First explain in a sentence what in the response decides, then give "met": true when the statement is true of the \
response, false when it is not. Reply with one JSON object and nothing else, with one entry for each criterion under \
its own id: {"criteria": [{"id": "<id>", "explanation": "<why>", "met": <true or false>}, ...]}"""

_ONE_REPLY = """\
First explain in a sentence what in the response decides, then give "met": true when the statement is true of the \
response, false when it is not. Reply with one JSON object and nothing else: \
{"explanation": "<why>", "met": <true or false>}"""

_PARTLY = """\
Where the statement is true in part and not in whole, "met" is "partly"; give it as one of the strings "true", \
"partly" and "false"."""

_EXPLANATION: Json = {"type": "string", "description": "What in the response decides, in a sentence."}
_MET: Json = {"type": "boolean", "description": "Whether the statement is literally true of the response."}

_PARTLY_MET: Json = {
    "type": "string",
    "enum": ["true", "partly", "false"],
    "description": "Whether the statement is literally true of the response.",
}


def _verdict(partial: bool, **further: Json) -> dict[str, Json]:
    """The schema of one verdict, with ``further`` properties in front."""
    properties = {**further, "explanation": _EXPLANATION, "met": _PARTLY_MET if partial else _MET}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _listing(partial: bool) -> dict[str, Json]:
    """The schema of a verdict for each criterion. No list of ids: see the schema of RULER."""
    entry = _verdict(partial, id={"type": "string", "description": "The id of the criterion's block."})
    return {
        "type": "object",
        "properties": {"criteria": {"type": "array", "items": entry}},
        "required": ["criteria"],
        "additionalProperties": False,
    }


def no_criteria(rubric: Rubric) -> Fault | None:
    """The obstacle of a method that needs criteria, for a rubric without any."""
    if rubric.criteria:
        return None
    return Fault(
        Reason.NO_CRITERIA, "The rubric has no criteria: add one, or choose a method that needs none, such as ruler."
    )


class Checklist(ABC):
    """Base of the methods that check statements: what is asked, and how the marks become a score."""

    unit: Unit = "trajectory"
    asks = True

    @abstractmethod
    def criteria(self, rubric: Rubric) -> tuple[Criterion, ...]:
        """(C,) the statements that are checked; a criterion verdict's position is its place here."""

    @abstractmethod
    def weights(self, rubric: Rubric) -> tuple[float, ...]:
        """(C,) what each counts."""

    def partial(self, rubric: Rubric) -> bool:
        """Whether a statement may be partly true."""
        return False

    def score(self, rubric: Rubric, truths: Sequence[float]) -> float:
        """The score from the (C,) truths: RaR's safe form."""
        polarities = [criterion.meets_when for criterion in self.criteria(rubric)]
        return explicit_score(self.weights(rubric), truths, polarities)

    def scale(self, rubric: Rubric) -> tuple[float, float]:
        """0 to 1, whatever the rubric."""
        return (0.0, 1.0)

    def reward(self, score: float, rubric: Rubric) -> float:
        """The score itself."""
        return score

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """One question over all criteria, in the order of the arrangement."""
        (member,) = members
        criteria = self.criteria(rubric)
        order = arrangement.order(len(criteria), of="criteria")
        positions = {str(number): index for number, index in enumerate(order, start=1)}
        shown = tuple((number, criteria[index]) for number, index in positions.items())
        listed = [block("criterion", criterion.description, number=number) for number, criterion in shown]
        partial = self.partial(rubric)
        system = _system(_STATEMENTS, _REPLY, partial=partial)
        blocks = [*response_blocks(group, member), enclosed("criteria", *listed)]
        question = Question(
            messages=({"role": "system", "content": system}, {"role": "user", "content": "\n\n".join(blocks)}),
            schema_name="criteria",
            schema=_listing(partial),
            read=functools.partial(read_marks, positions=positions, partial=partial),
            task=Task("criteria", group, (("1", member),), criteria=shown),
        )
        return [question]

    def verdicts(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, replies: Sequence[Replied]
    ) -> list[Verdict]:
        """The one member's score. A criterion without verdict leaves it unscored, the other marks kept."""
        (member,) = members
        criteria = self.criteria(rubric)
        answers = [replied.answer for replied in replies if isinstance(replied.answer, tuple)]
        given = {mark.position: mark for marks in answers for mark in marks}
        decided = [mark.truth for _, mark in sorted(given.items()) if mark.truth is not None]
        if len(decided) < len(criteria):
            kept = tuple(given.get(place, CriterionVerdict(place, None)) for place in range(len(criteria)))
            return [unscored(member, _failed(criteria, replies), kept if given else ())]
        kept = tuple(mark for _, mark in sorted(given.items()))
        return [Scored(member.id, self.score(rubric, decided), _summary(criteria, kept), kept)]


class Explicit(Checklist):
    """See the module. ``scoring.explicit_calls`` says whether a call checks one criterion, as in the paper, or all."""

    name = "rar_explicit"
    head = "RaR exp"
    title = "RaR explicit"
    version = "rar_explicit-1"

    def criteria(self, rubric: Rubric) -> tuple[Criterion, ...]:
        """(C,) the rubric's."""
        return rubric.criteria

    def weights(self, rubric: Rubric) -> tuple[float, ...]:
        """(C,) the rubric's."""
        return rubric.weights

    def partial(self, rubric: Rubric) -> bool:
        """As the rubric's scoring has it."""
        return rubric.scoring.partial

    def score(self, rubric: Rubric, truths: Sequence[float]) -> float:
        """By the rubric's scale: the share that is met, or the points."""
        if rubric.scoring.explicit_scale == "share":
            return super().score(rubric, truths)
        return points_score(rubric.weights, truths, [criterion.meets_when for criterion in rubric.criteria])

    def scale(self, rubric: Rubric) -> tuple[float, float]:
        """0 to 1; by points from what all faults together cost."""
        if rubric.scoring.explicit_scale == "share" or not _possible(rubric):
            return super().scale(rubric)
        faults = [float(not criterion.meets_when) for criterion in rubric.criteria]
        return (self.score(rubric, faults), 1.0)

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """``NO_CRITERIA``, or ``NO_WEIGHT`` where nothing that counts has a weight."""
        if rubric.criteria and not any(rubric.weights):
            return Fault(Reason.NO_WEIGHT, "All criteria weigh 0: give at least one a weight, or weigh by category.")
        if rubric.criteria and rubric.scoring.explicit_scale == "points" and not _possible(rubric):
            return Fault(
                Reason.NO_WEIGHT,
                "Every criterion is a fault to avoid, so no points can be won: add one that is met when true, or score "
                "by the share that is met.",
            )
        return no_criteria(rubric)

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """One question over all criteria, or one for each in the order of the rubric."""
        if rubric.scoring.explicit_calls == "per_response":
            return super().questions(group, members, rubric, arrangement)
        (member,) = members
        partial = self.partial(rubric)
        system = _system(_ONE_STATEMENT, _ONE_REPLY, partial=partial)
        blocks = response_blocks(group, member)
        return [
            Question(
                messages=(
                    {"role": "system", "content": system},
                    {"role": "user", "content": "\n\n".join((*blocks, block("criterion", criterion.description)))},
                ),
                schema_name="criterion",
                schema=_verdict(partial),
                read=functools.partial(read_mark, position=position, partial=partial),
                task=Task("criterion", group, (("1", member),), criteria=(("1", criterion),)),
            )
            for position, criterion in enumerate(rubric.criteria)
        ]


def _failed(criteria: Sequence[Criterion], replies: Sequence[Replied]) -> Replied:
    """The first reply with a fault; of several, its fault says which criterion it was about."""
    faulty = ((place, replied) for place, replied in enumerate(replies) if replied.fault is not None)
    place, failed = next(faulty, (0, replies[0]))
    if failed.fault is None or len(replies) == 1:
        return failed
    detail = f"Criterion {place + 1}, {_called(criteria[place])}: {failed.fault.detail}"
    return replace(failed, fault=Fault(failed.fault.reason, detail))


def _called(criterion: Criterion) -> str:
    return criterion.title or quoted(criterion.description, 60)


def _summary(criteria: Sequence[Criterion], marks: Sequence[CriterionVerdict]) -> str:
    judged = list(zip(criteria, marks, strict=True))
    partly = [_called(criterion) for criterion, mark in judged if mark.truth == 0.5]
    unmet = [_called(criterion) for criterion, mark in judged if mark.truth == float(not criterion.meets_when)]
    parts = [f"{len(criteria) - len(unmet) - len(partly)} of {len(criteria)} criteria met"]
    parts += [f"{said}: {', '.join(names)}" for said, names in (("partly met", partly), ("not met", unmet)) if names]
    return f"{'; '.join(parts)}."


def _possible(rubric: Rubric) -> bool:
    """Whether there are points to win."""
    return any(
        weight and criterion.meets_when for weight, criterion in zip(rubric.weights, rubric.criteria, strict=True)
    )


def _system(statements: str, reply: str, *, partial: bool) -> str:
    return "\n\n".join((_TASK, statements, BLOCKS_ARE_DATA, reply, *([_PARTLY] if partial else [])))


EXPLICIT = Explicit()
