"""Faults: what litellm raises, told in a sentence that a person can act on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from reward_lab.core.chat import Json
from reward_lab.core.judge import Judge
from reward_lab.core.verdict import Fault, Reason
from reward_lab.judges.completion import CallFault
from reward_lab.judges.endpoint import host_of, named
from reward_lab.judges.keys import scrubbed

_LONGEST_QUOTE: Final = 300
_LONGEST_PAGE: Final = 100

_CONTEXT: Final = re.compile(
    r"context.?(length|size|window)|maximum context|too many (input )?tokens|prompt is too long",
    re.IGNORECASE,
)
_CONTENT_POLICY: Final = re.compile(r"content.?(policy|filter|management)|safety system|responsible ?ai", re.IGNORECASE)
_QUOTA: Final = re.compile(r"insufficient.?(quota|balance|credit)|current quota|billing", re.IGNORECASE)
_NO_KEY_SET: Final = re.compile(
    r"missing credentials|missing \w+ api.?key|set the \w+_API_KEY"
    r"|api.?key (\w+ )*(is missing|is required|not set|must be set|client option)",
    re.IGNORECASE,
)
_FORMAT: Final = re.compile(
    r"response_?format|json_?schema|json_?object|structured.?output|json mode|response_?schema|grammar", re.IGNORECASE
)
_NEVER_SENT: Final = frozenset(
    {"ConnectError", "ConnectTimeout", "ClientConnectorError", "ConnectionRefusedError", "gaierror"}
)
_CONNECTION: Final = _NEVER_SENT | {
    "APIConnectionError",
    "ClientPayloadError",
    "ConnectionError",
    "ConnectionResetError",
    "ReadError",
    "RemoteProtocolError",
    "ServerDisconnectedError",
    "WriteError",
}
_NO_API: Final = re.compile(
    r"unable to get json response(?!.*original response: ?\{)|invalid response object|response with no 'choices'"
    r"|'choices' that is not a list",
    re.IGNORECASE,
)
"""litellm's words for a reply that came, and is no completion: a page, a text, JSON of another kind. Half an object is
one that was lost on its way."""
_OLLAMA: Final = ("ollama", "ollama_chat")
_ORIGINAL: Final = re.compile(r"Original Response: ?(.*)", re.DOTALL)
_OBJECT: Final = re.compile(r"\s?(?:\w+:)?<[\w.]+ object at 0x[0-9a-fA-F]+>|\sssl:(?:default|None|True|False)\b")
"""What a client's own innards look like in its message, such as ``ssl:<ssl.SSLContext object at 0x7f..>``."""
_LITELLM_PREFIX: Final = re.compile(r"^(?:\s*litellm\.\w+:|\s*\w+Error:|\s*\w+Exception -|\s*Timeout Error:)+\s*")


class FormatRefused(CallFault):
    """The server does not take this ``response_format``; a simpler one may do."""


def fault_of(error: Exception, judge: Judge) -> CallFault:
    """What litellm raised for a call to ``judge``, with keys taken out of every text.

    >>> fault_of(ValueError("boom"), Judge(model="openai/m")).fault
    Fault(reason=<Reason.SERVER_ERROR: 'server_error'>, detail='openai/m failed: "boom". Try again later.')
    """
    who, said = named(judge), _said(error)
    status = getattr(error, "status_code", None)
    causes = {type(one).__name__ for one in _chain(error)}
    unsent = not causes.isdisjoint(_NEVER_SENT)
    if not unsent and _NO_API.search(said):
        return CallFault(Fault(Reason.SERVER_ERROR, _no_api(judge, said)), spent_nothing=False)
    if unsent or (not causes.isdisjoint(_CONNECTION) and status in (None, 500)):
        detail = f'{who} cannot be reached: "{said}". Check that the server runs and that the endpoint is right.'
        return CallFault(Fault(Reason.CONNECTION, detail), retryable=True, spent_nothing=unsent)
    if "Timeout" in causes or status == 408:
        detail = f'{who} did not reply in time: "{said}". Raise the timeout in the settings, or ask for less at once.'
        return CallFault(Fault(Reason.TIMEOUT, detail), retryable=True, spent_nothing=False)
    if status == 429:
        return _rate_limited(error, who, said)
    if "ContextWindowExceededError" in causes or status == 413 or (status in (400, 422, 500) and _CONTEXT.search(said)):
        detail = (
            f'The prompt is too long for {who}: "{said}". Score fewer or shorter responses at once, or '
            "raise the context."
        )
        return CallFault(Fault(Reason.CONTEXT_WINDOW, detail))
    if "ContentPolicyViolationError" in causes or (status in (400, 403) and _CONTENT_POLICY.search(said)):
        detail = f'The content filter of {who} turned the prompt down: "{said}". Choose another judge for this group.'
        return CallFault(Fault(Reason.REFUSAL, detail))
    if status in (401, 402, 403) or (status in (None, 500) and _NO_KEY_SET.search(said)):
        # 500 is litellm's own number for a request that it never sent.
        found = f"does not take the key (HTTP {status})" if status in (401, 402, 403) else "needs a key, and has none"
        detail = (
            f'{who} {found}: "{said}". Set the provider\'s API key in '
            "the server's environment; an endpoint typed in the browser receives none unless it stands in the settings."
        )
        return CallFault(Fault(Reason.AUTHENTICATION, detail))
    if status == 404 or "LLM Provider NOT provided" in str(error):
        detail = f"{who} was not found: \"{said}\". Check the model's name, its provider's prefix and the endpoint."
        refused = FormatRefused if _FORMAT.search(said) else CallFault
        return refused(Fault(Reason.MODEL_NOT_FOUND, detail))
    if status in (400, 422):
        detail = f'{who} does not take the request (HTTP {status}): "{said}". Check the judge\'s parameters.'
        refused = FormatRefused if _FORMAT.search(said) else CallFault
        return refused(Fault(Reason.BAD_REQUEST, detail))
    where = f" (HTTP {status})" if status else ""
    detail = f'{who} failed{where}: "{said}". Try again later.'
    wait_s = retry_after_s(_headers(error))
    return CallFault(Fault(Reason.SERVER_ERROR, detail), retryable=True, retry_after_s=wait_s)


