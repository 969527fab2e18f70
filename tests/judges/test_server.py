from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.judges.answers import minimal_instance
from tests.judges.server import Json, Reply, ScriptedServer, answer

RULER_PROMPT = (
    '<context>[]</context>\n<trajectory id="1">\nfirst\n</trajectory>\n<trajectory id="2">\nsecond\n</trajectory>'
)
LIKERT_SCHEMA: Json = {
    "type": "object",
    "properties": {"explanation": {"type": "string"}, "rating": {"type": "integer", "minimum": 1, "maximum": 10}},
    "required": ["explanation", "rating"],
    "additionalProperties": False,
}


def request(text: str, schema: Json | None = None) -> Json:
    body: Json = {"model": "m", "messages": [{"role": "user", "content": text}]}
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    return body


def post(server: ScriptedServer, body: Json | None = None, timeout_s: float = 5.0) -> httpx.Response:
    return httpx.post(f"{server.base_url}/chat/completions", json=body or request("hello"), timeout=timeout_s)


def content(response: httpx.Response) -> Any:
    return json.loads(response.json()["choices"][0]["message"]["content"])


def test_trajectories_are_scored_by_their_own_text() -> None:
    swapped = RULER_PROMPT.replace("first", "x").replace("second", "first").replace("x", "second")
    with ScriptedServer() as server:
        forward = content(post(server, request(RULER_PROMPT)))["scores"]
        backward = content(post(server, request(swapped)))["scores"]
    assert [entry["trajectory_id"] for entry in forward] == ["1", "2"]
    assert [entry["score"] for entry in forward] == [entry["score"] for entry in backward][::-1]
    assert forward[0]["score"] != forward[1]["score"]
    assert list(forward[0]) == ["trajectory_id", "explanation", "score"]


def test_a_schema_decides_over_the_blocks() -> None:
    with ScriptedServer() as server:
        reply = content(post(server, request(RULER_PROMPT, LIKERT_SCHEMA)))
    assert reply == {"explanation": "scripted", "rating": reply["rating"]}
    assert 1 <= reply["rating"] <= 10


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('<criterion id="1">a</criterion><criterion id="b">c</criterion>', {"criteria"}),
        ("<criterion>a</criterion>", {"explanation", "met"}),
        ("rate this", {"explanation", "rating"}),
        ('answer {"rating": 1-10}\n<criterion id="1">a</criterion>', {"explanation", "rating"}),
        ('answer {"criteria": [{"id", "met"}]}\n<criterion id="1">a</criterion>', {"criteria"}),
    ],
)
def test_without_a_schema_the_prompt_decides(text: str, fields: set[str]) -> None:
    with ScriptedServer() as server:
        assert set(content(post(server, request(text)))) == fields


def test_criteria_are_answered_by_id() -> None:
    with ScriptedServer() as server:
        reply = content(post(server, request('<criterion id="1">a</criterion><criterion id="7">b</criterion>')))
    assert [verdict["id"] for verdict in reply["criteria"]] == ["1", "7"]
    assert all(isinstance(verdict["met"], bool) for verdict in reply["criteria"])


def test_minimal_instance_follows_references_and_bounds() -> None:
    schema: Json = {
        "$defs": {"Item": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}, "on": {"type": "boolean"}}}},
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 2},
            "share": {"type": "number", "minimum": 0.25, "maximum": 0.5},
            "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "version": {"const": 3},
        },
    }
    instance = minimal_instance(schema, seed=7)
    assert isinstance(instance, dict)
    assert [set(item) for item in instance["items"]] == [{"kind", "on"}] * 2
    assert {item["kind"] for item in instance["items"]} <= {"a", "b"}
    assert 0.25 <= instance["share"] <= 0.5
    assert (instance["note"], instance["version"]) == (None, 3)
    assert minimal_instance(schema, seed=7) == instance


def test_a_sequence_answers_in_turn_and_then_the_default() -> None:
    with ScriptedServer() as server:
        server.script([answer, Reply.rate_limited(retry_after_s=0.5), Reply.text("prose")])
        first, second, third, fourth = (post(server) for _ in range(4))
    assert first.status_code == 200
    assert (second.status_code, second.headers["Retry-After"]) == (429, "0.5")
    assert second.json()["error"]["code"] == "rate_limit_exceeded"
    assert third.json()["choices"][0]["message"]["content"] == "prose"
    assert "rating" in content(fourth)


def test_a_function_sees_the_body_and_the_index() -> None:
    with ScriptedServer() as server:
        server.script(lambda body, index: Reply.text(f"{body['model']} {index}"))
        said = [post(server).json()["choices"][0]["message"]["content"] for _ in range(3)]
    assert said == ["m 0", "m 1", "m 2"]


def test_an_error_in_the_script_reaches_the_test() -> None:
    def broken(body: Json, index: int) -> Reply:
        raise LookupError("no such step")

    server = ScriptedServer()
    server.start()
    server.script(broken)
    with pytest.raises(httpx.RemoteProtocolError):
        post(server)
    with pytest.raises(LookupError, match="no such step"):
        server.stop()


