"""RULER as openpipe-art has it, timed over groups; `tests.benchmarks.throughput` runs this under ART's Python.

Knows nothing of Reward Lab, so that it runs in an environment with openpipe-art alone. Reads from standard input one
line a round, a JSON object ``{"groups": [[messages, ...], ...], "base_url": ..., "model": ..., "concurrency": ...}``;
writes one line a round, a JSON list of the wall and the CPU seconds it took.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from art.rewards import ruler


async def seconds_of(round_: dict) -> tuple[float, float]:
    gate = asyncio.Semaphore(round_["concurrency"])
    extra = {"api_base": round_["base_url"], "api_key": "none"}

    async def one(message_lists: list) -> list:
        async with gate:
            return await ruler(message_lists, round_["model"], extra)

    started, started_cpu = time.perf_counter(), time.process_time()
    scores = await asyncio.gather(*(one(group) for group in round_["groups"]))
    spent = time.perf_counter() - started, time.process_time() - started_cpu
    if [len(one) for one in scores] != [len(group) for group in round_["groups"]]:
        raise ValueError("not every trajectory was scored")
    return spent


def main() -> None:
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            print(json.dumps(runner.run(seconds_of(json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()
