"""A key in the environment goes to those who may have it, and is found nowhere afterwards.

The judge of these tests gives back what it was sent, wherever a server can put a text: in errors of every status, in
headers, in the reply itself. Everything is then searched: the home byte for byte and its databases row by row (a long
text may be cut by a page), what was written and printed, and the log at DEBUG.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings, RunState
from reward_lab.core.verdict import Scored
from reward_lab.settings import Settings
from reward_lab.wiring import Lab, open_lab
from tests.judges.answers import obedient_answer
from tests.judges.server import Reply, ScriptedServer
from tests.judges.test_keys import PLANTED

SECRETS = sorted({value.removeprefix("X-Gateway-Secret: ") for value in PLANTED.values()})

WITH_LOG = """
import logging, sys
logging.basicConfig(filename=sys.argv.pop(1), level=logging.DEBUG)
from reward_lab.cli import main
main()
"""


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)


class Echo:
    """A judge that returns the headers it was sent, in another way each time: once for every way to fail, then well."""

    def __init__(self, server: ScriptedServer) -> None:
        self._server = server
        self.ways = 0

    def __call__(self, body: dict[str, Any], index: int) -> Reply:
        headers = self._server.requests[-1].headers
        sent = f"You sent {' '.join(headers.values())} {PLANTED['OPENAI_API_KEY']}"
        ways = [
            Reply.status(401, f"Incorrect API key provided: {sent}", headers={"X-Echo": sent}),
            Reply.status(500, sent),
            Reply.status(429, sent, headers={"Retry-After": "0.1", "X-Ratelimit-Key": sent}),
            Reply.status(400, sent),
            Reply.status(404, sent),
            Reply.status(403, f"content policy: {sent}"),
            Reply.not_json(sent.encode()),
            Reply.not_json(sent.encode(), status_code=502),
            Reply.text(sent),
            Reply.text(json.dumps({"explanation": sent, "rating": sent, "scores": sent})),
            Reply.refusal(sent),
            Reply.text("", finish_reason=sent),
            Reply(payload={"choices": sent}),
            Reply(payload={"choices": [{"message": sent, "finish_reason": sent}]}),
            Reply(payload={"error": {"message": sent}}),
            Reply(raw=json.dumps([sent]).encode()),
            Reply.hang(),
        ]
        self.ways = len(ways)
        if index < len(ways):
            return ways[index]
        return Reply(
            payload=Reply.text(obedient_answer(body).replace('"scripted"', json.dumps(sent))).payload,
            headers={"X-Request-Id": sent},
            reports_usage=True,
        )


def group(number: int) -> Group:
    return Group.from_record(
        {
            "id": f"g{number}",
            "scenario": {"messages": [{"role": "user", "content": "What is the refund policy?"}]},
            "trajectories": [{"id": "a", "text": f"{number} days."}],
        }
    )


@contextmanager
def lab_of(home: Path, **settings: Any) -> Iterator[Lab]:
    """The app's parts, as the page opens them: no endpoint is trusted but those in the settings."""
    lab = open_lab(Settings(home=home, timeout_s=4.0, **settings), trust_all_endpoints=False)
    try:
        yield lab
    finally:
        lab.close()


def scored(lab: Lab, groups: int, *judges: Judge) -> int:
    """The id of a finished run of `likert`."""
    new = NewRun(tuple(map(group, range(groups))), Rubric(), judges, RunSettings(methods=("likert",)))
    run_id, future = lab.scoring.start(new)
    assert future.result(120) is RunState.FINISHED
    return run_id


def shown(lab: Lab, run_id: int) -> str:
    """All that a page can show of a run."""
    calls = [lab.results.calls(run_id, group_id, "likert", "a") for group_id in lab.scoring.run(run_id).group_ids]
    table = lab.results.of(run_id)
    return json.dumps([str(calls), list(lab.results.records(run_id)), str(table), str(lab.scoring.runs())])


def rows_below(folder: Path) -> str:
    """The rows of every database in a folder, as SQL."""
    dumps = []
    for path in folder.rglob("*.db"):
        with closing(sqlite3.connect(path)) as database:
            dumps.extend(database.iterdump())
    return "\n".join(dumps)


def assert_nowhere(folder: Path, *texts: str) -> None:
    """No key stands in a file of the folder, nor in a text, as it is or as an encoding of it."""
    places = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    places |= {f"text {number}": text.encode() for number, text in enumerate((rows_below(folder), *texts))}
    assert sum(map(len, places.values())) > 1000
    found = {
        (secret, place)
        for secret in map(str.encode, SECRETS)
        for place, content in places.items()
        if secret in content or base64.b64encode(secret) in content
    }
    assert not found


