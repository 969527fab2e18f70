from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from reward_lab.judges import discovery
from reward_lab.judges.discovery import Offer, hosted_offers, local_offers
from reward_lab.judges.prices import price_map
from tests.judges.server import ScriptedServer

NOWHERE = {"OLLAMA_HOST": "127.0.0.1:9"}

KEYS = {
    "OPENAI_API_KEY": "openai/",
    "ANTHROPIC_API_KEY": "anthropic/",
    "GEMINI_API_KEY": "gemini/",
    "GOOGLE_API_KEY": "gemini/",
    "OPENROUTER_API_KEY": "openrouter/",
    "GROQ_API_KEY": "groq/",
    "MISTRAL_API_KEY": "mistral/",
    "DEEPSEEK_API_KEY": "deepseek/",
    "TOGETHER_API_KEY": "together_ai/",
}


@contextmanager
def replying(body: bytes, *, status: int = 200, delay_s: float = 0.0) -> Iterator[str]:
    """A server that answers every GET so; yields its host and port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name is http.server's
            time.sleep(delay_s)
            try:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                pass  # the client did not wait

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("name", KEYS)
def test_a_key_offers_its_provider_and_is_not_told(name: str) -> None:
    (offer,) = hosted_offers({name: "the-secret-value"})

    assert offer.model.startswith(KEYS[name])
    assert (offer.api_base, offer.kind) == (None, "hosted")
    assert "secret" not in repr(offer)


def test_azure_needs_its_endpoint_too() -> None:
    assert hosted_offers({"AZURE_API_KEY": "k"}) == []
    (offer,) = hosted_offers({"AZURE_API_KEY": "k", "AZURE_API_BASE": "https://x.openai.azure.com"})
    assert offer.model.startswith("azure/")


def test_an_empty_key_is_none() -> None:
    assert hosted_offers({"OPENAI_API_KEY": ""}) == []


def test_defaults_stand_in_the_price_map_and_are_not_withdrawn() -> None:
    today = date.today().isoformat()  # noqa: DTZ011  # a day more or less is no matter
    for name in set(KEYS) - {"OPENROUTER_API_KEY"}:  # the map has none of OpenRouter's
        (offer,) = hosted_offers({name: "k"})
        entry = price_map().get(offer.model) or price_map()[offer.model.partition("/")[2]]
        assert str(entry.get("deprecation_date", "9999")) > today, offer
        assert entry["supports_response_schema"] is True


def test_a_withdrawn_default_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = hosted_offers({"OPENAI_API_KEY": "k"}, today=date(2026, 1, 1))
    withdrawn = {first.model.partition("/")[2]: {"deprecation_date": "2026-01-02"}}
    monkeypatch.setattr(discovery, "price_map", lambda: withdrawn)

    assert hosted_offers({"OPENAI_API_KEY": "k"}, today=date(2026, 1, 1)) == [first]
    (other,) = hosted_offers({"OPENAI_API_KEY": "k"}, today=date(2026, 1, 2))
    assert other.model != first.model


def test_ollama_is_found_where_the_environment_says() -> None:
    with ScriptedServer(models=["qwen3:8b", "nomic-embed-text"]) as server:
        port = server.root_url.rpartition(":")[2]
        expected = Offer("ollama_chat/qwen3:8b", server.root_url, f"qwen3:8b (Ollama, 127.0.0.1:{port})", "local")

        for host in (f"127.0.0.1:{port}", f"0.0.0.0:{port}", server.root_url, f"http://0.0.0.0:{port}/"):
            assert expected in local_offers({"OLLAMA_HOST": host})


def test_an_openai_server_on_loopback_is_found() -> None:
    with ScriptedServer(models=["qwen/qwen3"]) as server:
        offers = local_offers({**NOWHERE, "OPENAI_BASE_URL": server.base_url})

    assert [(offer.model, offer.api_base) for offer in offers] == [("openai/qwen/qwen3", server.base_url)]


def test_another_machine_is_not_asked() -> None:
    assert local_offers({**NOWHERE, "OPENAI_BASE_URL": "http://example.com/v1"}) == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>", 200),
        (b"[]", 200),
        (b'{"models": 3}', 200),
        (b'{"models": ["x", {"name": 5}, {}]}', 200),
        (json.dumps({"models": [{"name": "a\nb"}, {"name": "x" * 1000}, {"name": ""}]}).encode(), 200),
        (b'{"models": [{"name": "m"}]}', 500),
        (b"\xff\xfe", 200),
    ],
)
def test_what_else_listens_there_offers_nothing(body: bytes, status: int) -> None:
    with replying(body, status=status) as host:
        assert local_offers({"OLLAMA_HOST": host}) == []


def test_a_slow_server_is_not_waited_for() -> None:
    with replying(b'{"models": [{"name": "m"}]}', delay_s=1.0) as host:
        started = time.monotonic()
        assert local_offers({"OLLAMA_HOST": host}) == []
        assert time.monotonic() - started < 0.9


@pytest.mark.parametrize("host", ["127.0.0.1:port", "http://[::1", "::::", "127.0.0.1:99999999"])
def test_a_host_that_is_none_is_passed_over(host: str) -> None:
    local_offers({"OLLAMA_HOST": host})
