"""What the difference between two versions says, by worked cases; how it is drawn is in tests/browser."""

from __future__ import annotations

import pytest

from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.ui.reading import Block
from reward_lab.ui.rubric_history import difference_blocks


def criterion(description: str, **fields: object) -> Criterion:
    return Criterion.model_validate({"description": description, **fields})


WINDOW = criterion("States the window of 30 days.", title="Window", category="Essential")
TONE = criterion("Is polite.", category="Optional")
NUMBER = criterion("Invents a phone number.", title="Number", category="Pitfall", meets_when=False)


def blocks(old: Rubric, new: Rubric) -> list[Block]:
    return difference_blocks(old, new, prefix="d")


def words(block: Block) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text.strip()) for piece in block.pieces if piece.text.strip()]


def test_equal_rubrics_are_said_to_be_the_same() -> None:
    (only,) = blocks(Rubric(guidance="Be exact."), Rubric(guidance="Be exact."))
    assert words(only) == [("same", "The two are the same.")]


def test_prose_is_compared_word_by_word() -> None:
    (guidance,) = blocks(Rubric(guidance="Be exact and kind."), Rubric(guidance="Be exact and brief."))
    assert guidance.title == "Guidance"
    assert words(guidance) == [("same", "Be exact and"), ("removed", "kind"), ("added", "brief"), ("same", ".")]


@pytest.mark.parametrize(
    ("old", "new", "title", "note", "tone"),
    [
        # 1.0 of 1.0 + 0.3 (categories) is 77%.
        ((WINDOW,), (WINDOW, TONE), "Criterion 2", "+ added · counts 23%", "better"),
        ((WINDOW, NUMBER), (WINDOW,), "2. Number", "− removed · counts 47%", "worse"),
        (
            (WINDOW,),
            (WINDOW.model_copy(update={"category": NUMBER.category}),),
            "1. Window",
            "~ recategorised · Essential → Pitfall · counts 100%",
            "",
        ),
        (
            (NUMBER,),
            (NUMBER.model_copy(update={"meets_when": True}),),
            "1. Number",
            "~ polarity changed · met when false → true · counts 100%",
            "",
        ),
        (
            (WINDOW,),
            (WINDOW.model_copy(update={"weight": 2.5, "title": ""}),),
            "Criterion 1",
            "~ retitled, ~ reweighted · weight none → 2.5 · title Window → none · counts 100%",
            "",
        ),
    ],
)
def test_what_became_of_a_criterion(
    old: tuple[Criterion, ...], new: tuple[Criterion, ...], title: str, note: str, tone: str
) -> None:
    (block,) = blocks(Rubric(criteria=old), Rubric(criteria=new))
    assert (block.title, block.note, block.tone) == (title, note, tone)


def test_a_criterion_that_was_reworded_shows_which_words() -> None:
    new = WINDOW.model_copy(update={"description": "States the window of 14 days."})
    (block,) = blocks(Rubric(criteria=(WINDOW,)), Rubric(criteria=(new,)))
    assert block.note == "~ reworded · counts 100%"
    assert words(block) == [("same", "States the window of"), ("removed", "30"), ("added", "14"), ("same", "days.")]


def test_criteria_that_changed_places() -> None:
    found = blocks(Rubric(criteria=(WINDOW, TONE)), Rubric(criteria=(TONE, WINDOW)))
    (moved,) = found
    assert moved.note.startswith("↕ moved")


def test_a_share_is_unknown_where_all_weights_are_zero() -> None:
    own = Scoring(weights="own")
    zero = criterion("Is polite.", weight=0.0)
    (block,) = blocks(Rubric(scoring=own), Rubric(criteria=(zero,), scoring=own))
    assert block.note == "+ added · counts unknown"


def test_settings_that_differ_are_named_with_both_values() -> None:
    (block,) = blocks(Rubric(), Rubric(scoring=Scoring(likert_max=5)))
    assert "→ 5" in block.pieces[0].text


def test_hostile_text_stays_text() -> None:
    text = "<b>$5</b> [x](https://example.com)"
    (block,) = blocks(Rubric(), Rubric(criteria=(criterion(text, title=text),)))
    assert block.title == f"1. {text}"
    assert "".join(piece.text for piece in block.pieces) == text
