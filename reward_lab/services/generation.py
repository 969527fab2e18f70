"""Generation: criteria asked of a judge in the background, followed and cancelled by their job's id.

What comes back are proposals. Nothing enters a rubric here: a person keeps, edits or drops
each of them. Jobs live in this process; the reply cache keeps what was answered, so that the
same request after a restart costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import StrEnum

from reward_lab.core.chat import Message
from reward_lab.core.generation.requests import AddPitfalls, Generate, Request, Separate, Sharpen
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question, Replied
from reward_lab.core.proposal import Proposal, Proposals
from reward_lab.core.reply_json import quoted
from reward_lab.core.rubric import Category
from reward_lab.core.run import Call, Usage
from reward_lab.core.verdict import Fault, Reason
from reward_lab.core.wording import listed
from reward_lab.judges import Asker
from reward_lab.judges.prices import price_of
from reward_lab.services.loop import BackgroundLoop
from reward_lab.services.planning import CallEstimate, approximate_tokens

__all__ = [
    "AddPitfalls",
    "CallEstimate",
    "Generate",
    "Generation",
    "GenerationJob",
    "JobState",
    "Separate",
    "Sharpen",
]

_log = logging.getLogger(__name__)

_MOST_JOBS = 50

_REPLY_TOKENS: dict[type[Request], int] = {Generate: 1400, Sharpen: 250, AddPitfalls: 500, Separate: 500}
"""Assumed length of a reply: some 90 tokens an item."""

_DRAFT_NOTE = (
    "A lexical draft by the offline judge, which is no LLM: sentences taken over, not understood. Read each before you "
    "keep it, or choose a model under Judge and generate again."
)


class JobState(StrEnum):
    """Where a job stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class GenerationJob:
    """One request as it stands now.

    ``message`` is a sentence for the person who waits; ``notes`` are about the proposals as a
    whole. ``fault`` is what the judge or the way there did wrong, in the words that the judge
    was told. ``prompt`` and ``raw_reply`` are those of the last call.
    """

    id: str
    request: Request
    judge: Judge
    state: JobState
    message: str
    prompt: tuple[Message, ...]
    raw_reply: str = ""
    proposals: tuple[Proposal, ...] = ()
    notes: tuple[str, ...] = ()
    fault: Fault | None = None
    usage: Usage = Usage()  # noqa: RUF009  frozen
    seconds: float = 0.0


@dataclass(slots=True)
class _Entry:
    """A job, when it began, and what carries it out."""

    job: GenerationJob
    started_s: float
    calls: list[Call]
    future: Future[None] | None = None


