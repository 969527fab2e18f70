"""``reward-lab rubric convert``, as a person types it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from reward_lab.cli import main
from tests.exchange.rubrics.examples import HEALTHBENCH, RAR

Convert: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def convert(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Convert:
    def called(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["reward-lab", "rubric", "convert", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        status = ended.value.code
        return (status if isinstance(status, int) else 0, *capsys.readouterr())

    return called


def test_a_file_is_converted_and_what_is_lost_is_said(tmp_path: Path, convert: Convert) -> None:
    source, out = tmp_path / "rar.jsonl", tmp_path / "out.json"
    source.write_text(json.dumps(RAR), encoding="utf-8")
    status, said, told = convert(source, "--to", "healthbench", "--out", out)
    assert status == 0
    assert said == f"1 rubric from rar to healthbench. Written to {out}.\n"
    assert "criterion 5: worded as one that names a fault: met when false" in told
    assert "not kept: 'rar': the title of every criterion" in told
    points = [item["points"] for item in json.loads(out.read_text(encoding="utf-8"))["rubrics"]]
    assert points == [10, 7, 3, 9, -9]


def test_our_own_json_and_back(tmp_path: Path, convert: Convert) -> None:
    source, own, back = tmp_path / "hb.jsonl", tmp_path / "own.json", tmp_path / "back.jsonl"
    source.write_text(json.dumps(HEALTHBENCH), encoding="utf-8")
    assert convert(source, "--from", "healthbench", "--to", "reward-lab", "--out", own)[0] == 0
    record = json.loads(own.read_text(encoding="utf-8"))
    assert (record["name"], record["scoring"]["explicit_scale"]) == ("4c3f", "points")
    assert record["criteria"][3] == {
        "title": "",
        "description": "Gives a dose.",
        "category": "Pitfall",
        "weight": -6,
        "meets_when": False,
        "source": {"item": {"tags": ["level:example", "axis:accuracy"]}},
    }
    assert convert(own, "--to", "healthbench", "--out", back)[0] == 0
    assert json.loads(back.read_text(encoding="utf-8")) == HEALTHBENCH


def test_a_skipped_line_is_named_and_gives_status_1(tmp_path: Path, convert: Convert) -> None:
    source = tmp_path / "hb.jsonl"
    source.write_text(json.dumps(HEALTHBENCH) + "\n{\n", encoding="utf-8")
    status, said, told = convert(source, "--to", "csv", "--out", tmp_path / "out.csv")
    assert (status, said.startswith("1 rubric from healthbench to csv.")) == (1, True)
    assert "skipped: line 2: not JSON" in told


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("[]", ("--to", "csv", "--out", "out.csv"), "is in no rubric format that is known"),
        (json.dumps(HEALTHBENCH), ("--to", "xls", "--out", "out.xls"), "There is no rubric format 'xls'"),
        (json.dumps(HEALTHBENCH), ("--to", "csv", "--out", "no/out.csv"), "make it first"),
        (
            json.dumps(HEALTHBENCH),
            ("--from", "rar", "--to", "csv", "--out", "o.csv"),
            "no rubric could be read as RaR: criterion 1",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    content: str,
    options: tuple[str, ...],
    words: str,
    tmp_path: Path,
    convert: Convert,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.json").write_text(content, encoding="utf-8")
    status, _, told = convert("in.json", *options)
    assert status == 2
    assert words in told
    assert len(told.strip().split("\n")) == 1
