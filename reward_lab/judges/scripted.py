"""The scripted judge: a transport whose replies are given, for tests and for showing failures without a server."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from reward_lab.core.chat import Message
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question
from reward_lab.judges.completion import CallFault, Completion

Step: TypeAlias = str | Completion | CallFault
"""A reply's text, a whole completion, or the fault to raise."""


class ScriptedTransport:
    """Replies from a function of question and messages, or from a queue, one step a request.

    ``asked`` holds the messages of every request, in order of arrival. A queue that is empty
    raises ``IndexError``: the script was too short.
    """

    def __init__(self, steps: Iterable[Step] | Callable[[Question, Sequence[Message]], Step]) -> None:
        self.asked: list[tuple[Message, ...]] = []
        self._next: Callable[[Question, Sequence[Message]], Step]
        if callable(steps):
            self._next = steps
        else:
            queue = deque(steps)
            self._next = lambda _question, _messages: queue.popleft()

    async def prepare(self) -> None:
        """Nothing to make ready."""

    async def complete(
        self, question: Question, messages: Sequence[Message], judge: Judge, *, max_tokens: int | None
    ) -> Completion:
        """The next step of the script."""
        self.asked.append(tuple(messages))
        step = self._next(question, messages)
        if isinstance(step, CallFault):
            raise step
        return step if isinstance(step, Completion) else Completion(step, "stop", latency_s=0.0)

    async def aclose(self) -> None:
        """Nothing to let go of."""
