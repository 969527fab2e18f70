from __future__ import annotations

import asyncio
import gc
import json
import logging
import subprocess
import sys
import textwrap
import threading
import types
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.methods import METHODS
from reward_lab.core.verdict import Scored, Unscored
from reward_lab.judges import Asker, litellm_client
from reward_lab.judges.litellm_client import LitellmTransport
from tests.judges.conftest import QUICK, group_of, scored
from tests.judges.server import Reply, ScriptedServer

GOOD = json.dumps({"explanation": "because", "rating": 7})


def asker_of(transport: LitellmTransport) -> Asker:
    return Asker(lambda _: transport, policy=QUICK)


async def test_the_request_carries_messages_schema_and_parameters(
    server: ScriptedServer, transport: LitellmTransport
) -> None:
    parameters = {"temperature": 0.3, "seed": 5, "top_k": 7, "max_tokens": 900, "reasoning_effort": "low"}
    judge = Judge(model="openai/scripted", api_base=server.base_url, parameters=parameters)

    await scored(asker_of(transport), METHODS["likert"], group_of("caf\N{LATIN SMALL LETTER E WITH ACUTE}"), judge)

    (request,) = server.requests
    assert request.body["model"] == "scripted"
    assert {name: request.body[name] for name in parameters} == parameters
    assert request.body["response_format"]["json_schema"]["strict"] is True
    assert request.body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    assert "caf\N{LATIN SMALL LETTER E WITH ACUTE}" in request.body["messages"][-1]["content"]


async def test_a_call_has_its_figures(server: ScriptedServer, transport: LitellmTransport, judge: Judge) -> None:
    server.script([Reply.text(GOOD).delayed(0.05)])

    _, (call,) = await scored(asker_of(transport), METHODS["likert"], group_of("a"), judge)

    assert call.prompt_tokens is not None
    assert call.prompt_tokens > 50
    assert call.completion_tokens == 10
    assert call.finish_reason == "stop"
    assert call.latency_s is not None
    assert 0.05 <= call.latency_s < 5
    assert call.cost_usd is None, "a local model's cost is unknown, not 0"


async def test_without_usage_the_figures_are_unknown(
    server: ScriptedServer, transport: LitellmTransport, judge: Judge
) -> None:
    server.script([Reply.text(GOOD, usage=False)])

    _, (call,) = await scored(asker_of(transport), METHODS["likert"], group_of("a"), judge)

    assert (call.prompt_tokens, call.completion_tokens, call.cost_usd) == (None, None, None)