def test_messages_that_carry_no_verdict() -> None:
    with ScriptedServer() as server:
        server.script([Reply.refusal(), Reply.null_content(), Reply.text("", usage=False), Reply.no_choices()])
        refused, cut, empty, none = (post(server).json() for _ in range(4))
    assert refused["choices"][0]["message"]["content"] is None
    assert "can't assist" in refused["choices"][0]["message"]["refusal"]
    assert (cut["choices"][0]["message"]["content"], cut["choices"][0]["finish_reason"]) == (None, "length")
    assert "usage" not in empty
    assert none["choices"] == []


def test_usage_counts_characters() -> None:
    with ScriptedServer() as server:
        server.script([Reply.text("b" * 12)])
        usage = post(server, request("a" * 40)).json()["usage"]
    assert usage == {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}


def test_errors_have_the_shape_of_openai() -> None:
    with ScriptedServer() as server:
        server.script([Reply.context_window_error(), Reply.status(500, "boom"), Reply.not_json()])
        context, broken, page = post(server), post(server), post(server)
    assert (context.status_code, context.json()["error"]["code"]) == (400, "context_length_exceeded")
    assert (broken.status_code, broken.json()["error"]["message"]) == (500, "boom")
    with pytest.raises(json.JSONDecodeError):
        page.json()


@pytest.mark.parametrize("reply", [Reply.disconnect(), Reply.disconnect(cut_at_byte=-1), Reply.hang(seconds=0.01)])
def test_a_broken_connection(reply: Reply) -> None:
    with ScriptedServer() as server:
        server.script([reply])
        with pytest.raises(httpx.RemoteProtocolError):
            post(server)
        assert post(server).status_code == 200


def test_a_hanging_reply_does_not_hold_up_the_stop() -> None:
    started = time.monotonic()
    with ScriptedServer() as server:
        server.script([Reply.hang()])
        with pytest.raises(httpx.ReadTimeout):
            post(server, timeout_s=0.05)
    assert time.monotonic() - started < 2.0


def test_delays_add_up() -> None:
    with ScriptedServer(latency_s=0.05) as server:
        server.script([answer, Reply.text("late").delayed(0.05)])
        quick, late = post(server), post(server)
    assert quick.elapsed.total_seconds() >= 0.05
    assert late.elapsed.total_seconds() >= 0.1


@pytest.mark.parametrize(
    ("formats", "schema_status", "object_status"),
    [((), 400, 400), (("json_object",), 400, 200), (("json_schema", "json_object"), 200, 200)],
)
def test_servers_without_structured_output(formats: tuple[str, ...], schema_status: int, object_status: int) -> None:
    with ScriptedServer(response_formats=formats) as server:
        by_schema = post(server, request("hello", LIKERT_SCHEMA))
        by_object = post(server, {**request("hello"), "response_format": {"type": "json_object"}})
        plain = post(server)
    assert (by_schema.status_code, by_object.status_code, plain.status_code) == (schema_status, object_status, 200)


def test_requests_are_recorded_with_their_headers() -> None:
    with ScriptedServer() as server:
        httpx.post(f"{server.base_url}/chat/completions", json=request("héllo"), headers={"Authorization": "Bearer k"})
        received = server.requests[0]
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.body == request("héllo")
    assert received.headers["authorization"] == "Bearer k"
    assert 0 <= time.monotonic() - received.at_s < 5


def test_models_are_listed_as_openai_and_as_ollama_do() -> None:
    with ScriptedServer(models=("a", "b")) as server:
        openai_models = httpx.get(f"{server.base_url}/models").json()["data"]
        ollama_models = httpx.get(f"{server.root_url}/api/tags").json()["models"]
        unknown = httpx.get(f"{server.root_url}/elsewhere")
    assert [model["id"] for model in openai_models] == [model["name"] for model in ollama_models] == ["a", "b"]
    assert unknown.status_code == 404


def test_concurrent_requests_overlap_and_the_peak_is_known() -> None:
    with ScriptedServer(latency_s=0.2) as server, httpx.Client() as client, ThreadPoolExecutor(8) as pool:
        url, started = f"{server.base_url}/chat/completions", time.monotonic()
        list(pool.map(lambda _: client.post(url, json=request("hello")), range(8)))
        elapsed = time.monotonic() - started
    assert elapsed < 8 * 0.2
    assert 2 <= server.peak_in_flight <= 8
    assert server.in_flight == 0


async def test_it_starts_and_stops_in_an_async_test() -> None:
    async with ScriptedServer() as server, httpx.AsyncClient() as client:
        response = await client.post(f"{server.base_url}/chat/completions", json=request("hello"))
    assert response.status_code == 200


def test_a_port_in_use_is_an_error() -> None:
    with ScriptedServer() as server:
        port = httpx.URL(server.base_url).port
        assert port is not None
        with pytest.raises(OSError, match="address already in use"):
            ScriptedServer(port=port).start()


def test_it_runs_as_a_process() -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.judges.server", "--latency-ms", "1"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            base_url = process.stdout.readline().strip()
            response = httpx.post(f"{base_url}/chat/completions", json=request(RULER_PROMPT), timeout=5)
        finally:
            process.terminate()
    assert len(content(response)["scores"]) == 2
