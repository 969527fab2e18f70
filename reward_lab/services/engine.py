"""The engine: runs go through here, item by item, and survive whatever ends the process.

A run is a list of items in the store. The engine claims the run, takes its pending items
in order, asks their questions and commits each result as it arrives. What is committed is
never asked again: a finished item is not pending any more, and an item of several calls
(one a criterion) finds those that came back before a kill among the run's known calls.
Nothing of a run lives only in memory, so a paused, cancelled or killed run is resumed by
running it once more. Items and groups are read as they are needed, so that many runs over
thousands of groups go on at once in little memory.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from reward_lab.core.group import Group, Trajectory
from reward_lab.core.judge import Judge
from reward_lab.core.methods import method_named
from reward_lab.core.methods.method import Arrangement, Method, Question, Replied
from reward_lab.core.run import Call, Item, ItemResult, ItemStatus, Run, RunState
from reward_lab.core.verdict import Fault, Scored, Unscored, Verdict
from reward_lab.errors import StoreError
from reward_lab.judges import Asked, Asker
from reward_lab.services.loop import BackgroundLoop
from reward_lab.store import Store

_log = logging.getLogger(__name__)

T = TypeVar("T")

_STOP_POLL_S = 0.3
_THREADS = 4
_READ_AHEAD = 2000
"""Items read at a time: each reading looks through all that a run has left."""
_GRACE_S = 5.0
"""A run that is stopped waits so long for calls in flight: they are paid for, so their answers are kept."""


class Engine:
    """Carries out stored runs on the background loop, several at once."""

    def __init__(self, store: Store, asker: Asker, loop: BackgroundLoop, *, workers: int) -> None:
        """``workers``: items in progress per run, and per judge of a sweep; the judges' own limits bound the calls."""
        self._store = store
        self._asker = asker
        self._loop = loop
        self._workers = workers
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="reward-lab-runs")
        self._shared: WeakValueDictionary[int, _Shared] = WeakValueDictionary()
        """By sweep, for as long as one of its runs is at work here."""

    def start(self, run_id: int) -> Future[RunState | None]:
        """Carry out a run's pending items. The future gives its final state, or ``None`` if another process has it."""
        return self._loop.submit(self._carry_out(run_id))

    async def aside(self, work: Callable[..., T], *given: object) -> T:
        """``work(*given)`` in a thread of the engine's own.

        Those of the event loop may all be taken, by look-ups of a judge's name that go on for
        seconds; a run must be stopped and let go nevertheless.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)

    async def _carry_out(self, run_id: int) -> RunState | None:
        if not await self.aside(self._store.claim, run_id):
            return None
        state = RunState.INTERRUPTED
        try:
            state = await self._work(run_id)
        except Exception:
            _log.exception("run %d stopped by a fault of the program", run_id)
            raise
        finally:
            # Shielded: a closing loop cancels this task, and the run must still be let go.
            await asyncio.shield(self.aside(self._store.release, run_id, state))
        return state

    async def _work(self, run_id: int) -> RunState:
        run = await self.aside(self._store.run, run_id)
        known = await self.aside(self._store.known_calls, run_id)
        job = _Job(self._store, self._asker, run, known, await self._shared_by(run))
        feed = _Feed(self._store, self.aside, run_id)
        stop = asyncio.Event()
        watch = asyncio.create_task(self._watch(run_id, job, stop))
        workers = [asyncio.create_task(_drain(feed, job, stop)) for _ in range(self._workers)]
        try:
            await _until_done(workers, stop)
        finally:
            watch.cancel()
            for worker in workers:
                worker.cancel()
            await asyncio.gather(watch, *workers, return_exceptions=True)
        for worker in workers:
            if not worker.cancelled() and (error := worker.exception()) is not None:
                raise error
        progress = (await self.aside(self._store.run, run_id)).progress
        if progress.done == progress.total:
            # Also where it was asked to stop, and all that was left came back meanwhile.
            return RunState.FINISHED
        if not job.over_budget and await self.aside(self._store.stop_requested, run_id) is RunState.PAUSED:
            return RunState.PAUSED
        await self.aside(self._store.cancel_items, run_id)
        return RunState.CANCELLED

    async def _shared_by(self, run: Run) -> _Shared:
        """What the run has in common with the others of its sweep that are at work here; of a lone run its own.

        What another process spends on the sweep counts from the moment that a run of it is begun here.
        """
        spent_usd = await self.aside(self._store.spent_usd, run.id, run.sweep_id)
        shared = None if run.sweep_id is None else self._shared.get(run.sweep_id)
        if shared is None:
            shared = _Shared(run.settings.budget_usd, self._workers)
            if run.sweep_id is not None:
                self._shared[run.sweep_id] = shared
        shared.spent_usd = max(shared.spent_usd, spent_usd)
        return shared

    async def _watch(self, run_id: int, job: _Job, stop: asyncio.Event) -> None:
        """Set ``stop`` once a person paused or cancelled the run, in any process, or its budget is spent."""
        while not stop.is_set():
            try:
                if job.over_budget or await self.aside(self._store.stop_requested, run_id) is not None:
                    stop.set()
            except StoreError as error:
                # A database that is busy for once: whoever stopped watching would never hear of a cancel.
                _log.warning("run %d: whether it is to stop is looked up again", run_id, exc_info=error)
            await asyncio.sleep(_STOP_POLL_S)


class _Shared:
    """What the runs of a sweep share: what they may spend and spent as far as it is known, and whose turn it is.

    Without turns, each of many runs would have its items wait for the same judge, and all of those would still be
    asked once the budget is spent.
    """

    def __init__(self, budget_usd: float | None, workers: int) -> None:
        self.spent_usd = 0.0
        self._budget_usd = budget_usd
        self._workers = workers
        self._turns: dict[tuple[str, ...], asyncio.Semaphore] = {}

    @property
    def over_budget(self) -> bool:
        return self._budget_usd is not None and self.spent_usd >= self._budget_usd

    def turn(self, judges: Sequence[Judge]) -> asyncio.Semaphore:
        """To be held while an item is in progress with these judges."""
        return self._turns.setdefault(tuple(judge.key for judge in judges), asyncio.Semaphore(self._workers))


class _Feed:
    """A run's pending items in the order of the plan, each with its group, read some at a time."""

    def __init__(self, store: Store, aside: Callable[..., Awaitable[Any]], run_id: int) -> None:
        self._store = store
        self._aside = aside
        self._run_id = run_id
        self._ready: deque[tuple[Item, Group]] = deque()
        self._last = 0
        self._ended = False
        self._turn = asyncio.Lock()

    async def next(self) -> tuple[Item, Group] | None:
        """The next item with its group; ``None`` where none is left."""
        if not self._ready:
            async with self._turn:
                if not self._ready and not self._ended:
                    self._ready.extend(await self._aside(self._read))
                    self._ended = not self._ready
        return self._ready.popleft() if self._ready else None

    def _read(self) -> list[tuple[Item, Group]]:
        items = self._store.pending_items(self._run_id, _READ_AHEAD, after=self._last)
        groups = self._store.groups({item.group_id for item in items})
        self._last = items[-1].id if items else self._last
        return [(item, groups[item.group_id]) for item in items]


