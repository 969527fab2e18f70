"""What is found out about a file, and what is refused, in the words that a person reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reward_lab.errors import InvalidInput, InvalidRubric, RewardLabError
from reward_lab.exchange.rubrics import contents, read_rubrics
from tests.exchange.rubrics.examples import HEALTHBENCH, SCORES, TREE

PAIR = {"criterion": "States it.", "points": 3}
TRIPLE = {"title": "T", "description": "States it.", "weight": 3}


@pytest.mark.parametrize(
    ("name", "content", "format_name"),
    [
        ("a.json", json.dumps(HEALTHBENCH), "healthbench"),
        ("a.txt", json.dumps(HEALTHBENCH), "healthbench"),
        ("a", "\ufeff" + json.dumps(HEALTHBENCH) + "\r\n\r\n" + json.dumps(HEALTHBENCH), "healthbench"),
        ("healthbench_mine.json", json.dumps([PAIR]), "healthbench"),
        ("RubricHub-mine.json", json.dumps([PAIR]), "rubrichub"),
        ("x.json", json.dumps([{**PAIR, "points": -3}]), "healthbench"),
        ("dr-tulu.json", json.dumps({"rubrics": [TRIPLE]}), "drtulu"),
        ("x.json", json.dumps({"query": "q", "rubrics": [TRIPLE]}), "drtulu"),
        ("x.json", json.dumps({"rubric_count": 1, "rubric": [TRIPLE]}), "rar"),
        ("x.json", json.dumps([{**TRIPLE, "description": "Optional Criteria: States it."}]), "rar"),
        ("x.jsonl", json.dumps({"criteria": "c", **SCORES}), "prometheus"),
        ("x.json", json.dumps([TREE, TREE]), "paperbench"),
        ("x.json", '{"guidance": "g"}', "reward-lab"),
        ("x.json", '{"criteria": [{"description": "d"}]}', "reward-lab"),
        ("x.json", '{"criteria": ["d"]}', "json-list"),
        ("x.yaml", "- d\n- e\n", "yaml"),
        ("x", "guidance: g\n", "yaml"),
        ("x.yml", json.dumps(HEALTHBENCH), "healthbench"),
        ("x", "description,weight\nd,1\n", "csv"),
        ("x.tsv", "description\tweight\nd\t1\n", "csv"),
        ("x.md", "- d\n- e\n", "markdown"),
        ("x", "Be kind, please.\n", "markdown"),
        ("x", "[a link](https://example.org) and more\n", "markdown"),
    ],
)
def test_the_format_is_found_by_content_and_the_name_decides_ties(name: str, content: str, format_name: str) -> None:
    assert read_rubrics(content.encode(), name).format == format_name


@pytest.mark.parametrize(
    ("value", "names"),
    [([PAIR], "healthbench, rubrichub or json-list"), ([TRIPLE], "rar, rubrichub, drtulu or json-list")],
)
def test_what_could_be_several_formats_is_not_guessed(value: Any, names: str) -> None:
    with pytest.raises(InvalidRubric) as caught:
        read_rubrics(json.dumps(value).encode(), "x.json")
    assert str(caught.value) == f"x.json could be {names}: say which it is."


@pytest.mark.parametrize(
    ("name", "data", "format_name", "words"),
    [
        ("x.json", b"", None, "x.json: the file is empty."),
        ("x.json", b" \n", None, "x.json: the file is empty."),
        (
            "x.json",
            b"{",
            None,
            "x.json is not JSON: Expecting property name enclosed in double quotes at line 1, character 2.",
        ),
        ("x.json", b"\xff\xfe{}", None, "x.json cannot be read as text: it is not UTF-8 at byte 1. Save it as UTF-8."),
        ("x.json", b"[" * 100_000, None, "x.json is not JSON: nested too deeply."),
        ("x.json", b'{"a": 1}', None, "this holds an object with 'a'. Known are reward-lab, rar,"),
        ("x.json", b"3", None, "this holds int."),
        ("x.parquet", b"PAR1 and then nothing", None, "x.parquet is not a readable parquet file:"),
        ("x.json", b"{}", "excel", "There is no rubric format 'excel'. Known are reward-lab,"),
        ("x.yaml", b"criteria: [a", None, "x.yaml is not a readable YAML file: expected ',' or ']'"),
        ("x.yaml", b"a: &a [x]\nb: *a\n", None, "line 2: the alias *a is not read; write its value out"),
        ("x.yaml", b"a: " + b"[" * 200 + b"]" * 200, None, "it is nested more than 100 levels deep"),
        ("x.yaml", b"criteria: !!python/object:os.system x", None, "could not determine a constructor"),
        ("x.csv", b"title,weight\na,1\n", None, "its columns are 'title', 'weight'; one must hold the criteria"),
        (
            "x.json",
            b'{"rubrics": [{"criterion": "a", "points": "5"}]}',
            "healthbench",
            "criterion 1: 'points' must be a number, got '5'",
        ),
        ("x.json", b'{"rubrics": [{"criterion": "a", "points": NaN}]}', None, "NaN is not a JSON number"),
        ("x.json", b'{"rubrics": [{"criterion": "a", "points": 1e999}]}', "healthbench", "inf is not a JSON number"),
        (
            "x.json",
            b'{"rubrics": [{"criterion": " ", "points": 5}]}',
            "healthbench",
            "criterion 1: 'criterion' must be a text that says",
        ),
        ("x.json", b'{"rubrics": []}', "healthbench", "its list of criteria is empty"),
        ("x.json", b'{"rubrics": ["a"]}', "healthbench", "criterion 1: expected an object, got str"),
        ("x.json", b'{"prompt": "a"}', "healthbench", "there is no list of criteria under 'rubrics' or 'rubric'"),
        (
            "x.json",
            b'{"rubrics": [{"criterion": "\\ud800", "points": 5}]}',
            "healthbench",
            "it holds half a character, '\\ud800'",
        ),
        (
            "x.json",
            b'{"rubrics": [{"criterion_description": "a", "criterion_weight": "Vital"}]}',
            None,
            "must be Critical, Major, Minor or Additional, got 'Vital'",
        ),
        ("x.json", b'{"criteria": "a", "score1_description": "b"}', None, "'score2_description' is missing"),
        (
            "x.json",
            b'{"type": "multi", "graders": {}, "calculate_output": ""}',
            None,
            "its 'graders' must be graders by name",
        ),
        ("x.json", b'{"type": "python", "source": "x"}', None, "none of its graders can be a part of a rubric"),
        (
            "x.json",
            b'{"criteria": [{"description": "a", "wieght": 2}]}',
            None,
            "criteria 1: unknown key 'wieght' (did you mean 'weight'?)",
        ),
        (
            "x.json",
            b'{"criteria": [{"description": "a"}], "scoring": {"weights": "own"}}',
            None,
            "criterion 1 has no weight of its own",
        ),
        ("x.json", b'{"guidance": "g", "scenario": {"messages": [{"role": "x"}]}}', None, "role 'x' is not one of"),
    ],
)
def test_a_damaged_file_is_refused_with_the_reason(name: str, data: bytes, format_name: str | None, words: str) -> None:
    with pytest.raises(RewardLabError) as caught:
        read_rubrics(data, name, format=format_name)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sub_tasks": {}}, "at the root: expected a node with a list of 'sub_tasks'"),
        (
            {"sub_tasks": [{"id": "root", "requirements": "R", "weight": 1, "sub_tasks": []}]},
            "below 'root': every node needs an 'id' of its own, got 'root'",
        ),
        (
            {"sub_tasks": [{"id": "a", "requirements": "", "weight": 1, "sub_tasks": []}]},
            "node 'a': 'requirements' must be a text",
        ),
        (
            {"sub_tasks": [{"id": "a", "requirements": "R", "weight": -1, "sub_tasks": []}]},
            "node 'root': a sub-task's weight must be a number from 0 up, got -1",
        ),
        ({"sub_tasks": [{"id": "a", "requirements": "R", "weight": 0, "sub_tasks": []}]}, "all its leaves weigh 0"),
    ],
)
def test_a_damaged_tree_is_refused_with_the_node(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidRubric) as caught:
        read_rubrics(json.dumps({**TREE, **change}).encode(), "tree.json")
    assert words in str(caught.value)


def test_a_broken_line_is_named_and_the_rest_is_read() -> None:
    good = json.dumps(HEALTHBENCH)
    bad = json.dumps({**HEALTHBENCH, "rubrics": [{"criterion": "a"}]})
    report = read_rubrics(f"{good}\r\n{{\r\n{good}\r\n\r\n{bad}".encode(), "x.jsonl")
    assert len(report.rubrics) == 2
    assert [str(note) for note in report.skipped] == [
        "line 2: not JSON: Expecting property name enclosed in double quotes at line 1, character 2.",
        "line 5: criterion 1: it has no 'points'.",
    ]


def test_rubrics_without_a_name_are_called_by_file_and_line() -> None:
    line = json.dumps([PAIR])
    report = read_rubrics(f"{line}\n{line}".encode(), "mine.jsonl", format="healthbench")
    assert [one.name for one in report.rubrics] == ["mine 1", "mine 2"]


@pytest.mark.parametrize(
    ("limit", "value", "data", "words"),
    [
        ("MAX_BYTES", 4, b"[1, 2]", "the file has 0 MiB; at most 0 MiB are read. Split it."),
        ("MAX_RECORDS", 2, json.dumps([HEALTHBENCH] * 3).encode(), "holds 3 records; at most 2 are read"),
        ("MAX_YAML_BYTES", 4, b"criteria: [a, b]", "a YAML file may have at most 0 MiB"),
    ],
)
def test_what_is_too_large_is_refused(
    limit: str, value: int, data: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, limit, value)
    with pytest.raises(InvalidInput) as caught:
        read_rubrics(data, "x")
    assert words in str(caught.value)


def test_too_many_criteria_are_refused() -> None:
    with pytest.raises(InvalidRubric, match="it has 5001 criteria; at most 5000 are read"):
        read_rubrics(json.dumps({"rubrics": [PAIR] * 5001}).encode(), "healthbench.json")


def test_deep_nesting_within_a_record_is_refused() -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(InvalidRubric, match="nested more than 100 levels deep"):
        read_rubrics(json.dumps({**HEALTHBENCH, "extra": deep}).encode(), "x.json")
