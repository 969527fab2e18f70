"""Discovery: the judges at hand, from keys in the environment and from servers on this machine.

Keys are looked for, never read out. Servers are asked for their models over plain HTTP, all
at once, with little patience: what does not answer at once is not running.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import date
from http.client import HTTPConnection, HTTPException
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from reward_lab.core.chat import Json
from reward_lab.judges.endpoint import host_of
from reward_lab.judges.prices import price_map

Kind: TypeAlias = Literal["hosted", "local"]

_PROBE_TIMEOUT_S: Final = 0.3
_ALL_PROBES_S: Final = 0.8
_MOST_BYTES: Final = 1_000_000
_MOST_MODELS: Final = 50
_LONGEST_NAME: Final = 200
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class Offer:
    """A judge that could be chosen now: a LiteLLM model name, its endpoint if it needs one, and how to call it."""

    model: str
    api_base: str | None
    label: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Provider:
    label: str
    keys: tuple[str, ...]
    """Environment variables of which one must be set."""
    models: tuple[str, ...]
    """From the best default to the last resort; one that the price map calls withdrawn is passed over."""
    also: tuple[str, ...] = ()
    """Environment variables that must be set as well."""


_PROVIDERS: Final = (
    _Provider(
        "OpenAI",
        ("OPENAI_API_KEY",),
        ("openai/gpt-6.1-terra", "openai/gpt-5.4-mini", "openai/gpt-4.1-mini", "openai/gpt-4.1"),
    ),
    _Provider("Anthropic", ("ANTHROPIC_API_KEY",), ("anthropic/claude-sonnet-5-5", "anthropic/claude-sonnet-4-6")),
    _Provider("Gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("gemini/gemini-flash-latest",)),
    _Provider("OpenRouter", ("OPENROUTER_API_KEY",), ("openrouter/openai/gpt-4.1",)),
    _Provider(
        "Azure OpenAI",
        ("AZURE_API_KEY",),
        ("azure/gpt-6.1-terra", "azure/gpt-5.4-mini", "azure/gpt-4.1"),
        ("AZURE_API_BASE",),
    ),
    _Provider("Groq", ("GROQ_API_KEY",), ("groq/openai/gpt-oss-120b",)),
    _Provider("Mistral", ("MISTRAL_API_KEY",), ("mistral/mistral-medium-latest",)),
    _Provider("DeepSeek", ("DEEPSEEK_API_KEY",), ("deepseek/deepseek-flash", "deepseek/deepseek-chat")),
    _Provider("Together", ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY"), ("together_ai/openai/gpt-oss-120b",)),
)


@dataclass(frozen=True, slots=True)
class _Server:
    label: str
    root: str
    """Scheme, host and port, and for OpenAI's protocol the path that its routes hang from."""
    is_ollama: bool = False


def offers(environ: Mapping[str, str] | None = None) -> list[Offer]:
    """Every judge at hand: servers of this machine first, as they cost nothing. Takes under a second."""
    environ = os.environ if environ is None else environ
    return [*local_offers(environ), *hosted_offers(environ)]


def hosted_offers(environ: Mapping[str, str], *, today: date | None = None) -> list[Offer]:
    """One judge for each provider whose key is set, its model a sensible default."""
    today = today or date.today()  # noqa: DTZ011  # a day more or less is no matter
    return [
        Offer(_living(provider.models, today), None, provider.label, "hosted")
        for provider in _PROVIDERS
        if any(environ.get(key) for key in provider.keys) and all(environ.get(name) for name in provider.also)
    ]


def local_offers(environ: Mapping[str, str]) -> list[Offer]:
    """The models of Ollama, LM Studio, llama-server and vLLM at their usual ports, or where the environment says."""
    servers = _servers(environ)
    pool = ThreadPoolExecutor(max_workers=len(servers), thread_name_prefix="reward-lab-discovery")
    try:
        probes = [pool.submit(_models, server) for server in servers]
        done, _ = wait(probes, timeout=_ALL_PROBES_S)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    found = [offer for probe in probes if probe in done for offer in probe.result()]
    return list({(offer.model, offer.api_base): offer for offer in found}.values())


def _living(models: tuple[str, ...], today: date) -> str:
    """The first model that is not withdrawn by ``today``."""
    for model in models:
        entry = price_map().get(model) or price_map().get(model.partition("/")[2]) or {}
        withdrawn = entry.get("deprecation_date")
        if not isinstance(withdrawn, str) or withdrawn > today.isoformat():
            return model
    return models[-1]


def _servers(environ: Mapping[str, str]) -> list[_Server]:
    servers = [
        _Server(
            "Ollama", _ollama_root(environ.get("OLLAMA_API_BASE") or environ.get("OLLAMA_HOST") or ""), is_ollama=True
        ),
        _Server("LM Studio", "http://127.0.0.1:1234/v1"),
        _Server("llama-server", "http://127.0.0.1:8080/v1"),
        _Server("vLLM", "http://127.0.0.1:8000/v1"),
    ]
    own = environ.get("OPENAI_BASE_URL") or environ.get("OPENAI_API_BASE") or ""
    if own.startswith("http://") and urlsplit(own).hostname in _LOOPBACK:
        servers = [server for server in servers if server.root != own.rstrip("/")]
        servers.append(_Server("OPENAI_BASE_URL", own.rstrip("/")))
    return servers


def _ollama_root(host: str) -> str:
    """``OLLAMA_HOST`` as a URL: it may lack the scheme and the port, and may be the address that a server binds to.

    >>> _ollama_root("0.0.0.0:11500"), _ollama_root("")
    ('http://127.0.0.1:11500', 'http://127.0.0.1:11434')
    """
    try:
        url = urlsplit(host if "://" in host else f"http://{host}")
        name, port = url.hostname or "127.0.0.1", url.port or 11434
    except ValueError:  # what it says is no address
        name, port = "127.0.0.1", 11434
    name = "127.0.0.1" if name in ("0.0.0.0", "::") else name  # noqa: S104  # read, not bound to
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def _models(server: _Server) -> list[Offer]:
    body = _get_json(f"{server.root}{'/api/tags' if server.is_ollama else '/models'}")
    listed = body.get("models" if server.is_ollama else "data") if isinstance(body, dict) else None
    if not isinstance(listed, list):
        return []
    names = [one.get("name" if server.is_ollama else "id") for one in listed if isinstance(one, dict)]
    prefix = "ollama_chat" if server.is_ollama else "openai"
    return [
        Offer(f"{prefix}/{name}", server.root, f"{name} ({server.label}, {host_of(server.root)})", "local")
        for name in names[:_MOST_MODELS]
        if isinstance(name, str) and _is_judge(name)
    ]


def _is_judge(name: str) -> bool:
    """Whether a listed model may be one that chats: embedding models are listed beside them."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and "embed" not in name.lower()


def _get_json(url: str) -> Json:
    """The JSON at a URL, ``None`` where there is none to be had."""
    parts = urlsplit(url)
    try:
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_PROBE_TIMEOUT_S)
        try:
            connection.request("GET", parts.path, headers={"Accept": "application/json"})
            response = connection.getresponse()
            return json.loads(response.read(_MOST_BYTES)) if response.status == 200 else None
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError):
        return None
