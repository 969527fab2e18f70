"""Direct Likert and Likert with a reference: one rating a response, without criteria.

"Simple-Likert" and "Reference-Likert" of RaR (arXiv 2507.17746), the baselines that a rubric
has to beat.
"""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.method import Arrangement, Question, Task
from reward_lab.core.methods.rated import Rated, rating_question
from reward_lab.core.prompt import block, response_blocks
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Fault, Reason

_TASK = """\
You judge one response of an AI assistant. The context block holds the conversation it answers, instructions included; \
the response block holds what the assistant then said and did. Judge how well the response serves what was asked, \
within the instructions it was given: whether it is right, complete, clear and to the point."""

_REFERENCE = """\
The reference_answer block holds an answer known to be good. Measure the response against its substance; another \
wording, order or length is no fault."""

_GUIDANCE = "The rubric block says what counts here; it goes before your own idea of quality."


class Likert(Rated):
    """One rating a response; ``shows_reference`` sets the reference answer beside it."""

    def __init__(self, *, name: str, head: str, title: str, shows_reference: bool) -> None:
        self.name = name
        self.head = head
        self.title = title
        self.version = f"{name}-1"
        self._shows_reference = shows_reference

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """``NO_REFERENCE`` where the method shows a reference answer and the scenario has none."""
        if self._shows_reference and not (group.scenario.reference_answer or "").strip():
            return Fault(
                Reason.NO_REFERENCE,
                "The scenario has no reference answer: add one, or choose likert, which needs none.",
            )
        return None

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """One question. The rubric's guidance is shown where there is any, its criteria never."""
        (member,) = members
        instructions = [_TASK]
        blocks = response_blocks(group, member)
        reference = group.scenario.reference_answer if self._shows_reference else None
        if reference is not None:
            instructions.append(_REFERENCE)
            blocks.append(block("reference_answer", reference))
        guidance = rubric.guidance.strip()
        if guidance:
            instructions += (_GUIDANCE, block("rubric", guidance))
        top = rubric.scoring.likert_max
        task = Task("rating", group, (("1", member),), guidance=guidance, reference=reference, rating_max=top)
        return [rating_question(task, top, instructions, blocks)]


LIKERT = Likert(name="likert", head="Likert", title="Direct Likert", shows_reference=False)

LIKERT_REFERENCE = Likert(
    name="likert_reference", head="Likert+ref", title="Likert with reference", shows_reference=True
)
