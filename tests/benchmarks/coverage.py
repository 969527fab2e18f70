"""How often the intervals of a calibration cover the truth, beside those of the bootstrap.

    python -m tests.benchmarks.coverage

Judges from weak to nearly perfect score simulated groups whose responses have a quality: people put them in order by
it, with ties, and mark the best and the worst; a judge sees it with noise, of which some groups have much more than
others, and rounds. A pool of groups is the population, whose figures are the truth; from it so many groups are drawn
again and again. Printed is the share of 95% intervals that hold the truth: of ours, of the expanded percentiles of
``bootstrap_interval``, and of plain percentiles. The last two take minutes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from reward_lab.core.agreement import Estimate, bootstrap_interval
from reward_lab.core.calibration import GroupCalibration, group_calibration
from reward_lab.core.intervals import difference_interval, share_interval
from reward_lab.core.labelled import Holding

SIZES = (10, 30, 50, 100)
POOL = 4000

Part = tuple[float, float]
"""A group's part of the upper and the lower sum of a figure."""
Interval = Callable[[Sequence[Part]], Estimate]


@dataclass(frozen=True)
class Judges:
    """A judge and a second one: how noisy, how unequal the noise of groups, how many responses, steps a unit."""

    name: str
    noise: float
    unequal: float
    responses: int
    steps: int


JUDGES = (
    Judges("weak", noise=1.5, unequal=0.3, responses=8, steps=2),
    Judges("middling", noise=0.8, unequal=0.5, responses=4, steps=2),
    Judges("pairs", noise=0.6, unequal=0.5, responses=2, steps=2),
    Judges("good", noise=0.3, unequal=1.0, responses=4, steps=4),
    Judges("nearly perfect", noise=0.1, unequal=1.0, responses=6, steps=4),
)

OURS: dict[str, Interval] = {
    "accuracy": share_interval,
    "paired difference": difference_interval,
    "tau-b": partial(share_interval, least=-1.0),
    "top-1": share_interval,
    "AUC": share_interval,
}


def pool(judges: Judges, groups: int, *, seed: int = 0) -> dict[str, list[Part]]:
    """Figure -> the parts of the groups that have it. The two judges share some of their noise."""
    source = random.Random(seed)
    told: list[tuple[GroupCalibration, GroupCalibration]] = []
    for _ in range(groups):
        qualities = [source.gauss(0, 1) for _ in range(judges.responses)]
        noise = judges.noise * source.lognormvariate(0, judges.unequal)
        shared = [noise * source.gauss(0, 1) for _ in qualities]
        other = [1.2 * (0.6 * one + 0.8 * noise * source.gauss(0, 1)) for one in shared]
        label = [_holding([round(1.5 * quality) for quality in qualities])]
        first, second = (
            group_calibration(
                tuple(
                    round((quality + off) * judges.steps) / judges.steps
                    for quality, off in zip(qualities, one, strict=True)
                ),
                label,
            )
            for one in (shared, other)
        )
        told.append((first, second))
    firsts = [first for first, _ in told]
    return {
        "accuracy": _counting((one.correct, one.pairs) for one in firsts),
        "paired difference": _counting((one.correct - other.correct, one.pairs) for one, other in told),
        "tau-b": [(one.taus[0], 1.0) for one in firsts if one.taus],
        "top-1": [(one.tops[0], 1.0) for one in firsts if one.tops],
        "AUC": _counting((one.separated, one.marked) for one in firsts),
    }


def covered(parts: Sequence[Part], interval: Interval, size: int, repeats: int, *, seed: int = 0) -> float:
    """The share of samples of so many groups whose interval holds the ratio of the whole pool."""
    source = random.Random(seed)
    truth = sum(upper for upper, _ in parts) / sum(lower for _, lower in parts)
    hits = 0
    for _ in range(repeats):
        found = interval(source.choices(parts, k=size))
        hits += (
            found.low is not None
            and found.high is not None
            and found.low <= truth + 1e-9
            and truth - 1e-9 <= found.high
        )
    return hits / repeats


def _counting(parts: Iterable[Part]) -> list[Part]:
    return [part for part in parts if part[1]]


def _holding(levels: Sequence[int]) -> Holding:
    pairs = [(one, other) for one in range(len(levels)) for other in range(len(levels))]
    return Holding(
        annotator="people",
        levels=tuple(map(float, levels)),
        ordered=tuple((one, other) for one, other in pairs if levels[one] > levels[other]),
        tied=tuple((one, other) for one, other in pairs if one < other and levels[one] == levels[other]),
        good=tuple(place for place, level in enumerate(levels) if level >= 1),
        bad=tuple(place for place, level in enumerate(levels) if level <= -1),
        criteria=({},) * len(levels),
    )


def _ratio(parts: Sequence[Part]) -> float:
    return sum(upper for upper, _ in parts) / sum(lower for _, lower in parts)


def expanded(parts: Sequence[Part]) -> Estimate:
    """As Compare has it."""
    return bootstrap_interval(parts, _ratio, samples=600)


def plain(parts: Sequence[Part]) -> Estimate:
    """The 2.5th and the 97.5th percentile of resampled groups."""
    source = random.Random(0)
    drawn = sorted(_ratio(source.choices(parts, k=len(parts))) for _ in range(600))
    return Estimate(_ratio(parts), drawn[15], drawn[584], len(parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=4000, help="samples for ours")
    parser.add_argument("--bootstraps", type=int, default=400, help="samples for the bootstrap's; 0 leaves it out")
    options = parser.parse_args()
    print("| judge | figure | truth | groups | ours | bootstrap, expanded | bootstrap, plain |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for judges in JUDGES:
        for figure, parts in pool(judges, POOL).items():
            for size in SIZES:
                ours = covered(parts, OURS[figure], size, options.repeats)
                others = [
                    f"{100 * covered(parts, interval, size, options.bootstraps):.1f}%" if options.bootstraps else ""
                    for interval in (expanded, plain)
                ]
                told = f"{judges.name} | {figure} | {_ratio(parts):.3f} | {size} | {100 * ours:.1f}%"
                print(f"| {told} | {' | '.join(others)} |", flush=True)


if __name__ == "__main__":
    main()
