"""Limits: how many requests a provider gets at once, how long each may take, and when one is repeated."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from reward_lab.core.judge import Judge
from reward_lab.core.verdict import Reason
from reward_lab.judges.completion import CallFault
from reward_lab.judges.endpoint import host_of


@dataclass(frozen=True, slots=True)
class Policy:
    """How patient Reward Lab is with a judge.

    - ``concurrency``: requests a provider gets at once.
    - ``timeout_s``: seconds one request may take from the first byte sent to the last received.
    - ``attempts``: requests for one reply, the first included; a request that timed out, or
      that nobody on this machine took, is repeated once at most.
    - ``first_wait_s``, ``longest_wait_s``: the wait doubles from the one up to the other. A
      provider that asks for more than the longest is not waited for.
    """

    concurrency: int = 16
    timeout_s: float = 120.0
    attempts: int = 5
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0

    def wait_s(self, fault: CallFault, attempt: int, seed: str, *, local: bool = False) -> float | None:
        """Seconds to wait before attempt ``attempt + 1``; ``None`` where there should be none.

        The jitter (up to a quarter more) is drawn from ``seed``, so that a run can be told again.
        ``local``: the judge runs on this machine, where a server that cannot be reached is not there.
        """
        hopeless = fault.fault.reason is Reason.TIMEOUT or (local and fault.fault.reason is Reason.CONNECTION)
        most = min(self.attempts, 2) if hopeless else self.attempts
        if not fault.retryable or attempt >= most:
            return None
        backoff: float = min(self.first_wait_s * 2 ** (attempt - 1), self.longest_wait_s)
        wait = backoff if fault.retry_after_s is None else fault.retry_after_s
        if wait > self.longest_wait_s:
            return None
        return wait + 0.25 * backoff * random.Random(f"{seed}:{attempt}").random()


def provider_of(judge: Judge) -> str:
    """Whose limits a judge falls under: its endpoint's host and port, or the prefix of its model.

    >>> provider_of(Judge(model="openai/gpt-4.1")), provider_of(Judge(model="openai/m", api_base="http://a:1/v1"))
    ('openai', 'a:1')
    """
    return host_of(judge.api_base) if judge.api_base else judge.model.partition("/")[0]


def is_local(judge: Judge) -> bool:
    """Whether a judge's endpoint is on this machine.

    >>> is_local(Judge(model="openai/m", api_base="http://localhost:8000/v1")), is_local(Judge(model="openai/m"))
    (True, False)
    """
    host = urlsplit(judge.api_base or "").hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


class Gate:
    """One provider's door: so many at once, and nobody while it is paused."""

    def __init__(self, concurrency: int) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._closed_until = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the provider's slots. Waits until one is free and no pause is on."""
        clock = asyncio.get_running_loop().time
        async with self._slots:
            while (left := self._closed_until - clock()) > 0:  # noqa: ASYNC110  # a time, not an event; it may move
                await asyncio.sleep(left)
            yield

    def pause(self, seconds: float) -> None:
        """Start nothing with this provider for so long: it asked everybody to wait, not one call."""
        self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + seconds)


class Limits:
    """The gates of all providers. Each event loop has its own, as asyncio's locks belong to one."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._gates: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Gate]] = WeakKeyDictionary()

    def gate(self, judge: Judge) -> Gate:
        """The gate of the judge's provider in the running loop."""
        gates = self._gates.setdefault(asyncio.get_running_loop(), {})
        provider = provider_of(judge)
        gate = gates.get(provider)
        if gate is None:
            gate = gates[provider] = Gate(self.policy.concurrency)
        return gate
