"""Results of a run: verdicts, calls, progress and usage."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, select

from reward_lab.core.run import Call, Progress, Usage
from reward_lab.core.verdict import CriterionVerdict, Fault, Reason, Scored, Unscored, Verdict
from reward_lab.store.figures import progress_by_method, usage_of
from reward_lab.store.part import AnyRow, Part
from reward_lab.store.records import StoredVerdict
from reward_lab.store.tables import criterion_verdicts, judge_calls, run_items, verdicts
from reward_lab.store.writes import SCORED


class Results(Part):
    """What came of a run. A run that is not stored has none."""

    def verdicts(self, run_id: int, *, group_id: int | None = None) -> list[StoredVerdict]:
        """The verdicts of a run, or of one group in it, in the order of the plan."""
        of_group = select(run_items.c.id).where(run_items.c.run_id == run_id, run_items.c.group_id == group_id)
        chosen = verdicts.c.run_id == run_id if group_id is None else verdicts.c.item_id.in_(of_group)
        with self._database.read() as connection:
            criteria = _criteria(connection, chosen)
            return [
                _stored(row, criteria.get(row[:2], ()))
                for row in connection.execute(
                    select(*_VERDICT).where(chosen).order_by(verdicts.c.item_id, verdicts.c.position)
                )
            ]

    def calls(self, run_id: int, *, item_id: int | None = None) -> list[Call]:
        """The calls of a run, or of one item in it, in the order they came back."""
        of_item = select(run_items.c.id).where(run_items.c.run_id == run_id, run_items.c.id == item_id)
        chosen = judge_calls.c.run_id == run_id if item_id is None else judge_calls.c.item_id.in_(of_item)
        query = select(judge_calls).where(chosen).order_by(judge_calls.c.id)
        with self._database.read() as connection:
            return [call_of(row) for row in connection.execute(query)]

    def progress(self, run_id: int) -> dict[str, Progress]:
        """The items of a run by method and status."""
        with self._database.read() as connection:
            return progress_by_method(connection, [run_id]).get(run_id, {})

    def usage(self, run_id: int, *, group_id: int | None = None) -> Usage:
        """What the calls of a run took, or those for one group in it."""
        with self._database.read() as connection:
            return usage_of(connection, [run_id], group_id)[run_id]


def call_of(row: AnyRow) -> Call:
    """The call that a row of ``judge_calls`` holds."""
    return Call(
        key=row.key,
        messages=tuple(row.messages),
        reply=row.reply,
        finish_reason=row.finish_reason,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        cost_usd=row.cost_usd,
        latency_s=row.latency_s,
        cached=row.cached,
        fault=Fault(Reason(row.fault_reason), row.fault_detail or "") if row.fault_reason else None,
    )


_VERDICT = [
    verdicts.c[name]
    for name in (
        *("item_id", "position", "group_id", "method", "judge", "repeat"),
        *("status", "trajectory_id", "score", "reason", "explanation", "detail", "raw_reply"),
    )
]


def _stored(row: AnyRow, criteria: Sequence[CriterionVerdict]) -> StoredVerdict:
    # Taken apart by place: by name it takes twice as long, and a run may have hundreds of thousands.
    item_id, _, group_id, method, judge, repeat, *said = row
    status, trajectory_id, score, reason, explanation, detail, raw_reply = said
    verdict: Verdict
    if status == SCORED:
        verdict = Scored(trajectory_id, score, explanation, tuple(criteria))
    else:
        verdict = Unscored(trajectory_id, Reason(reason), detail, raw_reply, tuple(criteria))
    return StoredVerdict(item_id, group_id, method, judge, repeat, verdict)


def _criteria(connection: Connection, chosen: ColumnElement[bool]) -> dict[tuple[int, int], list[CriterionVerdict]]:
    """What was said of criteria, by the item and position of its verdict."""
    marks = criterion_verdicts.c
    query = (
        select(marks.item_id, marks.position, marks.criterion, marks.truth, marks.explanation)
        .join(verdicts, (verdicts.c.item_id == marks.item_id) & (verdicts.c.position == marks.position))
        .where(chosen)
        .order_by(marks.item_id, marks.position, marks.criterion)
    )
    found: dict[tuple[int, int], list[CriterionVerdict]] = {}
    for item_id, position, criterion, truth, explanation in connection.execute(query):
        found.setdefault((item_id, position), []).append(CriterionVerdict(criterion, truth, explanation))
    return found