class _Job:
    """What all items of one run share."""

    def __init__(self, store: Store, asker: Asker, run: Run, known: Mapping[str, Call], shared: _Shared) -> None:
        self._store = store
        self._asker = asker
        self._run = run
        self._known = known
        self._shared = shared
        self.turn = shared.turn(run.judges)

    @property
    def over_budget(self) -> bool:
        """Whether what was spent, as far as it is known, has reached the budget."""
        return self._shared.over_budget

    async def carry_out(self, item: Item, group: Group) -> None:
        await self._store.start_items((item.id,))
        method = method_named(item.method)
        members = group.trajectories if item.trajectory_id is None else (group.member(item.trajectory_id),)
        obstacle = method.obstacle(group, self._run.rubric)
        if obstacle is not None:
            verdicts: Sequence[Verdict] = [unscored(member, obstacle) for member in members]
            calls: tuple[Call, ...] = ()
        else:
            verdicts, calls = await self._ask(item, method, group, members)
        result = ItemResult(item.id, status_of(verdicts), tuple(verdicts), calls)
        await self._store.finish_item(item, result)

    async def _ask(
        self, item: Item, method: Method, group: Group, members: Sequence[Trajectory]
    ) -> tuple[list[Verdict], tuple[Call, ...]]:
        settings = self._run.settings
        arrangement = Arrangement(settings.seed, item.repeat)
        questions = method.questions(group, members, self._run.rubric, arrangement)
        # With one question the call is committed together with its verdict; with several, each as it
        # arrives, so that a kill in between costs no answer.
        early = len(questions) > 1
        asked = await asyncio.gather(*(self._ask_one(item, method, question, early=early) for question in questions))
        replies: list[Replied] = [one.replied for one in asked]
        calls = tuple(call for one in asked for call in one.calls)
        return method.verdicts(group, members, self._run.rubric, replies), () if early else calls

    async def _ask_one(self, item: Item, method: Method, question: Question, *, early: bool) -> Asked:
        async def commit(call: Call) -> None:
            if not call.cached:
                self._shared.spent_usd += call.cost_usd or 0.0
            if early:
                await self._store.record_call(item.run_id, item.id, call)

        return await self._asker.ask(
            question,
            self._run.judges[item.judge],
            method_version=method.version,
            sample=item.repeat,
            known=self._known,
            ask_again=self._run.settings.ask_again,
            on_call=commit,
        )


async def _drain(feed: _Feed, job: _Job, stop: asyncio.Event) -> None:
    while (given := await feed.next()) is not None:
        async with job.turn:
            if stop.is_set() or job.over_budget:
                stop.set()
                return
            await job.carry_out(*given)


async def _until_done(workers: Sequence[asyncio.Task[None]], stop: asyncio.Event) -> None:
    """Wait for all workers, for the first that fails, or for ``stop`` and a grace for calls in flight."""
    stopped = asyncio.create_task(stop.wait())
    working = asyncio.create_task(asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION))
    try:
        await asyncio.wait({stopped, working}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(working, _GRACE_S)
    finally:
        stopped.cancel()
        working.cancel()


def unscored(member: Trajectory, fault: Fault) -> Unscored:
    """The verdict of a trajectory that could not be judged at all."""
    return Unscored(member.id, fault.reason, fault.detail)


def status_of(verdicts: Sequence[Verdict]) -> ItemStatus:
    """An item's final status: all of its verdicts scored, some, or none."""
    scored = sum(isinstance(verdict, Scored) for verdict in verdicts)
    if scored == len(verdicts):
        return ItemStatus.SCORED
    return ItemStatus.PARTLY if scored else ItemStatus.UNSCORED
