"""RaR implicit: one call a response with the whole rubric, and one holistic rating.

RaR (arXiv 2507.17746), "implicit aggregation": the judge weighs the criteria itself, which
there trained better models than the explicit sum (HealthBench 31.2 against 29.7).
"""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.chat import Json
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.explicit import no_criteria
from reward_lab.core.methods.method import Arrangement, Question, Task
from reward_lab.core.methods.rated import Rated, rating_question
from reward_lab.core.prompt import block, enclosed, response_blocks
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.verdict import Fault

_TASK = """\
You judge one response of an AI assistant by a rubric. The context block holds the conversation it answers, \
instructions included; the response block holds what the assistant then said and did. Each criterion block holds a \
statement, how much it matters, and whether it speaks for the response when it is true or when it is false. Weigh the \
criteria by what they matter and judge the response as a whole by them."""

_GUIDANCE = "The rubric block says in prose what else counts."


class Implicit(Rated):
    """See the module."""

    name = "rar_implicit"
    head = "RaR imp"
    title = "RaR implicit"
    version = "rar_implicit-1"

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """``NO_CRITERIA`` for a rubric without any."""
        return no_criteria(rubric)

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """One question, its criteria in the order of the arrangement."""
        (member,) = members
        order = arrangement.order(len(rubric.criteria), of="criteria")
        criteria = tuple((str(number), rubric.criteria[index]) for number, index in enumerate(order, start=1))
        listed = [
            block("criterion", _said(criterion, rubric.weights[index]), number=number)
            for (number, criterion), index in zip(criteria, order, strict=True)
        ]
        instructions = [_TASK, enclosed("criteria", *listed)]
        guidance = rubric.guidance.strip()
        if guidance:
            instructions += (_GUIDANCE, block("rubric", guidance))
        top = rubric.scoring.likert_max
        task = Task("rating", group, (("1", member),), guidance=guidance, criteria=criteria, rating_max=top)
        return [rating_question(task, top, instructions, response_blocks(group, member))]


def _said(criterion: Criterion, weight: float) -> dict[str, Json]:
    """A criterion in words: the statement, its importance and its polarity."""
    said: dict[str, Json] = {"title": criterion.title} if criterion.title else {}
    said["statement"] = criterion.description
    said["importance"] = f"{criterion.category.value}, weight {weight:g}"
    said["polarity"] = (
        "good when the statement is true of the response"
        if criterion.meets_when
        else "bad when the statement is true of the response, good when it is false"
    )
    return said


IMPLICIT = Implicit()
