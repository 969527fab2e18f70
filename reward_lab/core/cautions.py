"""Cautions: what to know before training on these scores, in plain words.

Each says what it means for training and what to do. None claims more than the number of
responses and repeats can carry: where there are too few, that is what it says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reward_lab.core.advantages import convention_named, dropped, rounded
from reward_lab.core.advice import BLOWN_UP, BY_LENGTH, NO_ROOM, OUTWEIGHS
from reward_lab.core.agreement import spearman
from reward_lab.core.chat import transcript
from reward_lab.core.table import CellState, Column, Row, ScoreTable
from reward_lab.core.wording import counted, listed

FEWEST, MOST = 4, 8
"""The range of responses in a group that RULER advises."""

CEILING = 0.9
"""Rewards in [0, 1] at or above it are at the ceiling."""

LARGE_ADVANTAGE = 10.0
"""Beyond it one response outweighs its group; dividing by a group's own std never gets there below 100 responses."""

SURE = 0.05
"""The p-value up to which a correlation is called one."""

FEW_SAMPLES = 3
"""Below so many samples, how a judge varies can hardly be told."""

_SPEARMAN_CRITICAL = {5: 1.0, 6: 0.886, 7: 0.786, 8: 0.738, 9: 0.700, 10: 0.648}
"""Two-sided critical values of Spearman's rho at 0.05 by n (Zar 1972, JASA 67:578); below 5 none is reached."""

Level: TypeAlias = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Caution:
    """One caution. ``kind`` is its stable identifier, ``method`` the column it is about, ``None`` for the group.

    A ``warning`` is about something seen that bears on training; a ``note`` about what cannot be
    told from so few, or what holds of this group only.
    """

    kind: str
    level: Level
    title: str
    meaning: str
    remedy: str
    method: str | None = None
    letters: tuple[str, ...] = ()


def cautions(table: ScoreTable) -> tuple[Caution, ...]:
    """Every caution that a table gives cause for: of the group, of each column, of the reward. () if none.

    Columns with samples to come are left out: what they show may not last.
    """
    done = [column for column in table.columns if not column.unfinished]
    found = [*_size(table), *_duplicates(table), *_best_disputed(table, done)]
    for column in done:
        found += [
            *_unscored(table, column),
            *_uneven(table, column),
            *_variance(table, column),
            *_ceiling(table, column),
            *_length(table, column),
            *_order(column),
            *_criteria(table, column),
        ]
    found += _samples(table, done)
    return (*found, *(_reward(table) if not table.column(table.reward_method).unfinished else ()))


def _size(table: ScoreTable) -> Iterator[Caution]:
    count = len(table.rows)
    if count == 1:
        yield Caution(
            "one_response",
            "warning",
            "There is one response, so there is nothing to compare.",
            "Trainers learn from differences in a group: alone, a response has no advantage (in verl its reward).",
            f"Add responses to this scenario, {FEWEST} to {MOST} in all.",
        )
    elif count < FEWEST:
        yield Caution(
            "few_responses",
            "warning",
            f"The group has {count} responses; {FEWEST} to {MOST} are advised.",
            "Each response is compared with few others, so its advantage is noisy.",
            "Sample more responses to this scenario.",
        )
    elif count > MOST:
        yield Caution(
            "many_responses",
            "warning",
            f"The group has {count} responses; {FEWEST} to {MOST} are advised.",
            "A judge that reads all at once, as RULER's does, mixes them up more easily.",
            f"Split the group, or score {MOST} of its responses.",
        )


def _duplicates(table: ScoreTable) -> Iterator[Caution]:
    same: dict[str, list[str]] = {}
    for row in table.rows:
        same.setdefault(row.trajectory.key, []).append(row.letter)
    if len(same) == 1 and len(table.rows) > 1:
        yield Caution(
            "all_identical",
            "warning",
            "All responses are identical.",
            "Any difference between their scores is the judge's noise; a sound reward gives no advantage here.",
            "Sample at a higher temperature, or leave the group out.",
        )
        return
    for letters in same.values():
        if len(letters) > 1:
            yield Caution(
                "duplicates",
                "warning",
                f"{listed(letters)} are identical.",
                "Each counts in the group's mean, and the same text is trained on more than once.",
                "Keep one of them.",
                letters=tuple(letters),
            )


def _best_disputed(table: ScoreTable, columns: Sequence[Column]) -> Iterator[Caution]:
    """Judged methods that share no best response; one that cannot tell has no say."""
    tops = {
        column.head: tuple(row.letter for row in table.rows if row.cells[column.name].rank == 1)
        for column in columns
        if column.asks and column.distinct > 1
    }
    if len(tops) > 1 and not set.intersection(*map(set, tops.values())):
        yield Caution(
            "best_disputed",
            "warning",
            f"The methods differ on the best: {', '.join(f'{head} {listed(top)}' for head, top in tops.items())}.",
            "Which response is reinforced depends on the method you train on.",
            "Read the explanations side by side; sharpen the rubric until they agree, or until you know why not.",
        )


