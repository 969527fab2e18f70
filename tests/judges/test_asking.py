from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.methods.ruler import RULER
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Call
from reward_lab.core.verdict import Fault, Reason
from reward_lab.judges import Asker, Policy, ReplyCache
from reward_lab.judges.asking import question_key
from reward_lab.judges.completion import CallFault, Completion
from reward_lab.judges.scripted import ScriptedTransport, Step
from tests.judges.conftest import group_of

JUDGE = Judge(model="scripted/judge", parameters={"temperature": 0})
QUICK = Policy(concurrency=4, timeout_s=5, attempts=3, first_wait_s=0.001, longest_wait_s=1)
OPTIONS: dict[str, Any] = {"method_version": RULER.version, "sample": 0}


def question(*answers: str, system_prompt: str = "Be right.") -> Question:
    group = group_of(*(answers or ("good", "bad")), system_prompt=system_prompt)
    return RULER.questions(group, group.trajectories, Rubric(), Arrangement())[0]


def listing(*scores: float) -> str:
    return json.dumps(
        {
            "scores": [
                {"trajectory_id": str(number), "explanation": "why", "score": score}
                for number, score in enumerate(scores, start=1)
            ]
        }
    )


GOOD = Completion(listing(0.9, 0.1), "stop", None, 100, 20, 0.002, 1.5)
BAD = Completion(listing(7, 0.1), "stop", None, 90, 20, 0.001, 1.0)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    replies = ReplyCache(tmp_path / "replies")
    yield replies
    replies.close()


class HeldTransport(ScriptedTransport):
    """Answers only once `release` is set."""

    def __init__(self, *steps: Step) -> None:
        super().__init__(steps)
        self.release = asyncio.Event()
        self.started = asyncio.Event()

    async def complete(self, *args: Any, **kwargs: Any) -> Completion:
        self.started.set()
        await self.release.wait()
        await asyncio.sleep(0.01)
        return await super().complete(*args, **kwargs)


def asker_of(transport: ScriptedTransport, cache: ReplyCache | None = None, policy: Policy = QUICK) -> Asker:
    return Asker(lambda _: transport, cache=cache, policy=policy)


async def test_a_call_tells_what_was_asked_and_what_it_took() -> None:
    asked = await asker_of(ScriptedTransport([GOOD])).ask(question(), JUDGE, **OPTIONS)

    (call,) = asked.calls
    assert call.messages == question().messages
    assert (call.reply, call.finish_reason, call.cached, call.fault) == (GOOD.text, "stop", False, None)
    assert (call.prompt_tokens, call.completion_tokens, call.cost_usd, call.latency_s) == (100, 20, 0.002, 1.5)
    assert asked.replied.raw_reply == GOOD.text
    assert isinstance(asked.replied.answer, dict)
    assert {one: rating.score for one, rating in asked.replied.answer.items()} == {"1": 0.9, "2": 0.1}


CHANGES: dict[str, dict[str, Any]] = {
    "model": {"judge": Judge(model="scripted/other", parameters={"temperature": 0})},
    "endpoint": {
        "judge": Judge(model="scripted/judge", parameters={"temperature": 0}, api_base="http://127.0.0.1:1/v1")
    },
    "a parameter": {"judge": Judge(model="scripted/judge", parameters={"temperature": 0.5})},
    "one more parameter": {"judge": Judge(model="scripted/judge", parameters={"temperature": 0, "seed": 1})},
    "a word of the prompt": {"question": question(system_prompt="Be very right.")},
    "a response": {"question": question("good", "worse")},
    "the order": {"question": question("bad", "good")},
    "schema content": {"question": replace(question(), schema={**question().schema, "description": "new"})},
    "schema name": {"question": replace(question(), schema_name="other")},
    "method version": {"method_version": "ruler-0"},
    "sample": {"sample": 1},
}


@pytest.mark.parametrize("change", CHANGES)
async def test_any_change_is_another_question(change: str, cache: ReplyCache) -> None:
    same: dict[str, Any] = {"question": question(), "judge": JUDGE, **OPTIONS}
    changed = same | CHANGES[change]
    transport = ScriptedTransport(lambda _question, _messages: GOOD)
    asker = asker_of(transport, cache)

    await asker.ask(same.pop("question"), same.pop("judge"), **same)
    await asker.ask(changed.pop("question"), changed.pop("judge"), **changed)

    assert len(transport.asked) == 2


def test_the_key_does_not_depend_on_how_equal_settings_are_written() -> None:
    one = Judge(model="m", parameters={"a": 1, "b": 2}, api_base="http://h/v1/")
    other = Judge(model=" m ", parameters={"b": 2, "a": 1}, api_base="http://h/v1")

    assert question_key(question(), one, **OPTIONS) == question_key(question(), other, **OPTIONS)


