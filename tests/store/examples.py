"""Groups, runs and results for the store's tests; also what its other processes do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.run import Call, Item, ItemResult, ItemStatus, NewRun, RunSettings
from reward_lab.core.verdict import Reason, Scored, Unscored, Verdict
from reward_lab.store import PlannedItem, Store

RUBRIC = Rubric(guidance="Be correct.", criteria=(Criterion(description="States the deadline"),))


def trajectory(name: str, text: str | None = None) -> Trajectory:
    return Trajectory(id=name, messages=({"role": "assistant", "content": text or f"Answer {name}"},))


def group(name: str = "g", members: Sequence[str] = ("a", "b"), *, question: str = "May I return it?") -> Group:
    return Group(
        id=name,
        scenario=Scenario(system_prompt="Be strict.", messages=({"role": "user", "content": question},)),
        trajectories=tuple(trajectory(member) for member in members),
    )


def new_run(
    *groups: Group,
    methods: tuple[str, ...] = ("ruler",),
    name: str = "",
    draft_id: str | None = None,
    rubric: Rubric = RUBRIC,
    rubric_name: str = "",
    judges: tuple[Judge, ...] = (Judge(),),
) -> NewRun:
    return NewRun(
        groups=groups or (group(),),
        rubric=rubric,
        judges=judges,
        settings=RunSettings(methods=methods),
        name=name,
        rubric_name=rubric_name,
        draft_id=draft_id,
    )


def make_run(store: Store, new: NewRun | None = None, *, items: int = 1) -> int:
    """A run with ``items`` listwise items on its first group."""
    plan = [PlannedItem(group=0, method="ruler", repeat=repeat) for repeat in range(items)]
    return store.create_run(new or new_run(), {"ruler": "1"}, plan)


def call(key: str = "k", *, reply: str = "fine", **figures: object) -> Call:
    known = {"prompt_tokens": 100, "completion_tokens": 10, "cost_usd": 0.25, "latency_s": 0.5, **figures}
    return Call(key=key, messages=({"role": "user", "content": "Judge."},), reply=reply, **known)  # type: ignore[arg-type] - figures by name


def scored(name: str = "a", score: float = 0.5) -> Scored:
    return Scored(name, score, f"because {name}")


def unscored(name: str = "b") -> Unscored:
    return Unscored(name, Reason.UNREADABLE_REPLY, "The reply is no JSON: ask again.", "I would say")


def result(item: Item, *verdicts: Verdict, calls: tuple[Call, ...] = ()) -> ItemResult:
    lost = sum(isinstance(verdict, Unscored) for verdict in verdicts)
    status = ItemStatus.SCORED if not lost else ItemStatus.UNSCORED if lost == len(verdicts) else ItemStatus.PARTLY
    return ItemResult(item.id, status, verdicts, calls)


def finish(store: Store, item: Item, *verdicts: Verdict, calls: tuple[Call, ...] = ()) -> None:
    asyncio.run(store.finish_item(item, result(item, *verdicts, calls=calls)))


def carry_out(store: Store, items: Sequence[Item], *, workers: int = 8, pause_s: float = 0.0) -> None:
    """Start, ask and finish items as the engine does, ``workers`` at a time."""

    async def drain(waiting: list[Item]) -> None:
        while waiting:
            item = waiting.pop(0)
            await store.start_items([item.id])
            asked = call(f"key of {item.id}")
            await store.record_call(item.run_id, item.id, asked)
            await asyncio.sleep(pause_s)
            await store.finish_item(item, result(item, scored("a"), scored("b", 0.25), calls=(asked,)))

    async def all_of_them() -> None:
        waiting = list(items)
        await asyncio.gather(*(drain(waiting) for _ in range(workers)))

    asyncio.run(all_of_them())


def open_and_score(url: str, items: int) -> None:
    """In a process of its own: a run of so many items, from opening to the end."""
    with Store.open(url) as store:
        run_id = make_run(store, items=items)
        assert store.claim(run_id)
        carry_out(store, store.pending_items(run_id))


def work_until_killed(url: str, run_id: int) -> None:
    """In a process of its own: take a run, have the answers to three items and never come to the end of them."""
    store = Store.open(url)
    assert store.claim(run_id)
    half_done = store.pending_items(run_id, limit=3)
    asyncio.run(store.start_items([item.id for item in half_done]))
    for item in half_done:
        asyncio.run(store.record_call(run_id, item.id, call(f"key of {item.id}")))
    carry_out(store, store.pending_items(run_id), pause_s=0.02)
    time.sleep(600)


def create_and_wait(url: str) -> None:
    """In a process of its own: make a run, claim nothing, stay alive."""
    store = Store.open(url)
    make_run(store)
    time.sleep(600)
