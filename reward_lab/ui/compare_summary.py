"""What a comparison says as a whole: its sentence, what was asked otherwise, what has no counterpart, intervals."""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.agreement import FEW_GROUPS
from reward_lab.core.changes import Change
from reward_lab.core.comparison_sentences import comparison_sentence, is_clear
from reward_lab.core.methods import METHODS
from reward_lab.core.run import RunState
from reward_lab.core.wording import counted
from reward_lab.services.comparison import Compared
from reward_lab.ui.figures import signed
from reward_lab.ui.grid import Cell, Column, Row, Tone
from reward_lab.ui.reading import Block, Fold, abbreviated, plain

_NAMED = 12
"""Groups without a counterpart that are named; of more the number is told."""
_BADGE = "#5b6270"
_VERDICTS = {True: "clear", False: "may be noise", None: "no interval"}


def sentence_blocks(compared: Compared, method: str) -> tuple[Block, ...]:
    """A sentence for each other run, and a warning where there are few groups."""
    blocks = []
    for place, run in enumerate(compared.runs[1:]):
        difference = compared.difference(place, method)
        said = comparison_sentence(compared.figures, place, method, METHODS[method].head, difference)
        blocks.append(Block(f"sentence-{run.id}", "lead" if place == 0 else "line", pieces=plain(said)))
    few = min((compared.difference(place, method).n for place in range(len(compared.runs) - 1)), default=0)
    if 0 < few < FEW_GROUPS:
        said = (
            f"{counted(few, 'group')} with scores on both sides. Below {FEW_GROUPS} an interval by group is itself "
            "unsure: read the groups, and score more before deciding."
        )
        blocks.append(Block("few", "line", "Few groups", tone="warning", pieces=plain(said)))
    return (*blocks, *running_blocks(compared))


def running_blocks(compared: Compared) -> tuple[Block, ...]:
    """Which runs are not complete, and how far they are."""
    return tuple(
        Block(
            f"unfinished-{run.id}",
            "line",
            f"Run {run.id} is {run.state.value}",
            tone="note",
            pieces=plain(f"{run.progress.done:,} of {run.progress.total:,} items done; compared is what is there."),
        )
        for run in compared.runs
        if run.state is not RunState.FINISHED
    )


def change_blocks(compared: Compared) -> tuple[Block, ...]:
    """What was asked otherwise in each other run: prompts and rubric word by word; equal runs in one line."""
    blocks: list[Block] = []
    baseline = compared.runs[0].id
    for run, changes in zip(compared.runs[1:], compared.changes, strict=True):
        key = f"changes-{run.id}"
        if not changes:
            said = f"Asked the same as run {baseline}: what moved is the judge's own noise, or other responses."
            blocks.append(Block(key, "line", f"Run {run.id}", pieces=plain(said)))
            continue
        shown = tuple(_change(change, f"{key}-{index}") for index, change in enumerate(changes))
        head = f"Run {run.id} against run {baseline}"
        if len(compared.runs) == 2:
            blocks += [Block(key, "line", head, pieces=plain(_names(changes))), *shown]
        else:
            fold = Fold(f"{key}-fold", counted(len(changes), "difference"), shown)
            blocks.append(Block(key, "line", head, pieces=plain(_names(changes)), folds=(fold,)))
    return tuple(blocks)


def unmatched_blocks(compared: Compared) -> tuple[Block, ...]:
    """The groups that have no counterpart, by name."""
    blocks = []
    for place, (run, groups) in enumerate(zip(compared.runs, compared.figures.unmatched, strict=True)):
        if not groups:
            continue
        names = ", ".join(group.name for group in groups[:_NAMED])
        more = f" and {len(groups) - _NAMED:,} more" if len(groups) > _NAMED else ""
        where = "no other run" if place == 0 else f"run {compared.runs[0].id}"
        title = f"{counted(len(groups), 'group')} of run {run.id} not in {where}"
        blocks.append(Block(f"unmatched-{run.id}", "line", title, tone="note", pieces=plain(f"{names}{more}")))
    return tuple(blocks)


def difference_columns() -> list[Column]:
    """One line a run and method: the paired difference with its interval."""
    return [
        Column("what", "Run and method", kind="text"),
        Column("value", "Mean Δ", "Mean over groups of the change of their mean reward, paired", kind="number"),
        Column("interval", "95% interval", "By group, with Student's t", kind="text", align="end"),
        Column("n", "Groups", "Groups with a response scored in both runs", kind="number"),
        Column("verdict", "Beyond noise", "Clear where the interval leaves out 0", kind="text"),
    ]


def difference_rows(compared: Compared) -> list[Row]:
    """The paired differences of every other run and method."""
    found = []
    for place, run in enumerate(compared.runs[1:]):
        for method in compared.figures.methods:
            if method not in run.settings.methods:
                continue
            one = compared.difference(place, method)
            tone: Tone = "" if not one.value else "better" if one.value > 0 else "worse"
            value = Cell(state="empty") if one.value is None else Cell(one.value, signed(one.value, 3), tone=tone)
            interval = "–" if one.low is None or one.high is None else f"{signed(one.low, 3)} to {signed(one.high, 3)}"
            few = f", few ({one.n} < {FEW_GROUPS})" if one.few and one.n else ""
            cells = {
                "value": value,
                "interval": Cell(text=interval),
                "n": Cell(one.n, f"{one.n:,}"),
                "verdict": Cell(text=f"{_VERDICTS[is_clear(one)]}{few}"),
            }
            title = f"Run {run.id}, {METHODS[method].head}"
            found.append(Row(f"{run.id}-{method}", "", _BADGE, title, cells=cells))
    return found


def _names(changes: Sequence[Change]) -> str:
    return ", ".join(change.name for change in changes)


def _change(change: Change, key: str) -> Block:
    if change.prose:
        return Block(key, "card", change.name, pieces=abbreviated(change.pieces, around=200))
    return Block(key, "line", change.name, pieces=plain(f"{change.old or 'none'} → {change.new or 'none'}"))
