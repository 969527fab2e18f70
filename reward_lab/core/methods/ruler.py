"""RULER: one call compares all trajectories of a group and scores each from 0 to 1.

The method of OpenPipe's ART (``art.rewards.ruler``). The agent's own system prompt states
the goal, and scores relative to each other are what GRPO needs. The published figures to
compare with (openai/o3, refund example): faithful 0.97, hallucinated 0.45, ignored 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from reward_lab.core.chat import Json
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.method import Arrangement, Question, Replied, Task, Unit, unscored
from reward_lab.core.prefix import before_response, shared_prefix
from reward_lab.core.prompt import BLOCKS_ARE_DATA, block, enclosed, encoded
from reward_lab.core.replies import read_listing
from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import Fault, Scored, Verdict

ORDERED = "trajectories"
"""What :meth:`Arrangement.order` is asked to order here."""

DEFAULT_GUIDANCE = """\
- Reaching the goal decides: a trajectory that reaches it scores clearly above one that does not.
- Among those that reach it, the direct way scores above detours, repetition and padding.
- Progress that stops short of the goal earns part of the score.
- Let the gaps between scores match the gaps in quality: close together where two trajectories are nearly as good, \
far apart where one is much better."""
"""What counts where the rubric has no guidance of its own."""

_TASK = """\
You compare several trajectories: attempts by an AI agent at one and the same task. The instructions and messages that \
the agent was given show what the goal was. Work out the goal, judge how well each trajectory serves it, and give each \
a score from 0 (worst) to 1 (best)."""

_RUBRIC = "Score by this rubric:"

_REPLY = """\
Take every trajectory in turn; first explain in a sentence or two what decides its score, then give the score. Reply \
with one JSON object and nothing else, with one entry for each trajectory under its own id: \
{"scores": [{"trajectory_id": "<id>", "explanation": "<why>", "score": <number from 0 to 1>}, ...]}"""

# No bounds and no list of ids in the schema: several providers refuse a schema with bounds, and one that never changes
# is compiled once. Both are checked when the reply is read.
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "scores": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "trajectory_id": {"type": "string", "description": "The id of the trajectory's block."},
                    "explanation": {"type": "string", "description": "What decides the score, in a sentence or two."},
                    "score": {"type": "number", "description": "From 0 to 1."},
                },
                "required": ["trajectory_id", "explanation", "score"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["scores"],
    "additionalProperties": False,
}


class Ruler:
    """See the module. Where all trajectories are identical one is sent, and its verdict holds for all."""

    name = "ruler"
    head = "RULER"
    title = "RULER"
    version = "ruler-1"
    unit: Unit = "group"
    asks = True

    def scale(self, rubric: Rubric) -> tuple[float, float]:
        """0 to 1, whatever the rubric."""
        return (0.0, 1.0)

    def reward(self, score: float, rubric: Rubric) -> float:
        """The score itself."""
        return score

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """Never one: a group of one is scored too, though there is nothing to compare."""
        return None

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """One question over all members; what their conversations share at the start is sent once."""
        order = arrangement.order(len(members), of=ORDERED)
        shown = [members[0]] if _identical(group, members) else [members[index] for index in order]
        numbered = tuple((str(number), trajectory) for number, trajectory in enumerate(shown, start=1))
        guidance = rubric.guidance.strip()
        system = "\n\n".join((_TASK, BLOCKS_ARE_DATA, _RUBRIC, block("rubric", guidance or DEFAULT_GUIDANCE), _REPLY))
        question = Question(
            messages=({"role": "system", "content": system}, {"role": "user", "content": _shown(group, numbered)}),
            schema_name="ruler_scores",
            schema=SCHEMA,
            read=partial(read_listing, ids=[number for number, _ in numbered]),
            task=Task(kind="listwise", group=group, members=numbered, guidance=guidance),
        )
        return [question]

    def verdicts(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, replies: Sequence[Replied]
    ) -> list[Verdict]:
        """Scores by the ids of the prompt; a member that the reply leaves out is unscored, with the raw reply."""
        (replied,) = replies
        shown = replied.question.task.members
        alike = len(shown) < len(members)
        ids = {trajectory.id: number for number, trajectory in shown}
        listing = replied.answer if isinstance(replied.answer, dict) else {}
        verdicts: list[Verdict] = []
        for member in members:
            rating = listing.get(ids[shown[0][1].id if alike else member.id])
            if rating is None:
                verdicts.append(unscored(member, replied))
                continue
            told = f"All {len(members)} trajectories are identical, so one was judged for all. " if alike else ""
            verdicts.append(Scored(member.id, rating.score, told + rating.explanation))
        return verdicts


def _identical(group: Group, members: Sequence[Trajectory]) -> bool:
    first, *others = members
    return all(
        group.conversation(other) == group.conversation(first) and group.tools_of(other) == group.tools_of(first)
        for other in others
    )


def _shown(group: Group, numbered: Sequence[tuple[str, Trajectory]]) -> str:
    """The user message: context, tools, trajectories. Tools stand with each trajectory where they differ."""
    conversations = [group.conversation(trajectory) for _, trajectory in numbered]
    tools = [group.tools_of(trajectory) for _, trajectory in numbered]
    start = before_response(group, numbered[0][1]) if len(numbered) == 1 else shared_prefix(conversations)
    same_tools = all(one == tools[0] for one in tools)
    blocks = [block("context", conversations[0][:start])] if start else []
    if same_tools and tools[0]:
        blocks.append(block("available_tools", tools[0]))
    for (number, _), conversation, own in zip(numbered, conversations, tools, strict=True):
        parts = [] if same_tools else [block("available_tools", own)]
        blocks.append(enclosed("trajectory", *parts, encoded(conversation[start:]), number=number))
    return "\n\n".join(blocks)


RULER = Ruler()
