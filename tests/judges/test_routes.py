from __future__ import annotations

from reward_lab.core.judge import Judge
from reward_lab.judges import Routes
from reward_lab.judges.scripted import ScriptedTransport


def test_only_the_offline_judge_goes_by_its_own_transport() -> None:
    offline, hosted = ScriptedTransport([]), ScriptedTransport([])
    routes = Routes(offline=offline, hosted=hosted)

    assert routes.transport_of(Judge()) is offline
    assert routes.transport_of(Judge(model="openai/offline")) is hosted
    assert routes.transport_of(Judge(model="ollama_chat/qwen3", api_base="http://127.0.0.1:11434")) is hosted
