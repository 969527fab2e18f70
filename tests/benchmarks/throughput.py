"""RULER groups a second: Reward Lab's API, Reward Lab with everything stored, and openpipe-art's ``ruler`` beside them.

    python -m venv art && art/bin/pip install openpipe-art==0.5.18
    python -m tests.benchmarks.throughput --art-python art/bin/python

256 groups of 8 at concurrency 32, against a judge that takes 50 ms, then one that takes 500 ms. The first is bound by
the client's CPU, the second by the judge: there the figure is the share of the ideal, concurrency / latency. This is
wall time, so run it on a quiet machine; each way has a warm process of its own, and they take turns, round by round, so
that what else runs slows all of them alike. The CPU time a group stands beside it, which hardly depends on that. No
prompt is asked twice; caches are on as by default (openpipe-art has its own switched off).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache, partial

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemStatus, NewRun, RunSettings
from reward_lab.core.verdict import Scored
from reward_lab.wiring import Lab
from tests.benchmarks.rig import (
    MODEL,
    ROOT,
    Figure,
    group_records,
    judge_server,
    message_lists,
    own_process,
    print_table,
    scratch_home,
)

_WARM_UP = 64

Timed = Callable[[int, int, str, int], tuple[float, float]]
"""Wall and CPU seconds for groups ``first``, ``count`` of them, asked of a base URL with so many at once."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency-ms", type=float, nargs="+", default=[50.0, 500.0])
    parser.add_argument(
        "--art-python", help="the Python of an environment with openpipe-art; without it, no comparison"
    )
    options = parser.parse_args()

    rows = []
    with scratch_home(options.concurrency), ExitStack() as stack:
        ways: dict[str, Timed] = {
            "`reward_lab.ruler`": partial(_in, stack.enter_context(own_process()), seconds_through_the_api),
            "stored run": partial(_in, stack.enter_context(own_process()), seconds_stored),
        }
        if options.art_python:
            ways["openpipe-art `ruler`"] = stack.enter_context(_art(options.art_python))
        first = 0
        for latency_ms in options.latency_ms:
            rates: dict[str, list[float]] = {name: [] for name in ways}
            cpu_ms: dict[str, list[float]] = {name: [] for name in ways}
            with judge_server(latency_ms) as base_url:
                for number in range(-1, options.rounds):
                    for name, seconds in ways.items():
                        count = options.groups if number >= 0 else min(_WARM_UP, options.groups)
                        spent, spent_cpu = seconds(first, count, base_url, options.concurrency)
                        first += count
                        if number >= 0:
                            rates[name].append(count / spent)
                            cpu_ms[name].append(1000 * spent_cpu / count)
            ideal = options.concurrency / latency_ms * 1000
            for name, measured in rates.items():
                share = Figure.of([100 * rate / ideal for rate in measured])
                figures = Figure.of(measured).shown(1), share.shown(1), Figure.of(cpu_ms[name]).shown(2)
                rows.append([f"{name}, {latency_ms:g} ms", *figures])

    print(
        f"{options.groups} groups of 8, {options.concurrency} at once, {options.rounds} rounds; median (quartiles).\n"
    )
    print_table(["way of asking, the judge's latency", "groups a second", "% of the ideal", "CPU ms a group"], rows)


def _in(
    process: ProcessPoolExecutor, timed: Timed, first: int, count: int, base_url: str, concurrency: int
) -> tuple[float, float]:
    return process.submit(timed, first, count, base_url, concurrency).result()


def seconds_through_the_api(first: int, count: int, base_url: str, concurrency: int) -> tuple[float, float]:
    import reward_lab

    groups = [message_lists(record) for record in group_records(count, first=first)]

    async def one(gate: asyncio.Semaphore, messages: list[list[dict[str, object]]]) -> bool:
        async with gate:
            verdicts = await reward_lab.ruler(messages, MODEL, api_base=base_url)
        return len(verdicts) == len(messages) and all(isinstance(verdict, Scored) for verdict in verdicts)

    async def every() -> list[bool]:
        gate = asyncio.Semaphore(concurrency)
        return await asyncio.gather(*(one(gate, messages) for messages in groups))

    started, started_cpu = time.perf_counter(), time.process_time()
    scored = asyncio.run(every())
    spent = time.perf_counter() - started, time.process_time() - started_cpu
    if not all(scored):
        raise AssertionError("not every trajectory was scored")
    return spent


def seconds_stored(first: int, count: int, base_url: str, _concurrency: int) -> tuple[float, float]:
    lab, records = _lab(), group_records(count, first=first)
    started, started_cpu = time.perf_counter(), time.process_time()
    groups = tuple(Group.from_record(record) for record in records)
    judges = (Judge(model=MODEL, api_base=base_url),)
    run_id, future = lab.scoring.start(NewRun(groups, Rubric(), judges, RunSettings(methods=("ruler",))))
    future.result()
    spent = time.perf_counter() - started, time.process_time() - started_cpu
    run = lab.scoring.run(run_id)
    if run.progress.counts != {ItemStatus.SCORED: count} or run.usage.cached:
        raise AssertionError(f"not every group was asked and scored: {run.progress.counts}")
    return spent


@cache
def _lab() -> Lab:
    from reward_lab.settings import read_settings
    from reward_lab.wiring import open_lab

    return open_lab(read_settings(), trust_all_endpoints=True)


@contextmanager
def _art(python: str) -> Iterator[Timed]:
    command = [python, str(ROOT / "tests" / "benchmarks" / "art_ruler.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        asked, told = process.stdin, process.stdout
        assert asked is not None
        assert told is not None

        def seconds(first: int, count: int, base_url: str, concurrency: int) -> tuple[float, float]:
            groups = [message_lists(record) for record in group_records(count, first=first)]
            round_ = {"groups": groups, "base_url": base_url, "model": MODEL, "concurrency": concurrency}
            asked.write(json.dumps(round_) + "\n")
            asked.flush()
            spent, spent_cpu = json.loads(told.readline())
            return spent, spent_cpu

        try:
            yield seconds
        finally:
            asked.close()


if __name__ == "__main__":
    main()