async def test_a_reply_is_asked_for_once_and_cached_with_its_figures(cache: ReplyCache) -> None:
    transport = ScriptedTransport([GOOD])
    first = await asker_of(transport, cache).ask(question(), JUDGE, **OPTIONS)
    second = await asker_of(transport, cache).ask(question(), JUDGE, **OPTIONS)

    assert second.replied == replace(first.replied, question=second.replied.question)
    assert second.calls == (replace(first.calls[0], cached=True),)


async def test_a_reply_that_was_asked_for_again_gives_the_same_verdict_from_the_cache(cache: ReplyCache) -> None:
    transport = ScriptedTransport([BAD, GOOD])
    first = await asker_of(transport, cache).ask(question(), JUDGE, **OPTIONS)
    cache.close()
    second = await asker_of(transport, cache).ask(question(), JUDGE, **OPTIONS)

    assert [call.fault is None for call in first.calls] == [False, True]
    assert first.calls[0].fault is not None
    assert first.calls[0].fault.reason is Reason.OUT_OF_RANGE
    assert len(first.calls[1].messages) == len(question().messages) + 2
    assert second.replied.answer == first.replied.answer
    assert second.replied.raw_reply == first.replied.raw_reply == GOOD.text
    assert second.calls == (replace(first.calls[1], cached=True),)


@pytest.mark.parametrize(
    "steps",
    [
        [BAD, BAD],
        [Completion("", "stop"), Completion("", "stop")],
        [Completion(None, "stop", "no")],
        [Completion(listing(0.9), "stop"), Completion(listing(0.9), "stop")],
        [CallFault(Fault(Reason.BAD_REQUEST, "no."))],
    ],
    ids=["out of range", "empty", "refused", "partly read", "bad request"],
)
async def test_only_a_reply_that_was_read_well_is_cached(steps: list[Step], cache: ReplyCache) -> None:
    transport = ScriptedTransport([*steps, GOOD])
    asker = asker_of(transport, cache)

    failed = await asker.ask(question(), JUDGE, **OPTIONS)
    again = await asker.ask(question(), JUDGE, **OPTIONS)

    assert failed.replied.fault is not None
    assert again.replied.fault is None
    assert len(transport.asked) == len(steps) + 1


async def test_asking_again_leaves_the_cache_aside_and_renews_it(cache: ReplyCache) -> None:
    newer = Completion(listing(0.5, 0.4), "stop")
    transport = ScriptedTransport([GOOD, newer])
    asker = asker_of(transport, cache)
    await asker.ask(question(), JUDGE, **OPTIONS)

    again = await asker.ask(question(), JUDGE, ask_again=True, **OPTIONS)
    after = await asker.ask(question(), JUDGE, **OPTIONS)

    assert again.replied.raw_reply == after.replied.raw_reply == newer.text


async def test_the_offline_judge_is_not_cached(cache: ReplyCache) -> None:
    transport = ScriptedTransport([GOOD, GOOD])
    asker = asker_of(transport, cache)

    for _ in range(2):
        asked = await asker.ask(question(), Judge(), **OPTIONS)
        assert not asked.calls[0].cached

    assert len(transport.asked) == 2


async def test_a_known_call_is_neither_asked_nor_counted_again() -> None:
    first = await asker_of(ScriptedTransport([GOOD])).ask(question(), JUDGE, **OPTIONS)
    known = {call.key: call for call in first.calls}

    resumed = await asker_of(ScriptedTransport([])).ask(question(), JUDGE, known=known, ask_again=True, **OPTIONS)

    assert resumed.calls == ()
    assert resumed.replied.answer == first.replied.answer


async def test_a_conversation_goes_on_where_it_was_left() -> None:
    first = await asker_of(ScriptedTransport([BAD, GOOD])).ask(question(), JUDGE, **OPTIONS)
    transport = ScriptedTransport([GOOD])
    known = {call.key: call for call in first.calls[:1]}

    resumed = await asker_of(transport).ask(question(), JUDGE, known=known, **OPTIONS)

    assert resumed.replied.answer == first.replied.answer
    assert resumed.calls == first.calls[1:]
    assert transport.asked == [first.calls[1].messages]


async def test_a_conversation_that_was_over_stays_over() -> None:
    partly = Completion(listing(0.9), "stop")
    first = await asker_of(ScriptedTransport([partly, BAD])).ask(question(), JUDGE, **OPTIONS)
    known = {call.key: call for call in first.calls}

    resumed = await asker_of(ScriptedTransport([])).ask(question(), JUDGE, known=known, **OPTIONS)

    assert resumed.replied == replace(first.replied, question=resumed.replied.question)
    assert resumed.replied.answer, "what the first reply held is not lost"


async def test_a_known_failure_of_the_connection_is_tried_anew() -> None:
    failed = Call("key", question().messages, "", fault=Fault(Reason.CONNECTION, "down."))
    key = question_key(question(), JUDGE, **OPTIONS)

    asked = await asker_of(ScriptedTransport([GOOD])).ask(question(), JUDGE, known={key: failed}, **OPTIONS)

    assert asked.replied.fault is None


