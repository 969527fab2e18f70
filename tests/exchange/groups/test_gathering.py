"""Rows become groups, and what people said in them labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.chat import Json
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups import (
    BadLine,
    ImportedGroup,
    Mapping,
    Role,
    guess_mapping,
    imported_groups,
    read_sheet,
)
from tests.cases.ranked import ranked_cases
from tests.exchange.groups.sheets import ASK, said, sheet_of

BE_BRIEF = {"role": "system", "content": "be brief"}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
RANKED = Path(__file__).parents[2] / "cases" / "ranked_cases.jsonl"


def _groups(source: str | list[dict[str, Json]], **roles: Role) -> list[ImportedGroup]:
    sheet = sheet_of(source)
    mapping = guess_mapping(sheet)
    found = list(imported_groups(sheet, Mapping({**mapping.roles, **roles})))
    assert [one for one in found if isinstance(one, BadLine)] == []
    return [one for one in found if isinstance(one, ImportedGroup)]


def _answers(one: ImportedGroup) -> dict[str, str]:
    return {trajectory.id: trajectory.answer for trajectory in one.group.trajectories}


def _ranks(one: ImportedGroup) -> dict[str, int | None]:
    (label,) = one.labels
    return {key: response.rank for key, response in label.responses.items()}


def test_rows_that_answer_the_same_are_a_group_with_a_label_of_each_annotator() -> None:
    first, second = _groups(
        "prompt,response,rating,annotator,remark,source\n"
        "p1,a,3,ann,too long,web\n"
        "p2,c,,ann,,web\n"
        "p1,b,4.5,ann,,web\n"
        "p1,a,2,bob,,web\n",
        remark=Role.COMMENT,
    )
    assert (first.group.id, first.lines, _answers(first)) == ("line-2", (2, 4, 5), {"1": "a", "2": "b"})
    assert first.group.scenario.messages == ({"role": "user", "content": "p1"},)
    assert first.group.metadata == {"source": "web"}
    assert first.labels == (
        Label(
            annotator="ann",
            responses={"1": ResponseLabel(score=3, comment="too long"), "2": ResponseLabel(score=4.5)},
        ),
        Label(annotator="bob", responses={"1": ResponseLabel(score=2)}),
    )
    assert (second.group.id, second.lines, second.labels) == ("line-3", (3,), ())


def test_metadata_that_tells_responses_apart_is_theirs() -> None:
    (one,) = _groups(
        [{"prompt": "p", "response": text, "correctness": number, "set": "x"} for number, text in enumerate("ab")]
    )
    assert one.group.metadata == {"set": "x"}
    assert [trajectory.metadata for trajectory in one.group.trajectories] == [{"correctness": 0}, {"correctness": 1}]


def test_a_group_id_gathers_and_response_ids_are_kept() -> None:
    (one,) = _groups("group_id,response_id,prompt,response\n007,x,p,a\n007,,p,b\n007,1,p,b\n")
    assert (one.group.id, _answers(one)) == ("007", {"x": "a", "2": "b", "1": "b"})


def test_equal_texts_are_two_responses_unless_another_person_rates_them() -> None:
    (samples,) = _groups("prompt,response\np,a\np,a\n")
    assert _answers(samples) == {"1": "a", "2": "a"}
    (rated,) = _groups("prompt,response,score,annotator\np,a,1,ann\np,a,2,ann\np,a,3,bob\n")
    assert [label.responses for label in rated.labels] == [
        {"1": ResponseLabel(score=1), "2": ResponseLabel(score=2)},
        {"1": ResponseLabel(score=3)},
    ]


@pytest.mark.parametrize(
    "rows",
    [
        "p,a,1,ann\np,b,2,ann\np,a,,bob\np,b,3,bob\n",
        "p,a,,bob\np,b,3,bob\np,a,1,ann\np,b,2,ann\n",
        "p,a,1,ann\np,a,,bob\np,b,2,ann\np,b,3,bob\n",
    ],
)
@pytest.mark.parametrize("with_ids", [False, True])
def test_a_blank_score_is_missing_and_doubles_no_response(rows: str, with_ids: bool) -> None:
    head = "prompt,response,score,annotator"
    if with_ids:
        head, rows = f"{head},response_id", "".join(f"{row},{row[2]}\n" for row in rows.splitlines())
    (one,) = _groups(f"{head}\n{rows}")
    a, b = ("a", "b") if with_ids else ("1", "2")
    assert _answers(one) == {a: "a", b: "b"}
    assert {label.annotator: label.responses for label in one.labels} == {
        "ann": {a: ResponseLabel(score=1), b: ResponseLabel(score=2)},
        "bob": {b: ResponseLabel(score=3)},
    }


def test_samples_of_one_text_stay_apart_where_one_of_them_is_not_scored() -> None:
    (one,) = _groups("prompt,response,score,annotator\np,a,,ann\np,a,3,ann\np,a,2,bob\np,a,4,bob\n")
    assert _answers(one) == {"1": "a", "2": "a"}
    assert [label.responses for label in one.labels] == [
        {"1": ResponseLabel(score=2), "2": ResponseLabel(score=4)},
        {"2": ResponseLabel(score=3)},
    ]


@pytest.mark.parametrize("blank", ["", '""'])
def test_a_blank_cell_of_the_response_is_an_empty_response(blank: str) -> None:
    (one,) = _groups(f"prompt,response,score\np,a,1\np,{blank},0\n,,\n\n")
    assert _answers(one) == {"1": "a", "2": ""}
    assert one.labels[0].responses == {"1": ResponseLabel(score=1), "2": ResponseLabel(score=0)}
    (by_id,) = _groups(f"group_id,response\ng,a\ng,{blank}\n")
    assert _answers(by_id) == {"1": "a", "2": ""}


def test_columns_of_scores_are_an_annotator_each() -> None:
    (one,) = _groups("prompt,response,rater_1_score,rater_2_score\np,a,1,2\np,b,3,\n")
    assert one.labels == (
        Label(annotator="rater_1_score", responses={"1": ResponseLabel(score=1), "2": ResponseLabel(score=3)}),
        Label(annotator="rater_2_score", responses={"1": ResponseLabel(score=2)}),
    )
    (listed,) = _groups([{"prompt": "p", "responses": ["a", "b"], "score_ann": [1, 2], "score_bob": [None, 4]}])
    assert {label.annotator: label.responses for label in listed.labels} == {
        "score_ann": {"1": ResponseLabel(score=1), "2": ResponseLabel(score=2)},
        "score_bob": {"2": ResponseLabel(score=4)},
    }


def test_one_column_of_scores_beside_several_of_ranks_is_the_named_annotators() -> None:
    source = "prompt,response,score,r1,r2\np,a,5,1,2\np,b,4,2,1\n"
    (one,) = _groups(source, r1=Role.RANK, r2=Role.RANK)
    assert {label.annotator: label.levels(["1", "2"]) for label in one.labels} == {
        "imported": (5.0, 4.0),
        "r1": (-1.0, -2.0),
        "r2": (-2.0, -1.0),
    }


def test_several_columns_of_scores_beside_an_annotator_are_refused() -> None:
    source = "prompt,response,helpful,honest,annotator\np,a,1,2,ann\n"
    with pytest.raises(
        InvalidInput, match="'helpful' and 'honest' are an annotator each, and 'annotator' has the role"
    ):
        _groups(source, helpful=Role.SCORE, honest=Role.SCORE, annotator=Role.ANNOTATOR)


def test_the_whole_scenario_is_read() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    row = {"system": "s", "question": "q", "context": "c", "tools": json.dumps(tools), "gold": 4, "response": "r"}
    (one,) = _groups([row])
    scenario = one.group.scenario
    assert (scenario.system_prompt, scenario.reference_answer, list(scenario.tools)) == ("s", "4", tools)
    assert scenario.messages == ({"role": "user", "content": "q\n\nc"},)


def test_chosen_before_rejected_and_scores_by_column() -> None:
    chosen, rejected = [ASK, said("a")], [ASK, said("b")]
    row = {"prompt": "q", "prompt_id": "h", "chosen": chosen, "rejected": rejected, "messages": chosen}
    (one,) = _groups([{**row, "score_chosen": 8.5, "score_rejected": 4.0}])
    assert (one.group.id, one.group.scenario.messages, one.group.metadata) == ("h", (ASK,), {})
    assert [trajectory.messages for trajectory in one.group.trajectories] == [(said("a"),), (said("b"),)]
    assert one.labels == (
        Label(
            annotator="imported",
            responses={"chosen": ResponseLabel(rank=1, score=8.5), "rejected": ResponseLabel(rank=2, score=4)},
        ),
    )


def test_several_texts_rejected_are_a_tie() -> None:
    (one,) = _groups([{"prompt": "p", "chosen": ["c"], "rejected": ["r", "s"], "rejected_model": "m"}])
    assert _answers(one) == {"chosen": "c", "rejected-1": "r", "rejected-2": "s"}
    assert _ranks(one) == {"chosen": 1, "rejected-1": 2, "rejected-2": 2}
    assert [trajectory.label for trajectory in one.group.trajectories] == ["", "m", "m"]


def test_conversations_without_a_prompt_share_their_opening() -> None:
    chosen = [BE_BRIEF, ASK, CALL, said("a")]
    rejected = [BE_BRIEF, ASK, CALL, said("b")]
    (one,) = _groups([{"chosen": chosen, "rejected": rejected}])
    assert (one.group.scenario.system_prompt, one.group.scenario.messages) == ("be brief", (ASK,))
    assert one.group.trajectories[1].messages == (CALL, said("b"))


def test_whole_conversations_are_grouped_by_what_they_open_with() -> None:
    follow = {"role": "user", "content": "and then?"}
    first, second = _groups(
        [
            {"messages": [BE_BRIEF, ASK, said("a"), follow, said("b")]},
            {"messages": [BE_BRIEF, ASK, said("a"), follow, said("c")]},
            {"messages": [ASK, said("d")]},
        ]
    )
    assert (first.group.scenario.system_prompt, first.group.scenario.messages) == (
        "be brief",
        (ASK, said("a"), follow),
    )
    assert _answers(first) == {"1": "b", "2": "c"}
    assert second.group.scenario.messages == (ASK,)


def test_sharegpt_messages_become_those_of_openai() -> None:
    (one,) = _groups([{"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}])
    assert one.group.conversation(one.group.trajectories[0]) == (ASK, said("a"))


@pytest.mark.parametrize(
    ("winner", "ranks"),
    [
        ("model_a", {"response_a": 1, "response_b": 2}),
        ("B", {"response_b": 1, "response_a": 2}),
        ("gpt", {"response_a": 1, "response_b": 2}),
        ("Response B", {"response_b": 1, "response_a": 2}),
        ("tie (bothbad)", {"response_a": 1, "response_b": 1}),
    ],
)
def test_a_winner_is_known_by_its_tag_column_or_model(winner: str, ranks: dict[str, int]) -> None:
    (one,) = _groups(f"prompt,response_a,response_b,model_a,model_b,winner\np,x,y,gpt,claude,{winner}\n")
    assert _ranks(one) == ranks


def test_a_blank_response_column_leaves_a_smaller_group() -> None:
    first, second = _groups("prompt,response_1,response_2,response_10\np,a,b,c\nq,a,,c\n")
    assert _answers(first) == {"response_1": "a", "response_2": "b", "response_10": "c"}
    assert _answers(second) == {"response_1": "a", "response_10": "c"}


def test_pairs_of_one_prompt_stay_apart_and_a_second_annotator_is_added() -> None:
    row = {"question_id": 81, "conversation_a": "x", "conversation_b": "y", "model_a": "m", "model_b": "n"}
    ann, bob = {**row, "winner": "model_a", "judge": "ann"}, {**row, "winner": "tie", "judge": "bob"}
    first, other = _groups([ann, bob, {**ann, "conversation_b": "z"}])
    assert (first.group.id, first.lines, other.group.id) == ("81", (1, 2), "81-line-3")
    assert [(label.annotator, label.levels(["conversation_a", "conversation_b"])) for label in first.labels] == [
        ("ann", (-1.0, -2.0)),
        ("bob", (-1.0, -1.0)),
    ]
    del ann["question_id"], bob["question_id"]
    (one,) = _groups([ann, bob])
    assert [label.annotator for label in one.labels] == ["ann", "bob"]


def test_lists_side_by_side_are_read_by_place() -> None:
    (one,) = _groups([{"prompt": "p", "responses": ["a", "b"], "scores": [0.5, None], "is_correct": [True, False]}])
    assert one.labels[0].responses == {
        "1": ResponseLabel(score=0.5, mark=Mark.GOOD),
        "2": ResponseLabel(mark=Mark.BAD),
    }


def test_listed_objects_are_read_by_their_keys() -> None:
    items = [
        {"response_id": "x", "response": "a", "model": "m", "rating": "n/a", "rank": 2, "annotations": {"truth": 1}},
        {"messages": [CALL, said("b")], "rank": "first", "metadata": {"seed": 7}},
    ]
    (one,) = _groups([{"prompt": "p", "responses": items}])
    first, second = one.group.trajectories
    assert (first.id, first.label, first.answer, first.metadata) == ("x", "m", "a", {"annotations": {"truth": 1}})
    assert (second.id, second.messages, second.metadata) == ("1", (CALL, said("b")), {"rank": "first", "seed": 7})
    assert one.labels[0].responses == {"x": ResponseLabel(rank=2)}


def test_the_ranked_cases_keep_the_order_that_people_gave_them() -> None:
    sheet = read_sheet(RANKED.read_bytes(), "ranked_cases.jsonl")
    found = list(imported_groups(sheet, guess_mapping(sheet)))
    cases = ranked_cases()
    assert len(found) == len(cases) == 19
    for one, case in zip(found, cases, strict=True):
        assert isinstance(one, ImportedGroup)
        assert (one.group.id, one.group.key) == (case.group.id, case.group.key)
        assert one.group.metadata["source"] == case.group.metadata["source"]
        (label,) = one.labels
        levels = [level for level in label.levels(list(_answers(one))) if level is not None]
        people = [0.0 if score is None else score for score in case.human]
        for better, level in zip(people, levels, strict=True):
            for other, other_level in zip(people, levels, strict=True):
                assert better == other or (better > other) == (level > other_level)


def test_cells_keep_their_types_as_metadata() -> None:
    (typed,) = _groups([{"prompt": "p", "response": "r", "code": "007", "n": 7, "on": True, "none": None}])
    assert typed.group.trajectories[0].metadata == {"code": "007", "n": 7, "on": True}
    (text,) = _groups("prompt,response,code,n\np,007,007,7\n")
    assert (text.group.trajectories[0].answer, text.group.trajectories[0].metadata) == (
        "007",
        {"code": "007", "n": "7"},
    )


def test_a_person_corrects_the_mapping() -> None:
    sheet = sheet_of("foo,bar,baz\np,a,1\np,b,2\n")
    mapping = Mapping({"foo": Role.PROMPT, "bar": Role.RESPONSE, "baz": Role.SCORE}, annotator="carla")
    (one,) = imported_groups(sheet, mapping)
    assert isinstance(one, ImportedGroup)
    assert one.labels == (
        Label(annotator="carla", responses={"1": ResponseLabel(score=1), "2": ResponseLabel(score=2)}),
    )


def test_an_order_may_hold_ties() -> None:
    items = [{"id": one, "text": one} for one in "abc"]
    (one,) = _groups([{"prompt": "p", "responses": items, "ranking": [["a", "c"], "b"]}])
    assert _ranks(one) == {"a": 1, "b": 3, "c": 1}


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["tie", "a", "response_a", "[1]", '{"better": 1}', '[{"role": "user", "content": "q"}]'])
    | st.just([ASK, said("x")]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "role", "content", "from", "value", "id", "rank", "better"]), inner)
    ),
    max_leaves=6,
)
_COLUMNS = ("prompt", "response", "response_a", "response_b", "score_a", "label")


@given(
    st.lists(st.dictionaries(st.sampled_from(_COLUMNS), _JSON, min_size=1), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from(_COLUMNS), st.sampled_from(Role)),
)
def test_any_cells_under_any_mapping_give_groups_or_reasons(
    rows: list[dict[str, Json]], roles: dict[str, Role]
) -> None:
    sheet = sheet_of(rows)
    guessed = guess_mapping(sheet)
    corrected = Mapping({**guessed.roles, **{key: role for key, role in roles.items() if key in sheet.columns}})
    for mapping in (guessed, corrected):
        try:
            found = list(imported_groups(sheet, mapping))
        except InvalidInput:
            continue
        lines = {line for one in found for line in (one.lines if isinstance(one, ImportedGroup) else (one.number,))}
        assert lines == {number for number, _ in sheet.rows}
