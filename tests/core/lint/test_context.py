from __future__ import annotations

import pytest

from tests.core.lint.statements import found, rubric_of


@pytest.mark.parametrize(
    ("description", "words", "level"),
    [
        ("States the dose as above.", "as above", "warning"),
        ("Explains the aforementioned risk.", "the aforementioned risk", "warning"),
        ("Repeats the steps mentioned earlier.", "mentioned earlier", "warning"),
        ("Meets criterion 3 as well.", "criterion 3", "warning"),
        ("Does more than the previous criterion asks.", "the previous criterion", "warning"),
        ("Also mentions the fee.", "Also", "warning"),
        ("Names the above drug.", "the above drug", "warning"),
        ("Agrees with the reference answer.", "the reference answer", "warning"),
        ("Is consistent with the ground truth.", "the ground truth", "warning"),
        ("Matches the gold answer in all figures.", "the gold answer", "warning"),
        ("Gives the correct answer.", "the correct answer", "note"),
        ("Arrives at the right diagnosis.", "the right diagnosis", "note"),
        ("Reaches the expected result.", "the expected result", "note"),
        ("Summarizes the document.", "the document", "note"),
        ("Quotes the passage.", "the passage", "note"),
        ("Uses the values of Table 3.", "Table 3", "note"),
        ("Uses the settings listed in Section 3.1.", "Section 3.1", "note"),
        ("Follows the method as specified in 4.2.", "specified in 4.2", "note"),
    ],
)
def test_what_leans_on_something_out_of_sight(description: str, words: str, level: str) -> None:
    (finding,) = found(rubric_of("Names the shop.", description), "not_self_contained")
    assert (finding.level, finding.position) == (level, 1)
    assert finding.message.startswith(f'Criterion 2 leans on "{words}": ')


@pytest.mark.parametrize(
    "description",
    [
        "States that temperatures above 30 degrees are dangerous.",
        "Advises documenting every dose.",
        "Identifies (B) as the correct answer.",
        "States the correct answer, 42.",
        "Gives the correct answer: the patient has gout.",
        "Names helical CT as the gold standard.",
        "Refers to the symptoms in the user's question.",
        "Uses reference intervals for adults.",
        "States that the tablet was also sold in Spain.",
        "Lists two articles on the topic.",
        "Advises reading the leaflet in the package.",
        "States the figure for 2024.",
        "如上所述",
    ],
)
def test_what_stands_by_itself(description: str) -> None:
    assert not found(rubric_of(description), "not_self_contained")
