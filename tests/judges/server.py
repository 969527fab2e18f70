"""A scripted OpenAI-compatible server on loopback, able to fail in every way a real judge does.

In a test::

    with ScriptedServer() as server:
        server.script([answer, Reply.rate_limited(retry_after_s=1), Reply.text("not JSON")])
        ...  # a client on server.base_url; what arrived is in server.requests

As a process of its own, so that a benchmark measures the client alone (the first line printed is the base URL)::

    python -m tests.judges.server --port 8123 --latency-ms 50

Unless scripted otherwise, it answers the way an obedient judge would: see `tests.judges.answers`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from math import ceil
from types import TracebackType
from typing import Any, Self, TypeAlias

from tests.judges.answers import obedient_answer

Json: TypeAlias = dict[str, Any]
Handler: TypeAlias = "Callable[[Json, int], Reply]"

STRUCTURED = frozenset({"json_schema", "json_object"})
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response, with what goes wrong on its way.

    `payload` is sent as JSON unless `raw` is given. `cut_at_byte` closes the socket after so many bytes of the body
    (-1: before the status line). `reports_usage` adds the `usage` object. Build one by its constructors.
    """

    payload: Json = field(default_factory=dict)
    status_code: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    delay_s: float = 0.0
    cut_at_byte: int | None = None
    reports_usage: bool = False

    @classmethod
    def message(cls, message: Json, finish_reason: str = "stop", usage: bool = True) -> Reply:
        """A completion with this assistant message, whatever is in it."""
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
        return cls(payload={"choices": [choice]}, reports_usage=usage)

    @classmethod
    def text(cls, content: str, finish_reason: str = "stop", usage: bool = True) -> Reply:
        return cls.message({"content": content}, finish_reason, usage)

    @classmethod
    def refusal(cls, refusal: str = "I'm sorry, I can't assist with that.") -> Reply:
        """OpenAI's refusal under structured output: null content and the words in `refusal`."""
        return cls.message({"content": None, "refusal": refusal})

    @classmethod
    def null_content(cls, finish_reason: str = "length") -> Reply:
        """A reasoning model that spent its whole limit before the first visible token."""
        return cls.message({"content": None}, finish_reason)

    @classmethod
    def no_choices(cls) -> Reply:
        return cls(payload={"choices": []}, reports_usage=True)

    @classmethod
    def status(
        cls,
        status_code: int,
        message: str = "scripted failure",
        error_type: str = "server_error",
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """An error in OpenAI's shape: `{"error": {"message", "type", "param", "code"}}`."""
        error = {"message": message, "type": error_type, "param": None, "code": code}
        return cls(payload={"error": error}, status_code=status_code, headers=headers or {})

    @classmethod
    def rate_limited(cls, retry_after_s: float | None = None) -> Reply:
        headers = {} if retry_after_s is None else {"Retry-After": f"{retry_after_s:g}"}
        return cls.status(429, "Rate limit reached for requests", "requests", "rate_limit_exceeded", headers)

    @classmethod
    def context_window_error(cls, limit: int = 8192, asked: int = 9000) -> Reply:
        message = (
            f"This model's maximum context length is {limit} tokens. However, your messages resulted in {asked} tokens."
            " Please reduce the length of the messages."
        )
        return cls.status(400, message, "invalid_request_error", "context_length_exceeded")

    @classmethod
    def not_json(cls, body: bytes = b"<html><body>502 Bad Gateway</body></html>", status_code: int = 200) -> Reply:
        """A proxy's page where JSON was promised."""
        return cls(raw=body, status_code=status_code, headers={"Content-Type": "text/html"})

    @classmethod
    def hang(cls, seconds: float = 3600.0) -> Reply:
        """Nothing at all for so long, then the socket closes."""
        return cls(delay_s=seconds, cut_at_byte=-1)

    @classmethod
    def disconnect(cls, cut_at_byte: int = 20) -> Reply:
        """A good answer whose socket closes after `cut_at_byte` bytes of the body (-1: before any byte)."""
        return replace(cls.text('{"scores": []}'), cut_at_byte=cut_at_byte)

    def delayed(self, seconds: float) -> Reply:
        return replace(self, delay_s=self.delay_s + seconds)

    def body_for(self, request: Json, index: int) -> bytes:
        if self.raw is not None:
            return self.raw
        payload = self.payload
        if "choices" in payload:
            envelope = {
                "id": f"chatcmpl-{index}",
                "object": "chat.completion",
                "created": 1_760_000_000,
                "model": request.get("model", "scripted"),
                "service_tier": "default",  # the Groq client insists on it
            }
            payload = {**envelope, **payload}
            if self.reports_usage:
                payload["usage"] = _usage(request, self.payload["choices"])
        # ASCII escapes let a lone surrogate travel, as it does from a real server.
        return json.dumps(payload).encode("ascii")


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived: header names in lower case, `body` {} where none was sent, `at_s` monotonic seconds."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Json
    at_s: float


def answer(body: Json, _index: int) -> Reply:
    """The default handler: the valid answer that an obedient judge would give."""
    return Reply.text(obedient_answer(body))


def _usage(request: Json, choices: list[Json]) -> dict[str, int]:
    asked = sum(len(str(message.get("content") or "")) for message in request.get("messages", ()))
    said = sum(len(choice["message"].get("content") or "") for choice in choices)
    prompt, completion = ceil(asked / CHARACTERS_PER_TOKEN), ceil(said / CHARACTERS_PER_TOKEN)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


class ScriptedServer:
    """Runs in a thread and event loop of its own; `with` and `async with` both start and stop it.

    `response_formats` are the `response_format` types it takes; any other is refused with 400, as servers without
    structured output do. `latency_s` comes before every completion, on top of a reply's own delay. With
    `record=False` it keeps no request, for long benchmarks.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        latency_s: float = 0.0,
        models: Iterable[str] = ("scripted",),
        response_formats: Iterable[str] = STRUCTURED,
        record: bool = True,
    ) -> None:
        self.requests: list[Received] = []
        self.in_flight = 0
        self.peak_in_flight = 0
        self._port = port
        self._latency_s = latency_s
        self._models = tuple(models)
        self._response_formats = frozenset(response_formats) | {"text"}
        self._record = record
        self._handler: Handler = answer
        self._queue: deque[Reply | Handler] = deque()
        self._completions = 0
        self._connections: set[asyncio.Task[None]] = set()
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def root_url(self) -> str:
        """Where Ollama's own API sits: `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base: `http://127.0.0.1:PORT/v1`."""
        return f"{self.root_url}/v1"

    @property
    def connections(self) -> int:
        """Open connections; once 0, everything that clients sent before they left has arrived."""
        return len(self._connections)

    def script(self, steps: Handler | Iterable[Reply | Handler]) -> None:
        """Decide the coming completions, in order of arrival.

        A function answers all of them; a sequence answers one each, in turn, and after it `answer` goes on. The
        function gets the request's body and the number of completions asked before it since the start.
        """
        if callable(steps):
            self._queue, self._handler = deque(), steps
        else:
            self._queue, self._handler = deque(steps), answer

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="scripted-server", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    def stop(self) -> None:
        """Close every connection and join the thread; raises what a scripted handler raised, if one did."""
        if self._loop is not None and self._stop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
            self._loop = None
            if self._failure is not None:
                raise self._failure

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)

    def _run(self) -> None:
        try:
            asyncio.run(self.serve())
        except OSError as failure:
            self._failure = failure
        finally:
            self._started.set()

    async def serve(self) -> None:
        """Listen until `stop`, in the loop that calls it."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        listener = await asyncio.start_server(self._accept, "127.0.0.1", self._port, backlog=1024)
        self._port = listener.sockets[0].getsockname()[1]
        self._started.set()
        try:
            await self._stop.wait()
        finally:
            listener.close()
            for connection in tuple(self._connections):
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await listener.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._converse(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._ended)

    def _ended(self, connection: asyncio.Task[None]) -> None:
        self._connections.discard(connection)
        if not connection.cancelled():
            # A mistake in the test's own script: raised by `stop`, not lost in this thread.
            self._failure = self._failure or connection.exception()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client left, which is its right
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its response; False once the connection is over."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *lines = head.rstrip().split("\r\n")
        method, path, _ = request_line.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        body: Json = json.loads(await reader.readexactly(length)) if length else {}
        if self._record:
            self.requests.append(Received(method, path, headers, body, time.monotonic()))

        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        try:
            index = self._completions
            reply = self._reply(method, path.partition("?")[0], body)
            if reply.delay_s:
                await asyncio.sleep(reply.delay_s)
        finally:
            self.in_flight -= 1
        if reply.cut_at_byte == -1:
            return False
        payload = reply.body_for(body, index)
        writer.write(_head(reply, len(payload)) + payload[: reply.cut_at_byte])
        await writer.drain()
        return reply.cut_at_byte is None and headers.get("connection", "").lower() != "close"

    def _reply(self, method: str, path: str, body: Json) -> Reply:
        if method == "POST" and path.endswith("/chat/completions"):
            return self._completion(body).delayed(self._latency_s)
        if method == "GET" and path == "/v1/models":
            data = [{"id": model, "object": "model", "created": 0, "owned_by": "scripted"} for model in self._models]
            return Reply(payload={"object": "list", "data": data})
        if method == "GET" and path == "/api/tags":
            return Reply(payload={"models": [{"name": model, "model": model, "size": 1} for model in self._models]})
        return Reply.status(404, f"Unknown request URL: {method} {path}", "invalid_request_error", "unknown_url")

    def _completion(self, body: Json) -> Reply:
        index = self._completions
        self._completions += 1
        wanted = (body.get("response_format") or {"type": "text"})["type"]
        if wanted not in self._response_formats:
            return Reply.status(
                400, f"This response_format type is unavailable: {wanted!r}", "invalid_request_error", "invalid_value"
            )
        step = self._queue.popleft() if self._queue else self._handler
        return step if isinstance(step, Reply) else step(body, index)


def _head(reply: Reply, length: int) -> bytes:
    headers = {"Content-Type": "application/json", "Content-Length": str(length), **reply.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status_code} {HTTPStatus(reply.status_code).phrase}\r\n{lines}\r\n".encode("latin-1")


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve scripted chat completions on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="wait before each completion")
    options = parser.parse_args()
    with ScriptedServer(port=options.port, latency_s=options.latency_ms / 1000, record=False) as server:
        print(server.base_url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
