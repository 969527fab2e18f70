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
