"""Completion and transport: one request to a model, and what comes back or goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reward_lab.core.chat import Message
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question
from reward_lab.core.verdict import Fault


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied, before anyone has read it. Unknown figures are ``None``.

    ``text`` is ``None`` where the model gave no content at all; ``refusal`` is the provider's
    own field for a refusal under structured output.
    """

    text: str | None
    finish_reason: str | None = None
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None


class CallFault(Exception):
    """A request that brought no completion. Caught where the judge is asked; never an error to a user.

    ``retryable``: the same request may succeed later. ``retry_after_s``: how long the provider
    asked to wait. ``spent_nothing``: the provider turned the request down, so that it cost
    nothing; otherwise what it cost is unknown.
    """

    def __init__(
        self, fault: Fault, *, retryable: bool = False, retry_after_s: float | None = None, spent_nothing: bool = True
    ) -> None:
        super().__init__(fault.detail)
        self.fault = fault
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.spent_nothing = spent_nothing


class Transport(Protocol):
    """A way to reach a judge."""

    async def prepare(self) -> None:
        """Get ready, which may take seconds the first time: awaited before a request's time begins to count."""
        ...

    async def complete(
        self, question: Question, messages: Sequence[Message], judge: Judge, *, max_tokens: int | None
    ) -> Completion:
        """Send ``messages`` once: the question's own, or the conversation that went on from them.

        ``max_tokens`` takes the place of the judge's own limit; ``None`` keeps it.

        Raises:
            CallFault: no completion came back.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections. The transport can be used again afterwards."""
        ...
