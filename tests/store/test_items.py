from __future__ import annotations

import asyncio

import pytest

from reward_lab.core.run import Item, ItemResult, ItemStatus, RunState, Usage
from reward_lab.core.verdict import CriterionVerdict, Fault, Reason, Scored, Unscored
from reward_lab.errors import InvalidRun
from reward_lab.store import PlannedItem, Store
from tests.store.examples import call, carry_out, finish, group, make_run, new_run, result, scored, unscored

FAULT = Fault(Reason.TIMEOUT, "No answer within 60 s: raise the timeout.")
UNREAD = Fault(Reason.UNREADABLE_REPLY, "The reply holds no JSON.")


def planned(store: Store, items: int = 1) -> list[Item]:
    return store.pending_items(make_run(store, items=items))


def status(store: Store, item: Item) -> ItemStatus:
    return next(one.item.status for one in store.items(item.run_id) if one.item.id == item.id)


def test_an_item_is_followed_from_start_to_end(store: Store) -> None:
    (item,) = planned(store)
    asyncio.run(store.start_items([item.id]))
    (running,) = store.items(item.run_id)
    assert running.item.status is ItemStatus.RUNNING
    assert running.started_at is not None
    assert running.finished_at is None
    finish(store, item, scored("a"), unscored("b"))
    (done,) = store.items(item.run_id)
    assert done.item.status is ItemStatus.PARTLY
    assert done.fault == Fault(Reason.UNREADABLE_REPLY, "The reply is no JSON: ask again.")
    assert done.finished_at is not None
    assert store.pending_items(item.run_id) == []


def test_verdicts_and_calls_come_back_as_they_were(store: Store) -> None:
    run_id = store.create_run(
        new_run(group("g", ("a\ud800", "b"))), {}, [PlannedItem(0, "rar_explicit", judge=1, repeat=2)]
    )
    (item,) = store.pending_items(run_id)
    verdicts = (
        Scored("a\ud800", 0.1 + 0.2, "why 😀", (CriterionVerdict(0, True, "yes"), CriterionVerdict(2, None))),
        Unscored("b", Reason.REFUSAL, "It declined.", "I cannot", (CriterionVerdict(1, False, "no"),)),
    )
    calls = (
        call("k1", reply="r" * 2_000_000, finish_reason="stop"),
        call("k2", reply="", prompt_tokens=None, completion_tokens=None, cost_usd=None, latency_s=None, fault=FAULT),
        call("k3", cached=True),
    )
    finish(store, item, *verdicts, calls=calls)
    stored = store.verdicts(run_id)
    assert [one.verdict for one in stored] == list(verdicts)
    assert {(one.item_id, one.method, one.judge, one.repeat) for one in stored} == {(item.id, "rar_explicit", 1, 2)}
    assert store.calls(run_id) == list(calls)
    assert store.calls(run_id, item_id=item.id) == list(calls)
    assert store.calls(run_id + 1, item_id=item.id) == []
    assert store.groups([item.group_id])[item.group_id].member(stored[0].verdict.trajectory_id)


def test_texts_that_cannot_be_stored_stay_visible(store: Store) -> None:
    (item,) = planned(store)
    odd = call(reply="\udc00 reply \x00")
    finish(
        store, item, Scored("a", 1.0, "half \ud83d"), Unscored("b", Reason.EMPTY_REPLY, "\x00", "\ud800"), calls=(odd,)
    )
    one, other = (stored.verdict for stored in store.verdicts(item.run_id))
    assert one == Scored("a", 1.0, "half \\ud83d")
    assert other == Unscored("b", Reason.EMPTY_REPLY, "\\u0000", "\\ud800")
    assert store.calls(item.run_id)[0].reply == "\\udc00 reply \\u0000"


