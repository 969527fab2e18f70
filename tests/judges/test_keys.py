"""Keys: none leaves for an endpoint that a browser named, and none is left behind in what is shown or stored."""

from __future__ import annotations

import dataclasses
import json
import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.methods import METHODS
from reward_lab.core.verdict import Reason, Scored, Unscored
from reward_lab.judges import Asker, ReplyCache
from reward_lab.judges.keys import scrubbed
from reward_lab.judges.litellm_client import LitellmTransport
from reward_lab.judges.litellm_request import COMPATIBLE, request_of
from tests.judges.conftest import QUICK, group_of, scored
from tests.judges.server import Reply, ScriptedServer

# What litellm, and the OpenAI SDK below it, read for the providers that are offered, and for some more.
VARIABLES = [
    *("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID"),
    *("OPENAI_LIKE_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"),
    *("OR_API_KEY", "AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_AI_API_KEY", "GROQ_API_KEY"),
    *("MISTRAL_API_KEY", "DEEPSEEK_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_TOKEN"),
    *("OLLAMA_API_KEY", "LM_STUDIO_API_KEY", "HOSTED_VLLM_API_KEY", "LLAMAFILE_API_KEY", "LITELLM_PROXY_API_KEY"),
    *("XAI_API_KEY", "COHERE_API_KEY", "CO_API_KEY", "HF_TOKEN", "HUGGINGFACE_API_KEY"),
    *("REPLICATE_API_KEY", "PERPLEXITYAI_API_KEY", "FIREWORKS_AI_API_KEY", "DEEPINFRA_API_KEY", "CEREBRAS_API_KEY"),
    *("NVIDIA_NIM_API_KEY", "WATSONX_TOKEN", "WATSONX_APIKEY", "DATABRICKS_API_KEY", "GIGACHAT_ACCESS_TOKEN"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"),
]

PLANTED = {name: f"planted-{name.lower().replace('_', '-')}-value" for name in VARIABLES}
PLANTED["OPENAI_CUSTOM_HEADERS"] = "X-Gateway-Secret: planted-header-value"


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
async def browser() -> AsyncIterator[LitellmTransport]:
    """The transport of the app, where judges come from browsers."""
    client = LitellmTransport()
    yield client
    await client.aclose()


def sent(server: ScriptedServer) -> str:
    return json.dumps([[request.path, dict(request.headers), request.body] for request in server.requests])


PREFIXES = [
    *("openai", "custom_openai", "hosted_vllm", "lm_studio", "llamafile", "litellm_proxy", "openai_like"),
    *("ollama", "ollama_chat", "anthropic", "azure", "azure_ai", "gemini", "vertex_ai", "bedrock", "openrouter"),
    *("groq", "mistral", "deepseek", "together_ai", "xai", "cohere", "huggingface", "perplexity", "fireworks_ai"),
    *("watsonx", "databricks", "gigachat", "sagemaker", "replicate", "github_copilot", "bigmodel", "nothing-known"),
]


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_an_endpoint_from_the_browser_learns_no_key(
    prefix: str, server: ScriptedServer, browser: LitellmTransport
) -> None:
    judge = Judge(model=f"{prefix}/scripted", api_base=server.base_url)

    (verdict,), _ = await scored(Asker(lambda _: browser, policy=QUICK), METHODS["likert"], group_of("a"), judge)

    assert "planted" not in sent(server)
    if not server.requests:
        assert isinstance(verdict, Unscored)
        assert "Write openai/scripted for the model, or add the endpoint to the settings." in verdict.detail


async def test_no_provider_of_litellm_takes_a_key_to_the_browsers_endpoint(
    server: ScriptedServer, browser: LitellmTransport
) -> None:
    await browser.prepare()
    import litellm

    asker = Asker(lambda _: browser, policy=QUICK)
    prefixes = {str(getattr(provider, "value", provider)) for provider in litellm.provider_list}
    for prefix in sorted(prefixes):
        judge = Judge(model=f"{prefix}/scripted", api_base=server.base_url)
        await scored(asker, METHODS["likert"], group_of("a"), judge)

    assert len(prefixes) > 100
    assert "planted" not in sent(server)
    paths = {request.path for request in server.requests}
    assert paths == {"/v1/chat/completions", "/v1/api/generate", "/v1/api/chat"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"fallbacks": [{"model": "openai/scripted"}]},
        {"organization": "x", "default_headers": {"a": "b"}},
        {"custom_llm_provider": "openai"},
        {"provider_specific_header": {"custom_llm_provider": "openai", "extra_headers": {}}},
        {"aws_bedrock_runtime_endpoint": "http://127.0.0.1:1"},
        {"top_k": 5, "guided_json": {}},
    ],
    ids=lambda parameters: next(iter(parameters)),
)
async def test_parameters_from_the_browser_reach_the_model_and_nothing_else(
    parameters: dict[str, Any], server: ScriptedServer, browser: LitellmTransport
) -> None:
    judge = Judge(model="openai/scripted", api_base=server.base_url, parameters=parameters)

    await scored(Asker(lambda _: browser, policy=QUICK), METHODS["likert"], group_of("a"), judge)

    assert "planted" not in sent(server)
    for request in server.requests:
        assert {name: request.body[name] for name in parameters} == parameters


