from __future__ import annotations

import time

import pytest

from reward_lab.judges.language import features, passage, quoted, shortened


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("refundable", "refunded"),
        ("The policies", "a policy"),
        ("cancelled", "cancel"),
        ("thirty days", "30 days"),
        ("1,000.50", "1000.5"),
        ("café", "cafe"),
        ("退款", "可以退款"),
        ("مدرسة", "المدرسة"),
    ],
)
def test_related_words_share_features(first: str, second: str) -> None:
    shared = set(features(first)) & set(features(second))

    assert len(shared) >= len(set(features(first))) / 2


def test_unrelated_words_share_nothing() -> None:
    assert not set(features("refund policy")) & set(features("weather in Lisbon"))
    assert not set(features("退款")) & set(features("天气"))


@pytest.mark.parametrize(
    ("text", "specifics"),
    [
        ("Pay within 30 days.", ["30 days"]),
        ("Call 1-800-REFUND or (555) 123-4567.", ["1-800-REFUND", "(555) 123-4567"]),
        ("Mail help@example.com, see https://example.com/a?b=1.", ["help@example.com", "https://example.com/a?b=1"]),
        ("It leaves at 17:45 on 2026-03-14.", ["17:45", "2026-03-14"]),
        ("It was written by Brad Bird in 2004.", ["Brad Bird", "2004"]),
        ("1. Sleep\n2. Eat", []),
        ("Sleep well. Eat well.", []),
        ("A Title In Capitals", []),
        ("退款在30天内可用。", ["30 天"]),
    ],
)
def test_specifics_are_what_a_reader_can_check(text: str, specifics: list[str]) -> None:
    assert [one.shown for one in passage(text).specifics] == specifics


def test_capitals_name_nothing_where_every_noun_has_one() -> None:
    german = "Die Rückgabe der Ware ist innerhalb der Frist möglich, wenn der Kunde den Beleg und die Ware mitbringt."

    assert passage(german).specifics == ()


def test_sentences_end_at_stops_of_several_scripts_and_not_at_abbreviations() -> None:
    told = [one.text for one in passage("Ask Dr. Who, e.g. today. Then go!\n- one\n退款。好的。").sentences]

    assert told == ["Ask Dr. Who, e.g. today.", "Then go!", "one", "退款。", "好的。"]


@pytest.mark.parametrize(
    "unit",
    ["word ", "a", "1 ", "1-800-", "x@", " ", "\n ", "(", "a'", "Aa ", "退", "http://", "السلام "],
)
def test_reading_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        started = time.process_time()
        passage.__wrapped__(unit * (length // len(unit)) + ".")
        return time.process_time() - started

    seconds(1000)
    small, large = min(seconds(20_000), seconds(20_000)), seconds(160_000)

    assert large < 8 * 6 * small + 0.3, f"eight times the text took {large / max(small, 1e-9):.0f} times as long"


def test_a_lone_surrogate_is_read() -> None:
    assert passage("a \ud800 refund").features == {"refund"}


def test_what_people_are_shown_is_short() -> None:
    assert shortened("word " * 100, 20) == "word word word word…"
    assert quoted(["a.", "b", "c", "d", "a."]) == "“a”, “b”, “c” and 1 more"
