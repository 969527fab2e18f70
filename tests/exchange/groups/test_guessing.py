"""Columns get their roles from their names and from what stands in them."""

from __future__ import annotations

import json

import pytest

from reward_lab.core.chat import Json
from reward_lab.exchange.groups import Role, guess_mapping, read_sheet

ASK = [{"role": "user", "content": "q"}]
A, B = ([*ASK, {"role": "assistant", "content": text}] for text in ("a", "b"))


def _roles(*rows: dict[str, Json]) -> dict[str, Role]:
    """The guessed roles, metadata left out."""
    sheet = read_sheet("\n".join(map(json.dumps, rows)).encode(), "x.jsonl")
    mapping = guess_mapping(sheet)
    assert tuple(mapping.roles) == sheet.columns
    return {column: role for column, role in mapping.roles.items() if role is not Role.METADATA}


@pytest.mark.parametrize(
    ("row", "roles"),
    [
        pytest.param(
            {"prompt": "p", "response": "r", "helpfulness": 3, "correctness": 4, "coherence": 4},
            {"prompt": Role.PROMPT, "response": Role.RESPONSE, "helpfulness": Role.SCORE},
            id="HelpSteer2",
        ),
        pytest.param(
            {
                "prompt": "q",
                "prompt_id": "f00",
                "chosen": A,
                "rejected": B,
                "messages": A,
                "score_chosen": 8.5,
                "score_rejected": 4.0,
            },
            {
                "prompt": Role.PROMPT,
                "prompt_id": Role.GROUP_ID,
                "chosen": Role.RESPONSE_COLUMN,
                "rejected": Role.RESPONSE_COLUMN,
                "messages": Role.IGNORE,
                "score_chosen": Role.SCORE,
                "score_rejected": Role.SCORE,
            },
            id="ultrafeedback_binarized",
        ),
        pytest.param(
            {"context": ASK, "response1": "a", "response2": "b", "overall_preference": -2, "domain": "code"},
            {"context": Role.MESSAGES, "response1": Role.RESPONSE_COLUMN, "response2": Role.RESPONSE_COLUMN},
            id="HelpSteer3",
        ),
        pytest.param(
            {"history": "p", "human_ref_A": "a", "human_ref_B": "b", "labels": 1, "score_A": 3, "score_B": 1},
            {
                "history": Role.PROMPT,
                "human_ref_A": Role.RESPONSE_COLUMN,
                "human_ref_B": Role.RESPONSE_COLUMN,
                "score_A": Role.SCORE,
                "score_B": Role.SCORE,
            },
            id="SHP",
        ),
        pytest.param(
            {
                "question_id": 81,
                "model_a": "m",
                "model_b": "n",
                "winner": "model_b",
                "judge": "author_2",
                "conversation_a": A,
                "conversation_b": B,
                "turn": 1,
            },
            {
                "question_id": Role.GROUP_ID,
                "model_a": Role.LABEL,
                "model_b": Role.LABEL,
                "winner": Role.PREFERENCE,
                "judge": Role.ANNOTATOR,
                "conversation_a": Role.RESPONSE_COLUMN,
                "conversation_b": Role.RESPONSE_COLUMN,
            },
            id="mt_bench_human_judgments",
        ),
        pytest.param(
            {"prompt": "p", "answers": [{"answer": "a", "model": "m", "rank": 1.0}], "turns": 1},
            {"prompt": Role.PROMPT, "answers": Role.RESPONSES},
            id="Nectar",
        ),
        pytest.param(
            {"prompt": ASK, "responses": ["a", "b"], "scores": [1, None], "models": ["m", "n"], "ground_truth": 42},
            {
                "prompt": Role.MESSAGES,
                "responses": Role.RESPONSES,
                "scores": Role.SCORE,
                "models": Role.LABEL,
                "ground_truth": Role.REFERENCE,
            },
            id="lists side by side",
        ),
        pytest.param(
            {"prompt": "p", "response": "r", "rater_1_score": 1, "score_ann": 2, "human_score_2": 3, "bleu_score": 0.1},
            {
                "prompt": Role.PROMPT,
                "response": Role.RESPONSE,
                "rater_1_score": Role.SCORE,
                "score_ann": Role.SCORE,
                "human_score_2": Role.SCORE,
            },
            id="a column of scores for each rater",
        ),
        pytest.param(
            {"prompt": "p", "response": "r", "human_score_1": 1, "human_score_2": 3, "annotator": "ann"},
            {
                "prompt": Role.PROMPT,
                "response": Role.RESPONSE,
                "human_score_1": Role.SCORE,
                "annotator": Role.ANNOTATOR,
            },
            id="several scores of an annotator",
        ),
        pytest.param(
            {"prompt": "p", "completion": "c", "label": True},
            {"prompt": Role.PROMPT, "completion": Role.RESPONSE, "label": Role.MARK},
            id="KTO",
        ),
        pytest.param(
            {"instruction": "i", "input": "x", "output": "o"},
            {"instruction": Role.PROMPT, "input": Role.PROMPT, "output": Role.RESPONSE},
            id="Alpaca",
        ),
        pytest.param(
            {
                "System Prompt": "s",
                "userQuestion": "u",
                "question": "q",
                "context": "c",
                "Model Output": "o",
                "answer": 4,
            },
            {
                "System Prompt": Role.SYSTEM_PROMPT,
                "question": Role.PROMPT,
                "context": Role.PROMPT,
                "Model Output": Role.RESPONSE,
                "answer": Role.REFERENCE,
            },
            id="retrieval, by many spellings",
        ),
        pytest.param(
            {"messages": A, "tools": [{"type": "function"}]},
            {"messages": Role.MESSAGES, "tools": Role.TOOLS},
            id="fine-tuning",
        ),
        pytest.param(
            {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]},
            {"conversations": Role.MESSAGES},
            id="ShareGPT",
        ),
        pytest.param(
            {"question": "and why?", "messages": A, "reply": "r"},
            {"question": Role.PROMPT, "messages": Role.MESSAGES, "reply": Role.RESPONSE},
            id="a history before the question",
        ),
        pytest.param(
            {"prompt": "p", "response": "r", "score": "high", "rank": 0, "annotator": "ann", "label": "concise"},
            {"prompt": Role.PROMPT, "response": Role.RESPONSE, "label": Role.LABEL},
            id="a score that is no number, a rank that is none, and so nobody who judged",
        ),
        pytest.param({"text_1": "only one", "chosen": "no other"}, {}, id="tags without a second"),
    ],
)
def test_known_shapes_get_their_roles(row: dict[str, Json], roles: dict[str, Role]) -> None:
    assert _roles(row, row) == roles


