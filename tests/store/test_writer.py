from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError

from reward_lab.core.run import Item, ItemStatus
from reward_lab.errors import StoreError
from reward_lab.store import RunFilter, Store
from tests.store.examples import call, make_run, result, scored


@contextmanager
def counted_commits() -> Iterator[list[object]]:
    commits: list[object] = []
    note = commits.append
    event.listen(Engine, "commit", note)
    try:
        yield commits
    finally:
        event.remove(Engine, "commit", note)


def test_writes_that_wait_go_in_together(store: Store) -> None:
    items = store.pending_items(make_run(store, items=100))

    async def all_at_once() -> None:
        await asyncio.gather(*(store.finish_item(item, result(item, scored())) for item in items))

    with counted_commits() as commits:
        asyncio.run(all_at_once())
    assert len(store.verdicts(items[0].run_id)) == 100
    assert len(commits) < 20


def test_what_was_awaited_is_in_the_file(store: Store, url: str) -> None:
    (item,) = store.pending_items(make_run(store))

    async def look_at_once() -> None:
        with Store.open(url) as other:
            await store.start_items([item.id])
            assert other.items(item.run_id)[0].item.status is ItemStatus.RUNNING
            await store.record_call(item.run_id, item.id, call())
            assert other.calls(item.run_id) == [call()]
            await store.finish_item(item, result(item, scored()))
            assert [one.verdict for one in other.verdicts(item.run_id)] == [scored()]

    asyncio.run(look_at_once())


def test_a_write_that_cannot_be_stored_fails_alone(store: Store) -> None:
    items = store.pending_items(make_run(store, items=20))
    nobody = Item(id=10**6, run_id=items[0].run_id, group_id=items[0].group_id, method="ruler", trajectory_id=None,
                  judge=0, repeat=0)  # fmt: skip
    unreadable = call("nan")
    unreadable.messages[0]["temperature"] = float("nan")

    async def one_bad_among_many() -> list[object]:
        writes = [store.finish_item(item, result(item, scored())) for item in items]
        writes.insert(7, store.finish_item(nobody, result(nobody, scored())))
        writes.insert(13, store.record_call(items[0].run_id, items[0].id, unreadable))
        return await asyncio.gather(*writes, return_exceptions=True)

    outcomes = asyncio.run(one_bad_among_many())
    assert isinstance(outcomes.pop(13), ValueError)
    assert isinstance(outcomes.pop(7), IntegrityError)
    assert outcomes == [None] * 20
    assert {one.item_id for one in store.verdicts(items[0].run_id)} == {item.id for item in items}


def test_a_failed_write_leaves_nothing_of_itself(store: Store) -> None:
    (item,) = store.pending_items(make_run(store))
    unreadable = call("nan")
    unreadable.messages[0]["temperature"] = float("nan")
    with pytest.raises(ValueError, match="JSON"):
        asyncio.run(store.finish_item(item, result(item, scored(), calls=(unreadable,))))
    assert store.verdicts(item.run_id) == []
    assert store.pending_items(item.run_id) == [item]


def test_a_cancelled_task_stops_nobody_else(store: Store) -> None:
    first, second = store.pending_items(make_run(store, items=2))

    async def cancel_one() -> None:
        task = asyncio.create_task(store.finish_item(first, result(first, scored())))
        await asyncio.sleep(0)
        task.cancel()
        await store.finish_item(second, result(second, scored()))

    asyncio.run(cancel_one())
    assert len(store.verdicts(first.run_id)) == 2, "what was handed over is stored all the same"


def test_several_event_loops_write_at_once(store: Store) -> None:
    items = store.pending_items(make_run(store, items=60))

    def write(some: list[Item]) -> None:
        async def all_of_them() -> None:
            await asyncio.gather(*(store.finish_item(item, result(item, scored())) for item in some))

        asyncio.run(all_of_them())

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(write, (items[start::3] for start in range(3))))
    assert len(store.verdicts(items[0].run_id)) == 60


def test_threads_read_and_write_at_once(store: Store) -> None:
    items = store.pending_items(make_run(store, items=100))

    def read_and_save(number: int) -> None:
        for version in range(15):
            store.save_draft(f"d{number}", {"version": version})
            assert len(store.items(items[0].run_id)) == 100
            store.runs(RunFilter("x"))

    async def write() -> None:
        await asyncio.gather(*(store.finish_item(item, result(item, scored())) for item in items))

    with ThreadPoolExecutor(6) as threads:
        at_work = [threads.submit(read_and_save, number) for number in range(6)]
        asyncio.run(write())
        for one in at_work:
            one.result()


def test_a_closed_store_says_so(url: str) -> None:
    store = Store.open(url)
    (item,) = store.pending_items(make_run(store))
    asyncio.run(store.start_items([item.id]))
    store.close()
    store.close()
    with pytest.raises(StoreError, match=r"reward_lab\.db was closed"):
        asyncio.run(store.start_items([item.id]))
    with Store.open(url) as again:
        assert again.items(item.run_id)[0].item.status is ItemStatus.RUNNING
