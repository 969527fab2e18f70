from __future__ import annotations

import pytest

from tests.core.lint.statements import found, rubric_of


@pytest.mark.parametrize(
    ("description", "word"),
    [
        ("Is helpful.", "helpful"),
        ("The response is of high quality.", "quality"),
        ("Provides a good explanation.", "good"),
        ("Uses appropriate language.", "appropriate"),
        ("Gives enough detail.", "enough"),
        ("Is well-written and engaging.", "well-written"),
        ("Mentions several risks.", "several"),
        ("Cites sources where appropriate.", "where appropriate"),
        ("Names the costs, the risks, etc.", "etc"),
        ("Outperforms the baseline in almost all cases.", "in almost all cases"),
        ("Asks for the user's age if needed.", "if needed"),
        ("Agrees with the user to some extent.", "to some extent"),
    ],
)
def test_vague(description: str, word: str) -> None:
    (finding,) = found(rubric_of(description), "vague")
    assert (finding.level, finding.position) == ("note", 0)
    assert finding.message.startswith(f'Criterion 1 turns on "{word}"')


@pytest.mark.parametrize(
    "description",
    [
        "States the deadline.",
        "Gives clear instructions not to take the pills.",
        "Provides clear emergency numbers.",
        "Explains in detail how tree rings record floods.",
        "Names at least three side effects of aspirin.",
        "Asks what kind of support is wanted (health, studies, etc.).",
        "Advises seeing a doctor if needed.",
        "Advises the user to come back as soon as possible.",
        "States that quality assurance is done by the customer.",
        "Is at most 100 words long.",
        "语气友好",
    ],
)
def test_definite(description: str) -> None:
    assert not found(rubric_of(description), "vague")