@pytest.mark.parametrize(
    ("model", "priced"),
    [
        ("openai/gpt-4.1", True),
        ("openai/no-such-model", False),
        ("openai/gpt-4.1-mini", True),
        ("ollama_chat/llama3", False),
        ("hosted_vllm/gpt-4.1", False),
    ],
)
async def test_the_cost_is_the_price_maps_or_unknown(
    model: str,
    priced: bool,
    server: ScriptedServer,
    transport: LitellmTransport,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without an endpoint of the judge's own, litellm takes the provider's from the environment."""
    for name in ("OPENAI_BASE_URL", "HOSTED_VLLM_API_BASE"):
        monkeypatch.setenv(name, server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "some-key-of-ours")
    monkeypatch.setenv("OLLAMA_API_BASE", server.root_url)

    _, (call, *_) = await scored(asker_of(transport), METHODS["likert"], group_of("a"), Judge(model=model))

    if not priced:
        # The server does not speak Ollama's protocol: a request that it turns down is known to have cost nothing.
        assert call.cost_usd == (0.0 if model.startswith("ollama") else None)
        return
    await transport.prepare()
    import litellm

    entry = litellm.model_cost[model if model in litellm.model_cost else model.partition("/")[2]]
    assert call.prompt_tokens is not None
    assert call.completion_tokens is not None
    expected = (
        call.prompt_tokens * entry["input_cost_per_token"] + call.completion_tokens * entry["output_cost_per_token"]
    )
    assert expected > 0
    assert call.cost_usd == pytest.approx(expected)


async def test_the_same_loop_again_and_after_closing(
    server: ScriptedServer, transport: LitellmTransport, judge: Judge
) -> None:
    asker = asker_of(transport)
    for answer in "ab":
        verdicts, _ = await scored(asker, METHODS["ruler"], group_of(answer, "other"), judge)
        assert all(isinstance(verdict, Scored) for verdict in verdicts)
    await transport.aclose()

    verdicts, _ = await scored(asker, METHODS["ruler"], group_of("c", "other"), judge)

    assert all(isinstance(verdict, Scored) for verdict in verdicts)


# One press leaves its connections open on purpose.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_second_press_of_score(server: ScriptedServer, judge: Judge) -> None:
    """A loop of its own for each press, one transport for all: "Event loop is closed" elsewhere."""
    transport = LitellmTransport(trust_all_endpoints=True)
    asker = asker_of(transport)

    async def press(answer: str, *, close: bool) -> None:
        verdicts, _ = await scored(asker, METHODS["ruler"], group_of(answer, "other"), judge)
        assert all(isinstance(verdict, Scored) for verdict in verdicts), verdicts
        if close:
            await transport.aclose()

    for answer, close in (("a", True), ("b", False), ("c", True)):
        asyncio.run(press(answer, close=close))
    gc.collect()


def test_a_process_ends_without_a_word(server: ScriptedServer, tmp_path: Path) -> None:
    """No task destroyed, no session unclosed, no coroutine never awaited."""
    script = f"""
        import asyncio, warnings
        from reward_lab.core.judge import Judge
        from reward_lab.core.methods import METHODS
        from reward_lab.judges import Asker, litellm_client
        from reward_lab.judges.litellm_client import LitellmTransport
        from tests.judges.conftest import QUICK, group_of, scored

        async def main():
            transport = LitellmTransport(trust_all_endpoints=True)
            asker = Asker(lambda _: transport, policy=QUICK)
            for model in ("openai/scripted", "openai/gpt-4.1"):
                judge = Judge(model=model, api_base="{server.base_url}")
                print(await scored(asker, METHODS["ruler"], group_of("a", "b"), judge))
            await transport.aclose()

        asyncio.run(main())
    """
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "always", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Scored(") == 4
    told = [line for line in done.stderr.splitlines() if "DeprecationWarning" not in line and "asyncio" not in line]
    assert not [line for line in told if "ResourceWarning" in line or "never awaited" in line or "destroyed" in line]


def test_neither_litellm_nor_diskcache_is_imported_before_it_is_used(tmp_path: Path) -> None:
    script = """
        import sys
        from pathlib import Path
        from reward_lab.judges import Asker, Policy, ReplyCache, Routes
        from reward_lab.judges.discovery import hosted_offers
        from reward_lab.judges.litellm_client import LitellmTransport
        from reward_lab.judges.scripted import ScriptedTransport

        LitellmTransport(trusted_endpoints=["http://127.0.0.1:1/v1"])
        ReplyCache(Path("unused"))
        hosted_offers({"OPENAI_API_KEY": "x"})
        print(sorted({"litellm", "openai", "httpx", "diskcache", "aiohttp"} & set(sys.modules)))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.strip() == "[]"


@pytest.fixture
async def browser() -> AsyncIterator[LitellmTransport]:
    client = LitellmTransport()
    yield client
    await client.aclose()


@pytest.mark.parametrize("name", ["stream", "messages", "response_format", "model", "timeout", "n"])
async def test_a_parameter_that_is_not_the_judges_is_named(
    name: str, server: ScriptedServer, browser: LitellmTransport, transport: LitellmTransport
) -> None:
    judge = Judge(model="openai/scripted", api_base=server.base_url, parameters={name: 1})

    for client in (browser, transport):
        (verdict,), _ = await scored(asker_of(client), METHODS["likert"], group_of("a"), judge)
        assert isinstance(verdict, Unscored)
        assert f"The parameter {name!r} of openai/scripted" in verdict.detail
    assert not server.requests


@pytest.mark.parametrize(
    ("model", "detail"),
    [("no-such-provider/x", "no-such-provider/x was not found"), ("openai/o3", "o3")],
)
async def test_what_litellm_itself_refuses_is_told(model: str, detail: str, transport: LitellmTransport) -> None:
    judge = Judge(model=model, parameters={"temperature": 0.3})

    (verdict,), _ = await scored(asker_of(transport), METHODS["likert"], group_of("a"), judge)

    assert isinstance(verdict, Unscored)
    assert detail in verdict.detail


async def test_a_missing_key_is_named(transport: LitellmTransport) -> None:
    for model in ("openai/gpt-4.1", "anthropic/claude-sonnet-4-6"):
        (verdict,), calls = await scored(asker_of(transport), METHODS["likert"], group_of("a"), Judge(model=model))

        assert isinstance(verdict, Unscored)
        assert verdict.reason == "authentication", verdict
        assert "environment" in verdict.detail
        assert len(calls) == 1


async def test_a_limit_stops_at_what_the_model_can_do(server: ScriptedServer, transport: LitellmTransport) -> None:
    server.script([Reply.null_content(), Reply.text(GOOD)])
    judge = Judge(model="openai/gpt-4.1", api_base=server.base_url, parameters={"max_tokens": 20_000})

    await scored(asker_of(transport), METHODS["likert"], group_of("a"), judge)

    assert [request.body["max_tokens"] for request in server.requests] == [20_000, 32_768]


async def test_calls_run_side_by_side_up_to_the_limit(transport: LitellmTransport) -> None:
    with ScriptedServer(latency_s=0.05) as server:
        judge = Judge(model="openai/scripted", api_base=server.base_url)
        asker = Asker(lambda _: transport, policy=replace(QUICK, concurrency=3))
        groups = [group_of(f"answer {number}", "other") for number in range(9)]

        await asyncio.gather(*(scored(asker, METHODS["ruler"], group, judge) for group in groups))

        assert server.peak_in_flight == 3


async def test_records_of_other_loggers_are_scrubbed(
    transport: LitellmTransport, caplog: pytest.LogCaptureFixture
) -> None:
    await transport.prepare()
    names = ("httpx", "LiteLLM", "openai._base_client")

    for name in names:
        logging.getLogger(name).warning("GET %s", "https://host/v1?key=AIzaSy0123456789abcdef")

    assert [record.name for record in caplog.records] == list(names)
    assert "AIza" not in caplog.text


async def test_one_who_gives_up_waiting_for_the_import_leaves_it_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, imports = threading.Event(), []

    def slow_import() -> ModuleType:
        imports.append(1)
        go_on.wait(10)
        return types

    monkeypatch.setattr(litellm_client, "_imported", [])
    monkeypatch.setattr(litellm_client, "_litellm", slow_import)
    impatient = asyncio.create_task(LitellmTransport().prepare())
    patient = asyncio.create_task(LitellmTransport().prepare())
    await asyncio.sleep(0.05)
    impatient.cancel()
    await asyncio.sleep(0.05)
    go_on.set()
    await asyncio.wait_for(patient, 10)
    assert impatient.cancelled()
    assert imports == [1]
