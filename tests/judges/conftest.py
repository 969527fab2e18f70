from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.methods.method import Arrangement, Method
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Call
from reward_lab.core.verdict import Verdict
from reward_lab.judges import Asker, Policy
from reward_lab.judges.litellm_client import LitellmTransport
from tests.judges.server import ScriptedServer

QUICK = Policy(concurrency=8, timeout_s=20.0, attempts=3, first_wait_s=0.02, longest_wait_s=3.0)


def group_of(*answers: str, system_prompt: str = "Answer from the context only.") -> Group:
    """A group with trajectories A, B, C ..., one an answer."""
    trajectories = [{"id": chr(65 + place), "text": answer} for place, answer in enumerate(answers)]
    scenario = {"system_prompt": system_prompt, "messages": [{"role": "user", "content": "Is a refund possible?"}]}
    return Group.from_record({"id": "g", "scenario": scenario, "trajectories": trajectories})


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture
def judge(server: ScriptedServer) -> Judge:
    return Judge(model="openai/scripted", api_base=server.base_url)


@pytest.fixture
async def transport() -> AsyncIterator[LitellmTransport]:
    client = LitellmTransport(trust_all_endpoints=True)
    yield client
    await client.aclose()


async def scored(
    asker: Asker, method: Method, group: Group, judge: Judge, rubric: Rubric | None = None, **options: Any
) -> tuple[list[Verdict], list[Call]]:
    """Verdicts of one group by one method, as the engine comes by them, and the calls they took."""
    rubric = rubric or Rubric()
    batches = [group.trajectories] if method.unit == "group" else [(one,) for one in group.trajectories]
    verdicts: list[Verdict] = []
    calls: list[Call] = []
    for members in batches:
        replies = []
        for question in method.questions(group, members, rubric, Arrangement()):
            asked = await asker.ask(question, judge, method_version=method.version, sample=0, **options)
            replies.append(asked.replied)
            calls.extend(asked.calls)
        verdicts.extend(method.verdicts(group, members, rubric, replies))
    return verdicts, calls