@pytest.mark.parametrize("model", ["huggingface/http://127.0.0.1:9/x", "openai/a?b=c", "openai/../x", "x/ y"])
async def test_an_address_is_no_model(model: str, browser: LitellmTransport) -> None:
    asker = Asker(lambda _: browser, policy=QUICK)

    (verdict,), _ = await scored(asker, METHODS["likert"], group_of("a"), Judge(model=model))

    assert isinstance(verdict, Unscored)
    assert verdict.reason is Reason.BAD_REQUEST
    assert repr(model) in verdict.detail


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/scripted", "OPENAI_API_KEY"),
        ("hosted_vllm/scripted", "HOSTED_VLLM_API_KEY"),
        ("lm_studio/scripted", "LM_STUDIO_API_KEY"),
        ("mistral/scripted", "MISTRAL_API_KEY"),
        ("openai/gpt-4.1", "OPENAI_API_KEY"),
    ],
)
async def test_an_endpoint_in_the_settings_receives_its_key(model: str, expected: str, server: ScriptedServer) -> None:
    client = LitellmTransport(trusted_endpoints=[server.base_url.upper().replace("/V1", "/v1/")])
    judge = Judge(model=model, api_base=server.base_url)

    (verdict,), _ = await scored(Asker(lambda _: client, policy=QUICK), METHODS["likert"], group_of("a"), judge)
    await client.aclose()
    assert isinstance(verdict, Scored), verdict

    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {PLANTED[expected]}"}


@pytest.mark.parametrize("other", ["http://127.0.0.1:1/v1", "http://127.0.0.1/v1", "https://localhost/v1"])
def test_only_the_very_endpoint_is_trusted(other: str) -> None:
    judge = Judge(model="openai/m", api_base=f"{other}/x")

    request = request_of(judge, trusted_endpoints=frozenset({other}), trust_all=False, providers=frozenset({"openai"}))

    assert request["api_key"] == "no-key"
    assert request["custom_llm_provider"] == COMPATIBLE


async def test_a_local_server_needs_no_key(
    server: ScriptedServer, transport: LitellmTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PLANTED:
        monkeypatch.delenv(name)

    for model in ("openai/scripted", "openai/gpt-4.1", "scripted", "qwen/scripted"):
        judge = Judge(model=model, api_base=server.base_url)
        (verdict,), _ = await scored(Asker(lambda _: transport, policy=QUICK), METHODS["likert"], group_of("a"), judge)
        assert not isinstance(verdict, Unscored), verdict

    assert [request.body["model"] for request in server.requests][-2:] == ["scripted", "qwen/scripted"]


async def test_a_key_is_left_nowhere(
    server: ScriptedServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every key that a server gives back in an error, a header or a reply that fails, and every log at DEBUG."""
    caplog.set_level(logging.DEBUG)
    keys = [value for name, value in PLANTED.items() if re.search("KEY|TOKEN", name)] + ["planted-header-value"]
    echo = " ".join(keys)
    failures = [
        Reply.status(401, f"Incorrect API key provided: {echo}"),
        Reply.status(400, f"bad: {echo}"),
        Reply.status(404, echo),
        Reply.status(429, echo),
        Reply.status(429, echo),
        Reply.status(429, echo),
        Reply.status(500, echo, headers={"X-Echo": PLANTED["OPENAI_API_KEY"]}),
        Reply.status(503, echo),
        Reply.not_json(echo.encode()),
    ]
    server.script(failures)
    client = LitellmTransport(trust_all_endpoints=True)
    cache = ReplyCache(tmp_path / "replies")
    asker = Asker(lambda _: client, cache=cache, policy=QUICK)
    told = [
        await scored(asker, METHODS["likert"], group_of(answer), Judge(model=model, api_base=server.base_url))
        for model in ("openai/scripted", "openai/gpt-4.1", "mistral/scripted")
        for answer in "abcd"
    ]
    await client.aclose()
    cache.close()

    shown = json.dumps(_plain(told))
    stored = b"".join(path.read_bytes() for path in files_below(tmp_path))
    printed = "".join(capfd.readouterr())
    assert PLANTED["OPENAI_API_KEY"] in sent(server), "the endpoint is trusted here"
    assert "[key]" in shown
    for value in keys:
        assert value not in shown
        assert value.encode() not in stored
        assert value not in caplog.text
        assert value not in printed


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else str(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Incorrect API key provided: sk-proj-AbCd1234****wxyz.", "Incorrect API key provided: [key]."),
        ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [key]"),
        ("GET /v1beta/models?key=AIzaSyA1234567890abcdef", "GET /v1beta/models?key=[key]"),
        ("http://user:secret@host/v1", "http://[key]@host/v1"),
        ("gsk_abcdefgh12345678 is revoked", "[key] is revoked"),
        (f"you sent {PLANTED['MISTRAL_API_KEY']}!", "you sent [key]!"),
        ("the key is missing; max_tokens: 4096 is too large", "the key is missing; max_tokens: 4096 is too large"),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text: str, expected: str) -> None:
    assert scrubbed(text) == expected
