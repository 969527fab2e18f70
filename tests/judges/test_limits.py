from __future__ import annotations

import asyncio
import time

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.verdict import Fault, Reason
from reward_lab.judges.completion import CallFault
from reward_lab.judges.limits import Gate, Limits, Policy, is_local

POLICY = Policy(attempts=4, first_wait_s=1.0, longest_wait_s=10.0)


def fault(reason: Reason = Reason.SERVER_ERROR, *, retryable: bool = True, after: float | None = None) -> CallFault:
    return CallFault(Fault(reason, "failed."), retryable=retryable, retry_after_s=after)


def test_waits_double_with_jitter_up_to_a_quarter() -> None:
    waits = [POLICY.wait_s(fault(), attempt, "seed") for attempt in (1, 2, 3)]

    for wait, least in zip(waits, (1.0, 2.0, 4.0), strict=True):
        assert wait is not None
        assert least <= wait <= 1.25 * least


def test_waits_are_repeatable_and_differ_between_questions() -> None:
    assert POLICY.wait_s(fault(), 1, "a") == POLICY.wait_s(fault(), 1, "a")
    assert POLICY.wait_s(fault(), 1, "a") != POLICY.wait_s(fault(), 1, "b")


@pytest.mark.parametrize(
    ("failed", "attempt"),
    [
        (fault(retryable=False), 1),
        (fault(), 4),
        (fault(Reason.TIMEOUT), 2),
        (fault(Reason.RATE_LIMITED, after=10.5), 1),
    ],
    ids=["final", "the last attempt", "a second timeout", "too long a wait"],
)
def test_some_faults_are_not_waited_for(failed: CallFault, attempt: int) -> None:
    assert POLICY.wait_s(failed, attempt, "seed") is None


def test_a_server_that_is_not_there_is_asked_once_more_on_this_machine_only() -> None:
    gone = fault(Reason.CONNECTION)
    assert POLICY.wait_s(gone, 1, "seed", local=True) is not None
    assert POLICY.wait_s(gone, 2, "seed", local=True) is None
    assert POLICY.wait_s(gone, 2, "seed") is not None
    assert POLICY.wait_s(fault(Reason.RATE_LIMITED), 2, "seed", local=True) is not None


@pytest.mark.parametrize(
    ("endpoint", "local"),
    [
        ("http://127.0.0.1:1234/v1", True),
        ("http://127.8.0.1/v1", True),
        ("http://[::1]:8000", True),
        ("https://localhost:8443", True),
        ("https://localhost.example.com/v1", False),
        ("https://api.openai.com/v1", False),
        (None, False),
    ],
)
def test_which_judges_run_on_this_machine(endpoint: str | None, local: bool) -> None:
    assert is_local(Judge(model="openai/m", api_base=endpoint)) is local


def test_the_providers_own_wait_comes_first() -> None:
    wait = POLICY.wait_s(fault(Reason.RATE_LIMITED, after=7.0), 1, "seed")

    assert wait is not None
    assert 7.0 <= wait <= 7.25


async def test_a_pause_holds_for_everybody_and_moves() -> None:
    gate = Gate(4)
    gate.pause(0.05)
    gate.pause(0.01)
    started = time.monotonic()
    entered: list[float] = []

    async def enter() -> None:
        async with gate.slot():
            entered.append(time.monotonic() - started)

    waiting = [asyncio.create_task(enter()) for _ in range(3)]
    await asyncio.sleep(0.02)
    gate.pause(0.1)
    await asyncio.gather(*waiting)

    assert min(entered) >= 0.11


async def test_providers_do_not_share_a_gate() -> None:
    limits = Limits(Policy(concurrency=1))
    here = limits.gate(Judge(model="openai/a", api_base="http://127.0.0.1:1/v1"))

    assert limits.gate(Judge(model="openai/b", api_base="http://127.0.0.1:1/v1")) is here
    assert limits.gate(Judge(model="openai/a", api_base="http://127.0.0.1:2/v1")) is not here
    assert limits.gate(Judge(model="openai/a")) is not limits.gate(Judge(model="anthropic/a"))
