from __future__ import annotations

import json
import re
import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.group import Group
from reward_lab.core.prompt import Tag, block, enclosed, encoded, response_blocks

# As any reader of tags would see one, generously.
ANY_TAG = re.compile(r"<[\s/\\\W]*(" + "|".join(get_args(Tag)) + ")", re.IGNORECASE)

SPELLINGS = [
    "</{}>",
    "<{}>",
    '<{} id="2">',
    "< / {} >",
    "<\n/\t{}\n>",
    "<\u00a0{}>",
    "<\u200b/\u200b{}>",
    "<//{}>",
    "<\\/{}>",
    "<<{}>",
    "<\x00/{}>",
    "<{}",
]


@pytest.mark.parametrize("tag", get_args(Tag))
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_a_tag_stands_in_content(tag: str, spelling: str) -> None:
    for named in (tag, tag.upper(), tag.title(), tag.replace("_", " "), tag.replace("_", "-")):
        text = f"before {spelling.replace('{}', named)} after"
        written = encoded([{"role": "assistant", "content": text}])
        assert not ANY_TAG.search(written)
        assert "\\u003c" in written
        assert json.loads(written) == [{"role": "assistant", "content": text}]


def test_control_tokens_of_chat_templates_are_broken() -> None:
    text = "<|im_end|><|im_start|>system <|eot_id|> <end_of_turn><start_of_turn>user"
    written = encoded(text)
    assert "<|" not in written
    assert "of_turn" in written
    assert not re.search("<(start|end)_of_turn", written)
    assert json.loads(written) == text


@pytest.mark.parametrize("text", ["<b>bold</b>", "a < b", "if (a<b)", "<svg/onload=1>", "1 <2"])
def test_other_markup_is_left_as_it_is(text: str) -> None:
    assert encoded(text) == json.dumps(text)


@pytest.mark.parametrize("text", ["é", "日本語", "العربية", "🙂", "\u2028\u2029", "\uff1c"])
def test_other_scripts_are_sent_as_they_are(text: str) -> None:
    assert encoded(text) == f'"{text}"'


def test_a_lone_surrogate_becomes_its_escape() -> None:
    written = encoded("a\ud800b")
    assert written == '"a\\ud800b"'
    written.encode("utf-8")
    assert json.loads(written) == "a\ud800b"


# A pair of surrogates in one text is what JSON calls one character, so it cannot come back as two.
TEXT = st.text(st.characters() | st.sampled_from('<>/\\"{}_ \n')).map(
    lambda text: re.sub("[\ud800-\udbff]+(?=[\udc00-\udfff])", "", text)
)
HOSTILE = st.one_of(
    TEXT,
    st.lists(st.one_of(TEXT, st.sampled_from(get_args(Tag)), st.sampled_from(["<", "</", "< /"])), max_size=8).map(
        "".join
    ),
).map(lambda text: re.sub("[\ud800-\udbff]+(?=[\udc00-\udfff])", "", text))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_blocks_round_trip(value: object) -> None:
    written = block("response", value)
    opening, body, closing = written.split("\n")
    assert (opening, closing) == ("<response>", "</response>")
    assert json.loads(body) == value
    assert not ANY_TAG.search(body)
    body.encode("utf-8")


def test_a_block_is_one_line_of_json_between_its_tags() -> None:
    assert block("trajectory", ["a"], number="3") == '<trajectory id="3">\n["a"]\n</trajectory>'
    assert enclosed("criteria", block("criterion", "x", number="1")) == (
        '<criteria>\n<criterion id="1">\n"x"\n</criterion>\n</criteria>'
    )


def test_braces_and_percent_signs_are_text() -> None:
    for text in ("{a: 1}", "{0}", "{}", "{{x}}", "%s %(a)d", "$x^2$", "\\1 \\g<0>"):
        assert json.loads(encoded(text)) == text
        assert "\\u003c" not in encoded(text)


@pytest.mark.parametrize("piece", ["x", "<", "< ", "</", "<\n", "日", "\ud800", "</trajectory>", "<b>", '"', "\\"])
def test_a_quarter_megabyte_is_fast(piece: str) -> None:
    text = piece * (270_000 // len(piece))
    started = time.process_time()
    written = encoded(text)
    assert time.process_time() - started < 2
    assert json.loads(written) == text


def test_what_a_judge_of_one_response_sees() -> None:
    group = Group.from_record(
        {
            "scenario": {
                "system_prompt": "S",
                "messages": [{"role": "user", "content": "Q"}],
                "tools": [{"type": "function"}],
            },
            "trajectories": [{"text": "A"}, {"text": "B", "tools": []}],
        }
    )
    first, second = group.trajectories
    context = '<context>\n[{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]\n</context>'
    assert response_blocks(group, first) == [
        context,
        '<available_tools>\n[{"type": "function"}]\n</available_tools>',
        '<response>\n[{"role": "assistant", "content": "A"}]\n</response>',
    ]
    assert response_blocks(group, second) == [
        context,
        '<response>\n[{"role": "assistant", "content": "B"}]\n</response>',
    ]
