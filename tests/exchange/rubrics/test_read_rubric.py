"""Rubric files: our JSON, or prose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reward_lab.errors import InvalidInput, InvalidRubric
from reward_lab.exchange.rubrics import read_rubric


def test_prose_becomes_guidance(tmp_path: Path) -> None:
    path = tmp_path / "support.md"
    path.write_text("\ufeffPrefer {short} answers.\n", encoding="utf-8")
    name, rubric = read_rubric(path)
    assert (name, rubric.guidance, rubric.criteria) == ("support", "Prefer {short} answers.", ())


def test_json_becomes_criteria(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    record = {
        "name": "refunds",
        "guidance": "g",
        "criteria": [{"title": "T", "description": "D", "category": "Pitfall", "weight": -1, "meets_when": False}],
        "verifiers": [{"kind": "length", "at_most": 90}],
        "scoring": {"likert_max": 5},
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    name, rubric = read_rubric(path)
    assert name == "refunds"
    assert (rubric.criteria[0].meets_when, rubric.weights, rubric.scoring.likert_max) == (False, (0.9,), 5)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not JSON"),
        ("[]", "one JSON object"),
        ('{"criteria": [{"title": "x"}]}', "criteria 1: description"),
        ('{"criteria": [{"description": "x"}], "scoring": {"weights": "own"}}', "criterion 1 has no weight"),
        ('{"verifiers": [{"kind": "regex", "pattern": "("}]}', "no regular expression"),
        ('{"verifiers": [{"kind": "exact", "weight": 0}]}', "above 0"),
        ('{"gudance": "x"}', "gudance"),
    ],
)
def test_a_wrong_rubric_is_named(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidRubric) as caught:
        read_rubric(path)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"name": "n", "criterias": [{"description": "x"}]}, "unknown key 'criterias' (did you mean 'criteria'?)"),
        ({"name": "n", "guidence": "x"}, "unknown key 'guidence' (did you mean 'guidance'?)"),
        (
            {"name": "n", "guidence": "x", "criterias": [{"title": "t", "description": "x"}], "scoring": {}},
            "unknown key 'guidence' (did you mean 'guidance'?)",
        ),
        ({"guidance": "x", "Criteria": []}, "unknown key 'Criteria' (did you mean 'criteria'?)"),
        (
            {"criteria": [{"description": "x"}, {"description": "y", "wieght": 1}]},
            "criteria 2: unknown key 'wieght' (did you mean 'weight'?)",
        ),
        ({"criteria": [{"descripton": "x"}]}, "criteria 1: unknown key 'descripton' (did you mean 'description'?)"),
        ({"scoring": {"likert_maximum": 5}}, "scoring: unknown key 'likert_maximum' (did you mean 'likert_max'?)"),
        ({"guidance": "x", "colour": "red"}, "unknown key 'colour' (the keys are name, scenario, guidance, criteria"),
    ],
)
def test_a_misspelt_key_is_named_with_the_one_that_was_meant(tmp_path: Path, record: object, words: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InvalidRubric) as caught:
        read_rubric(path)
    assert words in str(caught.value)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"r\.md"):
        read_rubric(path)