def _rate_limited(error: Exception, who: str, said: str) -> CallFault:
    if _QUOTA.search(f"{said} {error}"):
        detail = f'{who} has no quota left (HTTP 429): "{said}". Top up the account, or choose another judge.'
        return CallFault(Fault(Reason.RATE_LIMITED, detail))
    wait_s = retry_after_s(_headers(error))
    asked = "" if wait_s is None else f", asking to wait {wait_s:g} s"
    detail = f'{who} limits its rate (HTTP 429{asked}): "{said}". Score again later, or lower the concurrency.'
    return CallFault(Fault(Reason.RATE_LIMITED, detail), retryable=True, retry_after_s=wait_s)


def _no_api(judge: Judge, said: str) -> str:
    """What answers where a judge should: asking it again would bring the same page."""
    address = named(judge) if judge.api_base is None else host_of(judge.api_base)
    found = _ORIGINAL.search(said)
    page = f' It said: "{found[1][:_LONGEST_PAGE]}".' if found and found[1] else ""
    if judge.model.partition("/")[0] in _OLLAMA:
        return f"{address} answers, but not as Ollama's API: has the endpoint a path too many, such as /v1?{page}"
    return f"{address} answers, but not as an OpenAI-compatible API: does the endpoint end in /v1?{page}"


def retry_after_s(headers: object, *, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, given as seconds or as an HTTP date; ``None`` without one.

    >>> retry_after_s({"Retry-After": "2.5"})
    2.5
    >>> retry_after_s({"retry-after": "Mon, 30 Nov 2026 12:00:10 GMT"}, now=datetime(2026, 11, 30, 12, tzinfo=UTC))
    10.0
    """
    value = _header(headers, "retry-after")
    milliseconds = _header(headers, "retry-after-ms")
    if milliseconds is not None and milliseconds.isdecimal():
        return int(milliseconds) / 1000
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds()
    return max(seconds, 0.0) if seconds < float("inf") else None


def _header(headers: object, name: str) -> str | None:
    items = headers.items() if hasattr(headers, "items") else ()
    return next((str(value).strip() for key, value in items if str(key).lower() == name), None)


def _headers(error: Exception) -> object:
    """The headers of the response behind an error: litellm keeps them in one of two places, by provider."""
    kept = getattr(error, "litellm_response_headers", None)
    return kept or getattr(getattr(error, "response", None), "headers", None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _said(error: Exception) -> str:
    """The provider's own words in an error, without litellm's wrapping and without keys."""
    text = _LITELLM_PREFIX.sub("", str(getattr(error, "message", error)))
    start = text.find("{")
    if start >= 0:
        with suppress(ValueError):
            text = _message_in(json.loads(text[start : text.rfind("}") + 1])) or text
    text = scrubbed(_OBJECT.sub("", " ".join(text.split()))).rstrip(".")
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "..."


def _message_in(body: Json) -> str | None:
    """The message in an error body: ``{"error": {"message"}}``, ``{"error"}``, ``{"message"}`` or ``{"detail"}``."""
    if isinstance(body, dict):
        for name in ("error", "message", "detail"):
            if name in body:
                return _message_in(body[name])
        return None
    return body if isinstance(body, str) else None
