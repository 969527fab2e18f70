"""Any rubric in any format: what is read back differs only in what was named as lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reward_lab.core.group import Scenario
from reward_lab.core.rubric import Category, Rubric, Scoring
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics import RUBRIC_FORMATS, NamedRubric, read_rubrics, write_rubrics

PIECES = st.sampled_from(
    [
        *(
            "# Kopf",
            "## Criteria",
            "- ein Punkt",
            "**fett**",
            "(weight 3)",
            "Score 1: x",
            "=1+1",
            "'=x",
            "a,b;c",
            '"',
            "'",
        ),
        *(
            "{{ item.x }}",
            "Pitfall Criteria: nennt",
            "null",
            "no",
            "1e5",
            "007",
            "2024-01-01",
            ": ",
            "\n",
            "\n\n",
            "\r\n",
        ),
        *(
            "\u2028",
            "\x85",
            "\x00",
            "\t",
            "  ",
            "日本語",
            "نص",
            "\U0001f600",
            "Essential:",
            "*x*",
            "1. eins",
            "<script>",
        ),
    ]
)
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.lists(PIECES, max_size=5).map("".join)
)
SAID = TEXT.filter(lambda text: bool(text.strip()))
WEIGHT = st.one_of(st.none(), st.integers(-10, 10).map(float), st.floats(-1e6, 1e6, allow_nan=False))


@st.composite
def rubrics(draw: st.DrawFn) -> NamedRubric:
    own = draw(st.booleans())
    criteria: list[dict[str, Any]] = [
        {
            "title": draw(TEXT),
            "description": draw(SAID),
            "category": draw(st.sampled_from(Category)),
            "weight": draw(WEIGHT.filter(lambda weight: weight is not None) if own else WEIGHT),
            "meets_when": draw(st.booleans()),
        }
        for _ in range(draw(st.integers(0, 4)))
    ]
    verifiers = draw(
        st.lists(
            st.sampled_from(
                [
                    {"kind": "contains", "value": "x"},
                    {"kind": "length", "at_most": 9},
                    {"kind": "exact", "case_sensitive": True},
                ]
            ),
            max_size=2,
        )
    )
    scoring = {
        "weights": "own" if own else "category",
        "explicit_scale": draw(st.sampled_from(["share", "points"])),
        "partial": draw(st.booleans()),
        "likert_max": draw(st.sampled_from([5, 10])),
        "judge_weight": draw(st.sampled_from([0.0, 0.5, 1.0])),
    }
    rubric = Rubric.from_record(
        {"guidance": draw(TEXT), "criteria": criteria, "verifiers": verifiers, "scoring": scoring}
    )
    scenario = draw(
        st.one_of(
            st.none(),
            st.builds(
                lambda asked, system, reference: Scenario(
                    system_prompt=system, messages=({"role": "user", "content": asked},), reference_answer=reference
                ),
                SAID,
                TEXT,
                st.one_of(st.none(), SAID),
            ),
        )
    )
    return NamedRubric(draw(SAID), rubric, scenario)


def differing(old: NamedRubric, new: NamedRubric) -> set[str]:
    """Words that a loss must be named with, found apart from the code under test."""
    found = set()
    before, after = old.rubric, new.rubric
    found |= {"the name"} if old.name != new.name else set()
    found |= {"the guidance"} if before.guidance != after.guidance else set()
    found |= {"verifiers"} if before.verifiers != after.verifiers else set()
    found |= {
        field
        for field in type(before.scoring).model_fields
        if getattr(before.scoring, field) != getattr(after.scoring, field)
    }
    if len(before.criteria) != len(after.criteria):
        found.add("criteria")
    else:
        for one, two in zip(before.criteria, after.criteria, strict=True):
            found |= {"the title"} if one.title != two.title else set()
            found |= {"the description"} if one.description != two.description else set()
            found |= {"the category"} if one.category != two.category else set()
            found |= {"the polarity"} if one.meets_when != two.meets_when else set()
            found |= {"the weight"} if one.weight is not None and one.weight != pytest.approx(two.weight) else set()
    asked, answered = old.scenario or Scenario(), new.scenario or Scenario()
    found |= {"the prompt"} if asked.conversation != answered.conversation else set()
    found |= {"the reference answer"} if asked.reference_answer != answered.reference_answer else set()
    return found


@pytest.mark.parametrize("name", RUBRIC_FORMATS)
@settings(deadline=None, max_examples=25)
@given(given_rubrics=st.lists(rubrics(), min_size=1, max_size=3))
def test_nothing_is_lost_that_is_not_named(name: str, given_rubrics: list[NamedRubric]) -> None:
    for suffix in RUBRIC_FORMATS[name].suffixes:
        if suffix == ".parquet":
            continue
        for named in given_rubrics:
            try:
                written = write_rubrics([named], name, suffix=suffix)
            except InvalidRubric:
                continue
            lost = "\n".join(written.lost)
            if "read back" in lost:
                continue
            (back,) = read_rubrics(written.data, f"rubrics{suffix}", format=name).rubrics
            assert {word for word in differing(named, back) if word not in lost} == set()


@pytest.mark.parametrize("name", ["reward-lab", "yaml"])
@settings(deadline=None, max_examples=25)
@given(given_rubrics=st.lists(rubrics(), min_size=1, max_size=3))
def test_our_own_formats_lose_nothing(name: str, given_rubrics: list[NamedRubric]) -> None:
    written = write_rubrics(given_rubrics, name)
    assert written.lost == ()
    back = read_rubrics(written.data, f"rubrics{written.suffix}", format=name).rubrics
    assert [(one.name, one.rubric, one.scenario) for one in back] == [
        (one.name, one.rubric, one.scenario) for one in given_rubrics
    ]


@pytest.mark.parametrize("name", [one for one in RUBRIC_FORMATS if one != "prometheus"])
@settings(deadline=None, max_examples=25)
@given(named=rubrics())
@example(named=NamedRubric("0", Rubric(guidance="\u2028# 0", scoring=Scoring(judge_weight=0.0))))
@example(named=NamedRubric("0", Rubric(guidance="\t# 0")))
def test_what_came_from_a_format_goes_back_into_it_whole(name: str, named: NamedRubric) -> None:
    suffix = RUBRIC_FORMATS[name].suffixes[0]
    try:
        first = write_rubrics([named], name)
    except InvalidRubric:
        return
    if "read back" in "".join(first.lost):
        return
    imported = read_rubrics(first.data, f"rubrics{suffix}", format=name).rubrics
    again = write_rubrics(imported, name)
    assert again.lost == ()
    if suffix in (".json", ".jsonl"):
        assert json.loads(again.data) == json.loads(first.data)
    assert read_rubrics(again.data, f"rubrics{suffix}", format=name).rubrics == imported


@settings(deadline=None, max_examples=25)
@given(texts=st.lists(TEXT, min_size=6, max_size=6))
def test_prometheus_texts_come_back_whole(texts: list[str]) -> None:
    keys = ["criteria", *(f"score{score}_description" for score in range(1, 6))]
    record = {"name": "n", **dict(zip(keys, texts, strict=True))}
    report = read_rubrics(json.dumps(record).encode(), "p.jsonl", format="prometheus")
    written = write_rubrics(report.rubrics, "prometheus")
    assert (json.loads(written.data), written.lost) == (record, ())