def _unscored(table: ScoreTable, column: Column) -> Iterator[Caution]:
    letters = tuple(row.letter for row in table.rows if row.cells[column.name].state is CellState.UNSCORED)
    if letters and column.scored:
        yield Caution(
            "partly_scored",
            "warning",
            f"{column.head} did not score {listed(letters)}.",
            "The others are compared without it: their advantages would differ had it been scored.",
            "Open the cell for its reason and score again, or leave the group out.",
            column.name,
            letters,
        )
    elif letters:
        yield Caution(
            "unscored",
            "warning",
            f"{column.head} scored no response.",
            "There is no reward to train on.",
            "Open a cell for its reason.",
            column.name,
            letters,
        )


def _uneven(table: ScoreTable, column: Column) -> Iterator[Caution]:
    """Means over different judges or repeats."""
    behind = {
        frozenset((one.judge, one.repeat) for one in cell.scored_verdicts)
        for cell in table.cells(column.name)
        if cell.state is CellState.SCORED
    }
    if len(behind) > 1:
        yield Caution(
            "uneven_samples",
            "warning",
            f"{column.head}'s means rest on different samples for different responses.",
            "Where judges or repeats differ in level, so do the means: a difference need not be the responses'.",
            "Score again the samples that failed.",
            column.name,
        )


def _variance(table: ScoreTable, column: Column) -> Iterator[Caution]:
    """Rewards that are all equal, or equal at the top; checks tie by nature and count only as the reward."""
    totals = _totals(table, column)
    if len(totals) < 2 or not (column.asks or column.name == table.reward_method):
        return
    best = max(total for _, total in totals)
    top = tuple(row.letter for row, total in totals if total == best)
    if len(top) == len(totals):
        yield Caution(
            "zero_variance",
            "warning",
            f"Under {column.head} every response gets the same reward.",
            "All advantages are 0: this group trains nothing, and some trainers drop it.",
            "Make the rubric tell these responses apart, or choose a method with a finer scale.",
            column.name,
        )
    elif len(top) > 1:
        yield Caution(
            "top_tied",
            "warning",
            f"Under {column.head} {listed(top)} tie at the top.",
            "They are reinforced alike, whatever sets them apart.",
            "If one of them is better, say in the rubric why.",
            column.name,
            top,
        )


def _ceiling(table: ScoreTable, column: Column) -> Iterator[Caution]:
    levels = [cell.reward.judge for cell in table.cells(column.name) if cell.reward is not None]
    high = sum(rounded(level) >= CEILING for level in levels)
    if column.asks and len(levels) > 1 and high > len(levels) / 2:
        yield Caution(
            "ceiling",
            "warning",
            f"{column.head} puts {high} of {len(levels)} responses at {CEILING} or above.",
            *NO_ROOM,
            column.name,
        )


def _length(table: ScoreTable, column: Column) -> Iterator[Caution]:
    scored = [(row, rounded(score)) for row in table.rows if (score := row.cells[column.name].score) is not None]
    lengths = [len(transcript(row.trajectory.messages)) for row, _ in scored]
    count = len(scored)
    rho = spearman(lengths, [score for _, score in scored])
    if rho is None or not column.asks or count < FEWEST:
        return
    direction = "higher" if rho > 0 else "lower"
    figures = f"Spearman's rho {rho:.2f}, n = {count}"
    if abs(rho) >= _SPEARMAN_CRITICAL.get(count, 1.96 / math.sqrt(count - 1)) - 1e-9 and count > FEWEST:
        yield Caution(
            "length",
            "warning",
            f"{column.head} scores longer responses {direction} ({figures}).",
            *BY_LENGTH,
            column.name,
        )
    elif abs(rho) == 1 and count == FEWEST:
        yield Caution(
            "length",
            "note",
            f"{column.head} scores longer responses {direction}, all four in order ({figures}).",
            "Chance alone does this in 1 of 12 groups of four, so it shows nothing yet.",
            "Look at more groups, or score a padded copy of a response.",
            column.name,
        )


def _order(column: Column) -> Iterator[Caution]:
    flips, position = column.flips, column.position
    if flips is not None and flips.flips:
        yield Caution(
            "top_flips",
            "warning",
            f"{column.head}'s best response was not first in {flips.flips} of {flips.n} samples.",
            "Which response is reinforced most is partly chance.",
            "Use more repeats and train on their mean, or a judge that keeps its verdict.",
            column.name,
        )
    if position is not None and position.p_value is not None and position.p_value <= SURE:
        rho = position.rho or 0.0
        yield Caution(
            "position",
            "warning",
            f"{column.head} favours {'later' if rho > 0 else 'earlier'} slots"
            f" (rho {rho:.2f}, p = {position.p_value:.3f}, n = {position.n}).",
            "A response's reward depends on where it happens to stand.",
            "Keep repeats with shuffled orders on, and train on their mean.",
            column.name,
        )