@pytest.mark.parametrize(
    ("model", "variables"), [("openai/scripted", {"LITELLM_LOG": "DEBUG"}), ("openai/gpt-4.1", {})]
)
def test_the_command_leaves_no_key_behind(
    tmp_path: Path, reward_lab_home: Path, model: str, variables: dict[str, str]
) -> None:
    """By litellm's own client and by OpenAI's; the one who types the command trusts the endpoint, so it has the key."""
    source, out, log = tmp_path / "in.jsonl", tmp_path / "out.jsonl", tmp_path / "debug.log"
    source.write_text("\n".join(json.dumps(group(number).to_record()) for number in range(20)), encoding="utf-8")
    with ScriptedServer() as server:
        echo = Echo(server)
        server.script(echo)
        done = subprocess.run(
            [
                *(sys.executable, "-c", WITH_LOG, str(log), "score", str(source), "--method", "likert"),
                *("--judge", model, "--api-base", server.base_url, "--out", str(out)),
            ],
            capture_output=True,
            text=True,
            env={**os.environ, "REWARD_LAB_TIMEOUT_S": "4", **variables},
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert {request.headers["authorization"] for request in server.requests} == {
            f"Bearer {PLANTED['OPENAI_API_KEY']}"
        }
        assert len(server.requests) >= echo.ways + 10  # a page where a judge should answer is asked for once
    results = [json.loads(line)["results"][0] for line in out.read_text(encoding="utf-8").splitlines()]
    for told in ("explanation", "reason"):
        assert any("[key]" in (one[told] or "") for one in results)
    assert server.base_url in log.read_text(encoding="utf-8") + done.stdout, "the calls are in a log"
    assert_nowhere(tmp_path, done.stdout, done.stderr)
    assert reward_lab_home.is_relative_to(tmp_path)


def test_the_page_leaves_no_key_behind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither with an endpoint in the settings, which has the key, nor with one that says a key it had before."""
    caplog.set_level(logging.DEBUG)
    told = []
    for trusted in (True, False):
        with ScriptedServer() as server:
            server.script(Echo(server))
            with lab_of(tmp_path / str(trusted), endpoints=[server.base_url] if trusted else []) as lab:
                run_id = scored(lab, 20, Judge(model="openai/scripted", api_base=server.base_url))
                told.append(shown(lab, run_id))
                assert_nowhere(tmp_path)  # the write-ahead log is still there
    assert all("[key]" in one and "You sent" in one for one in told)
    assert_nowhere(tmp_path, *told, caplog.text, *capfd.readouterr())


def test_a_typed_endpoint_learns_no_key_whatever_the_provider(tmp_path: Path) -> None:
    with ScriptedServer() as server, lab_of(tmp_path) as lab:
        import litellm

        prefixes = sorted({str(getattr(one, "value", one)) for one in litellm.provider_list})
        judges = [Judge(model=f"{prefix}/scripted", api_base=server.base_url) for prefix in prefixes]
        run_id = scored(lab, 1, *judges, Judge(model="openai/gpt-4.1", api_base=server.base_url))
        verdicts = {stored.judge: stored.verdict for stored in lab.store.verdicts(run_id)}
        requests = server.requests

    assert len(prefixes) > 100
    assert len(verdicts) == len(prefixes) + 1
    assert {prefix for place, prefix in enumerate(prefixes) if isinstance(verdicts[place], Scored)} >= {
        *("openai", "hosted_vllm", "lm_studio", "llamafile", "litellm_proxy", "custom_openai", "openai_like"),
    }
    for request in requests:
        sent = json.dumps([request.path, dict(request.headers), request.body])
        assert not [secret for secret in SECRETS if secret in sent]
        assert request.headers.get("authorization", "Bearer no-key") == "Bearer no-key"
        assert not {"openai-organization", "openai-project", "x-gateway-secret", "x-api-key", "api-key"} & set(
            request.headers
        )


def test_an_endpoint_in_the_settings_has_the_key_and_another_beside_it_has_not(tmp_path: Path) -> None:
    with ScriptedServer() as trusted, ScriptedServer() as other:
        with lab_of(tmp_path, endpoints=[trusted.base_url]) as lab:
            judges = [Judge(model="openai/scripted", api_base=server.base_url) for server in (trusted, other)]
            run_id = scored(lab, 1, *judges)
            assert all(isinstance(stored.verdict, Scored) for stored in lab.store.verdicts(run_id))
        assert [request.headers["authorization"] for request in trusted.requests] == [
            f"Bearer {PLANTED['OPENAI_API_KEY']}"
        ]
        assert [request.headers["authorization"] for request in other.requests] == ["Bearer no-key"]
