"""What litellm raises, in words that hold what a person needs and nothing of a client's innards."""

from __future__ import annotations

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.verdict import Reason
from reward_lab.judges.faults import fault_of

JUDGE = Judge(model="openai/m", api_base="http://127.0.0.1:9/v1")


class Failed(Exception):
    """An error as litellm raises it."""

    def __init__(self, message: str, status_code: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Cannot connect to host a:9 ssl:<ssl.SSLContext object at 0x7f00c0ffee00> [Connect call failed]",
            "Cannot connect to host a:9 [Connect call failed]",
        ),
        ("Cannot connect to host a:9 ssl:default [nodename nor servname]", "host a:9 [nodename nor servname]"),
        ("Broken <aiohttp.client.ClientSession object at 0x7f12> pipe", "Broken pipe"),
    ],
)
def test_no_object_of_the_program_stands_in_a_message(said: str, told: str) -> None:
    unreachable = type("ClientConnectorError", (Failed,), {})(said, 500)
    fault = fault_of(unreachable, JUDGE).fault
    assert fault.reason is Reason.CONNECTION
    assert told in fault.detail
    assert "0x" not in fault.detail
    assert "ssl:" not in fault.detail


@pytest.mark.parametrize("status", [None, 500])
def test_a_key_that_is_missing_was_no_answer_of_a_server(status: int | None) -> None:
    fault = fault_of(Failed("Missing credentials. Set the OPENAI_API_KEY", status), Judge(model="openai/m")).fault
    assert fault.reason is Reason.AUTHENTICATION
    assert fault.detail.startswith("openai/m needs a key, and has none: ")
    assert "HTTP" not in fault.detail


def test_a_page_where_a_judge_should_answer_is_told_once_with_what_to_look_at() -> None:
    page = "Unable to get json response - Expecting value, Original Response: <html>\n<title>Wiki</title>"
    failed = fault_of(Failed(page, 200), JUDGE)
    assert (failed.fault.reason, failed.retryable) == (Reason.SERVER_ERROR, False)
    assert failed.fault.detail == (
        "127.0.0.1:9 answers, but not as an OpenAI-compatible API: does the endpoint end in /v1? "
        'It said: "<html> <title>Wiki</title>".'
    )
    ollama = fault_of(Failed(page, 200), Judge(model="ollama_chat/m", api_base="http://127.0.0.1:9/v1"))
    assert "not as Ollama's API: has the endpoint a path too many, such as /v1?" in ollama.fault.detail


def test_a_key_that_is_not_taken_was() -> None:
    fault = fault_of(Failed("Incorrect API key provided", 401), Judge(model="openai/m")).fault
    assert fault.detail.startswith("openai/m does not take the key (HTTP 401): ")
