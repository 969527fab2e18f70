"""Conversation: one question put to a judge until there is an answer, or a fault worth reporting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from reward_lab.core.chat import Message
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question, Replied
from reward_lab.core.replies import Answer, ReplyFault
from reward_lab.core.run import Call
from reward_lab.core.verdict import Fault, Reason
from reward_lab.judges.completion import CallFault, Completion, Transport
from reward_lab.judges.endpoint import named
from reward_lab.judges.limits import Limits, is_local

OnCall: TypeAlias = Callable[[Call], Awaitable[None]]

_LEAST_GROWN_LIMIT = 4096
_GROWTH = 4
_FILTERED = ("content_filter", "refusal")
_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")


class Conversation:
    """A question on its way: its messages so far, and the calls they took.

    A reply that was cut or empty is asked for once more under a larger limit. A reply that
    does not answer the question is sent back once with the fault named. A refusal is final.
    """

    def __init__(
        self, question: Question, judge: Judge, key: str, transport: Transport, limits: Limits, on_call: OnCall | None
    ) -> None:
        self.calls: list[Call] = []
        self.messages: tuple[Message, ...] = question.messages
        self._question = question
        self._judge = judge
        self._key = key
        self._transport = transport
        self._limits = limits
        self._on_call = on_call
        self._limit: int | None = None
        self._fault: Fault | None = None
        self._partial: Answer | None = None
        self._raw_reply = ""

    async def run(self, heard: Call | None = None) -> Replied:
        """Go on until there is an answer or nothing more to try.

        ``heard``: a call of this conversation that came back before, in a process that ended
        since. The conversation goes on from it, and does not count it again.
        """
        completion = None if heard is None else self._take_up(heard)
        while True:
            if completion is None:
                try:
                    completion = await self._complete()
                except CallFault as failed:
                    return self._failed(failed.fault)
                answer, fault = self._read(completion)
                await self._record(completion, fault)
            else:
                answer, fault = self._read(completion)
            if fault is None:
                return Replied(self._question, answer, None, self._raw_reply)
            self._fault = fault
            if not self._try_again(completion, fault):
                return Replied(self._question, self._partial, self._fault, self._raw_reply)
            completion = None

    def _take_up(self, heard: Call) -> Completion:
        self.messages = heard.messages
        if len(heard.messages) > len(self._question.messages):
            first_reply = heard.messages[len(self._question.messages)]["content"]
            self._read(Completion(first_reply, None))
        refused = heard.fault is not None and heard.fault.reason is Reason.REFUSAL
        return Completion(
            heard.reply or None,
            heard.finish_reason,
            refusal=heard.reply if refused else None,
            completion_tokens=heard.completion_tokens,
        )

    def _read(self, completion: Completion) -> tuple[Answer | None, Fault | None]:
        text = completion.text or ""
        self._raw_reply = completion.refusal or text
        fault = _fault_before_reading(completion, self._judge)
        if fault is not None:
            return None, fault
        try:
            return self._question.read(text), None
        except ReplyFault as misread:
            self._partial = misread.partial or self._partial
            return None, misread.fault

    def _try_again(self, completion: Completion, fault: Fault) -> bool:
        """Prepare the next request, if there is one worth making."""
        match fault.reason:
            case Reason.REFUSAL:
                return False
            case Reason.CUT_REPLY | Reason.EMPTY_REPLY:
                if self._limit is not None:
                    if fault.reason is Reason.CUT_REPLY:
                        self._fault = replace(fault, detail=f"{fault.detail} A limit of {self._limit} did not help.")
                    return False
                self._limit = self._grown_limit(completion)
                return True
            case _:
                if len(self.messages) > len(self._question.messages):
                    return False
                self.messages = (*self.messages, *_correction(self._raw_reply, fault))
                return True

    def _grown_limit(self, completion: Completion) -> int:
        own = [self._judge.parameters.get(name) for name in _LIMIT_NAMES]
        known = [number for number in (*own, completion.completion_tokens) if isinstance(number, int)]
        return max(_GROWTH * max(known, default=0), _LEAST_GROWN_LIMIT)

    def _failed(self, fault: Fault) -> Replied:
        """The result where a request failed: what was said before it stays, and stays the cause."""
        if self._fault is not None:
            fault = replace(self._fault, detail=f"{self._fault.detail} Asking again failed: {fault.detail}")
        return Replied(self._question, self._partial, fault, self._raw_reply)

    async def _complete(self) -> Completion:
        """One completion, with as many requests as the policy grants. Raises :class:`CallFault`."""
        await self._transport.prepare()
        gate = self._limits.gate(self._judge)
        attempt = 1
        while True:
            async with gate.slot():
                try:
                    return await self._request()
                except CallFault as failed:
                    local = is_local(self._judge)
                    wait_s = self._limits.policy.wait_s(failed, attempt, self._key, local=local)
                    if wait_s is not None and failed.fault.reason is Reason.RATE_LIMITED:
                        gate.pause(wait_s)
                    failure = failed
            await self._record_failure(failure)
            if wait_s is None:
                raise failure
            await asyncio.sleep(wait_s)
            attempt += 1

    async def _request(self) -> Completion:
        timeout_s = self._limits.policy.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                return await self._transport.complete(
                    self._question, self.messages, self._judge, max_tokens=self._limit
                )
        except TimeoutError as late:
            detail = (
                f"{named(self._judge)} did not reply within {timeout_s:g} s. Ask for less at once, or raise the timeout"
                " in the settings."
            )
            raise CallFault(Fault(Reason.TIMEOUT, detail), retryable=True, spent_nothing=False) from late

    async def _record(self, completion: Completion, fault: Fault | None) -> None:
        call = Call(
            key=self._key,
            messages=self.messages,
            reply=self._raw_reply,
            finish_reason=completion.finish_reason,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            cost_usd=completion.cost_usd,
            latency_s=completion.latency_s,
            fault=fault,
        )
        await self._keep(call)

    async def _record_failure(self, failed: CallFault) -> None:
        tokens, cost_usd = (0, 0.0) if failed.spent_nothing else (None, None)
        call = Call(
            key=self._key,
            messages=self.messages,
            reply="",
            prompt_tokens=tokens,
            completion_tokens=tokens,
            cost_usd=cost_usd,
            fault=failed.fault,
        )
        await self._keep(call)

    async def _keep(self, call: Call) -> None:
        self.calls.append(call)
        if self._on_call is not None:
            await self._on_call(call)


def _fault_before_reading(completion: Completion, judge: Judge) -> Fault | None:
    """What the envelope of a reply says against reading it."""
    if completion.refusal:
        words = completion.refusal if len(completion.refusal) <= 200 else completion.refusal[:197] + "..."
        return Fault(
            Reason.REFUSAL,
            f'{named(judge)} refused: "{words}" Reword the rubric or the scenario, or choose another judge.',
        )
    if completion.finish_reason in _FILTERED:
        return Fault(
            Reason.REFUSAL,
            f"The content filter of {named(judge)} stopped the reply (finish_reason {completion.finish_reason!r}). "
            "Choose another judge for this group.",
        )
    text = (completion.text or "").strip()
    if completion.finish_reason == "length" and not _is_json(text):
        spent = "" if completion.completion_tokens is None else f" after {completion.completion_tokens} tokens"
        visible = "" if text else ", before the first visible word"
        return Fault(
            Reason.CUT_REPLY,
            f"The reply of {named(judge)} was cut at its limit{spent} (finish_reason 'length'){visible}. Raise "
            "max_tokens in the judge's parameters, or choose a judge that reasons less.",
        )
    if not text:
        return Fault(
            Reason.EMPTY_REPLY,
            f"{named(judge)} replied with nothing (finish_reason {completion.finish_reason!r}). Try again, or choose "
            "another judge.",
        )
    return None


def _is_json(text: str) -> bool:
    """Whether a reply is whole for all that it reached its limit: small models go on with blanks after the JSON.

    Anything less is not read, for a cut may fall inside a number.
    """
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _correction(reply: str, fault: Fault) -> tuple[Message, Message]:
    return (
        {"role": "assistant", "content": reply},
        {
            "role": "user",
            "content": f"This reply cannot be used: {fault.detail}\n"
            "Answer the same question again, with nothing but JSON in the format that was asked for.",
        },
    )
