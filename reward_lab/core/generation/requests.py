"""Requests: the four things a judge can be asked for while a rubric is written. All are pure.

Each is a question (prompt, schema, reader, parts) under a version that changes with the
prompt or the reading, so that a stored reply is never taken for another request's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, TypeAlias

from reward_lab.core.chat import Json
from reward_lab.core.generation import prompts
from reward_lab.core.generation.reading import Expected, read_proposals
from reward_lab.core.group import Scenario, Trajectory
from reward_lab.core.methods.method import Drafting, Question
from reward_lab.core.prompt import block, enclosed
from reward_lab.core.proposal import Proposal, Proposals
from reward_lab.core.replies import ReplyFault
from reward_lab.core.rubric import Category, Criterion, Rubric
from reward_lab.errors import InvalidGroup

_Finish: TypeAlias = Callable[[Proposals], Proposals]

FEWEST, MOST = 7, 20
"""How many criteria a rubric of RaR has (arXiv 2507.17746)."""


@dataclass(frozen=True, slots=True)
class Generate:
    """A rubric's criteria from the scenario; ``with_reference`` shows the reference answer where there is one."""

    scenario: Scenario
    rubric: Rubric
    with_reference: bool = True

    version: ClassVar[str] = "generate-1"

    def question(self) -> Question:
        """What the judge is asked. Raises :class:`InvalidGroup` where the scenario says nothing."""
        reference = _reference(self.scenario) if self.with_reference else None
        _check_asks(self.scenario, reference)
        principles = "\n".join((prompts.UNGROUNDED if reference is None else prompts.GROUNDED, prompts.PRINCIPLES))
        return _question(
            [prompts.GENERATE, principles, prompts.NUMBER_MORE if self.rubric.criteria else prompts.NUMBER],
            Drafting("generate", self.scenario, reference=reference, criteria=_numbered(self.rubric)),
            Expected(known=self.rubric.criteria),
            partial(_whole_rubric, rubric=self.rubric),
        )


@dataclass(frozen=True, slots=True)
class Sharpen:
    """One criterion made checkable by itself, split where it joins several. ``position`` is its place, from 0."""

    scenario: Scenario
    criterion: Criterion
    position: int

    version: ClassVar[str] = "sharpen-1"

    def question(self) -> Question:
        """What the judge is asked."""
        return _question(
            [prompts.SHARPEN],
            Drafting("sharpen", self.scenario, reference=_reference(self.scenario), criteria=(("1", self.criterion),)),
            Expected(origin=self.criterion, position=self.position),
            partial(_sharpened, origin=self.criterion),
        )


@dataclass(frozen=True, slots=True)
class AddPitfalls:
    """Pitfalls from responses that are bad."""

    scenario: Scenario
    rubric: Rubric
    bad: tuple[Trajectory, ...]

    version: ClassVar[str] = "pitfalls-1"

    def question(self) -> Question:
        """What the judge is asked. Raises :class:`InvalidGroup` where there is no response."""
        if not self.bad:
            raise InvalidGroup("There is no bad response to learn from: choose at least one.")
        return _question(
            [prompts.PITFALLS],
            Drafting("pitfalls", self.scenario, _members(self.bad), _reference(self.scenario), _numbered(self.rubric)),
            Expected(known=self.rubric.criteria, category=Category.PITFALL),
            _as_read,
        )


@dataclass(frozen=True, slots=True)
class Separate:
    """Criteria that tell a better response from a worse one."""

    scenario: Scenario
    rubric: Rubric
    better: Trajectory
    worse: Trajectory

    version: ClassVar[str] = "separate-1"

    def question(self) -> Question:
        """What the judge is asked. Raises :class:`InvalidGroup` where the two are the same."""
        if self.better.key == self.worse.key:
            raise InvalidGroup("The two responses are identical, and nothing tells them apart: choose two others.")
        reference = _reference(self.scenario)
        return _question(
            [prompts.SEPARATE],
            Drafting("separate", self.scenario, _members((self.better, self.worse)), reference, _numbered(self.rubric)),
            Expected(known=self.rubric.criteria),
            _as_read,
        )


Request: TypeAlias = Generate | Sharpen | AddPitfalls | Separate


def _question(instructions: Sequence[str], task: Drafting, expected: Expected, finish: _Finish) -> Question:
    told = [*instructions]
    if task.criteria and task.kind != "sharpen":
        told.append(prompts.KNOWN)
    system = "\n\n".join((*told, prompts.DATA, prompts.REPLY))
    return Question(
        messages=({"role": "system", "content": system}, {"role": "user", "content": "\n\n".join(_blocks(task))}),
        schema_name="proposals",
        schema=prompts.SCHEMA,
        read=partial(_read, expected=expected, finish=finish),
        task=task,
    )


