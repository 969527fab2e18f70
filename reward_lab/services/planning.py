"""Planning: a run laid out as items, and what it will take, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core.group import Group
from reward_lab.core.judge import Ensemble
from reward_lab.core.methods import METHODS, method_named
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.judges.prices import Price, price_of
from reward_lab.store import PlannedItem

_MEASURED_GROUPS = 20
"""Token counts are taken from so many groups and scaled to the rest: the estimate stays quick for any run."""

_REPLY_TOKENS = {"listwise": 80, "rating": 90, "criteria": 45, "criterion": 50}
"""Assumed length of a reply: a member (listwise), a whole reply (rating, criterion), a criterion (criteria)."""


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """What calls to judges will take at most: cached replies make it less.

    ``cost_usd`` is ``None`` where a judge's price is unknown, 0 where nothing is asked of a model.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Estimate(CallEstimate):
    """What a run will take at most, and what it is of."""

    responses: int
    methods: int


def plan(new: NewRun) -> list[PlannedItem]:
    """The items of a run, group by group, so that a group's results are whole as early as possible."""
    items: list[PlannedItem] = []
    for position, group in enumerate(new.groups):
        for name in new.settings.methods:
            method = method_named(name)
            units = [None] if method.unit == "group" else [member.id for member in group.trajectories]
            # A verifier asks no judge: one look is as good as many.
            judges = range(len(new.judges)) if method.asks else range(1)
            repeats = range(new.settings.repeats) if method.asks else range(1)
            items += [
                PlannedItem(group=position, method=name, trajectory_id=unit, judge=judge, repeat=repeat)
                for repeat in repeats
                for judge in judges
                for unit in units
            ]
    return items


def method_versions(settings: RunSettings) -> dict[str, str]:
    """The version of each method of a run, kept with it."""
    return {name: method_named(name).version for name in settings.methods}


@dataclass(frozen=True, slots=True)
class Extent:
    """How much there is to score."""

    groups: int
    responses: int

    @classmethod
    def of(cls, groups: Sequence[Group]) -> Extent:
        """That of these groups."""
        return cls(len(groups), sum(len(group.trajectories) for group in groups))


def estimate(
    groups: Sequence[Group], rubric: Rubric, judges: Ensemble, settings: RunSettings, *, whole: Extent | None = None
) -> Estimate:
    """Calls, tokens and cost of a run before it is started. Tokens are counted as :func:`approximate_tokens`.

    ``groups`` may be a sample of the ``whole`` that is to be scored: what is asked once a group is scaled up by groups,
    what is asked once a response by responses.
    """
    whole = whole or Extent.of(groups)
    asked = [judge for judge in judges if not judge.is_offline]
    measured = groups[:_MEASURED_GROUPS]
    seen = Extent.of(measured)
    prompt = completion = calls = 0.0
    for name in settings.methods:
        by_group = METHODS[name].unit == "group"
        scale = (whole.groups / seen.groups if by_group else whole.responses / seen.responses) if measured else 0
        for question in (one for group in measured for one in _questions(group, rubric, name, settings.seed)):
            calls += scale
            prompt += scale * sum(approximate_tokens(str(message["content"])) for message in question.messages)
            completion += scale * _reply_tokens(question)
    prices = [price_of(judge) for judge in asked]
    repeats = settings.repeats
    cost = _cost([price for price in prices if price is not None], prompt * repeats, completion * repeats)
    return Estimate(
        responses=whole.responses,
        methods=len(settings.methods),
        calls=round(calls * repeats * len(judges)),
        prompt_tokens=round(prompt * repeats * len(asked)),
        completion_tokens=round(completion * repeats * len(asked)),
        cost_usd=None if None in prices else cost,
    )


def approximate_tokens(text: str) -> int:
    """Tokens of a text without its model's tokenizer: four ASCII characters a token, one and a half other ones.

    >>> approximate_tokens("Refund?!")
    2
    """
    ascii_characters = len(text.encode("ascii", "ignore"))
    return round(ascii_characters / 4 + (len(text) - ascii_characters) / 1.5)


def _questions(group: Group, rubric: Rubric, name: str, seed: int) -> Iterator[Question]:
    method = METHODS[name]
    if method.obstacle(group, rubric) is not None:
        return
    members = [group.trajectories] if method.unit == "group" else [(one,) for one in group.trajectories]
    for some in members:
        yield from method.questions(group, some, rubric, Arrangement(seed))


def _reply_tokens(question: Question) -> int:
    task = question.task
    parts = {"listwise": len(task.members), "criteria": len(task.criteria)}.get(task.kind, 1)
    return _REPLY_TOKENS[task.kind] * parts


def _cost(prices: Sequence[Price], prompt_tokens: float, completion_tokens: float) -> float:
    return sum(price.prompt_usd * prompt_tokens + price.completion_usd * completion_tokens for price in prices)