class Generation:
    """Asks judges for criteria on the background loop. Safe to use from any thread."""

    def __init__(self, asker: Asker, loop: BackgroundLoop, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._asker = asker
        self._loop = loop
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def estimate(self, request: Request, judge: Judge) -> CallEstimate:
        """Calls, tokens and cost of a request. Raises :class:`~reward_lab.errors.InvalidGroup` as :meth:`start`."""
        question = request.question()
        price = price_of(judge)
        if judge.is_offline:
            return CallEstimate(1, 0, 0, 0.0)
        prompt = sum(approximate_tokens(str(message["content"])) for message in question.messages)
        completion = _REPLY_TOKENS[type(request)]
        cost = None if price is None else price.prompt_usd * prompt + price.completion_usd * completion
        return CallEstimate(1, prompt, completion, cost)

    def start(self, request: Request, judge: Judge, *, ask_again: bool = False) -> str:
        """Ask a judge, and return the job's id at once. ``ask_again`` leaves a cached reply aside.

        Raises:
            InvalidGroup: there is nothing to ask about; the message says what to give.
        """
        question = request.question()
        job_id = secrets.token_hex(8)
        message = f"Asking {judge.model} for criteria."
        job = GenerationJob(job_id, request, judge, JobState.RUNNING, message, question.messages)
        with self._lock:
            self._make_room()
            self._entries[job_id] = entry = _Entry(job, self._clock(), [])
        entry.future = self._loop.submit(self._carry_out(entry, question, ask_again))
        return job_id

    def job(self, job_id: str) -> GenerationJob | None:
        """The job as it stands now; ``None`` for one of another process, or long past."""
        with self._lock:
            entry = self._entries.get(job_id)
            if entry is None:
                return None
            if entry.job.state is JobState.RUNNING:
                entry.job = replace(entry.job, seconds=self._clock() - entry.started_s)
            return entry.job

    def cancel(self, job_id: str) -> None:
        """Stop a job that runs, at once. What a call in flight costs is unknown then."""
        with self._lock:
            entry = self._entries.get(job_id)
            if entry is not None:
                self._cancel(entry)

    def _cancel(self, entry: _Entry) -> None:
        if entry.job.state is not JobState.RUNNING:
            return
        usage, message = entry.job.usage, "Cancelled."
        if not entry.job.judge.is_offline:
            usage = replace(usage, prompt_tokens=None, completion_tokens=None, cost_usd=None)
            message = "Cancelled. A call that was on its way may still cost something; how much is unknown."
        self._end(entry, replace(entry.job, state=JobState.CANCELLED, message=message, usage=usage))
        if entry.future is not None:
            entry.future.cancel()

    def _make_room(self) -> None:
        """Forget the oldest finished jobs, or cancel the oldest of all where none is finished."""
        while len(self._entries) >= _MOST_JOBS:
            finished = (key for key, one in self._entries.items() if one.job.state is not JobState.RUNNING)
            oldest = next(finished, next(iter(self._entries)))
            self._cancel(self._entries[oldest])
            del self._entries[oldest]

    async def _carry_out(self, entry: _Entry, question: Question, ask_again: bool) -> None:
        async def keep(call: Call) -> None:
            self._keep(entry, call)

        request, judge = entry.job.request, entry.job.judge
        try:
            asked = await self._asker.ask(
                question, judge, method_version=request.version, sample=0, ask_again=ask_again, on_call=keep
            )
        except asyncio.CancelledError:
            with self._lock:
                self._cancel(entry)
            raise
        except Exception:
            _log.exception("generation %s stopped by a fault of the program", entry.job.id)
            with self._lock:
                message = "Reward Lab itself failed at this; its log says where. Nothing was proposed."
                self._end(entry, replace(entry.job, state=JobState.FAILED, message=message))
            raise
        with self._lock:
            self._finish(entry, asked.replied)

    def _keep(self, entry: _Entry, call: Call) -> None:
        with self._lock:
            if entry.job.state is not JobState.RUNNING:
                return
            entry.calls.append(call)
            message = entry.job.message if call.fault is None else _asking_again(call.fault)
            entry.job = replace(
                entry.job,
                message=message,
                prompt=call.messages,
                raw_reply=call.reply or entry.job.raw_reply,
                usage=usage_of(entry.calls),
            )

    def _finish(self, entry: _Entry, replied: Replied) -> None:
        job, answer = replace(entry.job, raw_reply=replied.raw_reply), replied.answer
        if not isinstance(answer, Proposals):
            fault = replied.fault or Fault(Reason.EMPTY_REPLY, "The reply is empty.")
            self._end(entry, replace(job, state=JobState.FAILED, message=_told(fault, job), fault=fault))
            return
        notes = (_DRAFT_NOTE, *answer.notes) if job.judge.is_offline else answer.notes
        done = replace(job, state=JobState.DONE, message=_summary(answer.items), proposals=answer.items, notes=notes)
        self._end(entry, replace(done, fault=replied.fault))

    def _end(self, entry: _Entry, job: GenerationJob) -> None:
        """The last change of a job; one that was cancelled stays so, whatever comes back later."""
        if entry.job.state is JobState.RUNNING:
            entry.job = replace(job, seconds=self._clock() - entry.started_s)


def usage_of(calls: Sequence[Call]) -> Usage:
    """What calls took: sums are of those that were made, not of cached ones; a sum with an unknown part is unknown."""
    made = [call for call in calls if not call.cached]
    waits = [call.latency_s for call in made if call.latency_s is not None]
    return Usage(
        calls=len(made),
        cached=len(calls) - len(made),
        prompt_tokens=_sum([call.prompt_tokens for call in made]),
        completion_tokens=_sum([call.completion_tokens for call in made]),
        cost_usd=_total([call.cost_usd for call in made]),
        latency_s=sum(waits) / len(waits) if waits else None,
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _total(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return float(sum(known)) if len(known) == len(amounts) else None


# -- in words ------------------------------------------------------------------------------------


def _summary(items: Sequence[Proposal]) -> str:
    counts = Counter(item.criterion.category for item in items)
    kinds = listed(f"{counts[category]} {category.value}" for category in Category if counts[category])
    noun = "criterion" if len(items) == 1 else "criteria"
    reversed_ = sum(not item.criterion.meets_when for item in items)
    polarity = f" {reversed_} met when false." if reversed_ else ""
    return f"{len(items)} {noun} proposed: {kinds}.{polarity}"


def _asking_again(fault: Fault) -> str:
    if fault.reason.is_of_the_reply:
        return "The first reply could not be used. Asking once more, with what was wrong with it."
    return "The request did not come through. Trying again."


def _told(fault: Fault, job: GenerationJob) -> str:
    """A fault as a person needs it: what happened and what to do. The judge was told in other words."""
    model = job.judge.model
    match fault.reason:
        case Reason.REFUSAL:
            words = job.raw_reply.strip()
            said = f" It said: {quoted(words, 200)}" if words and not words.startswith("{") else ""
            return (
                f"{model} declined to write criteria.{said} Reword the scenario, leave out what it may object to, or "
                "choose another judge."
            )
        case Reason.UNREADABLE_REPLY if job.judge.is_offline:
            return (
                f"{_nothing_drafted(job.request)} Or choose a model under Judge: the offline judge only counts words."
            )
        case Reason.UNREADABLE_REPLY:
            return (
                f"{model} was asked twice, and both times its reply held no criteria that could be read. Open its raw "
                "reply to see what it wrote, generate again, or choose another judge."
            )
        case Reason.CUT_REPLY:
            return (
                f"The reply of {model} broke off before its end, also under a larger limit. Raise max_tokens in the "
                "judge's parameters, or choose a judge that reasons less."
            )
        case Reason.EMPTY_REPLY:
            return f"{model} replied with nothing, twice. Generate again, or choose another judge."
        case _:
            return fault.detail


def _nothing_drafted(request: Request) -> str:
    match request:
        case AddPitfalls():
            return "The offline judge found no fault to count in these responses: choose others."
        case Separate():
            return "The offline judge found nothing that one of the two says and the other does not: choose others."
        case _:
            return (
                "The offline judge found no sentence to draft from: give a reference answer, or rules in the system "
                "prompt."
            )
