"""Items of a run: planned, asked, answered, asked again."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import String, cast, delete, func, literal, select, update

from reward_lab.core.run import Call, Item, ItemResult, ItemStatus, RunState
from reward_lab.core.verdict import Fault, Reason
from reward_lab.errors import InvalidRun
from reward_lab.store.part import AnyRow, AnySelect, Part, now
from reward_lab.store.records import StoredItem
from reward_lab.store.results import call_of
from reward_lab.store.runs import cancel_pending, holder
from reward_lab.store.tables import judge_calls, run_items, runs, verdicts
from reward_lab.store.writes import UNSCORED, finishing, recording, starting

_UNFINISHED = (ItemStatus.PENDING.value, ItemStatus.RUNNING.value)
_FAILED = (ItemStatus.UNSCORED.value, ItemStatus.PARTLY.value)
_OF_THE_REPLY = tuple(reason.value for reason in Reason if reason.is_of_the_reply)

_OVER = "over "
"""In front of the digest of a call that failed before its item was reset: the item's next asking begins without it."""


class Items(Part):
    """Items by run. What is awaited here is committed when the ``await`` is over."""

    def pending_items(self, run_id: int, limit: int | None = None, *, after: int = 0) -> list[Item]:
        """The items still to be asked, in the order of the plan; those ``after`` the item of this id."""
        pending = (run_items.c.run_id == run_id, run_items.c.status == ItemStatus.PENDING.value)
        # Chosen from the index alone: of a hundred thousand items a few are read.
        chosen = select(run_items.c.id).where(*pending, run_items.c.id > after).order_by(run_items.c.id).limit(limit)
        query = select(run_items).where(run_items.c.id.in_(chosen)).order_by(run_items.c.id)
        with self._database.read() as connection:
            return [_item(row) for row in connection.execute(query)]

    def items(self, run_id: int, *, group_id: int | None = None) -> list[StoredItem]:
        """The items of a run, or of one group in it, in the order of the plan."""
        query = _items(run_id)
        if group_id is not None:
            query = query.where(run_items.c.group_id == group_id)
        with self._database.read() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def known_calls(self, run_id: int) -> dict[str, Call]:
        """The last call, by key, that came back for items which are not done: a resumed run goes on from it.

        It may have come back with a reply that could not be used, unless the item was reset
        since: that is asked anew. Calls of items that are done are left out: nothing will ask
        for them, and there may be more of them than fit in memory.
        """
        query = (
            select(judge_calls)
            .join(run_items, run_items.c.id == judge_calls.c.item_id)
            .where(
                run_items.c.run_id == run_id,
                run_items.c.status.in_(_UNFINISHED),
                judge_calls.c.fault_reason.is_(None)
                | (judge_calls.c.fault_reason.in_(_OF_THE_REPLY) & ~judge_calls.c.digest.startswith(_OVER)),
            )
            .order_by(judge_calls.c.id)
        )
        with self._database.read() as connection:
            return {row.key: call_of(row) for row in connection.execute(query)}

    def reset_items(self, run_id: int, statuses: Iterable[ItemStatus]) -> int:
        """Make items of these statuses pending again, to retry what failed or to resume; return how many.

        Their unscored verdicts go, their scored ones and their calls stay; the scored ones are
        replaced when the item is finished again. A run that was paused, or has anything left to ask,
        is then ``INTERRUPTED`` until it is claimed, and no longer asked to stop.

        Raises:
            NotFound: no such run.
            InvalidRun: it is at work, in this process or another.
        """
        chosen = (run_items.c.run_id == run_id, run_items.c.status.in_([status.value for status in statuses]))
        failed = select(run_items.c.id).where(*chosen, run_items.c.status.in_(_FAILED))
        with self._database.write() as connection:
            row = holder(connection, run_id)
            if row.claimed and self._leases.alive(row.worker):
                raise InvalidRun(f"Run {run_id} is at work: wait for it, or pause or cancel it first.")
            connection.execute(
                update(judge_calls)
                .where(judge_calls.c.item_id.in_(failed), judge_calls.c.fault_reason.is_not(None))
                .values(digest=literal(_OVER) + cast(judge_calls.c.id, String))
            )
            connection.execute(
                delete(verdicts).where(
                    verdicts.c.item_id.in_(select(run_items.c.id).where(*chosen)), verdicts.c.status == UNSCORED
                )
            )
            count = connection.execute(
                update(run_items)
                .where(*chosen)
                .values(status=ItemStatus.PENDING.value, reason=None, detail=None, started_at=None, finished_at=None)
            ).rowcount
            left = connection.scalar(
                select(func.count()).where(run_items.c.run_id == run_id, run_items.c.status.in_(_UNFINISHED))
            )
            if left or row.state == RunState.PAUSED.value:
                taken_up = {"state": RunState.RUNNING.value, "finished_at": None}
                asked = {"cancel_requested": False, "pause_requested": False}
                connection.execute(update(runs).where(runs.c.id == run_id).values({**taken_up, **asked}))
        return count

    def cancel_items(self, run_id: int) -> int:
        """Make the pending items of a run cancelled; return how many."""
        with self._database.write() as connection:
            return cancel_pending(connection, run_id)

    async def start_items(self, item_ids: Iterable[int]) -> None:
        """Mark items as being asked."""
        await self._writer.write(starting(item_ids, now()))

    async def record_call(self, run_id: int, item_id: int, call: Call) -> None:
        """Store a call as soon as it came back, before its item is done. The same call again changes nothing."""
        await self._writer.write(recording(run_id, item_id, (call,), now()))

    async def finish_item(self, item: Item, result: ItemResult) -> None:
        """Store what an item came to, with those of its calls that are not stored yet, in one transaction.

        Finishing an item again replaces its verdicts.
        """
        await self._writer.write(finishing(item, result, now()))


def _items(run_id: int) -> AnySelect:
    return select(run_items).where(run_items.c.run_id == run_id).order_by(run_items.c.id)


def _item(row: AnyRow) -> Item:
    return Item(
        id=row.id,
        run_id=row.run_id,
        group_id=row.group_id,
        method=row.method,
        trajectory_id=row.trajectory_id,
        judge=row.judge,
        repeat=row.repeat,
        status=ItemStatus(row.status),
    )


def _stored(row: AnyRow) -> StoredItem:
    fault = Fault(Reason(row.reason), row.detail or "") if row.reason else None
    return StoredItem(_item(row), fault, row.started_at, row.finished_at)
