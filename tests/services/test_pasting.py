"""One paste, many responses."""

from __future__ import annotations

import json

import pytest

from reward_lab.errors import InvalidGroup
from reward_lab.services.pasting import paste_many


def _texts(text: str) -> list[str]:
    return [response.text for response in paste_many(text, taken=set())]


@pytest.mark.parametrize(
    ("pasted", "texts"),
    [
        ('["one", "two"]', ["one", "two"]),
        ('[{"text": "one"}, {"response": "two"}]', ["one", "two"]),
        ('{"text": "one"}\n{"text": "two"}\n', ["one", "two"]),
        ('"one"\n"two"', None),
        ("one\n---\ntwo\nlines\n---\n", ["one", "two\nlines"]),
        ("just one", ["just one"]),
        ("one\n----\nstill one", ["one\n----\nstill one"]),
        ("[not json]\n---\n{neither}", ["[not json]", "{neither}"]),
        ('{"text": "line\u2028separator"}\n{"text": "b"}', ["line\u2028separator", "b"]),
        ('{"trajectories": [{"text": "one"}, {"text": "two"}]}', ["one", "two"]),
    ],
)
def test_each_form_is_read(pasted: str, texts: list[str] | None) -> None:
    assert _texts(pasted) == (texts if texts is not None else [pasted])


def test_a_trajectory_stays_messages() -> None:
    messages = [{"role": "assistant", "content": None, "tool_calls": []}, {"role": "assistant", "content": "done"}]
    for pasted in (messages, [messages], [{"messages": messages}]):
        (response,) = paste_many(json.dumps(pasted), taken=set())
        assert json.loads(response.text) == messages


def test_ids_stay_unique() -> None:
    responses = paste_many('[{"id": "a", "text": "1"}, {"id": "a", "text": "2"}, "3"]', taken={"b"})
    assert len({response.id for response in responses} | {"b"}) == 4
    assert responses[0].id == "a"


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ('{"text": "one"}\n{"text": "two"\n{"text": "three"}', "line 2 is not valid JSON"),
        ('{"text": "one"\n\n{"text": "two"}', "line 1 is not valid JSON: Expecting ',' delimiter (column 15)"),
        ('oops\n{"text": "two"}\n[{"role": "assistant", "content": "three"}]', "line 1 is not valid JSON"),
        ('{"text": "one"}\nno\n\nno', "line 2 is not valid JSON: Expecting value (column 1); line 4"),
        ('[\n  {"text": "one"},\n  {"text": "two"\n]', "not valid JSON in line 4"),
        ('[\n{"text": "one"},\n{"text": "two"}\n]]', "not valid JSON in line 4"),
        ('["one", "two', "not valid JSON in line 1"),
        ('{"text": "one', "not valid JSON in line 1"),
        ('{"text": "fine"}\n\n{"answer": 3}', "Pasted line 3 has neither 'text' nor 'messages'"),
    ],
)
def test_json_with_a_slip_is_refused_whole_by_its_line(pasted: str, words: str) -> None:
    with pytest.raises(InvalidGroup) as caught:
        paste_many(pasted, taken=set())
    assert words in str(caught.value)


def test_many_bad_lines_are_counted() -> None:
    with pytest.raises(InvalidGroup, match=r"line 6 is not valid.*; and 2 more lines"):
        paste_many("\n".join(['{"text": "one"}', *["{"] * 7]), taken=set())


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "one\n---',
        "[1] Smith 2020\n[2] Jones 2021",
        "{code}",
        'The tool said\n{"text": "two"}\nand then\n{"order": 7}\nwas closed.',
    ],
)
def test_what_is_no_json_stays_a_text(text: str) -> None:
    assert _texts(text) == [text.removesuffix("\n---")]


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("  \n", "Nothing to add"),
        ('[{"text": "fine"}, {"answer": 3}]', "entry 2"),
        ('[{"messages": [{"role": "nobody"}]}]', "entry 1"),
        ("[1, 2]", "entry 1"),
        ('[{"text": "x", "independent_reward": "much"}]', "independent_reward"),
    ],
)
def test_what_cannot_be_read_is_named(pasted: str, words: str) -> None:
    with pytest.raises(InvalidGroup) as caught:
        paste_many(pasted, taken=set())
    assert words in str(caught.value)
