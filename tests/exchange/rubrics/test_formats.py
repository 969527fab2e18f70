"""Every format: read as its source means it, and written as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reward_lab.core.rubric import Category
from reward_lab.errors import InvalidInput, InvalidRubric
from reward_lab.exchange.rubrics import RUBRIC_FORMATS, NamedRubric, read_rubrics, write_rubrics
from tests.exchange.rubrics.examples import EXAMPLES, GRADER, HEALTHBENCH, RAR, RUBRICHUB, SCORES, Example

FIXTURES = [
    json.loads(line)
    for line in (Path(__file__).parent / "rubric_fixtures.jsonl").read_text(encoding="utf-8").splitlines()
]


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def only(value: Any, name: str = "file.jsonl", format_name: str | None = None) -> NamedRubric:
    (named,) = read_rubrics(encoded(value), name, format=format_name).rubrics
    return named


def leaves(node: dict[str, Any], share: float = 1.0) -> list[tuple[str, float]]:
    below = node["sub_tasks"]
    if not below:
        return [(node["requirements"], share)]
    total = sum(child["weight"] for child in below)
    return [leaf for child in below for leaf in leaves(child, share * child["weight"] / total)]


def expected(fixture: dict[str, Any]) -> list[tuple[str, float, bool]]:
    """Description, weight and polarity of each criterion, straight from the source."""
    rubric = fixture["rubric"]
    match fixture["format"]:
        case "healthbench":
            return [(item["criterion"], abs(item["points"]), item["points"] > 0) for item in rubric]
        case "researchqa":
            return [(item["rubric_item"], 1.0, True) for item in rubric]
        case "paperbench":
            return [(text, pytest.approx(share, rel=1e-12), True) for text, share in leaves(rubric)]
        case _:
            return []


@pytest.mark.parametrize("fixture", FIXTURES, ids=[one["id"] for one in FIXTURES])
def test_a_published_rubric_is_read_and_written_as_it_was(fixture: dict[str, Any]) -> None:
    report = read_rubrics(encoded(fixture), "file.jsonl")
    (named,) = report.rubrics
    rubric = named.rubric
    assert (report.format, report.skipped, report.lost) == (fixture["format"], (), ())
    assert named.name == fixture["id"]
    found = [
        (one.description, weight, one.meets_when) for one, weight in zip(rubric.criteria, rubric.weights, strict=True)
    ]
    assert found == expected(fixture)
    written = write_rubrics([named], fixture["format"], suffix=".jsonl")
    assert json.loads(written.data) == fixture
    assert written.lost == ()


def test_a_fixture_keeps_its_prompt_and_reference() -> None:
    (fixture,) = (one for one in FIXTURES if one["id"] == "biggen-reasoning_deductive_8")
    named = only(fixture)
    assert named.scenario is not None
    assert named.scenario.system_prompt == fixture["system_prompt"]
    assert named.scenario.messages == ({"role": "user", "content": fixture["prompt"]},)
    assert named.scenario.reference_answer == fixture["reference_answer"]
    assert named.rubric.scoring.likert_max == 5
    guidance = named.rubric.guidance
    assert guidance.startswith(
        fixture["rubric"]["criteria"] + "\n\nScore 1: " + fixture["rubric"]["score1_description"]
    )
    assert guidance.endswith("\nScore 5: " + fixture["rubric"]["score5_description"])


def test_a_file_of_several_formats_is_read_as_the_most_frequent_and_says_what_the_rest_look_like() -> None:
    report = read_rubrics("\n".join(json.dumps(one) for one in FIXTURES).encode(), "rubric_fixtures.jsonl")
    assert (report.format, len(report.rubrics)) == ("healthbench", 5)
    assert [note.place for note in report.skipped] == [f"line {number}" for number in range(6, 12)]
    assert "it looks like Prometheus" in str(report.skipped[0])


@pytest.mark.parametrize("example", EXAMPLES, ids=[one.id for one in EXAMPLES])
def test_a_record_is_recognised_read_and_written_as_it_was(example: Example) -> None:
    report = read_rubrics(encoded(example.record), f"file{example.suffix}")
    (named,) = report.rubrics
    assert report.format == example.format
    assert named.rubric.weights == pytest.approx(example.weights)
    assert tuple(one.meets_when for one in named.rubric.criteria) == example.meets_when
    question = named.scenario.messages[0]["content"] if named.scenario else ""
    assert question == example.question
    written = write_rubrics(report.rubrics, example.format, suffix=example.suffix)
    assert written.lost == ()
    back = json.loads(written.data)
    if example.format == "reward-lab":
        assert {key: back[key] for key in example.record if key != "scoring"} | {"scoring": {}} == {
            **example.record,
            "criteria": [{"weight": None, "meets_when": True, **one} for one in example.record["criteria"]],
        }
    else:
        for key in ("rubrics", "ground_truth"):  # JSON in a text may be spaced otherwise
            if isinstance(back, dict) and isinstance(back.get(key), str):
                assert json.loads(back.pop(key)) == json.loads(example.record[key])
        assert back == (
            {key: one for key, one in example.record.items() if key in back}
            if isinstance(back, dict)
            else example.record
        )


@pytest.mark.parametrize(
    "example", [one for one in EXAMPLES if ".parquet" in RUBRIC_FORMATS[one.format].suffixes and not one.variant]
)
def test_parquet_holds_what_jsonl_holds(example: Example) -> None:
    if isinstance(example.record, list):
        pytest.skip("a bare list is no row")
    named = only(example.record, f"file{example.suffix}", example.format)
    table = write_rubrics([named], example.format, suffix=".parquet")
    back = read_rubrics(table.data, "file.parquet")
    assert back.format == example.format
    assert [(one.description, one.weight, one.meets_when) for one in back.rubrics[0].rubric.criteria] == [
        (one.description, one.weight, one.meets_when) for one in named.rubric.criteria
    ]


def test_an_edited_rubric_is_written_with_the_edit_wherever_the_list_stood() -> None:
    named = only(RUBRICHUB)
    first = named.rubric.criteria[0].model_copy(update={"description": "Has 14 lines."})
    rubric = named.rubric.model_copy(update={"criteria": (first, named.rubric.criteria[1])})
    record = json.loads(write_rubrics([NamedRubric(named.name, rubric, named.scenario)], "rubrichub").data)
    lists = [record["Rubrics"], record["reward_model"]["rubrics"], record["extra_info"]["reward_model"]["rubrics"]]
    assert [one[0]["criterion"] for one in lists] == ["Has 14 lines."] * 3
    assert record["Rubrics"][0]["tags"]["function"] == "line_count"


def test_rar_takes_pitfalls_by_their_wording_and_reports_each() -> None:
    report = read_rubrics(encoded(RAR), "rar.jsonl")
    criteria = report.rubrics[0].rubric.criteria
    assert [one.category for one in criteria] == [
        Category.ESSENTIAL,
        Category.IMPORTANT,
        Category.OPTIONAL,
        Category.PITFALL,
        Category.PITFALL,
    ]
    assert [one.weight for one in criteria] == [5, 3, 1, -1, -2]
    assert criteria[3].description == "Avoids recommending a dose."
    said = [str(note) for note in report.notes]
    assert "criterion 4: worded as one that avoids a fault: met when true" in said
    assert "criterion 5: worded as one that names a fault: met when false" in said


def test_rar_without_openings_goes_by_weight_and_keeps_the_text() -> None:
    items = [
        {"title": "A", "description": "States it.", "weight": 5},
        {"title": "B", "description": "essential criteria:Says so.", "weight": 4},
        {"title": "C", "description": "Nennt die Quelle nicht und verschweigt das Datum.", "weight": -1},
    ]
    record = {"question": "q", "rubric": items, "rubric_count": 3}
    report = read_rubrics(encoded(record), "x.jsonl")
    (named,) = report.rubrics
    assert [one.category for one in named.rubric.criteria] == [Category.ESSENTIAL, Category.ESSENTIAL, Category.PITFALL]
    assert "criterion 1: taken for Essential by its weight, 5" in [str(note) for note in report.notes]
    assert "criterion 3: its wording does not tell whether it names a fault; taken for one: check its polarity" in [
        str(note) for note in report.notes
    ]
    assert json.loads(write_rubrics([named], "rar").data) == record


def test_rar_writes_the_datasets_weights_where_a_criterion_has_none() -> None:
    own = {
        "criteria": [
            {"description": "States it."},
            {"description": "Invents it.", "category": "Pitfall", "meets_when": False},
        ]
    }
    named = only({"name": "n", **own, "guidance": "g"}, "n.json")
    written = write_rubrics([named], "rar")
    assert json.loads(written.data) == {
        "id": "n",
        "rubric": [
            {"title": "", "description": "Important Criteria: States it.", "weight": 4},
            {"title": "", "description": "Pitfall Criteria: Invents it.", "weight": -1},
        ],
    }
    assert written.lost == ("'n': the guidance",)


def test_what_a_format_cannot_hold_is_named() -> None:
    record = {
        "name": "n",
        "guidance": "Be kind.",
        "criteria": [
            {"title": "T", "description": "Is kind.", "weight": 2},
            {"description": "Is rude.", "weight": 3, "meets_when": False},
        ],
        "verifiers": [{"kind": "length", "at_most": 90}],
        "scoring": {"weights": "own", "judge_weight": 0.5},
        "scenario": {
            "messages": [{"role": "user", "content": "Hi"}],
            "tools": [{"type": "function", "function": {"name": "f"}}],
        },
    }
    lost = write_rubrics([only(record, "n.json")], "healthbench").lost
    assert lost == (
        "'n': the guidance",
        "'n': the title of criterion 1",
        "'n': the category of criterion 2",
        "'n': the weight as it is given of criterion 2",
        "'n': the verifiers",
        "'n': scoring: explicit_scale 'share' and judge_weight 0.5",
        "'n': the tools of the scenario",
    )
    assert write_rubrics([only(record, "n.json")], "reward-lab").lost == ()
    assert write_rubrics([only(record, "n.json")], "yaml").lost == ()


def test_losses_of_many_rubrics_are_told_once() -> None:
    rubrics = [
        only({"name": f"n{number}", "guidance": "g", "criteria": [{"description": "d"}]}, "n.json")
        for number in range(5)
    ]
    assert write_rubrics(rubrics, "csv").lost == ("'n0', 'n1' and 3 more: the guidance",)


def test_a_rubric_that_cannot_be_written_is_left_out_by_name() -> None:
    good, bad = only(HEALTHBENCH), only({"name": "prose", "guidance": "g"}, "p.json")
    written = write_rubrics([bad, good], "healthbench")
    assert written.count == 1
    assert written.lost == ("'prose' is left out: HealthBench holds criteria, and this rubric has none",)
    with pytest.raises(InvalidRubric, match=r"as Prometheus: 'prose' is left out: .*'Score 1"):
        write_rubrics([bad], "prometheus")


def test_prometheus_rubrics_by_name() -> None:
    report = read_rubrics(
        encoded({"clear": {"criteria": "Clear?", **SCORES}, "kind": {"criteria": "Kind?", **SCORES}}), "rubrics.json"
    )
    assert [(one.name, one.rubric.guidance.split("\n")[0]) for one in report.rubrics] == [
        ("clear", "Clear?"),
        ("kind", "Kind?"),
    ]


def test_prometheus_texts_that_look_like_its_lines_come_back_whole() -> None:
    record = {"criteria": "A\n\nScore 1: b", **SCORES, "score2_description": "x\nScore 3: y"}
    written = write_rubrics([only(record)], "prometheus")
    assert json.loads(written.data) == record
    edited = only(record)
    rubric = edited.rubric.model_copy(
        update={"guidance": "New?\n\n" + "\n".join(f"Score {n}: {n}" for n in range(1, 6))}
    )
    back = json.loads(write_rubrics([NamedRubric(edited.name, rubric)], "prometheus").data)
    assert back == {"criteria": "New?", **{f"score{n}_description": str(n) for n in range(1, 6)}}


def test_partial_and_points_are_kept_where_a_format_scores_so() -> None:
    scales = {
        example.format: (scoring.explicit_scale, scoring.partial)
        for example in EXAMPLES
        for scoring in [only(example.record, f"file{example.suffix}").rubric.scoring]
    }
    assert {name for name, (scale, _) in scales.items() if scale == "points"} == {
        "healthbench",
        "researchrubrics",
        "drtulu",
    }
    assert {name for name, (_, partial) in scales.items() if partial} == {"researchrubrics", "drtulu"}


def test_dr_tulu_says_where_it_would_divide_by_one() -> None:
    report = read_rubrics(
        encoded({"query": "q", "rubrics": [{"title": "t", "description": "d", "weight": 0.25}]}), "x.jsonl"
    )
    assert report.lost == ("the division by 1 where the weights above 0 sum to less",)


def test_a_grader_becomes_guidance_and_verifiers() -> None:
    report = read_rubrics(encoded(GRADER), "grader.json")
    rubric = report.rubrics[0].rubric
    assert rubric.guidance == "Grade how well the answer explains itself."
    assert rubric.scoring.judge_weight == 0.5
    assert [(one.kind, one.weight, getattr(one, "value", "")) for one in rubric.verifiers] == [
        ("exact", 0.25, None),
        ("contains", 0.25, "because"),
    ]
    assert "'exact' compares with {{ item.answer }}, here with the reference answer" in [
        str(note) for note in report.notes
    ]


def test_graders_that_no_rubric_holds_are_named() -> None:
    similar = {"type": "text_similarity", "name": "close", "input": "x", "reference": "y", "evaluation_metric": "bleu"}
    other = {
        "type": "string_check",
        "name": "not",
        "input": "{{sample.output_text}}",
        "reference": "x",
        "operation": "ne",
    }
    record = {
        **GRADER,
        "graders": {**GRADER["graders"], "close": similar, "other": other},
        "calculate_output": "max(exact, close)",
    }
    report = read_rubrics(encoded(record), "grader.json")
    said = [str(note) for note in report.notes]
    assert "its formula 'max(exact, close)' is no weighted sum of its graders; each counts 1 here" in said
    assert "'close' is left out: a rubric has no verifier for 'text_similarity'" in said
    assert "'not' is left out: a rubric has no verifier for the operation 'ne'" in said
    assert report.lost == (
        "formulas that are no weighted sum",
        "graders that are left out, such as text_similarity",
        "graders that are left out, such as string_check",
    )
    assert json.loads(write_rubrics(report.rubrics, "openai").data) == record


def test_criteria_become_graders_whose_formula_is_the_rubrics_score() -> None:
    record = {
        "name": "n",
        "criteria": [
            {"description": "Is kind.", "weight": 5},
            {"title": "Rude", "description": "Is rude.", "weight": 3, "meets_when": False},
        ],
        "scoring": {"weights": "own"},
    }
    share = json.loads(write_rubrics([only(record, "n.json")], "openai").data)
    assert share["calculate_output"] == "1 * (0 + 5 * criterion_1 + 3 * (1 - criterion_2)) / 8"
    points = {**record, "scoring": {"weights": "own", "explicit_scale": "points"}}
    written = json.loads(write_rubrics([only(points, "n.json")], "openai").data)
    assert written["calculate_output"] == "1 * (0 + 5 * criterion_1 - 3 * criterion_2) / 5"
    for given, scale in ((share, "share"), (written, "points")):
        back = only(given, "g.json").rubric
        assert [(one.title, one.description, one.meets_when) for one in back.criteria] == [
            ("", "Is kind.", True),
            ("Rude", "Is rude.", False),
        ]
        assert (back.scoring.explicit_scale, back.scoring.judge_weight) == (scale, pytest.approx(1.0))


def test_an_edited_grader_is_made_anew() -> None:
    named = only(GRADER["graders"]["explanation"], "g.json")
    rubric = named.rubric.model_copy(update={"guidance": "Grade the tone."})
    record = json.loads(write_rubrics([NamedRubric(named.name, rubric)], "openai").data)
    assert record["input"][0] == {"role": "system", "content": "Grade the tone."}
    assert (record["type"], record["model"], record["range"]) == ("score_model", "gpt-4.1-2025-04-14", [1, 10])


@pytest.mark.parametrize(
    ("format_name", "suffix", "words"),
    [("excel", None, "There is no rubric format 'excel'"), ("csv", ".jsonl", "CSV is written as .csv, not '.jsonl'")],
)
def test_an_unknown_target_is_refused(format_name: str, suffix: str | None, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        write_rubrics([only(HEALTHBENCH)], format_name, suffix=suffix)
