"""The Python API, over HTTP against a judge that is told what to say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

import reward_lab
from reward_lab import Judge, Rubric, Scored, Unscored, api
from reward_lab.errors import InvalidChat, InvalidRubric, InvalidRun
from tests.judges.server import Json, Reply, ScriptedServer

PREFIX = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Well?"}]


def conversations(*answers: str) -> list[list[dict[str, str]]]:
    return [[*PREFIX, {"role": "assistant", "content": answer}] for answer in answers]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    api.close()


def listing(*scores: tuple[str, float]) -> Reply:
    found = [{"trajectory_id": one, "explanation": f"says {one}", "score": score} for one, score in scores]
    return Reply.text(json.dumps({"scores": found}))


async def test_ruler_scores_in_the_order_given_whatever_the_order_of_the_reply(server: ScriptedServer) -> None:
    server.script(lambda _body, _index: listing(("3", 0.3), ("1", 0.1), ("2", 0.2)))
    verdicts = await reward_lab.ruler(
        conversations("one", "two", "three"), "openai/m", api_base=server.base_url, rubric="Prefer {braces}."
    )
    assert [(one.trajectory_id, one.score, one.explanation) for one in verdicts if isinstance(one, Scored)] == [
        ("1", 0.1, "says 1"),
        ("2", 0.2, "says 2"),
        ("3", 0.3, "says 3"),
    ]
    (request,) = server.requests
    asked = json.dumps(request.body["messages"])
    assert "Prefer {braces}." in asked
    assert asked.count("Be brief.") == 1


async def test_tools_and_parameters_reach_the_judge(server: ScriptedServer) -> None:
    server.script(lambda _body, _index: listing(("1", 0.5), ("2", 0.5)))
    judge = Judge(model="openai/m", api_base=server.base_url, parameters={"temperature": 0.5})
    tool = {"type": "function", "function": {"name": "look_up_order"}}
    await reward_lab.ruler(conversations("a", "b"), judge, tools=[tool])
    (request,) = server.requests
    assert request.body["temperature"] == 0.5
    assert "look_up_order" in json.dumps(request.body["messages"])


async def test_a_judge_that_fails_is_a_verdict_not_an_exception(server: ScriptedServer) -> None:
    server.script(lambda _body, _index: Reply.text("I cannot assess these."))
    verdicts = await reward_lab.ruler(conversations("a", "b"), "openai/m", api_base=server.base_url)
    assert [type(verdict) for verdict in verdicts] == [Unscored, Unscored]


async def test_a_list_that_is_no_conversation_is_named() -> None:
    with pytest.raises(InvalidChat, match=r"message_lists\[1\]\[0\]"):
        await reward_lab.ruler([PREFIX, [{"role": "nobody", "content": ""}]], "offline")


async def test_no_trajectories_no_verdicts() -> None:
    assert await reward_lab.ruler([], "offline") == []


def test_every_event_loop_is_served(server: ScriptedServer) -> None:
    for number in range(3):
        server.script(lambda _body, _index: listing(("1", 0.5), ("2", 0.7)))
        asked = reward_lab.ruler(conversations(f"a{number}", "b"), "openai/m", api_base=server.base_url)
        assert [verdict.trajectory_id for verdict in asyncio.run(asked)] == ["1", "2"]
    assert len(server.requests) == 3


async def test_a_group_is_scored_by_several_methods_and_stored(server: ScriptedServer) -> None:
    def answer(body: Json, _index: int) -> Reply:
        if '<trajectory id="1">' in str(body["messages"]):
            return listing(("1", 0.9), ("2", 0.1))
        return Reply.text("No comment.") if "worse" in str(body["messages"]) else Reply.text('{"rating": 8}')

    server.script(answer)
    record = {"id": "g", "trajectories": [{"id": "a", "text": "better"}, {"id": "b", "text": "worse"}]}
    judge = Judge(model="openai/m", api_base=server.base_url)
    scores = await reward_lab.score_group(record, methods=["ruler", "likert"], judge=judge, rubric=Rubric())
    assert scores.rewards("ruler") == [0.9, 0.1]
    assert scores.rewards("likert") == [pytest.approx(7 / 9), None]
    again = await reward_lab.score_group(record, methods=["ruler"], judge=judge)
    assert again.run_id == scores.run_id + 1


async def test_a_rubric_file_an_endpoint_and_parameters_serve_as_they_are(server: ScriptedServer) -> None:
    marks = [{"id": "1", "explanation": "e", "met": True}]
    server.script(lambda _body, _index: Reply.text(json.dumps({"criteria": marks})))
    rubric = {"name": "refunds", "criteria": [{"description": "Names 30 days.", "category": "Essential"}]}
    scores = await reward_lab.score_group(
        {"trajectories": [{"text": "30 days."}]},
        methods=["rar_explicit"],
        judge="openai/m",
        rubric=rubric,
        api_base=server.base_url,
        parameters={"temperature": 0.5},
    )
    assert scores.rewards("rar_explicit") == [1.0]
    assert server.requests[0].body["temperature"] == 0.5
    with pytest.raises(InvalidRubric, match="description"):
        await reward_lab.ruler(conversations("a"), "offline", rubric={"criteria": [{"title": "only"}]})


def test_one_cache_and_one_set_of_limits_serve_both_ways_of_asking(server: ScriptedServer) -> None:
    server.script(lambda _body, _index: listing(("1", 0.5), ("2", 0.7)))

    async def both() -> None:
        await reward_lab.ruler(conversations("a", "b"), "openai/m", api_base=server.base_url)
        record = {"trajectories": [{"text": "a"}, {"text": "b"}]}
        await reward_lab.score_group(record, judge="openai/m", api_base=server.base_url)

    asyncio.run(both())
    assert api._process.lab().judging is api._process.judging()


async def test_an_unknown_method_is_named() -> None:
    with pytest.raises(InvalidRun, match="vibes"):
        await reward_lab.score_group({"trajectories": [{"text": "a"}]}, methods=["vibes"])


def test_the_public_names_are_there_and_no_others() -> None:
    for name in reward_lab.__all__:
        assert getattr(reward_lab, name) is not None
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = reward_lab.nothing_here