def test_results_are_found_by_group(store: Store) -> None:
    run_id = store.create_run(new_run(group("g"), group("h")), {}, [PlannedItem(1, "ruler"), PlannedItem(0, "ruler")])
    of_h, of_g = store.pending_items(run_id)
    finish(store, of_h, scored("a", 0.9), calls=(call("k1"), call("k2")))
    finish(store, of_g, scored("a", 0.1), calls=(call("k1", cost_usd=None),))
    assert [one.verdict for one in store.verdicts(run_id, group_id=of_g.group_id)] == [scored("a", 0.1)]
    assert [one.verdict for one in store.verdicts(run_id)] == [scored("a", 0.9), scored("a", 0.1)]
    assert [one.item.id for one in store.items(run_id, group_id=of_h.group_id)] == [of_h.id]
    assert store.usage(run_id, group_id=of_h.group_id) == Usage(2, 0, 200, 20, 0.5, 0.5)
    assert store.usage(run_id, group_id=of_g.group_id) == Usage(1, 0, 100, 10, None, 0.5)
    assert store.usage(run_id, group_id=404) == Usage()


def test_finishing_twice_leaves_one_set(store: Store) -> None:
    (item,) = planned(store)
    asked = call()
    marks = (CriterionVerdict(0, True), CriterionVerdict(1, False))
    finish(store, item, Scored("a", 0.5, "", marks), scored("b"), calls=(asked,))
    finish(store, item, Scored("a", 0.7, "", marks[:1]), calls=(asked,))
    assert [one.verdict for one in store.verdicts(item.run_id)] == [Scored("a", 0.7, "", marks[:1])]
    assert store.calls(item.run_id) == [asked]


def test_finishing_twice_at_once_leaves_one_set(store: Store) -> None:
    (item,) = planned(store)

    async def both() -> None:
        await asyncio.gather(*(store.finish_item(item, result(item, scored("a", score))) for score in (0.1, 0.2)))

    asyncio.run(both())
    assert len(store.verdicts(item.run_id)) == 1


def test_a_call_recorded_early_is_not_stored_again(store: Store) -> None:
    (item,) = planned(store)
    early, late = call("k1"), call("k2")

    async def ask() -> None:
        await store.record_call(item.run_id, item.id, early)
        await store.record_call(item.run_id, item.id, early)
        assert store.calls(item.run_id) == [early]
        await store.finish_item(item, result(item, scored(), calls=(early, late)))

    asyncio.run(ask())
    assert store.calls(item.run_id) == [early, late]


def test_the_same_question_asked_again_is_another_call(store: Store) -> None:
    (item,) = planned(store)
    failed, answered = call(fault=FAULT, reply="", latency_s=60.0), call(latency_s=0.4)
    finish(store, item, scored(), calls=(failed, answered))
    assert store.calls(item.run_id) == [failed, answered]


def test_known_calls_are_those_that_came_back_for_items_left(store: Store) -> None:
    done, half, _ = planned(store, 3)
    good, lost, unread = call("good"), call("lost", fault=FAULT), call("unread", fault=UNREAD)
    finish(store, done, scored(), calls=(call("of a finished item"),))

    async def ask() -> None:
        await store.start_items([half.id])
        await store.record_call(half.run_id, half.id, good)
        await store.record_call(half.run_id, half.id, lost)
        await store.record_call(half.run_id, half.id, unread)

    asyncio.run(ask())
    assert store.known_calls(half.run_id) == {"good": good, "unread": unread}


def test_a_retry_keeps_calls_and_scored_verdicts(store: Store) -> None:
    whole, part, none = planned(store, 3)
    store.claim(whole.run_id)
    finish(store, whole, scored("a"), scored("b"))
    finish(store, part, scored("a"), unscored("b"), calls=(call("part"),))
    finish(store, none, unscored("a"), unscored("b"), calls=(call("none", fault=UNREAD),))
    store.release(whole.run_id, RunState.FINISHED)
    assert store.reset_items(whole.run_id, (ItemStatus.PARTLY, ItemStatus.UNSCORED)) == 2
    run = store.run(whole.run_id)
    assert (run.state, run.finished_at) == (RunState.INTERRUPTED, None)
    assert store.pending_items(whole.run_id) == [
        Item(one.id, one.run_id, one.group_id, "ruler", None, 0, one.repeat) for one in (part, none)
    ]
    assert [one.item_id for one in store.verdicts(whole.run_id)] == [whole.id, whole.id, part.id]
    assert [one.key for one in store.calls(whole.run_id)] == ["part", "none"]
    assert list(store.known_calls(whole.run_id)) == ["part"], "what failed is asked anew"
    assert store.claim(whole.run_id)
    asyncio.run(store.record_call(none.run_id, none.id, call("none", fault=UNREAD)))
    assert list(store.known_calls(whole.run_id)) == ["part", "none"], "and from there it goes on"
    finish(store, part, scored("a"), scored("b"))
    assert len(store.verdicts(whole.run_id)) == 4


