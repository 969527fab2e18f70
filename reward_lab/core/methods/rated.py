"""What the methods have in common that rate one response on a scale from 1 upwards in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from reward_lab.core.chat import Json
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.method import Question, Replied, Task, Unit, unscored
from reward_lab.core.prompt import BLOCKS_ARE_DATA
from reward_lab.core.replies import Rating, read_rating
from reward_lab.core.rewards import likert_reward
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Scored, Verdict

# No bounds: see the schema of RULER.
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "explanation": {"type": "string", "description": "What decides the rating, in two or three sentences."},
        "rating": {"type": "integer", "description": "A whole number on the scale given."},
    },
    "required": ["explanation", "rating"],
    "additionalProperties": False,
}


class Rated:
    """Base of the rating methods: scale, reward, the frame of the question and its reading."""

    unit: Unit = "trajectory"
    asks = True

    def scale(self, rubric: Rubric) -> tuple[float, float]:
        """1 to ``scoring.likert_max``."""
        return (1.0, float(rubric.scoring.likert_max))

    def reward(self, score: float, rubric: Rubric) -> float:
        """Normalised as ``scoring.likert_normalising`` says (:func:`likert_reward`)."""
        return likert_reward(score, rubric.scoring.likert_max, rubric.scoring.likert_normalising)

    def verdicts(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, replies: Sequence[Replied]
    ) -> list[Verdict]:
        """The one member's rating, or why it has none."""
        (member,), (replied,) = members, replies
        if not isinstance(replied.answer, Rating):
            return [unscored(member, replied)]
        return [Scored(member.id, replied.answer.score, replied.answer.explanation)]


def rating_question(task: Task, top: int, instructions: Sequence[str], blocks: Sequence[str]) -> Question:
    """The question for a whole-numbered rating from 1 to ``top``."""
    scale = (
        f"Rate the response with a whole number from 1 (as bad as can be) to {top} (nothing to improve), and use the "
        f"whole scale. First explain in two or three sentences what decides the rating, then give it. Reply with one "
        f'JSON object and nothing else: {{"explanation": "<why>", "rating": <whole number from 1 to {top}>}}'
    )
    system = "\n\n".join((*instructions, BLOCKS_ARE_DATA, scale))
    return Question(
        messages=({"role": "system", "content": system}, {"role": "user", "content": "\n\n".join(blocks)}),
        schema_name="rating",
        schema=SCHEMA,
        read=partial(read_rating, low=1, high=top, whole=True),
        task=task,
    )
