"""Asker: questions go in, answers come out; nothing is asked twice that need not be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias
from weakref import WeakKeyDictionary

from reward_lab.core.chat import content_hash
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question, Replied
from reward_lab.core.replies import ReplyFault
from reward_lab.core.run import Call
from reward_lab.judges.cache import ReplyCache
from reward_lab.judges.completion import Transport
from reward_lab.judges.conversation import Conversation, OnCall
from reward_lab.judges.limits import Limits, Policy


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a question, and the calls it took in this asking."""

    replied: Replied
    calls: tuple[Call, ...]


_Flights: TypeAlias = "dict[str, asyncio.Future[Asked | None]]"


class Asker:
    """Puts questions to judges: from memory where it can, over the wire where it must.

    ``transport_of`` says how a judge is reached. One asker serves any number of event loops;
    equal questions in flight on one loop are asked once.
    """

    def __init__(
        self,
        transport_of: Callable[[Judge], Transport],
        *,
        cache: ReplyCache | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._transport_of = transport_of
        self._cache = cache
        self._limits = Limits(policy or Policy())
        self._flights: WeakKeyDictionary[asyncio.AbstractEventLoop, _Flights] = WeakKeyDictionary()

    async def ask(
        self,
        question: Question,
        judge: Judge,
        *,
        method_version: str,
        sample: int,
        known: Mapping[str, Call] | None = None,
        ask_again: bool = False,
        on_call: OnCall | None = None,
    ) -> Asked:
        """Ask a judge one question; a failure is part of the result, never an exception.

        ``sample`` tells repeats of one question apart. ``known`` holds, by key, the last call
        that came back in this run: it is taken up where it was left, and neither asked nor
        counted again. ``ask_again`` leaves the cache aside, though not ``known``. ``on_call``
        is awaited for every call in ``Asked.calls`` as soon as it is finished, and what it
        raises ends the asking.

        Whoever asks a question that is in flight gets the same reply as a cached call. If the
        one who asked first is cancelled, the next in line asks.
        """
        key = question_key(question, judge, method_version=method_version, sample=sample)
        heard = known.get(key) if known else None
        if heard is not None and (heard.fault is None or heard.fault.reason.is_of_the_reply):
            return await self._converse(question, judge, key, on_call, heard)
        flights = self._flights.setdefault(asyncio.get_running_loop(), {})
        while True:
            if not ask_again and (cached := self._recall(question, judge, key)) is not None:
                return await _reported(cached, on_call)
            flight = flights.get(key)
            if flight is None:
                return await self._lead(flights, question, judge, key, on_call)
            landed = await asyncio.shield(flight)
            if landed is not None:
                return await _reported(_shared(landed, question), on_call)

    def close(self) -> None:
        """Write out what the cache still holds in memory."""
        if self._cache is not None:
            self._cache.close()

    async def _lead(
        self, flights: _Flights, question: Question, judge: Judge, key: str, on_call: OnCall | None
    ) -> Asked:
        flight: asyncio.Future[Asked | None] = asyncio.get_running_loop().create_future()
        flights[key] = flight
        try:
            asked = await self._converse(question, judge, key, on_call, None)
            flight.set_result(asked)
        finally:
            del flights[key]
            if not flight.done():
                flight.set_result(None)
        return asked

    async def _converse(
        self, question: Question, judge: Judge, key: str, on_call: OnCall | None, heard: Call | None
    ) -> Asked:
        conversation = Conversation(question, judge, key, self._transport_of(judge), self._limits, on_call)
        replied = await conversation.run(heard)
        if replied.fault is None and conversation.calls and (cache := self._cache_of(judge)) is not None:
            cache.put(conversation.calls[-1], follow_up=conversation.messages[len(question.messages) :])
        return Asked(replied, tuple(conversation.calls))

    def _cache_of(self, judge: Judge) -> ReplyCache | None:
        """The cache, for all but the offline judge: its replies change with the program, and are quick to make."""
        return None if judge.is_offline else self._cache

    def _recall(self, question: Question, judge: Judge, key: str) -> Asked | None:
        """The cached reply, read anew; ``None`` where there is none or it no longer reads."""
        cache = self._cache_of(judge)
        call = None if cache is None else cache.get(key, question.messages)
        if call is None:
            return None
        try:
            answer = question.read(call.reply)
        except ReplyFault:
            return None
        return Asked(Replied(question, answer, None, call.reply), (call,))


def question_key(question: Question, judge: Judge, *, method_version: str, sample: int) -> str:
    """The identity of what is asked and how: any difference in it is another question."""
    return content_hash([method_version, judge.key, question.messages, question.schema_name, question.schema, sample])


def _shared(landed: Asked, question: Question) -> Asked:
    """A reply given to somebody else, read for this question: equal messages, but perhaps other members behind them."""
    replied = replace(landed.replied, question=question)
    if landed.replied.answer is not None:
        try:
            replied = replace(replied, answer=question.read(landed.replied.raw_reply))
        except ReplyFault as misread:
            replied = replace(replied, answer=misread.partial)
    return Asked(replied, tuple(replace(call, cached=True) for call in landed.calls[-1:]))


async def _reported(asked: Asked, on_call: OnCall | None) -> Asked:
    if on_call is not None:
        for call in asked.calls:
            await on_call(call)
    return asked
