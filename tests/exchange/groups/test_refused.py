"""What is not read of a sheet, and which mappings are refused: in words, with the line."""

from __future__ import annotations

import pytest

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups import Mapping, Role, imported_groups
from tests.exchange.groups.sheets import ASK, bad_lines, said, sheet_of


@pytest.mark.parametrize(
    ("source", "roles", "bad"),
    [
        ("prompt,response,score\np,a,1\np,b,x\np,c,2\n", {}, [(3, "column 'score': 'x' is not a number")]),
        ("prompt,response,score\np,a,1\np,b,inf\np,c,2\n", {}, [(3, "column 'score': 'inf' is not a finite number")]),
        (
            "prompt,response,rank\np,a,0\n",
            {"rank": Role.RANK},
            [(2, "column 'rank': '0' is not a rank: ranks are whole numbers from 1, the best")],
        ),
        (
            "prompt,response,good\np,a,maybe\n",
            {"good": Role.MARK},
            [
                (
                    2,
                    "column 'good': 'maybe' is neither good nor bad: write good or bad, true or false, 1 or 0",
                )
            ],
        ),
        (
            [{"prompt": "p", "response": "a"}, {"prompt": "p", "response": None}],
            {},
            [(2, "no response: column 'response' is blank")],
        ),
        (
            'prompt,response\np,a\n,""\n , \n',
            {},
            [(4, "no prompt: a row needs a prompt, a conversation or a group id")],
        ),
        ("prompt,response\np,a\n,b\n", {}, [(3, "no prompt: a row needs a prompt, a conversation or a group id")]),
        (
            "group_id,prompt,response\ng,p,a\ng,q,b\n",
            {},
            [(3, "group 'g' has another prompt in line 2; the responses of a group answer the same")],
        ),
        (
            "prompt,response_id,response\np,x,a\np,x,b\np,x,a\n",
            {},
            [
                (3, "response id 'x' stands in line 2 with another text"),
                (4, "response id 'x' stands in line 2 already"),
            ],
        ),
        (
            "prompt,chosen,rejected\np,,\n",
            {"chosen": Role.RESPONSE_COLUMN, "rejected": Role.RESPONSE_COLUMN},
            [(2, "no response: column 'chosen' and column 'rejected' are blank")],
        ),
        (
            "prompt,response_a,response_b,winner\np,x,y,c\n",
            {"winner": Role.PREFERENCE},
            [(2, "column 'winner': 'c' is none of the responses 'response_a' and 'response_b', and no tie")],
        ),
        (
            [{"prompt": "p", "responses": ["a", "b"], "winner": 1}],
            {"winner": Role.PREFERENCE},
            [(1, "column 'winner': 1 may count from 0 or from 1: write the response's id")],
        ),
        (
            [{"prompt": "p", "responses": [{"id": "a", "text": "x"}], "ranking": ["a", "a"]}],
            {},
            [(1, "column 'ranking': 'a' stands twice in the order")],
        ),
        (
            [{"prompt": "p", "responses": ["a", "b"], "scores": [1]}],
            {},
            [(1, "column 'scores' has 1 values for 2 responses")],
        ),
        (
            [
                {"prompt": "p", "responses": ["a"]},
                {"prompt": "p", "responses": ["a", 3]},
                {"prompt": "p", "responses": ["b"]},
            ],
            {},
            [
                (
                    2,
                    (
                        "column 'responses', item 2 is no response: expected a text, chat messages, or an object with "
                        "'text', got '3'"
                    ),
                )
            ],
        ),
        (
            "prompt,responses\np,\"['a', 'b']\"\n",
            {"responses": Role.RESPONSES},
            [(2, "column 'responses': \"['a', 'b']\" is not JSON")],
        ),
        (
            [{"prompt": "p", "responses": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}],
            {},
            [(1, "Group 'line-1': trajectory ids must be unique, but 'a' stands more than once.")],
        ),
        (
            [{"messages": [ASK, {"role": "robot", "content": "x"}, said("a")]}],
            {"messages": Role.MESSAGES},
            [
                (
                    1,
                    (
                        "column 'messages'[1]: role 'robot' is not one of system, developer, user, assistant, tool, "
                        "function"
                    ),
                )
            ],
        ),
        ([{"prompt": [ASK]}], {}, [(1, "no response: column 'prompt' has no message of the assistant")]),
        (
            "prompt,response,tools\np,a,hammer\n",
            {"tools": Role.TOOLS},
            [(2, "column 'tools': 'hammer' is not JSON; expected tool definitions")],
        ),
        (
            [{"id": "g", "prompt": "p", "chosen": "a", "rejected": "b"}] * 2,
            {},
            [(2, "it says again what line 1 says of the same responses")],
        ),
        (
            [{"prompt": "p", "response": str(number), "split": "train"} for number in range(1001)],
            {"split": Role.GROUP_ID},
            [
                (
                    1,
                    "Group 'train' would have 1,001 responses; at most 1,000 are read. Is another column the group id?",
                )
            ],
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    source: str | list[dict[str, Json]], roles: dict[str, Role], bad: list[tuple[int, str]]
) -> None:
    assert bad_lines(source, **roles) == bad


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (
            Mapping({"a": Role.PROMPT}),
            (
                "No column holds responses: give one the role 'response' (one a row), 'list of responses' or, to each "
                "of several, 'response column'."
            ),
        ),
        (
            Mapping({"a": Role.RESPONSE, "b": Role.RESPONSES}),
            "Responses are either a 'response' or a 'list of responses': choose one.",
        ),
        (
            Mapping({"a": Role.RESPONSE, "b": Role.LABEL, "c": Role.LABEL}),
            (
                "'b' and 'c' have the role 'response label', which one column can have here: give the others another, "
                "or 'metadata'."
            ),
        ),
        (
            Mapping({"a": Role.RESPONSE, "b": Role.PREFERENCE}),
            (
                "'b' has the role 'preference', which is for rows with several responses: where a row is one response, "
                "use 'rank'."
            ),
        ),
        (
            Mapping({"a": Role.RESPONSE_COLUMN, "b": Role.RESPONSE_COLUMN, "c": Role.SCORE}),
            (
                "The column 'c' has the role 'score', and its name does not tell of which response: there are 'a' and "
                "'b'. Name it after one of them, such as 'score a', or give it the role 'metadata'."
            ),
        ),
        (Mapping({"z": Role.PROMPT}), "There is no column 'z'. The columns are 'a', 'b' and 'c'."),
        (
            Mapping({"a": Role.RESPONSE}, annotator=" "),
            "Who has labelled has no name: write one where no column says who.",
        ),
    ],
)
def test_a_mapping_that_cannot_be_used_says_what_to_change(mapping: Mapping, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        imported_groups(sheet_of("a,b,c\n1,2,3\n"), mapping)
    assert str(caught.value) == message
