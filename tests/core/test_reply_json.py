"""How JSON is found in replies, through the readers that build on it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.replies import Answer, Rating, read_marks
from reward_lab.core.verdict import CriterionVerdict, Fault, Reason
from tests.core.reading import GOOD, READ, READERS, answer_or_fault, fault_of, listing, mark, rating, scores

# ---- what stands around the JSON


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```json\n{GOOD}\n```", id="fence"),
        pytest.param(f"```\n{GOOD}\n```", id="fence without language"),
        pytest.param(f"```JSON {GOOD}```", id="fence on one line"),
        pytest.param(f"Here you are:\n```json\n{GOOD}\n```\nI hope this helps!", id="fence amid prose"),
        pytest.param(f"Sure. {GOOD}", id="prose before"),
        pytest.param(f"{GOOD}\nNote: 2 was close. {{x}} [1]", id="trailing prose"),
        pytest.param(f"The rubric says {{a: 1}} and {{0}} and {{}}. {GOOD} {{", id="braces in prose"),
        pytest.param(f"Well, it's {{ not simple: {GOOD}", id="unbalanced brace in prose"),
        pytest.param(f"\ufeff \n{GOOD}\n\n", id="blanks and byte order mark"),
        pytest.param(f"{GOOD}\n{GOOD}", id="said twice, the same"),
        pytest.param(f"<think>Perhaps {scores(('1', 1), ('2', 1), ('3', 1))}</think>{GOOD}", id="think"),
        pytest.param(f"<thinking>\n{scores(('1', 1))}\n</thinking>\n```json\n{GOOD}\n```", id="thinking, fence"),
        pytest.param(f"<THINK >a</THINK >{GOOD}<think>b {{</think>", id="think, odd spelling, twice"),
        pytest.param(f"{scores(('1', 1), ('2', 1), ('3', 1))}\n</think>\n{GOOD}", id="lone closing tag"),
        pytest.param(f'{{"scores": [{{"traj\n</think>\n{GOOD}', id="lone closing tag after a draft cut off"),
        pytest.param(f"{GOOD}<think>or rather {scores(('1', 1), ('2', 1), ('3', 1))}", id="unclosed opening after"),
        pytest.param(f"<think>a<think>b</think>{scores(('1', 1))}</think>{GOOD}", id="think in think"),
        pytest.param(GOOD[:-1] + ", }", id="trailing comma"),
        pytest.param(GOOD.replace('"', "'"), id="single quotes"),
        pytest.param(GOOD.replace('{"scores"', "{scores"), id="bare key"),
        pytest.param(f"Sure: {GOOD[:-2]},]}} Done.", id="trailing comma amid prose"),
    ],
)
def test_replies_that_are_read(text: str) -> None:
    assert listing(text) == READ


def test_an_explanation_may_quote_think_tags_and_braces() -> None:
    said = "It leaks its <think> and </think>, and says {\"rating\": 1} and '}'."
    text = json.dumps({"explanation": said, "rating": 3})
    for around in ("{}", "```json\n{}\n```", '<think>hm {"rating": 9}</think>\n{}', "draft\n</think>\n```\n{}\n```"):
        assert rating(around.replace("{}", text)) == Rating(3.0, said)


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ('{"explanation": "two\nlines", "rating": 3}', "two\nlines"),
        ("{'explanation': 'it is', 'rating': 3, 'final': True}", "it is"),
        ("{'explanation': \"it's\", 'rating': 3, 'draft': None,}", "it's"),
        ("{'explanation': 'it's so', 'rating': 3}", "it's so"),
        ('{"explanation": "a \\"b\\" c", "rating": 3.0,}', 'a "b" c'),
        ('{"explanation": "see {x: 1}", "rating": 3,}', "see {x: 1}"),
    ],
)
def test_slips_of_syntax_are_mended(text: str, explanation: str) -> None:
    assert rating(text) == Rating(3.0, explanation)


def test_python_constants() -> None:
    assert mark("{'explanation': 'e', 'met': True}") == (CriterionVerdict(4, True, "e"),)
    assert mark("{'explanation': 'e', 'met': False,}") == (CriterionVerdict(4, False, "e"),)


@pytest.mark.parametrize(
    "text",
    [
        "{'rating': 3, 'rating': 9}",
        '{"rating": 3 9,}',
        '{"rating": 30%,}',
        '{"rating": 3 // or 9\n}',
        '{"rating": 3 /* 9 */}',
        '{"rating": (3)}',
        '{"rating": 3, 9,}',
        '{"rating": "3" or "9",}',
        '{"rating": 3: 9}',
        '{"rating" 3, "rating": 9}',
        '{"rating": not 3}',
    ],
)
def test_mending_never_chooses(text: str) -> None:
    assert fault_of(rating, text).fault.reason is Reason.UNREADABLE_REPLY


@pytest.mark.parametrize(
    "text",
    [
        '{"rating": 3} or rather {"rating": 4}',
        '```json\n{"rating": 3}\n```\n```json\n{"rating": 4}\n```',
        '{"rating": 3} <think>x</think> {"rating": 4}',
        '[{"rating": 3}, {"rating": 4}]',
        "{\"rating\": 3} {'rating': 4}",
        '{"rating": 3, "explanation": "a"} {"rating": 3, "explanation": "b"}',
        '{"rating": 3, "score": 4}',
        '{"rating": 3, "rating": 4}',
    ],
)
def test_two_answers_are_ambiguous(text: str) -> None:
    fault = fault_of(rating, text)
    assert (fault.fault.reason, fault.partial) == (Reason.UNREADABLE_REPLY, None)
    assert "different" in fault.fault.detail


def test_a_key_given_twice_with_one_value_is_one() -> None:
    assert rating('{"rating": 3, "rating": 3}') == Rating(3.0, "")


def test_a_key_given_twice_in_an_entry() -> None:
    text = '{"scores": [{"trajectory_id": "1", "score": 0.1, "score": 0.9}]}'
    assert 'gives "score" twice' in fault_of(listing, text).fault.detail


# ---- cut, empty, declined


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"Sure: {GOOD}", GOOD.replace('"', "'")])
def test_a_reply_cut_anywhere_in_its_json_is_never_read(text: str) -> None:
    begin, end = text.index("{"), text.rindex("}")
    for length in range(begin + 3, end):
        fault = fault_of(listing, text[:length])
        assert fault.partial is None
        assert fault.fault.reason in (Reason.CUT_REPLY, Reason.UNREADABLE_REPLY)
        if length > begin + 12:
            assert fault.fault.reason is Reason.CUT_REPLY


def test_a_complete_entry_in_a_reply_that_is_cut_does_not_count() -> None:
    assert fault_of(rating, '{"draft": {"rating": 3}, "explanation": "so I').fault.reason is Reason.CUT_REPLY
    assert fault_of(rating, '{"rating": 3} {"rating": 4, "expl').fault.reason is Reason.CUT_REPLY


@pytest.mark.parametrize("text", ['<think>{"rating": 3}', '<think>a</think><thinking>{"rating": 3} so', "<think>"])
def test_thinking_without_end(text: str) -> None:
    fault = fault_of(rating, text)
    assert (fault.fault.reason, fault.partial) == (Reason.CUT_REPLY, None)
    assert "thinking" in fault.fault.detail


@pytest.mark.parametrize("text", ["", " \n\t", '<think>{"rating": 3}</think>', '{"rating": 3}</think>\n'])
@pytest.mark.parametrize("read", READERS)
def test_empty_replies(read: Callable[[str], Answer], text: str) -> None:
    assert fault_of(read, text).fault.reason is Reason.EMPTY_REPLY


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("I'm sorry, but I can't help with that. Ask again.", "I'm sorry, but I can't help with that."),
        ("I cannot assess these responses", "I cannot assess these responses"),
        ("I can\u2019t judge medical advice. Sorry!", "I can\u2019t judge medical advice."),
        ("As an AI I must decline to answer this.\nBye", "As an AI I must decline to answer this."),
        ("Unable to evaluate: the text is missing.", "Unable to evaluate: the text is missing."),
        ("<think>{}</think>We will not rate this.", "We will not rate this."),
    ],
)
@pytest.mark.parametrize("read", READERS)
def test_refusals_are_quoted(read: Callable[[str], Answer], text: str, sentence: str) -> None:
    fault = fault_of(read, text)
    assert (fault.fault.reason, fault.partial) == (Reason.REFUSAL, None)
    assert f'"{sentence}"' in fault.fault.detail


@pytest.mark.parametrize(
    "text", ["All are good: 0.8, 0.7.", "The agent cannot find the file. Score: 0.3", "{", "{x}", "][", "null"]
)
@pytest.mark.parametrize("read", READERS)
def test_prose_without_json(read: Callable[[str], Answer], text: str) -> None:
    assert fault_of(read, text).fault.reason is Reason.UNREADABLE_REPLY


# ---- whatever comes

PIECES = st.sampled_from(
    [
        *(
            '{"rating": 3',
            "}",
            "{",
            '"',
            "'",
            ",",
            ":",
            "[",
            "]",
            "<think>",
            "</think>",
            "```json\n",
            "```",
            "\\",
            "\n",
            " ",
        ),
        *(
            '{"scores": [',
            '{"trajectory_id": "1", "score": 0.5}',
            '{"met": true}',
            "True",
            "NaN",
            "null",
            "0.8x",
            "\ud800",
            "日",
        ),
        *("I cannot", '"criteria"', "{'met': True,}", "\x00", "\u2028", "1e999", "{{", "}}", '"rating": 9'),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=14).map("".join)))
def test_nothing_but_a_reply_fault_is_ever_raised(text: str) -> None:
    for read in READERS:
        answer = answer_or_fault(read, text)
        if isinstance(answer, Fault):
            assert "\n" not in answer.detail
            answer.detail.encode("utf-8")
        else:
            given = answer.values() if isinstance(answer, dict) else [answer] if isinstance(answer, Rating) else []
            assert all(math.isfinite(one.score) for one in given)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["scores", "criteria", "rating", "score", "met", "id", "trajectory_id", "explanation"]),
                inner,
            )
        ),
        max_leaves=15,
    )
)
def test_any_json_is_an_answer_or_a_fault(value: object) -> None:
    for read in READERS:
        answer = answer_or_fault(read, json.dumps(value))
        assert not isinstance(answer, Fault) or answer.detail.endswith(".")


SAID = st.one_of(
    st.text(max_size=30), st.lists(st.sampled_from(["'", '"', ",", ":", "}", "{", "a", " ", "\\", "9"])).map("".join)
)


@given(SAID, st.integers(1, 10), st.sampled_from(["single quotes", "trailing comma", "bare keys", "line breaks"]))
def test_mending_gives_what_was_meant_or_nothing(said: str, given_rating: int, slip: str) -> None:
    record = {"explanation": said, "rating": given_rating}
    match slip:
        case "single quotes":
            text = repr(record)
        case "trailing comma":
            text = json.dumps(record)[:-1] + ",}"
        case "bare keys":
            text = f'{{explanation: {json.dumps(said)}, rating: "{given_rating}"}}'
        case _:
            text = json.dumps(record, indent=2).replace(", ", ",\n")
    answer = answer_or_fault(rating, text)
    assert isinstance(answer, Fault) or (isinstance(answer, Rating) and answer.score == given_rating)


MEGABYTE = 1_000_000
GARBAGE = {
    "braces": "{" * MEGABYTE,
    "brackets": "[" * MEGABYTE,
    "nested, cut": '{"rating":' * (MEGABYTE // 10),
    "nested, closed": '{"rating":' * (MEGABYTE // 11) + "1" + "}" * (MEGABYTE // 11),
    "nested lists": '{"rating":' + "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2) + "}",
    "openings": '{"' * (MEGABYTE // 2),
    "escaped quotes": '{"a' + '\\"' * (MEGABYTE // 2),
    "single quotes": "{'a': '" + "' " * (MEGABYTE // 2),
    "think openings": "<think>" * (MEGABYTE // 7),
    "think blocks": "<think></think>" * (MEGABYTE // 15),
    "think closings": "</think>" * (MEGABYTE // 8),
    "think, then blanks": "<think" + " " * MEGABYTE,
    "blanks in a brace": "{" + " " * MEGABYTE + "x",
    "blanks in a fence": "```" + " " * MEGABYTE + "x```",
    "broken objects": "{rating:1}" * (MEGABYTE // 10),
    "other objects": "{a:1}" * (MEGABYTE // 5),
    "good objects": '{"rating":3}' * (MEGABYTE // 12),
    "one long number": '{"rating": ' + "9" * MEGABYTE + "}",
    "zeros": "{rating: 0." + "0" * MEGABYTE + "1}",
    "quotes to mend": '{"rating": ' + '"a" ' * 9_000 + "}",
    "words": "I can " * (MEGABYTE // 6),
    "nulls": "\x00" * MEGABYTE,
    "entries": '{"scores":[' + ",".join(['{"trajectory_id":"1","score":1}'] * 30_000) + "]}",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_read_in_linear_time(name: str) -> None:
    for read in (listing, rating):
        started = time.process_time()
        fault_of(read, GARBAGE[name])
        assert time.process_time() - started < 5  # quadratic reading of a megabyte takes minutes


def test_a_long_sensible_reply_is_read() -> None:
    ids = [str(number) for number in range(1, 201)]
    text = json.dumps({"criteria": [{"id": one, "explanation": "because " * 40, "met": True} for one in ids]})
    positions = {one: index for index, one in enumerate(ids)}
    assert len(read_marks(f"Sure!\n```json\n{text}\n```", positions)) == 200
