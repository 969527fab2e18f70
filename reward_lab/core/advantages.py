"""Advantages: what each trainer makes of a group's rewards.

Read from the trainers themselves: TRL 1.16 (GRPO and RLOO trainers), verl 0.9
(``core_algos``), ART 0.5 (``preprocessing/tokenize``), OpenRLHF (``experience_maker``),
NeMo-RL (``calculate_baseline_and_std_per_prompt``), prime-rl (``algo/max_rl``) and the
Tinker cookbook. Two things are decided here for every convention:

- A member without a reward (``None``) is left out of its group's statistics and has no
  advantage. It never counts as 0.
- Rewards are rounded to :data:`PLACES` places and their deviations computed on integers.
  Equal rewards then give exactly 0, where floats leave a residue that a trainer divides by
  a small epsilon (three rewards of 0.7 leave 1.1e-16 in ART's own arithmetic).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reward_lab.errors import InvalidRun

PLACES = 6
"""Decimal places to which rewards and scores are equal."""

_UNITS: int = 10**PLACES

Drops: TypeAlias = Callable[[Sequence[float], Sequence[float]], tuple[bool, ...]]
"""(G,) rewards and (G,) advantages -> (G,) whether the member is left out of training."""


def rounded(value: float) -> float:
    """A score or reward to :data:`PLACES` places, never -0.0: two that are equal here are tied."""
    return round(value, PLACES) + 0.0


@dataclass(frozen=True, slots=True)
class Filter:
    """What a trainer leaves out of training. ``setting`` switches it on; ``None``: it always applies."""

    trainer: str
    setting: str | None
    rule: str
    drops: Drops


@dataclass(frozen=True, slots=True)
class Convention:
    """One way to turn the rewards of a group into advantages.

    ``formula`` is for display: r is the member's reward, mean and std are the group's.
    ``amplifies`` tells which members the trainer's own float32 arithmetic may blow up, though
    the formula does not.
    """

    name: str
    title: str
    formula: str
    trainers: tuple[str, ...]
    of: Callable[[_Rewards], list[float]]
    filters: tuple[Filter, ...] = ()
    amplifies: Callable[[Sequence[float]], tuple[bool, ...]] = lambda rewards: (False,) * len(rewards)

    def advantages(self, rewards: Sequence[float | None]) -> tuple[float | None, ...]:
        """(G,) rewards -> (G,) advantages; ``None`` stays ``None``. Raises ``ValueError`` for NaN and infinity.

        >>> CONVENTIONS["rloo"].advantages([0.0, None, 1.0])
        (-1.0, None, 1.0)
        """
        present = [reward for reward in rewards if reward is not None]
        if not present:
            return (None,) * len(rewards)
        computed = iter(self.of(_Rewards.of(present)))
        return tuple(None if reward is None else next(computed) + 0.0 for reward in rewards)


@dataclass(frozen=True, slots=True)
class _Rewards:
    """(G,) rewards of the members that have one, G >= 1, as integers of 1e-6."""

    units: tuple[int, ...]

    @classmethod
    def of(cls, rewards: Sequence[float]) -> _Rewards:
        for reward in rewards:
            if not math.isfinite(reward):
                raise ValueError(f"a reward must be finite, got {reward}: a member without a score has reward None")
        return cls(tuple(round(round(reward, PLACES) * _UNITS) for reward in rewards))

    @property
    def values(self) -> list[float]:
        return [unit / _UNITS for unit in self.units]

    @property
    def mean(self) -> float:
        return sum(self.units) / (len(self.units) * _UNITS)

    @property
    def deviations(self) -> list[float]:
        """r - mean; exactly 0 where all are equal, since it is an integer before the one division."""
        count, total = len(self.units), sum(self.units)
        return [(count * unit - total) / (count * _UNITS) for unit in self.units]

    def std(self, *, ddof: int) -> float:
        """Standard deviation over G - ``ddof``; hypot neither overflows nor loses small deviations."""
        return math.hypot(*self.deviations) / math.sqrt(len(self.units) - ddof)

    @property
    def alone(self) -> bool:
        return len(self.units) == 1

    def without(self, index: int) -> _Rewards:
        return _Rewards(self.units[:index] + self.units[index + 1 :])


def _centred(rewards: _Rewards) -> list[float]:
    return rewards.deviations


def _trl_grpo(rewards: _Rewards) -> list[float]:
    std = 0.0 if rewards.alone else rewards.std(ddof=1)
    return [deviation / (std + 1e-4) for deviation in rewards.deviations]


def _verl_grpo(rewards: _Rewards) -> list[float]:
    if rewards.alone:
        return [rewards.values[0] / (1.0 + 1e-6)]  # verl takes mean 0 and std 1 for a group of one
    std = rewards.std(ddof=1)
    return [deviation / (std + 1e-6) for deviation in rewards.deviations]


def _art_local(rewards: _Rewards) -> list[float]:
    std = rewards.std(ddof=0)
    return [deviation / (std + 1e-6) for deviation in rewards.deviations]


def _group_norm(rewards: _Rewards) -> list[float]:
    std = 0.0 if rewards.alone else rewards.std(ddof=1)
    return [deviation / std if std else 0.0 for deviation in rewards.deviations]


def _rloo(rewards: _Rewards) -> list[float]:
    if rewards.alone:
        return rewards.values  # verl leaves the reward as it is; TRL and OpenRLHF refuse groups of one
    count = len(rewards.units)
    return [deviation * count / (count - 1) for deviation in rewards.deviations]


def _nemo_rl(rewards: _Rewards) -> list[float]:
    if rewards.alone:
        return [0.0]  # NeMo-RL takes the reward itself as the baseline
    advantages = []
    for index, baselined in enumerate(_rloo(rewards)):
        others = rewards.without(index)
        std = 0.0 if others.alone else others.std(ddof=1)
        advantages.append(baselined / (std + 1e-6) if std else baselined)
    return advantages


def _max_rl(rewards: _Rewards) -> list[float]:
    mean = rewards.mean
    return [deviation / mean if mean > 0 else 0.0 for deviation in rewards.deviations]


def _others_equal(rewards: Sequence[float]) -> tuple[bool, ...]:
    """Whether all others share one reward that the member does not (three members or more)."""
    units = _Rewards.of(rewards).units
    return tuple(
        len(units) > 2 and len({*units[:index], *units[index + 1 :]}) == 1 and len(set(units)) == 2
        for index in range(len(units))
    )


def _exact_zeros(rewards: Sequence[float], advantages: Sequence[float]) -> tuple[bool, ...]:
    return tuple(advantage == 0 for advantage in advantages)


def _constant(rewards: Sequence[float], advantages: Sequence[float]) -> tuple[bool, ...]:
    constant = len(rewards) > 1 and len({rounded(reward) for reward in rewards}) == 1
    return (constant,) * len(rewards)


def _mean_outside_unit(rewards: Sequence[float], advantages: Sequence[float]) -> tuple[bool, ...]:
    return (not 0 < _Rewards.of(rewards).mean < 1,) * len(rewards)


_TINKER = Filter("Tinker", "remove_constant_reward_groups", "groups whose rewards are all equal", _constant)
_VERL = Filter("verl", "filter_groups", "groups whose rewards are all equal", _constant)
_OPENRLHF = Filter(
    "OpenRLHF", "dynamic_filtering", "groups whose mean reward does not lie between 0 and 1", _mean_outside_unit
)
_ART = Filter("ART", None, "responses whose advantage is exactly 0", _exact_zeros)

_REGISTERED = (
    Convention("trl_grpo", "TRL GRPO", "(r − mean) / (sample std + 1e-4)", ("TRL",), _trl_grpo),
    Convention(
        "mean_only",
        "Mean only (Dr. GRPO)",
        "r − mean",
        ("TRL with scale_rewards none", "Dr. GRPO", "prime-rl", "Tinker"),
        _centred,
        (_TINKER,),
    ),
    Convention("verl_grpo", "verl GRPO", "(r − mean) / (sample std + 1e-6)", ("verl",), _verl_grpo, (_VERL,)),
    Convention(
        "art_local", "ART local", "(r − mean) / (population std + 1e-6)", ("ART, local backend",), _art_local, (_ART,)
    ),
    Convention(
        "group_norm",
        "Group norm",
        "(r − mean) / sample std, 0 where the std is 0",
        ("ART, Tinker backend", "OpenRLHF group_norm"),
        _group_norm,
        (_OPENRLHF,),
    ),
    Convention("rloo", "RLOO", "r − mean of the others", ("TRL", "verl", "OpenRLHF"), _rloo, (_VERL, _OPENRLHF)),
    Convention(
        "nemo_rl",
        "NeMo-RL",
        "(r − mean of the others) / (sample std of the others + 1e-6), not divided where that std is 0",
        ("NeMo-RL",),
        _nemo_rl,
        amplifies=_others_equal,
    ),
    Convention("max_rl", "MaxRL", "(r − mean) / mean, 0 where the mean is not above 0", ("prime-rl max_rl",), _max_rl),
)

CONVENTIONS: Mapping[str, Convention] = {one.name: one for one in _REGISTERED}
"""Every convention by name, in the order of display; the first is the default."""


def convention_named(name: str) -> Convention:
    """The convention of this name. Raises :class:`InvalidRun` listing those there are."""
    try:
        return CONVENTIONS[name]
    except KeyError:
        raise InvalidRun(
            f"There is no advantage convention {name!r}: choose one of {', '.join(CONVENTIONS)}."
        ) from None


def advantages(rewards: Sequence[float | None], convention: str) -> tuple[float | None, ...]:
    """(G,) rewards -> (G,) advantages by the named convention; members without a reward stay ``None``.

    >>> advantages([0.0, 0.25, 0.5, 1.0], "mean_only")
    (-0.4375, -0.1875, 0.0625, 0.5625)
    """
    return convention_named(convention).advantages(rewards)


def dropped(rewards: Sequence[float | None], convention: str) -> tuple[tuple[Filter, tuple[int, ...]], ...]:
    """What the convention's trainers leave out of this group: each filter that bites, with the members' indices.

    A filter with a ``setting`` bites only where that setting is on. Members without a reward
    are not named: they never reach the trainer.
    """
    chosen = convention_named(convention)
    indices = [index for index, reward in enumerate(rewards) if reward is not None]
    present = [reward for reward in rewards if reward is not None]
    if not present:
        return ()
    computed = [one for one in chosen.advantages(present) if one is not None]
    bites = []
    for one in chosen.filters:
        gone = tuple(index for index, drop in zip(indices, one.drops(present, computed), strict=True) if drop)
        if gone:
            bites.append((one, gone))
    return tuple(bites)
