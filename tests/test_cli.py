"""The command line, over files: within the test's process, and once as the process that a person starts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from rich.cells import cell_len

from reward_lab import __version__
from reward_lab.cli import main
from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.settings import read_settings
from reward_lab.wiring import open_lab
from tests.judges.server import Reply, ScriptedServer

GROUP = {
    "id": "refund",
    "scenario": {
        "system_prompt": "Answer using ONLY the context.",
        "messages": [{"role": "user", "content": "Context: Refunds within 30 days.\n\nWhat is the refund policy?"}],
    },
    "trajectories": [
        {"id": "a", "label": "faithful", "text": "You can get a refund within 30 days."},
        {"id": "b", "text": "Refunds take 90 days; call 1-800-REFUND.", "independent_reward": 1},
    ],
}

RESULT_KEYS = {
    "trajectory_id", "method", "status", "score", "reward", "rank", "advantage", "explanation", "criteria", "reason",
    "told_to_judge",
}  # fmt: skip


@dataclass(frozen=True)
class Done:
    """What a command printed, and its exit status."""

    returncode: int
    stdout: str
    stderr: str


Run: TypeAlias = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`reward-lab` with these arguments, in this process."""

    def called(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["reward-lab", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        status = ended.value.code
        return Done(status if isinstance(status, int) else 0, *capsys.readouterr())

    return called


def started(*arguments: str | Path, flags: tuple[str, ...] = ()) -> Done:
    """`reward-lab` with these arguments, in a process of its own."""
    command = [sys.executable, *flags, "-m", "reward_lab", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def write_lines(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_a_file_is_scored_and_stored(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    path = write_lines(tmp_path / "in.jsonl", GROUP)
    done = started("score", path, "--method", "ruler", "--method", "likert", "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    (record,) = read_lines(out)
    results = record["results"]
    assert [(one["trajectory_id"], one["method"], one["status"]) for one in results] == [
        ("a", "ruler", "scored"),
        ("b", "ruler", "scored"),
        ("a", "likert", "scored"),
        ("b", "likert", "scored"),
    ]
    assert all(set(one) == RESULT_KEYS for one in results)
    assert results[0]["rank"] == 1
    assert record["usage"] == {"calls": 3, "cached": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0}
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    try:
        (summary,) = lab.scoring.runs().rows
        assert (summary.name, summary.models, summary.methods) == ("in", ("offline",), ("ruler", "likert"))
        assert lab.results.of(summary.id).table.rows[0].trajectory.label == "faithful"
    finally:
        lab.close()


def test_a_bad_line_is_named_and_the_rest_is_scored(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    path = write_lines(tmp_path / "in.jsonl", GROUP, "{broken", {**GROUP, "id": "second"})
    done = run("score", path, "--method", "likert", "--out", out)
    assert done.returncode == 1
    assert f"{path}:2: skipped: not JSON" in done.stderr
    assert [record["id"] for record in read_lines(out)] == ["refund", "second"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "vibes"), "There is no method 'vibes'"),
        (("--method", "ruler", "--param", "temperature"), "expected name=value"),
        (("--method", "ruler", "--param", "api_key=sk-1"), "keys come from the environment"),
        (("--method", "ruler", "--param", "timeout=3"), "set REWARD_LAB_TIMEOUT_S"),
        (("--method", "ruler", "--judge", "openai/m", "--api-base", "localhost:1"), "must start with http"),
    ],
)
def test_a_wrong_option_is_one_line_and_status_2(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run("score", write_lines(tmp_path / "in.jsonl", GROUP), *arguments, "--out", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_a_real_judge_is_asked_with_the_parameters_given(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    path = write_lines(tmp_path / "in.jsonl", GROUP)
    rubric = tmp_path / "rubric.json"
    rubric.write_text(json.dumps({"name": "r", "criteria": [{"description": "Says {0}."}]}), encoding="utf-8")
    with ScriptedServer() as server:
        done = run(
            "score", path, "--method", "ruler", "--method", "rar_explicit", "--judge", "openai/m",
            "--api-base", server.base_url, "--param", "temperature=0.25", "--rubric", rubric,
            "--repeats", "2", "--concurrency", "4", "--out", out,
        )  # fmt: skip
        bodies = [request.body for request in server.requests]
    assert done.returncode == 0, done.stderr
    assert len(bodies) == 6
    assert {body["temperature"] for body in bodies} == {0.25}
    (record,) = read_lines(out)
    assert record["usage"]["calls"] == 6
    assert record["usage"]["cost_usd"] is None
    assert {one["status"] for one in record["results"]} == {"scored"}
    assert "cost unknown" in done.stdout


def test_a_judge_that_fails_leaves_null_and_a_reason(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with ScriptedServer() as server:
        server.script(lambda _body, _index: Reply.text("I cannot assess these."))
        done = run(
            "score", write_lines(tmp_path / "in.jsonl", GROUP), "--method", "ruler", "--judge", "openai/m",
            "--api-base", server.base_url, "--out", out,
        )  # fmt: skip
    assert done.returncode == 0
    for one in read_lines(out)[0]["results"]:
        assert (one["status"], one["score"], one["reward"], one["rank"], one["advantage"]) == ("unscored", *[None] * 4)
        assert str(one["reason"]).startswith("refusal: ")
        assert "declined" not in str(one["reason"])
        assert "I cannot assess these." in str(one["told_to_judge"])


def test_a_reason_speaks_to_a_person_and_what_the_judge_was_told_stands_beside_it(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with ScriptedServer() as server:
        server.script(lambda _body, _index: Reply.text("Seven, I would say."))
        done = run(
            "score", write_lines(tmp_path / "in.jsonl", GROUP), "--method", "likert", "--judge", "openai/m",
            "--api-base", server.base_url, "--out", out,
        )  # fmt: skip
    said = "unreadable_reply: The judge's reply could not be read. Score again, or choose another judge."
    for one in read_lines(out)[0]["results"]:
        assert one["reason"] == said
        assert "JSON" in one["told_to_judge"]
    first, second, *_ = done.stderr.splitlines()
    assert first == f"unscored, 2 of them: likert: {said}"
    assert second.startswith("  the judge was told, for one: ")


def test_runs_are_listed_newest_first(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "No runs yet" in run("runs").stdout
    for name in ("first", "second"):
        run("score", write_lines(tmp_path / f"{name}.jsonl", GROUP), "--method", "likert", "--out", tmp_path / "o")
    listed = run("runs").stdout
    assert listed.index("second") < listed.index("first")
    assert "2/2" in listed
    only = run("runs", "--limit", "1").stdout
    assert "1 of 2 runs" in only


def test_what_is_piped_holds_a_whole_run_a_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "a name that is much longer than a terminal of eighty columns has room for, were it read from one"
    methods = ("--method", "ruler", "--method", "likert", "--method", "rar_implicit")
    run("score", write_lines(tmp_path / f"{name}.jsonl", GROUP), *methods, "--out", tmp_path / "o")
    head, line, address = run("runs").stdout.splitlines()
    assert head.split()[:2] == ["Run", "Name"]
    assert name in line
    assert "ruler, likert, rar_implicit" in line
    assert address.endswith("http://127.0.0.1:8501/?run=1")


def test_a_terminal_gets_a_run_a_line_cut_to_its_width(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "退款 and a name that is much longer than a terminal of eighty columns has room for \x1b[31m"
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    try:
        settings = RunSettings(methods=("ruler", "likert", "rar_implicit"))
        lab.scoring.start(NewRun((Group.from_record(GROUP),), Rubric(), (Judge(),), settings, name=name))[1].result(60)
    finally:
        lab.close()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")  # for rich a terminal
    printed = re.sub(r"\x1b\[[0-9;]*m", "", run("runs").stdout)
    head, line, _ = printed.splitlines()
    assert max(map(cell_len, (head, line))) <= 80
    for whole in ("finished", "5/5", "$0.0000"):
        assert whole in line
    assert "…" in line


def test_score_says_where_its_run_is_seen(run: Run, tmp_path: Path) -> None:
    done = run("score", write_lines(tmp_path / "in.jsonl", GROUP), "--method", "likert", "--out", tmp_path / "o")
    assert done.stdout.splitlines()[-1].endswith("http://127.0.0.1:8501/?run=1")


def test_the_version_is_printed_without_loading_the_app() -> None:
    done = started("--version", flags=("-X", "importtime"))
    assert (done.returncode, done.stdout.strip()) == (0, __version__)
    assert "typer" in done.stderr
    assert not [name for name in ("streamlit", "pandas", "sqlalchemy", "litellm") if name in done.stderr]


def test_a_group_that_stands_there_twice_is_scored_once(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("score", write_lines(tmp_path / "in.jsonl", GROUP, GROUP), "--method", "ruler", "--out", out)
    assert (done.returncode, len(read_lines(out))) == (1, 1)
    assert "'refund' stands there twice" in done.stderr


def test_a_second_group_under_one_id_is_skipped_and_told(run: Run, tmp_path: Path) -> None:
    other = {**GROUP, "trajectories": [{"id": "a", "text": "Ask your bank."}, {"id": "b", "text": "No refunds."}]}
    out = tmp_path / "out.jsonl"
    done = run("score", write_lines(tmp_path / "in.jsonl", GROUP, other), "--method", "ruler", "--out", out)
    assert (done.returncode, [one["id"] for one in read_lines(out)]) == (1, ["refund"])
    assert "skipped: group 'refund' stands there twice, with different content: give each an id of its own" in (
        done.stderr
    )
    lab = open_lab(read_settings(), trust_all_endpoints=False)
    try:
        (row,) = (lab.results.of(1).table.rows[0],)
        assert row.trajectory.answer == "You can get a refund within 30 days."
    finally:
        lab.close()


def test_an_output_that_cannot_be_written_is_told_before_anything_is_scored(run: Run, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", GROUP)
    done = run("score", path, "--method", "ruler", "--out", tmp_path / "absent" / "out.jsonl")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr
    assert "No runs yet" in run("runs").stdout