def _blocks(task: Drafting) -> list[str]:
    scenario = task.scenario
    blocks = [block("context", scenario.conversation)]
    if scenario.tools:
        blocks.append(block("available_tools", scenario.tools))
    if task.reference is not None:
        blocks.append(block("reference_answer", task.reference))
    blocks += [block("trajectory", member.messages, number=number) for number, member in task.members]
    if task.kind == "sharpen":
        ((_, criterion),) = task.criteria
        return [*blocks, block("criterion", _said(criterion))]
    if task.criteria:
        listed = [block("criterion", _said(criterion), number=number) for number, criterion in task.criteria]
        blocks.append(enclosed("criteria", *listed))
    return blocks


def _said(criterion: Criterion) -> dict[str, Json]:
    said: dict[str, Json] = {"title": criterion.title} if criterion.title else {}
    blames = "the statement describes a mistake" if not criterion.meets_when else "the statement describes a merit"
    return {**said, "statement": criterion.description, "category": criterion.category.value, "polarity": blames}


def _reference(scenario: Scenario) -> str | None:
    return scenario.reference_answer if (scenario.reference_answer or "").strip() else None


def _check_asks(scenario: Scenario, reference: str | None) -> None:
    if not scenario.conversation and reference is None:
        raise InvalidGroup(
            "The scenario is empty, so there is nothing to write criteria from: give a system prompt, a user message "
            "or a reference answer."
        )


def _numbered(rubric: Rubric) -> tuple[tuple[str, Criterion], ...]:
    return tuple((str(number), criterion) for number, criterion in enumerate(rubric.criteria, start=1))


def _members(trajectories: Iterable[Trajectory]) -> tuple[tuple[str, Trajectory], ...]:
    return tuple((str(number), trajectory) for number, trajectory in enumerate(trajectories, start=1))


# -- what is said of the whole -------------------------------------------------------------------


def _read(text: str, expected: Expected, finish: _Finish) -> Proposals:
    try:
        return finish(read_proposals(text, expected))
    except ReplyFault as fault:
        if isinstance(fault.partial, Proposals):
            fault.partial = finish(fault.partial)
        raise


def _as_read(proposals: Proposals) -> Proposals:
    return proposals


def _whole_rubric(proposals: Proposals, rubric: Rubric) -> Proposals:
    """What a whole rubric is held to: its size, its categories, and the scale of the weights beside it."""
    notes = [*proposals.notes]
    items, known = proposals.items, rubric.criteria
    total = len(items) + len(known)
    said = f"{_criteria(len(items))}, with the rubric's {len(known)} together {total}" if known else _criteria(total)
    if total < FEWEST:
        notes.append(f"{said}, where {FEWEST} to {MOST} are usual: see what is missing, or generate again.")
    if total > MOST:
        notes.append(f"{said}, where {FEWEST} to {MOST} are usual: drop those that decide little.")
    categories = {criterion.category for criterion in (*known, *(item.criterion for item in items))}
    if Category.PITFALL not in categories:
        notes.append("No pitfall is among them: add the mistakes that bad responses make.")
    if Category.ESSENTIAL not in categories:
        notes.append("No criterion is Essential: say what a response fails without.")
    if rubric.scoring.weights == "own" and rubric.criteria:
        low, high = min(rubric.weights), max(rubric.weights)
        notes.append(
            f"The rubric weighs by its own numbers, {low:g} to {high:g}; the proposals carry 1 to 5: make them fit."
        )
    return Proposals(items, tuple(notes))


def _sharpened(proposals: Proposals, origin: Criterion) -> Proposals:
    """The original's weight, shared among its parts; a criterion that stays one stays the same to an export."""
    count = len(proposals.items)
    share = None if origin.weight is None else origin.weight / count
    notes = [*proposals.notes]
    if count > 1:
        own = "" if share is None else f", its weight {origin.weight:g} shared among them"
        notes.append(f"Split into {count}{own}; by category each weighs as much as the whole did.")
    elif proposals.items[0].criterion.description == origin.description:
        notes.append("The judge would leave the criterion as it is.")
    source = origin.source if count == 1 else {}
    return Proposals(tuple(_part(item, share, source) for item in proposals.items), tuple(notes))


def _part(item: Proposal, weight: float | None, source: dict[str, Json]) -> Proposal:
    return replace(item, criterion=item.criterion.model_copy(update={"weight": weight, "source": source}))


def _criteria(count: int) -> str:
    return "1 criterion" if count == 1 else f"{count} criteria"
