from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, MetaData, Table, create_engine, insert, select
from sqlalchemy.exc import StatementError

from reward_lab.store.columns import ExactText, FreeText, JsonText

# Lone surrogates and NUL included: models emit both.
ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\\\x00\ud800\udfff"))

ENGINE = create_engine("sqlite://")
TABLE = Table(
    "t", MetaData(), Column("free", FreeText()), Column("exact", ExactText()), Column("json", JsonText(), nullable=True)
)
TABLE.metadata.create_all(ENGINE)


def stored(**values: object) -> dict[str, object]:
    with ENGINE.connect() as connection:
        connection.execute(insert(TABLE).values(**values))
        row = connection.execute(select(TABLE)).mappings().one()
        connection.rollback()
    return dict(row)


@settings(deadline=None)
@given(ANY_TEXT)
def test_an_identifier_comes_back_as_it_was(text: str) -> None:
    assert stored(exact=text)["exact"] == text


@settings(deadline=None)
@given(ANY_TEXT)
def test_json_comes_back_as_it_was(text: str) -> None:
    assert stored(json={"said": [text, None, 1.5]})["json"] == {"said": [text, None, 1.5]}


@settings(deadline=None)
@given(ANY_TEXT)
def test_free_text_is_always_storable_and_changed_only_where_it_must_be(text: str) -> None:
    kept = stored(free=text)["free"]
    assert isinstance(kept, str)
    kept.encode("utf-8")
    assert "\x00" not in kept
    if not any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in text):
        assert kept == text


def test_what_cannot_be_stored_stays_visible() -> None:
    assert stored(free="a\ud800b\x00c 😀")["free"] == "a\\ud800b\\u0000c 😀"


@pytest.mark.parametrize("figure", [float("nan"), float("inf")])
def test_json_refuses_what_is_no_number(figure: float) -> None:
    with pytest.raises(StatementError, match="not JSON compliant"):
        stored(json={"score": figure})


def test_identifiers_are_found_by_their_value() -> None:
    with ENGINE.connect() as connection:
        connection.execute(insert(TABLE), [{"exact": "a\\ud800"}, {"exact": "a\ud800"}])
        found = connection.scalars(select(TABLE.c.exact).where(TABLE.c.exact == "a\ud800")).all()
        connection.rollback()
    assert found == ["a\ud800"]
