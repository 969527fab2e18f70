from __future__ import annotations

import pytest

from reward_lab.core.generation.categories import category_called, read_category, split_label
from reward_lab.core.rubric import Category

ESSENTIAL, IMPORTANT, OPTIONAL, PITFALL = Category


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Essential", ESSENTIAL),
        (" ESSENTIAL ", ESSENTIAL),
        ("Essentail", ESSENTIAL),
        ("Esential", ESSENTIAL),
        ("Essential Criteria", ESSENTIAL),
        ("Critical", ESSENTIAL),
        ("must-have", ESSENTIAL),
        ("Must have", ESSENTIAL),
        ("Importent", IMPORTANT),
        ("Major", IMPORTANT),
        ("should_have", IMPORTANT),
        ("optinal", OPTIONAL),
        ("Nice-to-have", OPTIONAL),
        ("Pitfalls", PITFALL),
        ("pit fall", PITFALL),
        ("Penalty", PITFALL),
        ("Blue", None),
        ("", None),
        ("重要", None),
        ("Essential " * 1000, None),
    ],
)
def test_a_category_by_any_name(name: str, expected: Category | None) -> None:
    assert category_called(name) is expected


@pytest.mark.parametrize(
    ("statement", "label", "rest"),
    [
        ("Essential: States the deadline.", ESSENTIAL, "States the deadline."),
        ("Essential Criteria: states the deadline.", ESSENTIAL, "States the deadline."),
        ("Pitfall Criteria: Does not guess.", PITFALL, "Does not guess."),
        ("**Important:** Names the source.", IMPORTANT, "Names the source."),
        ("[Optional] - Is brief.", OPTIONAL, "Is brief."),
        ("Essentail: States the deadline.", ESSENTIAL, "States the deadline."),
        ("Important - names the source.", IMPORTANT, "Names the source."),
        ("States the deadline: 30 days.", None, "States the deadline: 30 days."),
        ("Avoids: jargon, slang.", None, "Avoids: jargon, slang."),
        ("Important dates are given.", None, "Important dates are given."),
        ("Essential-oil doses are given.", None, "Essential-oil doses are given."),
        ("Essential:", None, "Essential:"),
        ("说明: 三十天内可退款。", None, "说明: 三十天内可退款。"),
    ],
)
def test_a_label_in_front_of_a_statement(statement: str, label: Category | None, rest: str) -> None:
    assert split_label(statement) == (label, rest)


@pytest.mark.parametrize(
    ("given", "label", "category", "note"),
    [
        ("Essential", None, ESSENTIAL, None),
        ("essential", ESSENTIAL, ESSENTIAL, None),
        ("Essentail", ESSENTIAL, ESSENTIAL, 'The category "Essentail" was read as Essential.'),
        ("Critical", None, ESSENTIAL, 'The category "Critical" was read as Essential.'),
        (
            "Blue",
            None,
            IMPORTANT,
            'The category "Blue" is none of Essential, Important, Optional or Pitfall: taken as Important.',
        ),
        ("Blue", PITFALL, PITFALL, 'The category "Blue" is unknown: taken as Pitfall, as its statement says.'),
        (
            "Optional",
            PITFALL,
            OPTIONAL,
            'Its statement was labelled Pitfall, its category "Optional": taken as Optional.',
        ),
        (None, PITFALL, PITFALL, None),
        (None, None, IMPORTANT, "No category was given: taken as Important."),
        (7, None, IMPORTANT, "No category was given: taken as Important."),
    ],
)
def test_what_a_reviewer_is_told(given: object, label: Category | None, category: Category, note: str | None) -> None:
    assert read_category(given, label, IMPORTANT) == (category, note)
