"""Writes of a run in progress: rows for the tables, put together so that many go in at once.

A batch costs one statement a table, however many items it is of.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, Update, bindparam, delete, insert, select, update
from sqlalchemy.engine import Dialect

from reward_lab.core.chat import Json
from reward_lab.core.run import Call, Item, ItemResult, ItemStatus
from reward_lab.core.verdict import Scored, Unscored, Verdict
from reward_lab.store.prepared import Prepared
from reward_lab.store.tables import criterion_verdicts, judge_calls, run_items, verdicts

SCORED = "scored"
UNSCORED = "unscored"

Row = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Write:
    """Rows that belong together: all of them are stored, or none."""

    started: list[Row] = field(default_factory=list)
    calls: list[Row] = field(default_factory=list)
    finished: list[Row] = field(default_factory=list)
    verdicts: list[Row] = field(default_factory=list)
    criteria: list[Row] = field(default_factory=list)


def starting(item_ids: Iterable[int], at: datetime) -> Write:
    """Items are being asked."""
    return Write(started=[{"item": item_id, "at": at} for item_id in item_ids])


def recording(run_id: int, item_id: int, calls: Iterable[Call], at: datetime) -> Write:
    """Calls of an item have come back."""
    return Write(calls=[_call_row(run_id, item_id, call, at) for call in calls])


def finishing(item: Item, result: ItemResult, at: datetime) -> Write:
    """An item has its verdicts. They take the place of any it had; calls that are stored already stay as they are."""
    lost = next((one for one in result.verdicts if isinstance(one, Unscored)), None)
    return Write(
        calls=[_call_row(item.run_id, item.id, call, at) for call in result.calls],
        finished=[
            {
                "item": item.id,
                "status": result.status.value,
                "reason": lost.reason.value if lost else None,
                "detail": lost.detail if lost else None,
                "at": at,
            }
        ],
        verdicts=[_verdict_row(item, place, one) for place, one in enumerate(result.verdicts)],
        criteria=[
            {
                "item_id": item.id,
                "position": place,
                "criterion": criterion.position,
                "truth": criterion.truth,
                "explanation": criterion.explanation,
            }
            for place, one in enumerate(result.verdicts)
            for criterion in one.criteria
        ],
    )


class Statements:
    """The statements that store writes, prepared for one kind of database."""

    def __init__(self, dialect: Dialect) -> None:
        def item(**values: Json) -> Update:
            return update(run_items).where(run_items.c.id == bindparam("item")).values(values)

        asked = item(
            status=ItemStatus.RUNNING.value, reason=None, detail=None, started_at=bindparam("at"), finished_at=None
        )
        told = ("status", "reason", "detail")
        answered = item(finished_at=bindparam("at"), **{name: bindparam(name) for name in told})
        self._start = Prepared(asked, ("item", "at"), dialect)
        self._finish = Prepared(answered, ("item", "at", *told), dialect)
        self._forget = Prepared(delete(verdicts).where(verdicts.c.item_id == bindparam("item")), ("item",), dialect)
        self._call = Prepared(insert(judge_calls), [one.name for one in judge_calls.c if one.name != "id"], dialect)
        self._verdict = Prepared(insert(verdicts), verdicts.c.keys(), dialect)
        self._criterion = Prepared(insert(criterion_verdicts), criterion_verdicts.c.keys(), dialect)

    def store(self, connection: Connection, writes: Sequence[Write]) -> None:
        """Store writes within a transaction: items, calls, verdicts. An item finished twice keeps the last."""
        self._start.run(connection, [row for write in writes for row in write.started])
        self._store_calls(connection, [row for write in writes for row in write.calls])
        last = {row["item"]: write for write in writes for row in write.finished}.values()
        finished = [row for write in last for row in write.finished]
        self._forget.run(connection, finished)
        self._finish.run(connection, finished)
        self._verdict.run(connection, [row for write in last for row in write.verdicts])
        self._criterion.run(connection, [row for write in last for row in write.criteria])

    def _store_calls(self, connection: Connection, rows: Sequence[Row]) -> None:
        if not rows:
            return
        unknown = {(row["item_id"], row["digest"]): row for row in rows}
        items = list({row["item_id"] for row in rows})
        for known in connection.execute(_KNOWN_CALLS, {"items": items}):
            unknown.pop((known.item_id, known.digest), None)
        self._call.run(connection, list(unknown.values()))


_KNOWN_CALLS = select(judge_calls.c.item_id, judge_calls.c.digest).where(
    judge_calls.c.item_id.in_(bindparam("items", expanding=True))
)


def _call_row(run_id: int, item_id: int, call: Call, at: datetime) -> Row:
    figures = (call.prompt_tokens, call.completion_tokens, _finite(call.cost_usd), _finite(call.latency_s))
    prompt_tokens, completion_tokens, cost_usd, latency_s = figures
    said = repr((call.key, call.reply, call.finish_reason, figures, call.cached, call.fault))
    return {
        "item_id": item_id,
        "run_id": run_id,
        "digest": hashlib.blake2b(said.encode(), digest_size=16).hexdigest(),
        "key": call.key,
        "finish_reason": call.finish_reason,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost_usd": cost_usd,
        "latency_s": latency_s,
        "cached": call.cached,
        "fault_reason": call.fault.reason.value if call.fault else None,
        "fault_detail": call.fault.detail if call.fault else None,
        "created_at": at,
        "messages": call.messages,
        "reply": call.reply,
    }


def _verdict_row(item: Item, place: int, verdict: Verdict) -> Row:
    row: Row = {
        "item_id": item.id,
        "position": place,
        "run_id": item.run_id,
        "group_id": item.group_id,
        "method": item.method,
        "trajectory_id": verdict.trajectory_id,
        "judge": item.judge,
        "repeat": item.repeat,
    }
    told: tuple[Json, ...]
    if isinstance(verdict, Scored):
        told = (SCORED, verdict.score, None, verdict.explanation, "", "")
    else:
        told = (UNSCORED, None, verdict.reason.value, "", verdict.detail, verdict.raw_reply)
    row["status"], row["score"], row["reason"], row["explanation"], row["detail"], row["raw_reply"] = told
    return row


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None
