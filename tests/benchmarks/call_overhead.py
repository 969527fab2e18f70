"""CPU that Reward Lab adds to a RULER call of 8 trajectories, beyond a bare ``litellm.acompletion`` of the same prompt.

    python -m tests.benchmarks.call_overhead

CPU time (``time.process_time``, all threads of the process) is taken, not wall time, so that what else runs on the
machine does not count, except for what it does to caches and clock rates. Against that, every way of asking has a
process of its own, warmed up and kept; the rounds go through them in turn, and the overhead is the median of the
differences *within* a round. A round ends after a pause in which background work is done (litellm logs after a call,
cache and store write in threads); waiting takes no CPU. No prompt is asked twice, so no reply comes from the cache,
which is on as it is by default. The judge answers at once from another process.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import ExitStack
from functools import cache

from reward_lab.core.chat import Json
from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Arrangement
from reward_lab.core.methods.ruler import RULER
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemStatus, NewRun, RunSettings
from reward_lab.core.verdict import Scored
from reward_lab.wiring import Lab
from tests.benchmarks.rig import (
    MODEL,
    Figure,
    group_records,
    judge_server,
    message_lists,
    own_process,
    print_table,
    scratch_home,
)

_SETTLE_S = 0.5

Records = list[dict[str, Json]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=256, help="calls a round")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--concurrency", type=int, default=32)
    options = parser.parse_args()

    cpu_ms: dict[str, list[float]] = {name: [] for name in WAYS}
    with scratch_home(options.concurrency), judge_server(0) as base_url, ExitStack() as stack:
        processes = {name: stack.enter_context(own_process()) for name in WAYS}
        firsts = itertools.count(step=options.calls)  # a round of one way of asking never meets another's prompts

        def asked(name: str) -> Future[float]:
            return processes[name].submit(
                cpu_of_round, name, base_url, next(firsts), options.calls, options.concurrency
            )

        wait([asked(name) for name in WAYS])
        for _ in range(options.rounds):
            for name, measured in cpu_ms.items():
                measured.append(1000 * asked(name).result() / options.calls)

    print(f"{options.rounds} rounds of {options.calls} calls, {options.concurrency} at once; median (quartiles).\n")
    rows = [[f"bare, `{name}`", Figure.of(cpu_ms[name]).shown(2), "", "", ""] for name in BARE]
    for name, target in TARGETS.items():
        beyond = [Figure.of([a - b for a, b in zip(cpu_ms[name], cpu_ms[bare], strict=True)]) for bare in BARE]
        rows.append([name, Figure.of(cpu_ms[name]).shown(2), *(one.shown(2) for one in beyond), target])
    print_table(["way of asking", "CPU ms a call", *(f"beyond bare `{name}`" for name in BARE), "target"], rows)


def cpu_of_round(name: str, base_url: str, first: int, calls: int, concurrency: int) -> float:
    """CPU seconds of one round, in the process that calls this. Raises ``AssertionError`` where a call failed."""
    ask = WAYS[name](base_url, group_records(calls, first=first), concurrency)
    gc.collect()
    started = time.process_time()
    check = _runner().run(ask())
    time.sleep(_SETTLE_S)
    spent = time.process_time() - started
    check()
    return spent


Check = Callable[[], None]
Ask = Callable[[], Coroutine[None, None, Check]]


@cache
def _runner() -> asyncio.Runner:
    """One event loop for all rounds of a process: connections stay open, as in a program that runs on."""
    return asyncio.Runner()


def _bare(route: dict[str, str]) -> Callable[[str, Records, int], Ask]:
    def prepared(base_url: str, records: Records, concurrency: int) -> Ask:
        import litellm

        asked = [_request(Group.from_record(record)) for record in records]
        gate = asyncio.Semaphore(concurrency)

        async def one(request: dict[str, Json]) -> str:
            async with gate:
                reply = await litellm.acompletion(**route, **request, api_base=base_url, api_key="none")
                return str(reply.choices[0].message.content)

        async def ask() -> Check:
            replies = await asyncio.gather(*(one(request) for request in asked))
            return lambda: _expect(all("scores" in reply for reply in replies))

        return ask

    return prepared


def _request(group: Group) -> dict[str, Json]:
    """What Reward Lab sends for a group, word for word."""
    (question,) = RULER.questions(group, group.trajectories, Rubric(), Arrangement())
    schema = {"name": question.schema_name, "schema": question.schema, "strict": True}
    return {
        "messages": [dict(message) for message in question.messages],
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


def _through_the_api(base_url: str, records: Records, concurrency: int) -> Ask:
    import reward_lab

    lists = [message_lists(record) for record in records]
    gate = asyncio.Semaphore(concurrency)

    async def one(messages: list[list[dict[str, Json]]]) -> list[object]:
        async with gate:
            return list(await reward_lab.ruler(messages, MODEL, api_base=base_url))

    async def ask() -> Check:
        groups = await asyncio.gather(*(one(messages) for messages in lists))
        return lambda: _expect(all(isinstance(verdict, Scored) for verdicts in groups for verdict in verdicts))

    return ask


def _stored(base_url: str, records: Records, _concurrency: int) -> Ask:
    lab = _lab()

    async def ask() -> Check:
        groups = tuple(Group.from_record(record) for record in records)
        judges = (Judge(model=MODEL, api_base=base_url),)
        run_id, future = lab.scoring.start(NewRun(groups, Rubric(), judges, RunSettings(methods=("ruler",))))
        await asyncio.wrap_future(future)
        return lambda: _expect_scored(lab, run_id, len(records))

    return ask


@cache
def _lab() -> Lab:
    from reward_lab.settings import read_settings
    from reward_lab.wiring import open_lab

    return open_lab(read_settings(), trust_all_endpoints=True)


def _expect_scored(lab: Lab, run_id: int, calls: int) -> None:
    run = lab.scoring.run(run_id)
    _expect(run.progress.counts == {ItemStatus.SCORED: calls})
    _expect((run.usage.calls, run.usage.cached) == (calls, 0))


def _expect(holds: bool) -> None:
    """A benchmark of calls that failed, or that were never made, would be worthless."""
    if not holds:
        raise AssertionError("not every call was made and answered")


BARE = {
    # Twice, for they differ: as litellm's documentation has it for a server of one's own, and by the cheaper way that
    # Reward Lab takes there.
    "openai/": {"model": MODEL},
    "hosted_vllm/": {"model": "hosted_vllm/scripted"},
}
TARGETS = {"`reward_lab.ruler`": "≤ 0.5", "stored run": "≤ 1.5"}
WAYS: dict[str, Callable[[str, Records, int], Ask]] = {
    **{name: _bare(route) for name, route in BARE.items()},
    "`reward_lab.ruler`": _through_the_api,
    "stored run": _stored,
}

if __name__ == "__main__":
    main()