def _criteria(table: ScoreTable, column: Column) -> Iterator[Caution]:
    """Criteria that do not tell this group's responses apart, and those without a verdict."""
    if not column.asks:
        return
    names = [one.title or one.description for one in column.criteria]
    shares: dict[int, list[float]] = {}
    unjudged: set[int] = set()
    for cell in table.cells(column.name):
        for one in cell.criteria:
            if one.share is not None:
                shares.setdefault(one.position, []).append(one.share)
            if one.unjudged:
                unjudged.add(one.position)
    for value, word in ((1.0, "true"), (0.0, "false")):
        dead = [names[position] for position, of in sorted(shares.items()) if len(of) > 1 and set(of) == {value}]
        if dead:
            yield Caution(
                f"dead_criteria_all_{word}",
                "note",
                f"{column.head}: {_quoted(dead)} {'is' if len(dead) == 1 else 'are'} {word} of every response judged.",
                "In this group that counts the same in every reward, so it does not tell the responses apart.",
                "If it stays so over many groups, sharpen it or drop it.",
                column.name,
            )
    if unjudged:
        yield Caution(
            "unjudged_criteria",
            "warning",
            f"{column.head}: the judge gave no verdict on {_quoted([names[one] for one in sorted(unjudged)])}.",
            "A reward without one of its criteria is not the rubric's, so such a response is left unscored.",
            "Open the cell for what the judge said; make the criterion one that can be told from the response alone.",
            column.name,
        )


def _samples(table: ScoreTable, columns: Sequence[Column]) -> Iterator[Caution]:
    few = [column for column in columns if column.asks and 0 < column.samples < FEW_SAMPLES]
    if few and len(table.rows) > 1:
        most = max(column.samples for column in few)
        yield Caution(
            "few_samples",
            "note",
            f"{listed(column.head for column in few)}: {counted(most, 'sample')} of each score at most.",
            "How much the judge varies from run to run, or with the order of responses, cannot be told from so few.",
            f"Score with {FEW_SAMPLES} repeats or more before you rely on small differences.",
        )


def _reward(table: ScoreTable) -> Iterator[Caution]:
    """What the trainer makes of the reward that was chosen."""
    convention = convention_named(table.convention)
    column = table.column(table.reward_method)
    unknown = tuple(row.letter for row in table.rows if row.reward is not None and row.reward.total is None)
    if unknown:
        yield Caution(
            "reward_unknown",
            "warning",
            f"The reward of {listed(unknown)} is unknown: a verifier's value or the independent reward is missing.",
            "Without a reward it is left out of the group, as if it had not been sampled.",
            "Give the reference answer or the independent reward, or take that part out of the rubric's scoring.",
            column.name,
            unknown,
        )
    known = _totals(table, column)
    totals = [total for _, total in known]
    blown = tuple(row.letter for (row, _), hit in zip(known, convention.amplifies(totals), strict=True) if hit)
    if blown:
        yield Caution(
            "float_hazard",
            "warning",
            f"{convention.title} may blow up the advantage of {listed(blown)}: all others have equal rewards.",
            *BLOWN_UP,
            column.name,
            blown,
        )
    # Undivided, an advantage is at most twice the range of the rewards: a large one is then the rewards' own size.
    bound = max(LARGE_ADVANTAGE, 2 * (max(totals) - min(totals))) if totals else LARGE_ADVANTAGE
    large = tuple(row.letter for row in table.rows if abs(row.advantage or 0.0) > bound)
    if large:
        yield Caution(
            "large_advantage",
            "warning",
            f"{convention.title} gives {listed(large)} an advantage beyond {LARGE_ADVANTAGE:g}.",
            *OUTWEIGHS,
            column.name,
            large,
        )
    for one, members in dropped(totals, table.convention):
        letters = tuple(known[member][0].letter for member in members)
        when = f"With {one.setting} on, {one.trainer}" if one.setting else one.trainer
        yield Caution(
            "dropped",
            "warning",
            f"{when} drops {'the group' if len(letters) == len(known) else listed(letters)}.",
            f"It leaves out {one.rule}: these samples cost a rollout and train nothing.",
            "Expect fewer training samples than responses, or choose a reward that tells them apart.",
            column.name,
            letters,
        )


def _totals(table: ScoreTable, column: Column) -> list[tuple[Row, float]]:
    """The rows whose reward by this method is known, with it."""
    return [(row, rounded(total)) for row in table.rows if (total := row.cells[column.name].total) is not None]


def _quoted(names: Sequence[str]) -> str:
    return listed(f"“{name}”" for name in names)
