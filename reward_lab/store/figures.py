"""Figures of runs, counted and summed in SQL: progress and usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, case, func, select

from reward_lab.core.run import ItemStatus, Progress, Usage
from reward_lab.store.tables import judge_calls, run_items


def progress_by_method(connection: Connection, run_ids: Sequence[int]) -> dict[int, dict[str, Progress]]:
    """Items by status, for each run and method; methods stand in the order of the plan."""
    query = (
        select(run_items.c.run_id, run_items.c.method, run_items.c.status, func.count().label("items"))
        .where(run_items.c.run_id.in_(run_ids))
        .group_by(run_items.c.run_id, run_items.c.method, run_items.c.status)
        .order_by(func.min(run_items.c.id))
    )
    counts: dict[int, dict[str, dict[ItemStatus, int]]] = {}
    for row in connection.execute(query):
        counts.setdefault(row.run_id, {}).setdefault(row.method, {})[ItemStatus(row.status)] = row.items
    return {
        run_id: {method: Progress(counted) for method, counted in methods.items()} for run_id, methods in counts.items()
    }


def total(methods: Mapping[str, Progress]) -> Progress:
    """The progress of a run: that of its methods together."""
    counts: dict[ItemStatus, int] = {}
    for progress in methods.values():
        for status, count in progress.counts.items():
            counts[status] = counts.get(status, 0) + count
    return Progress(counts)


_MADE = ~judge_calls.c.cached
_SUMMED = ("prompt_tokens", "completion_tokens", "cost_usd")


def usage_of(connection: Connection, run_ids: Sequence[int], group_id: int | None = None) -> dict[int, Usage]:
    """What each run's calls took, those for one group where it is named.

    ``calls`` and the sums are of the calls that were made, not of cached ones.
    """
    of_group = select(run_items.c.id).where(run_items.c.run_id.in_(run_ids), run_items.c.group_id == group_id)
    query = (
        select(
            judge_calls.c.run_id,
            func.count().label("all"),
            func.count(case((_MADE, 1))).label("made"),
            func.avg(case((_MADE, judge_calls.c.latency_s))).label("latency_s"),
            *(func.sum(case((_MADE, judge_calls.c[name]))).label(name) for name in _SUMMED),
            *(func.count(case((_MADE, judge_calls.c[name]))).label(f"{name}_known") for name in _SUMMED),
        )
        .where(judge_calls.c.run_id.in_(run_ids) if group_id is None else judge_calls.c.item_id.in_(of_group))
        .group_by(judge_calls.c.run_id)
    )
    found = {row["run_id"]: row for row in connection.execute(query).mappings()}
    usages: dict[int, Usage] = {}
    for run_id in run_ids:
        if (row := found.get(run_id)) is None:
            usages[run_id] = Usage()
            continue
        known = {name: row[name] or 0 for name in _SUMMED if row[f"{name}_known"] == row["made"]}
        cost_usd = known.get("cost_usd")
        usages[run_id] = Usage(
            calls=row["made"],
            cached=row["all"] - row["made"],
            prompt_tokens=known.get("prompt_tokens"),
            completion_tokens=known.get("completion_tokens"),
            cost_usd=None if cost_usd is None else float(cost_usd),
            latency_s=row["latency_s"],
        )
    return usages