def test_an_id_of_each_row_is_a_response_s_where_prompts_come_again() -> None:
    rows = [{"id": number, "prompt": "p", "response": str(number)} for number in range(3)]
    assert _roles(*rows)["id"] is Role.RESPONSE_ID
    apart = [{**row, "prompt": str(row["id"])} for row in rows]
    assert _roles(*apart)["id"] is Role.GROUP_ID


def test_one_slip_of_three_does_not_hide_what_a_column_holds() -> None:
    rows = [{"prompt": "p", "response": "r", "score": score} for score in (1, 2, "three")]
    assert _roles(*rows)["score"] is Role.SCORE


def test_json_in_the_cells_of_a_csv_is_seen() -> None:
    sheet = read_sheet(b'prompt,responses,scores\np,"[""a"", ""b""]","[1, 2]"\n', "x.csv")
    assert guess_mapping(sheet).roles == {"prompt": Role.PROMPT, "responses": Role.RESPONSES, "scores": Role.SCORE}


def test_our_own_format_needs_no_mapping() -> None:
    assert guess_mapping(read_sheet(b'{"trajectories": [{"text": "a"}]}', "x.jsonl")).roles == {}


@pytest.mark.parametrize("role", list(Role))
def test_each_role_says_what_its_cells_hold(role: Role) -> None:
    assert role.meaning.endswith(".")
