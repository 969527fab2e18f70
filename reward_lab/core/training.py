"""The training view: what a trainer would make of the rewards of a run's groups, before anything is spent on them.

A reward here is the full one, as a trainer gets it: the judge's by its weight, with verifiers and the independent
reward. A response without one never reaches the trainer. Rewards are equal to six places, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core.advantages import Convention, Filter, convention_named, dropped, rounded
from reward_lab.core.agreement import Estimate, mean, sample_std, spearman
from reward_lab.core.cautions import CEILING, FEWEST, LARGE_ADVANTAGE, MOST
from reward_lab.core.intervals import difference_interval, share_interval
from reward_lab.core.proportions import Interval, wilson


@dataclass(frozen=True, slots=True)
class GroupRewards:
    """One group of G responses.

    ``totals`` (G,) are full rewards, ``None`` where unknown. ``levels`` (G,) are the judge's alone, in [0, 1] before
    its weight. ``lengths`` (G,) are in characters, ``None`` where they were not measured.
    """

    totals: tuple[float | None, ...]
    levels: tuple[float | None, ...]
    lengths: tuple[int, ...] | None = None

    @property
    def known(self) -> list[float]:
        """The rewards that reach the trainer."""
        return [rounded(total) for total in self.totals if total is not None]

    @property
    def mean(self) -> float | None:
        """The mean of the known rewards."""
        return mean(self.known)

    @property
    def std(self) -> float | None:
        """The sample standard deviation of the known rewards; ``None`` below two."""
        return sample_std(self.known)

    @property
    def constant(self) -> bool:
        """Whether two or more rewards are known and all of them are equal."""
        known = self.known
        return len(known) > 1 and len(set(known)) == 1


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``n`` groups, with Wilson's 95% interval of the share; both ``None`` where n is 0."""

    count: int
    n: int

    @property
    def value(self) -> float | None:
        """The share."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Where the share lies in groups like these."""
        return wilson(self.count / self.n, self.n) if self.n else None


@dataclass(frozen=True, slots=True)
class Left:
    """What one filter of a trainer leaves out: groups of which nothing is left, and responses in all."""

    by: Filter
    groups: int
    responses: int


@dataclass(frozen=True, slots=True)
class TrainingView:
    """The rewards of a run under one trainer's convention.

    ``groups`` counts those with two known rewards or more: only these can train. ``alone`` counts groups with one or
    none. ``responses`` have a reward, ``unknown`` have none, and ``partial`` counts groups that lack some.
    ``mean`` and ``std`` are means over groups, of their mean reward and of the standard deviation within. ``constant``
    is the share of groups whose rewards are all equal, ``ceiling`` that of responses whose judged level is at 0.9 or
    above. ``advantages`` are all that are not left out by a filter which always applies. ``residue`` counts constant
    groups whose rewards differ beyond the sixth place, or whose mean does: a trainer that looks for exact zeros keeps
    them. ``amplified`` counts responses that float32 arithmetic may blow up, ``large`` those beyond an advantage of
    10 (and beyond twice the rewards' range). ``length`` is the mean over groups of Spearman's rho between reward and
    length. ``small`` and ``big`` count groups outside the range that RULER advises.
    """

    convention: Convention
    groups: int
    alone: int
    responses: int
    unknown: int
    partial: int
    mean: Estimate
    std: Estimate
    constant: Share
    ceiling: Estimate
    advantages: tuple[float, ...]
    left: tuple[Left, ...]
    residue: int
    amplified: int
    large: int
    length: Estimate
    small: int
    big: int


def training_view(groups: Sequence[GroupRewards], convention: str) -> TrainingView:
    """What a trainer by this convention would make of the groups.

    Intervals are 95%, by group. Raises :class:`InvalidRun` for an unknown convention.

    >>> view = training_view([GroupRewards((0.0, 1.0), (0.0, 1.0)), GroupRewards((0.5, 0.5), (0.5, 0.5))], "mean_only")
    >>> view.constant.value, view.advantages
    (0.5, (-0.5, 0.5, 0.0, 0.0))
    """
    chosen = convention_named(convention)
    able = [group for group in groups if len(group.known) > 1]
    advantages = [_advantages(group, chosen) for group in able]
    return TrainingView(
        convention=chosen,
        groups=len(able),
        alone=len(groups) - len(able),
        responses=sum(len(group.known) for group in groups),
        unknown=sum(len(group.totals) - len(group.known) for group in groups),
        partial=sum(0 < len(group.known) < len(group.totals) for group in groups),
        mean=_mean(group.mean for group in groups),
        std=_mean(group.std for group in able),
        constant=Share(sum(group.constant for group in able), len(able)),
        ceiling=share_interval([_at_ceiling(group) for group in groups]),
        advantages=tuple(one for of_group in advantages for one in of_group),
        left=tuple(_left(able, chosen)),
        residue=sum(_leaves_residue(group) for group in able),
        amplified=sum(sum(chosen.amplifies(group.known)) for group in able),
        large=sum(
            sum(abs(one) > _bound(group) for one in of_group) for group, of_group in zip(able, advantages, strict=True)
        ),
        length=share_interval([(rho, 1) for group in able if (rho := _length_rho(group)) is not None], least=-1.0),
        small=sum(len(group.totals) < FEWEST for group in groups),
        big=sum(len(group.totals) > MOST for group in groups),
    )


def _advantages(group: GroupRewards, convention: Convention) -> list[float]:
    """Those of the group's responses that no filter leaves out in every case."""
    known = group.known
    computed = [one for one in convention.advantages(known) if one is not None]
    gone = {member for one, members in dropped(known, convention.name) if one.setting is None for member in members}
    return [one for member, one in enumerate(computed) if member not in gone]


def _left(groups: Sequence[GroupRewards], convention: Convention) -> Iterator[Left]:
    """Every filter of the convention that bites, in its order."""
    found = [
        (len(group.known), one, len(members))
        for group in groups
        for one, members in dropped(group.known, convention.name)
    ]
    for filter_ in convention.filters:
        bites = [(size, gone) for size, one, gone in found if one is filter_]
        if bites:
            yield Left(filter_, sum(gone == size for size, gone in bites), sum(gone for _, gone in bites))


def _leaves_residue(group: GroupRewards) -> bool:
    """Whether equal rewards are not so in floats: they differ, or a plain mean of them does (three times 0.7)."""
    if not group.constant:
        return False
    raw = [total for total in group.totals if total is not None]
    plain_mean = sum(raw) / len(raw)
    return any(total != plain_mean for total in raw)


def _bound(group: GroupRewards) -> float:
    """Undivided, an advantage is at most twice the range of the rewards: a large one is then their own size."""
    known = group.known
    return max(LARGE_ADVANTAGE, 2 * (max(known) - min(known)))


def _length_rho(group: GroupRewards) -> float | None:
    if group.lengths is None:
        return None
    pairs = [
        (length, rounded(total)) for length, total in zip(group.lengths, group.totals, strict=True) if total is not None
    ]
    return spearman([length for length, _ in pairs], [total for _, total in pairs])


def _at_ceiling(group: GroupRewards) -> tuple[int, int]:
    levels = [rounded(level) for level in group.levels if level is not None]
    return sum(level >= CEILING for level in levels), len(levels)


def _mean(values: Iterable[float | None]) -> Estimate:
    return difference_interval([(value, 1) for value in values if value is not None])
