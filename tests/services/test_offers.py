"""Judges at hand are looked for once a minute."""

from __future__ import annotations

from reward_lab.judges.discovery import Offer as Found
from reward_lab.services.offers import Offers


def test_offline_comes_first_and_labels_are_unique() -> None:
    twice = [Found("openai/m", None, "OpenAI", "hosted"), Found("openai/m", None, "OpenAI", "hosted")]
    assert [offer.label for offer in Offers(lambda: twice).found()] == [
        "offline (built in, no LLM)",
        "OpenAI: openai/m",
    ]


def test_a_server_started_later_is_found_a_minute_later() -> None:
    now, running = [0.0], []
    offers = Offers(lambda: list(running), lambda: now[0])
    assert len(offers.found()) == 1
    running.append(Found("ollama_chat/q", "http://127.0.0.1:11434", "Ollama", "local"))
    assert len(offers.found()) == 1
    now[0] = 61.0
    assert len(offers.found()) == 2