def test_resuming_a_cancelled_run_takes_the_cancel_back(store: Store) -> None:
    done, left = planned(store, 2)
    store.claim(done.run_id)
    finish(store, done, scored())
    store.request_cancel(done.run_id)
    store.release(done.run_id, RunState.CANCELLED)
    assert store.reset_items(done.run_id, [ItemStatus.CANCELLED]) == 1
    assert store.stop_requested(done.run_id) is None
    assert store.claim(done.run_id)
    assert [one.id for one in store.pending_items(done.run_id)] == [left.id]


def test_resetting_nothing_leaves_a_finished_run_as_it_is(store: Store) -> None:
    (item,) = planned(store)
    store.claim(item.run_id)
    finish(store, item, scored())
    store.release(item.run_id, RunState.FINISHED)
    before = store.run(item.run_id)
    assert store.reset_items(item.run_id, [ItemStatus.UNSCORED]) == 0
    assert store.run(item.run_id) == before


def test_a_run_at_work_is_not_reset(store: Store) -> None:
    (item,) = planned(store)
    store.claim(item.run_id)
    with pytest.raises(InvalidRun, match="is at work"):
        store.reset_items(item.run_id, [ItemStatus.PENDING])


def test_progress_is_by_method_in_the_order_of_the_plan(store: Store) -> None:
    plan = [PlannedItem(0, "ruler"), PlannedItem(0, "likert", "a"), PlannedItem(0, "likert", "b")]
    run_id = store.create_run(new_run(methods=("ruler", "likert")), {}, plan)
    finish(store, store.pending_items(run_id)[1], unscored("a"))
    progress = store.progress(run_id)
    assert list(progress) == ["ruler", "likert"]
    assert progress["likert"].counts == {ItemStatus.PENDING: 1, ItemStatus.UNSCORED: 1}
    assert (progress["likert"].done, progress["likert"].total) == (1, 2)
    assert store.run(run_id).progress.counts == {ItemStatus.PENDING: 2, ItemStatus.UNSCORED: 1}


@pytest.mark.parametrize(
    ("calls", "usage"),
    [
        ((), Usage()),
        ((call("a"), call("b", latency_s=1.5)), Usage(2, 0, 200, 20, 0.5, 1.0)),
        ((call("a"), call("b", cached=True, cost_usd=None)), Usage(1, 1, 100, 10, 0.25, 0.5)),
        ((call("a", cached=True),), Usage(0, 1, 0, 0, 0.0, None)),
        ((call("a"), call("b", cost_usd=None)), Usage(2, 0, 200, 20, None, 0.5)),
        ((call("a", prompt_tokens=None, cost_usd=0.0),), Usage(1, 0, None, 10, 0.0, 0.5)),
        ((call("a", cost_usd=float("nan"), latency_s=float("inf")),), Usage(1, 0, 100, 10, None, None)),
    ],
)
def test_usage_sums_what_is_known(store: Store, calls: tuple[object, ...], usage: Usage) -> None:
    (item,) = planned(store)
    finish(store, item, scored(), calls=calls)  # type: ignore[arg-type] - calls, made above
    assert store.usage(item.run_id) == usage


def test_a_run_of_many_tasks_loses_nothing(store: Store) -> None:
    items = planned(store, 300)
    carry_out(store, items, workers=32)
    assert store.run(items[0].run_id).progress.counts == {ItemStatus.SCORED: 300}
    assert len(store.verdicts(items[0].run_id)) == 600
    assert store.usage(items[0].run_id).calls == 300


def test_an_item_without_verdicts_can_end(store: Store) -> None:
    (item,) = planned(store)
    asyncio.run(store.finish_item(item, ItemResult(item.id, ItemStatus.CANCELLED, ())))
    assert status(store, item) is ItemStatus.CANCELLED
