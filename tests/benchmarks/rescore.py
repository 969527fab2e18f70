"""Verdicts a second when groups are scored again: every reply comes from the cache, every verdict is stored.

    python -m tests.benchmarks.rescore

Groups of 8 under the six methods that ask a judge. The first run asks the judge and fills the cache; the installation
is then closed, so that the runs that are timed begin from the files, in a process that never asked a judge. Timed is a
whole run, from its start until its last verdict is committed; wall time, and the CPU time beside it because the wall
time counts what else runs on the machine.
"""

from __future__ import annotations

import argparse
import gc
import time
from functools import cache

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.run import ItemStatus, NewRun, Run, RunSettings
from reward_lab.settings import read_settings
from reward_lab.wiring import Lab, open_lab
from tests.benchmarks.rig import (
    GROUP_SIZE,
    JUDGED,
    MODEL,
    RUBRIC,
    Figure,
    group_records,
    judge_server,
    own_process,
    print_table,
    scratch_home,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--concurrency", type=int, default=32)
    options = parser.parse_args()

    verdicts = options.groups * GROUP_SIZE * len(JUDGED)
    with scratch_home(options.concurrency), judge_server(0) as base_url:
        with own_process() as process:
            process.submit(fill, options.groups, base_url).result()
        with own_process() as process:
            times = [process.submit(seconds_again, options.groups, base_url).result() for _ in range(options.rounds)]

    print(f"{options.groups} groups of {GROUP_SIZE} by {len(JUDGED)} methods, {verdicts} verdicts a run, ", end="")
    print(f"{options.rounds} runs; median (quartiles).\n")
    wall = Figure.of([verdicts / seconds for seconds, _ in times])
    cpu = Figure.of([1000 * seconds / verdicts for _, seconds in times])
    rows = [["rescore from the cache, stored", wall.shown(0), cpu.shown(3), "≥ 1500"]]
    print_table(["", "verdicts a second", "CPU ms a verdict", "target a second"], rows)


def fill(groups: int, base_url: str) -> None:
    """Score the groups once, and close what was opened."""
    lab = open_lab(read_settings(), trust_all_endpoints=True)
    run = _scored(lab, groups, base_url)
    lab.close()
    if run.usage.cached:
        raise AssertionError("the first run found replies in the cache")


def seconds_again(groups: int, base_url: str) -> tuple[float, float]:
    """Wall and CPU seconds of one more run of the same groups."""
    lab = _lab()
    gc.collect()
    started, started_cpu = time.perf_counter(), time.process_time()
    run = _scored(lab, groups, base_url)
    spent = time.perf_counter() - started, time.process_time() - started_cpu
    if run.usage.calls:
        raise AssertionError(f"{run.usage.calls} calls were made anew")
    return spent


@cache
def _lab() -> Lab:
    return open_lab(read_settings(), trust_all_endpoints=True)


def _scored(lab: Lab, count: int, base_url: str) -> Run:
    groups = tuple(Group.from_record(record) for record in group_records(count, first=0))
    judges = (Judge(model=MODEL, api_base=base_url),)
    run_id, future = lab.scoring.start(NewRun(groups, RUBRIC, judges, RunSettings(methods=JUDGED)))
    future.result()
    run = lab.scoring.run(run_id)
    if set(run.progress.counts) != {ItemStatus.SCORED}:
        raise AssertionError(f"not every item was scored: {dict(run.progress.counts)}")
    return run


if __name__ == "__main__":
    main()