async def test_equal_questions_in_flight_are_asked_once() -> None:
    transport = HeldTransport(GOOD)
    asker = asker_of(transport)
    tasks = [asyncio.create_task(asker.ask(question(), JUDGE, **OPTIONS)) for _ in range(5)]
    await transport.started.wait()
    transport.release.set()

    asked = await asyncio.gather(*tasks)

    assert len(transport.asked) == 1
    assert [one.calls[0].cached for one in asked] == [False, True, True, True, True]
    assert len({one.replied.raw_reply for one in asked}) == 1


async def test_a_failure_in_flight_is_shared() -> None:
    transport = HeldTransport(CallFault(Fault(Reason.BAD_REQUEST, "no.")))
    asker = asker_of(transport)
    tasks = [asyncio.create_task(asker.ask(question(), JUDGE, **OPTIONS)) for _ in range(3)]
    await transport.started.wait()
    transport.release.set()

    asked = await asyncio.gather(*tasks)

    assert [one.replied.fault for one in asked] == [Fault(Reason.BAD_REQUEST, "no.")] * 3
    assert len(transport.asked) == 1


async def test_when_the_first_is_cancelled_the_next_asks() -> None:
    transport = HeldTransport(GOOD)
    asker = asker_of(transport)
    first, second, third = (asyncio.create_task(asker.ask(question(), JUDGE, **OPTIONS)) for _ in range(3))
    await transport.started.wait()

    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    transport.release.set()

    asked = await asyncio.gather(second, third)
    assert sorted(one.calls[0].cached for one in asked) == [False, True]
    assert len(transport.asked) == 1


async def test_cancelling_one_who_waits_disturbs_nobody() -> None:
    transport = HeldTransport(GOOD)
    asker = asker_of(transport)
    first, second = (asyncio.create_task(asker.ask(question(), JUDGE, **OPTIONS)) for _ in range(2))
    await transport.started.wait()
    await asyncio.sleep(0)

    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    transport.release.set()

    assert (await first).replied.fault is None


async def test_a_cancelled_call_frees_its_slot() -> None:
    transport = HeldTransport(GOOD)
    asker = asker_of(transport, policy=replace(QUICK, concurrency=1))
    held = asyncio.create_task(asker.ask(question("a"), JUDGE, **OPTIONS))
    await transport.started.wait()
    held.cancel()
    with pytest.raises(asyncio.CancelledError):
        await held
    transport.release.set()

    asked = await asyncio.wait_for(asker.ask(question(), JUDGE, **OPTIONS), 1)

    assert asked.replied.fault is None


async def test_every_call_is_reported_as_it_finishes() -> None:
    seen: list[Call] = []

    async def on_call(call: Call) -> None:
        assert len(seen) == len(transport.asked) - 1, "reported before the next request"
        seen.append(call)

    limited = CallFault(Fault(Reason.RATE_LIMITED, "slow down."), retryable=True, retry_after_s=0.01)
    transport = ScriptedTransport([limited, BAD, GOOD])
    asked = await asker_of(transport).ask(question(), JUDGE, on_call=on_call, **OPTIONS)

    assert tuple(seen) == asked.calls
    reasons = [call.fault.reason if call.fault else None for call in seen]
    assert reasons == [Reason.RATE_LIMITED, Reason.OUT_OF_RANGE, None]
    assert (seen[0].prompt_tokens, seen[0].cost_usd) == (0, 0.0), "a request that was turned down costs nothing"


async def test_what_the_report_raises_ends_the_asking_and_frees_those_who_wait() -> None:
    async def broken(_call: Call) -> None:
        raise RuntimeError("disk full")

    transport = HeldTransport(GOOD, GOOD)
    asker = asker_of(transport)
    first = asyncio.create_task(asker.ask(question(), JUDGE, on_call=broken, **OPTIONS))
    second = asyncio.create_task(asker.ask(question(), JUDGE, **OPTIONS))
    await transport.started.wait()
    transport.release.set()

    with pytest.raises(RuntimeError, match="disk full"):
        await first
    assert (await second).replied.fault is None


async def test_one_asker_serves_loop_after_loop(cache: ReplyCache) -> None:
    transport = ScriptedTransport(lambda _question, _messages: GOOD)
    asker = asker_of(transport, cache, replace(QUICK, concurrency=1))

    def in_a_loop_of_its_own(name: str) -> None:
        async def both() -> None:
            await asyncio.gather(*(asker.ask(question(name, str(n)), JUDGE, **OPTIONS) for n in range(3)))

        asyncio.run(both())

    for name in ("first", "second"):
        await asyncio.to_thread(in_a_loop_of_its_own, name)

    assert len(transport.asked) == 6
