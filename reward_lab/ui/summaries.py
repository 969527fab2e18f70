"""What a result says in words, as blocks to read: how the run stands, what is missing, what moved, what to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from reward_lab.core.cautions import Caution, Level
from reward_lab.core.changes import Change
from reward_lab.core.judge import Ensemble, Judge
from reward_lab.core.methods import METHODS
from reward_lab.core.movement import Movement
from reward_lab.core.run import ItemStatus, Progress, Run, RunState, Usage
from reward_lab.core.table import ScoreTable
from reward_lab.core.wording import counted, listed
from reward_lab.services.results import Incomparable, Moved, Result
from reward_lab.services.scoring import Status
from reward_lab.ui.figures import ago, count, moment, money, seconds
from reward_lab.ui.reading import Block, Fold, abbreviated, plain
from reward_lab.ui.reasons import NOT_ASKED, STOPPED, Lack, lacks

GRACE_S = 5.0
"""So long a run that is stopped waits for its calls in flight."""

_CHANGES_SHOWN = 2
_LACKS_SHOWN = 3
_MOST_DETAIL = 155
"""Characters of a reason that stand above the matrix; the whole stands with the method that it is about."""

_STATE_WORDS = {
    RunState.RUNNING: "running",
    RunState.PAUSED: "paused",
    RunState.FINISHED: "finished",
    RunState.CANCELLED: "cancelled",
    RunState.INTERRUPTED: "interrupted",
}


def sentence_block(result: Result, status: Status) -> Block:
    """What the result says. Of a run that goes on only how far it is: what it says would change with every verdict."""
    if status.cancelling or status.pausing:
        flying = sum(one.counts.get(ItemStatus.RUNNING, 0) for one in status.progress.values())
        waits = f": waits up to {GRACE_S:g} s for {counted(flying, 'call')} in flight" if flying else ""
        said = f"{'Cancelling' if status.cancelling else 'Pausing'}{waits}."
    elif status.state is RunState.RUNNING:
        said = f"Scoring: {status.done} of {status.total} done."
    else:
        said = result.sentence
    return Block("sentence", "lead", pieces=plain(said))


def stale_block(edits: Sequence[str]) -> Block:
    """That the inputs were changed after the run, and which."""
    said = f"You changed {listed(edits)} since this run; score again to see what moves."
    return Block("stale", "line", "Not of these inputs", tone="warning", pieces=plain(said))


def standing_block(run: Run, state: RunState, progress: Mapping[str, Progress], now: datetime) -> Block:
    """Which run this is, how it stands, by which judge; while it runs, how far each method is."""
    said = f"{_STATE_WORDS[state]} {_when(run, state, now)}".strip()
    judges = "" if state is RunState.RUNNING else f" · {judged_by(run.judges)}"
    left = _left(state, progress)
    going = f" · {progress_words(progress)}" if state is RunState.RUNNING else f" · {left}" if left else ""
    return Block("standing", "line", f"Run {run.id}", pieces=plain(f"{said}{going}{judges}"), hover=_dates(run))


def progress_words(progress: Mapping[str, Progress]) -> str:
    """Items done of all, by method.

    >>> progress_words({"ruler": Progress({ItemStatus.SCORED: 1}), "likert": Progress({ItemStatus.PENDING: 4})})
    'RULER 1/1 · Likert 0/4'
    """
    ordered = [name for name in METHODS if name in progress]
    return " · ".join(f"{METHODS[name].head} {progress[name].done}/{progress[name].total}" for name in ordered)


def judged_by(judges: Ensemble) -> str:
    """Who judged; of the offline judge also what it is."""
    if all(judge.is_offline for judge in judges):
        return "offline judge: lexical evidence, no LLM"
    return f"judged by {listed(_judge_name(judge) for judge in judges)}"


def retryable(table: ScoreTable, progress: Mapping[str, Progress]) -> int:
    """Items that came out unscored and could be asked again: those of methods that can be applied here."""
    failed = (ItemStatus.UNSCORED, ItemStatus.PARTLY)
    return sum(
        found.counts.get(status, 0)
        for name, found in progress.items()
        if METHODS[name].asks and METHODS[name].obstacle(table.group, table.rubric) is None
        for status in failed
    )


def lack_blocks(table: ScoreTable) -> tuple[Block, ...]:
    """Why scores are missing, each with where; the rest of the reasons is in the cells."""
    found = [lack for lack in lacks(table) if lack.reason not in STOPPED]
    blocks = [_lack(lack, len(table.rows), index) for index, lack in enumerate(found[:_LACKS_SHOWN])]
    if len(found) > _LACKS_SHOWN:
        more = f"{counted(len(found) - _LACKS_SHOWN, 'more reason')}: open the cells marked ✕."
        blocks.append(Block("lack-more", "line", pieces=plain(more)))
    return tuple(blocks)


def moved_blocks(moved: Moved | None, incomparable: Sequence[Incomparable], state: RunState) -> tuple[Block, ...]:
    """What moved since the earlier run, and the word diff of what was changed for it; and what cannot be compared.

    Of a run that goes on nothing is said yet: "no score moved" would not last.
    """
    skipped = tuple(
        Block(f"incomparable-{one.run_id}", "line", f"Run {one.run_id} cannot be compared", pieces=plain(one.why))
        for one in incomparable
    )
    return skipped if moved is None else (*_moved(moved, state), *skipped)


def _moved(moved: Moved, state: RunState) -> tuple[Block, ...]:
    since = f"run {moved.since.id}"
    said = "What moves is marked in the table as it arrives." if state is RunState.RUNNING else moved.sentence
    head = Block("moved", "line", f"Since {since}", pieces=plain(said))
    shown = [_change(change, index) for index, change in enumerate(moved.changes)]
    if not shown:
        return head, Block("unchanged", "line", pieces=plain(_without_changes(moved.movement, since)))
    if len(shown) <= _CHANGES_SHOWN:
        return head, *shown
    rest = shown[_CHANGES_SHOWN:]
    fold = Fold("changes", f"{counted(len(rest), 'more change')}", tuple(rest))
    return head, *shown[:_CHANGES_SHOWN], Block("more-changes", "line", folds=(fold,))


def caution_blocks(cautions: Sequence[Caution]) -> tuple[Block, ...]:
    """Each caution with what it means for training and what to do; warnings before notes, those alike together."""
    alike: dict[tuple[Level, str, str], list[str]] = {}
    for one in sorted(cautions, key=lambda one: one.level != "warning"):
        alike.setdefault((one.level, one.meaning, one.remedy), []).append(one.title)
    return tuple(
        Block(
            f"caution-{index}",
            title="\n".join(f"{'⚠ ' if level == 'warning' else ''}{title}" for title in titles),
            tone=level,
            pieces=plain(f"{meaning}\n→ {remedy}"),
        )
        for index, ((level, meaning, remedy), titles) in enumerate(alike.items())
    )


def usage_blocks(run: Run) -> tuple[Block, ...]:
    """What the run took, and everything it was asked with."""
    usage, settings = run.usage, run.settings
    rubric = f"{run.rubric_name or 'unnamed'}, version {run.rubric_version}"
    asked = f"{counted(settings.repeats, 'repeat')}, seed {settings.seed}"
    if settings.budget_usd is not None:
        shared = "" if run.sweep_id is None else " for all runs of its sweep"
        asked += f", budget {money(settings.budget_usd)}{shared}"
    lines = {
        "Calls": f"{count(usage.calls)}, of which {count(usage.cached)} from the cache",
        "Tokens": f"{count(usage.prompt_tokens)} in, {count(usage.completion_tokens)} out",
        "Cost": _cost(usage, run.judges),
        "Latency": _latency(usage),
        "Judge" if len(run.judges) == 1 else "Judges": listed(_judge_in_full(judge) for judge in run.judges),
        "Rubric": rubric,
        "Asked": asked,
    }
    return tuple(Block(f"usage-{title}", "line", title, pieces=plain(text)) for title, text in lines.items())


def _when(run: Run, state: RunState, now: datetime) -> str:
    if state is RunState.RUNNING:
        return ""
    return ago(run.finished_at or run.created_at, now)


def _dates(run: Run) -> str:
    started = f"Started {moment(run.created_at)}"
    return started if run.finished_at is None else f"{started}\nEnded {moment(run.finished_at)}"


def _left(state: RunState, progress: Mapping[str, Progress]) -> str:
    total = sum(one.total for one in progress.values())
    done = sum(one.done for one in progress.values())
    return "" if state is RunState.FINISHED else f"{done} of {total} done"


def _judge_name(judge: Judge) -> str:
    return "offline, lexical evidence without an LLM" if judge.is_offline else judge.model


def _judge_in_full(judge: Judge) -> str:
    endpoint = f" at {judge.api_base}" if judge.api_base else ""
    given = ", ".join(f"{name} {value}" for name, value in judge.parameters.items())
    return f"{_judge_name(judge)}{endpoint}{f' ({given})' if given else ''}"


def _lack(lack: Lack, responses: int, index: int) -> Block:
    whom = "" if len(lack.letters) == responses else f": {listed(lack.letters)}"
    calm = lack.reason in NOT_ASKED
    title = f"{listed(lack.heads)} {'not applied' if calm else 'unscored'}{whom}"
    said = lack.sentence
    shown = said if len(said) <= _MOST_DETAIL else f"{said[:_MOST_DETAIL].rstrip()} …"
    hover = "\n".join([said, *lack.told])
    return Block(f"lack-{index}", "line", title, tone="" if calm else "worse", pieces=plain(shown), hover=hover)


def _without_changes(movement: Movement, since: str) -> str:
    """What to lay it to where every setting is the same."""
    if movement.same_responses:
        noise = ": what moved is the judge's own noise" if movement.any_moved else ""
        return f"Nothing was changed{noise}."
    parts = (
        ("added", movement.appeared),
        (f"of {since} removed", movement.vanished),
        ("rewritten", movement.rewritten),
    )
    told = ", ".join(f"{listed(letters)} {what}" for what, letters in parts if letters)
    return f"Only the responses were changed: {told}. RULER scores them against each other, so others may move too."


def _change(change: Change, index: int) -> Block:
    swapped = plain(f"{change.old or 'none'} → {change.new or 'none'}")
    pieces = abbreviated(change.pieces) if change.prose else swapped
    return Block(f"change-{index}", "line", change.name, pieces=pieces)


def _cost(usage: Usage, judges: Ensemble) -> str:
    if all(judge.is_offline for judge in judges):
        return "$0: the offline judge calls no model"
    return money(usage.cost_usd) + ("" if usage.cost_usd is not None else ": no price is known for this model")


def _latency(usage: Usage) -> str:
    return (
        f"{seconds(usage.latency_s)} a call"
        if usage.calls > usage.cached
        else "no call was made: all came from the cache"
    )
