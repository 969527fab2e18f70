"""Sweep: runs over the same groups as a matrix of rubric versions, judges and system prompts; each cell is one run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Self, TypeVar

from reward_lab.core.chat import INSTRUCTION_ROLES
from reward_lab.core.group import Group
from reward_lab.core.judge import Ensemble
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemStatus, Progress, RunSettings, RunState, Usage
from reward_lab.core.value import Value
from reward_lab.errors import InvalidGroup, InvalidJudge, InvalidRubric, InvalidRun

T = TypeVar("T")
N = TypeVar("N", int, float)

MOST_CELLS = 24

_PROMPT_SHOWN = 32
"""Characters of a system prompt in the name of a cell."""


class SweptRubric(Value):
    """A rubric of a sweep; ``number`` is its version under its name, ``None`` for one that is not saved."""

    rubric: Rubric
    name: str = ""
    number: int | None = None

    @property
    def title(self) -> str:
        """What it is called among the others."""
        return f"{self.name or 'unnamed rubric'}{'' if self.number is None else f' v{self.number}'}"


class SweepPlan(Value):
    """What a sweep is to do.

    ``group_ids`` are the store's ids; ``source`` says in words where they come from. Of ``prompts``, ``None`` is each
    group's own system prompt. The budget in ``settings`` is that of all runs together: whichever run asks next may
    spend what is left of it, and all stop once it is spent.
    """

    group_ids: tuple[int, ...]
    rubrics: tuple[SweptRubric, ...]
    judges: tuple[Ensemble, ...]
    settings: RunSettings
    prompts: tuple[str | None, ...] = (None,)
    name: str = ""
    source: str = ""

    def without_repeats(self) -> Self:
        """The plan with each group, rubric, judge and prompt once: equal cells would be one run made twice."""
        return self.model_copy(
            update={
                "group_ids": tuple(dict.fromkeys(self.group_ids)),
                "rubrics": _once(self.rubrics, lambda one: one.rubric.key),
                "judges": _once(self.judges, lambda ensemble: tuple(judge.key for judge in ensemble)),
                "prompts": tuple(dict.fromkeys(self.prompts)),
            }
        )


@dataclass(frozen=True, slots=True)
class SweepCell:
    """One cell of a sweep. ``place`` counts from 0; ``title`` names what tells it from the others."""

    place: int
    rubric: SweptRubric
    judges: Ensemble
    prompt: str | None
    title: str


def sweep_cells(plan: SweepPlan) -> tuple[SweepCell, ...]:
    """The cells of a plan: all judges and prompts under the first rubric, then under the next.

    Raises:
        InvalidGroup: there is no group.
        InvalidRubric: there is no rubric.
        InvalidJudge: there is no judge.
        InvalidRun: no choice of system prompt, or more than 24 cells.
    """
    if not plan.group_ids:
        raise InvalidGroup("There is no group to score: choose another split or tag, or add groups.")
    if not plan.rubrics:
        raise InvalidRubric("There is no rubric to score by: choose at least one version.")
    if not plan.judges or not all(plan.judges):
        raise InvalidJudge("There is no judge: choose one, 'offline' needs no key.")
    if not plan.prompts:
        raise InvalidRun("There is no system prompt: keep each group's own, or write one.")
    count = len(plan.rubrics) * len(plan.judges) * len(plan.prompts)
    if count > MOST_CELLS:
        raise InvalidRun(
            f"{len(plan.rubrics)} rubrics x {len(plan.judges)} judges x {len(plan.prompts)} system prompts are "
            f"{count} runs, and a sweep has {MOST_CELLS} at most: choose fewer of them, or start two sweeps."
        )
    rubrics = _told_apart([one.title for one in plan.rubrics])
    judges = _told_apart([", ".join(judge.model for judge in ensemble) for ensemble in plan.judges])
    prompts = _prompt_titles(plan.prompts)
    axes = [(rubrics, len(rubrics) > 1 or count == 1), (judges, len(judges) > 1), (prompts, len(prompts) > 1)]
    places = product(range(len(rubrics)), range(len(judges)), range(len(prompts)))
    return tuple(
        SweepCell(
            place,
            plan.rubrics[at[0]],
            plan.judges[at[1]],
            plan.prompts[at[2]],
            " · ".join(titles[index] for (titles, varies), index in zip(axes, at, strict=True) if varies),
        )
        for place, at in enumerate(places)
    )


def state_together(states: Collection[RunState]) -> RunState:
    """Where runs stand together: ``RUNNING`` while one goes on, ``FINISHED`` once all are, else what can be taken up.

    >>> state_together([RunState.FINISHED, RunState.PAUSED]).value, state_together([]).value
    ('paused', 'interrupted')
    """
    order = (RunState.RUNNING, RunState.INTERRUPTED, RunState.PAUSED, RunState.CANCELLED, RunState.FINISHED)
    return next((state for state in order if state in states), RunState.INTERRUPTED)


def usage_together(usages: Collection[Usage]) -> Usage:
    """What runs took together; a sum with an unknown part is unknown. Their latencies are not put together."""
    return Usage(
        calls=sum(one.calls for one in usages),
        cached=sum(one.cached for one in usages),
        prompt_tokens=_sum([one.prompt_tokens for one in usages]),
        completion_tokens=_sum([one.completion_tokens for one in usages]),
        cost_usd=_sum([one.cost_usd for one in usages]),
    )


def progress_together(progresses: Iterable[Progress]) -> Progress:
    """The items of runs together."""
    counts: dict[ItemStatus, int] = {}
    for progress in progresses:
        for status, count in progress.counts.items():
            counts[status] = counts.get(status, 0) + count
    return Progress(counts)


def under_prompt(group: Group, prompt: str | None) -> Group:
    """The group as if it had been asked under this system prompt; ``None`` leaves it as it is.

    The prompt takes the place of the scenario's, also of one that opens the scenario's messages. A trajectory that
    opens with a system message of its own keeps it: it was sampled under that one (see :meth:`Group.conversation`).
    """
    if prompt is None:
        return group
    messages = group.scenario.messages
    if messages and messages[0].get("role") in INSTRUCTION_ROLES:
        messages = messages[1:]
    scenario = group.scenario.model_copy(update={"system_prompt": prompt, "messages": messages})
    return group.model_copy(update={"scenario": scenario})


def keeping_own_prompt(group: Group) -> int:
    """How many of the group's trajectories open with a system message of their own, which no other replaces."""
    return sum(bool(one.messages) and one.messages[0].get("role") in INSTRUCTION_ROLES for one in group.trajectories)


