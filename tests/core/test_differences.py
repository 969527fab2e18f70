from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.differences import word_diff, words

texts = st.text(st.sampled_from("ab é東京ไทย\u0301\u200d👩🔬 \n\t.,!"), max_size=30)


def told(old: str, new: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in word_diff(old, new)]


def test_one_word_added() -> None:
    assert told("Use the context.", "Use ONLY the context.") == [
        ("same", "Use "),
        ("added", "ONLY "),
        ("same", "the context."),
    ]


def test_words_replaced_together_are_one_change() -> None:
    assert told("a big dog ran", "a small cat ran") == [
        ("same", "a "),
        ("removed", "big dog"),
        ("added", "small cat"),
        ("same", " ran"),
    ]


def test_whole_words_change_not_letters() -> None:
    assert told("formatted", "formal") == [("removed", "formatted"), ("added", "formal")]


def test_a_word_added_at_the_end() -> None:
    assert told("now", "now please") == [("same", "now"), ("added", " please")]


def test_scripts_without_blanks_change_by_character() -> None:
    assert told("東京に行きます", "大阪に行きます") == [
        ("removed", "東京"),
        ("added", "大阪"),
        ("same", "に行きます"),
    ]


def test_marks_and_joined_signs_stay_whole() -> None:
    assert words("e\u0301te\u0301") == ["e\u0301te\u0301"]
    assert words("👩\u200d🔬!") == ["👩\u200d🔬", "!"]
    assert words("ดี") == ["ดี"]


@pytest.mark.parametrize(("old", "new"), [("", ""), ("same text", "same text")])
def test_equal_texts_have_no_change(old: str, new: str) -> None:
    assert told(old, new) == ([("same", old)] if old else [])


def test_from_and_to_nothing() -> None:
    assert told("", "all new") == [("added", "all new")]
    assert told("all gone", "") == [("removed", "all gone")]


def test_lone_surrogates_and_line_separators_are_content() -> None:
    assert told("a\ud800 b", "a\ud800\u2028b") == [
        ("same", "a\ud800"),
        ("removed", " "),
        ("added", "\u2028"),
        ("same", "b"),
    ]


def test_long_texts_are_matched_by_line_within_seconds() -> None:
    old = "".join(f"line {number} of the old text\n" for number in range(1000))
    new = old.replace("line 500 of", "line five hundred of").replace("line 3 of", "line three of")
    started = time.perf_counter()
    removed = [piece.text for piece in word_diff(old, new) if piece.kind == "removed"]
    assert time.perf_counter() - started < 5
    assert len(removed) == 2
    assert sum(len(text) for text in removed) < 60


@given(texts, texts)
def test_the_pieces_spell_both_texts(old: str, new: str) -> None:
    pieces = word_diff(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == old
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == new
    assert all(piece.text for piece in pieces)
    kinds = [piece.kind for piece in pieces]
    assert all(one != other for one, other in pairwise(kinds))


@given(texts)
def test_words_spell_the_text(text: str) -> None:
    assert "".join(words(text)) == text
