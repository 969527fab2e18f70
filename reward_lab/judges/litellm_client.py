"""The transport to every model that litellm reaches."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Final, TypeAlias

from reward_lab.core.chat import Json, Message, well_formed
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Question
from reward_lab.judges.completion import Completion
from reward_lab.judges.endpoint import normal
from reward_lab.judges.faults import FormatRefused, fault_of
from reward_lab.judges.keys import NO_KEY, ScrubbingFilter, without_keys
from reward_lab.judges.litellm_request import COMPATIBLE, request_of
from reward_lab.judges.prices import price_of

if TYPE_CHECKING:
    from litellm.types.utils import ModelResponse

Arguments: TypeAlias = dict[str, Json]

_SCHEMA, _JSON, _PLAIN = range(3)
"""How much of the reply's format a server is told. The prompt says it in words in any case."""

_WARM_UP: Final[Arguments] = {
    "model": f"{COMPATIBLE}/none",
    "messages": [{"role": "user", "content": "none"}],
    "mock_response": "none",
    "api_key": NO_KEY,
}

_LIMITS: Final = ("max_completion_tokens", "max_tokens")


class LitellmTransport:
    """Judges over ``litellm.acompletion``.

    Args:
        trusted_endpoints: endpoints that may receive the server's keys.
        trust_all_endpoints: every endpoint may: the caller owns the environment, as on the
            command line. Never where a judge comes from a browser.
        timeout_s: seconds until litellm gives up by itself. Whoever asks has a limit of his
            own; this one lets go of the connection should that fail.
    """

    def __init__(
        self,
        *,
        trusted_endpoints: Iterable[str] = (),
        trust_all_endpoints: bool = False,
        timeout_s: float = 600.0,
    ) -> None:
        self._trusted = frozenset(normal(endpoint) for endpoint in trusted_endpoints)
        self._trust_all = trust_all_endpoints
        self._timeout_s = timeout_s
        self._formats: dict[tuple[str, str | None], int] = {}

    async def prepare(self) -> None:
        """Import litellm, in a thread, the first time."""
        loading = _loading()
        if not loading.done():
            await asyncio.wrap_future(loading)

    async def complete(
        self, question: Question, messages: Sequence[Message], judge: Judge, *, max_tokens: int | None
    ) -> Completion:
        """Send the messages once; where the server refuses the reply format, again with a simpler one."""
        await self.prepare()
        litellm = _loading().result()
        request = request_of(
            judge, trusted_endpoints=self._trusted, trust_all=self._trust_all, providers=_providers(litellm)
        )
        if max_tokens is not None:
            request = _with_limit(litellm, request, max_tokens)
        request["messages"] = [_sendable(message) for message in messages]
        place = (judge.model, judge.api_base)
        while True:
            level = self._formats.get(place, _SCHEMA)
            try:
                return await self._send(litellm, judge, request, _response_format(level, question))
            except FormatRefused:
                if level == _PLAIN:
                    raise
                self._formats[place] = max(self._formats.get(place, _SCHEMA), level + 1)

    async def aclose(self) -> None:
        """Close the connections that litellm keeps open."""
        if not _imported or not _imported[0].done() or _imported[0].exception() is not None:
            return  # nobody was asked
        litellm = _imported[0].result()
        await litellm.close_litellm_async_clients()
        litellm.in_memory_llm_clients_cache.flush_cache()

    async def _send(
        self, litellm: ModuleType, judge: Judge, request: Arguments, response_format: Arguments
    ) -> Completion:
        from openai import OpenAIError

        started = time.perf_counter()
        try:
            response: ModelResponse = await litellm.acompletion(
                **request,
                **response_format,
                timeout=self._timeout_s,
                num_retries=0,
                max_retries=0,
                fallbacks=[],  # none; and given an empty list litellm leaves out its success logging, a tenth of a call
            )
        except OpenAIError as error:
            raise fault_of(error, judge) from None
        latency_s = time.perf_counter() - started
        return _completion(response, judge, latency_s)


_import_lock = threading.Lock()
_imported: list[Future[ModuleType]] = []


def _loading() -> Future[ModuleType]:
    """litellm, on its way since the first call: one thread imports it, whoever and however many ask.

    The thread is its own: the import takes seconds, and would keep one of the few that the
    event loop lends to everything else.
    """
    with _import_lock:
        if not _imported:
            future: Future[ModuleType] = Future()
            future.set_running_or_notify_cancel()  # or one who is cancelled while waiting would cancel it for all
            _imported.append(future)
            threading.Thread(target=_import, args=(future,), name="reward-lab-litellm", daemon=True).start()
        return _imported[0]


def _import(future: Future[ModuleType]) -> None:
    try:
        future.set_result(_litellm())
    except BaseException as error:  # noqa: BLE001  # it belongs to those who wait
        future.set_exception(error)


def _litellm() -> ModuleType:
    """litellm, told to keep to itself."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it fetches a price map as it is imported
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # or it reads a .env file into the environment
    warnings.filterwarnings("ignore", message="Items? .* on TypedDict class", category=UserWarning)  # its own types
    import litellm

    for name in ("LiteLLM", "httpx", "openai._base_client"):
        logging.getLogger(name).addFilter(ScrubbingFilter())
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    # The first call imports a thousand modules more, which would hold up the event loop.
    asyncio.run(litellm.acompletion(**_WARM_UP, fallbacks=[]))
    return litellm


@cache
def _providers(litellm: ModuleType) -> frozenset[str]:
    return frozenset(str(getattr(provider, "value", provider)) for provider in litellm.provider_list)


def _response_format(level: int, question: Question) -> Arguments:
    if level == _SCHEMA:
        schema = {"name": question.schema_name, "schema": question.schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {"response_format": {"type": "json_object"}} if level == _JSON else {}


def _with_limit(litellm: ModuleType, request: Arguments, max_tokens: int) -> Arguments:
    """The request with this token limit instead of its own, as far as the model goes."""
    model = request["model"]
    entry = litellm.model_cost.get(model) or litellm.model_cost.get(model.partition("/")[2]) or {}
    known = entry.get("max_output_tokens")
    limit = min(max_tokens, known) if isinstance(known, int) else max_tokens
    name = next((name for name in _LIMITS if name in request), "max_tokens")
    return {**{key: value for key, value in request.items() if key not in _LIMITS}, name: limit}


def _sendable(message: Message) -> Message:
    """A copy for litellm to change at will, which UTF-8 can hold."""
    content = message.get("content")
    if isinstance(content, str) and not content.isascii():
        return {**message, "content": well_formed(content)}
    return dict(message)


def _completion(response: ModelResponse, judge: Judge, latency_s: float) -> Completion:
    usage = getattr(response, "usage", None)
    # litellm writes 0 where a server reports no usage; no prompt has 0 tokens.
    prompt_tokens = None if usage is None else usage.prompt_tokens or None
    completion_tokens = None if usage is None or prompt_tokens is None else usage.completion_tokens
    cost_usd = response._hidden_params.get("response_cost") if prompt_tokens is not None and price_of(judge) else None
    if not response.choices:
        return Completion(None, None, None, prompt_tokens, completion_tokens, cost_usd, latency_s)
    choice = response.choices[0]
    message = choice.message
    text = message.content if isinstance(message.content, str) else None
    refusal = getattr(message, "refusal", None)
    return Completion(
        text=None if text is None else without_keys(well_formed(text)),
        finish_reason=choice.finish_reason,
        refusal=without_keys(well_formed(refusal)) if isinstance(refusal, str) else None,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=cost_usd,
        latency_s=latency_s,
    )