def _sum(figures: Sequence[N | None]) -> N | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None


def _once(values: Sequence[T], identity: Callable[[T], Hashable]) -> tuple[T, ...]:
    """The values, of equal ones the first."""
    first: dict[Hashable, T] = {}
    for value in values:
        first.setdefault(identity(value), value)
    return tuple(first.values())


def _prompt_titles(prompts: Sequence[str | None]) -> list[str]:
    """
    >>> _prompt_titles([None, "Be strict.", "Use ONLY the retrieved context to answer user queries."])
    ['own prompts', 'prompt 1 (Be strict.)', 'prompt 2 (Use ONLY the retrieved context ...)']
    """
    titles = []
    number = 0
    for prompt in prompts:
        if prompt is None:
            titles.append("own prompts")
            continue
        number += 1
        text = " ".join(prompt.split())
        shown = text if len(text) <= _PROMPT_SHOWN else f"{text[:_PROMPT_SHOWN].rsplit(' ', 1)[0]} ..."
        titles.append(f"prompt {number} ({shown or 'none'})")
    return titles


def _told_apart(titles: Sequence[str]) -> list[str]:
    """Titles of which no two are alike.

    >>> _told_apart(["m", "n", "m"])
    ['m (1)', 'n', 'm (2)']
    """
    return [
        title if titles.count(title) == 1 else f"{title} ({titles[: place + 1].count(title)})"
        for place, title in enumerate(titles)
    ]
