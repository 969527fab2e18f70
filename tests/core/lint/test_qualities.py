from __future__ import annotations

import pytest

from tests.core.lint.statements import found, rubric_of


@pytest.mark.parametrize(
    ("description", "qualities"),
    [
        ("The reply is accurate, complete, polite and concise.", 4),
        ("Is the response accurate, complete, polite and concise?", 4),
        ("The response should be clear, complete, and concise.", 3),
        ("The summary is short, faithful and easy to read.", 3),
        ("The tone is warm, professional and engaging.", 3),
        ("Uses a calm, friendly and professional tone.", 3),
        ("Is written in a clear, concise and professional manner.", 3),
        ("Explains the fee clearly, accurately and politely.", 3),
        ("Sounds natural, friendly, kind.", 3),
        ("Is accurate as well as polite.", 2),
    ],
)
def test_several_qualities(description: str, qualities: int) -> None:
    (finding,) = found(rubric_of(description), "compound")
    assert finding.level == "warning"
    assert finding.message.startswith(f"Criterion 1 asks for {qualities} qualities, ")


@pytest.mark.parametrize(
    "description",
    [
        "Is polite and concise.",
        "Uses a calm and friendly tone.",
        "The flag is red, white and blue.",
        "Is short, simple, or friendly.",
        "States that the service is accurate, complete and reliable.",
        "Explains why short, simple and friendly letters are read.",
        "Is polite.",
        "Is accurate to 3 decimal places.",
        "Uses terms such as liable, due and payable.",
        "Is organised into the sections A, B and C.",
    ],
)
def test_one_quality_or_somebody_else_s(description: str) -> None:
    assert not found(rubric_of(description), "compound")


@pytest.mark.parametrize(
    ("description", "word"),
    [
        ("The reply is clear and helpful, states the refund window and names the address.", "clear"),
        ("The reply is accurate, complete, polite and concise.", "concise"),
        ("Is polite and concise, and cites a source.", "concise"),
        ("States the fee and is helpful.", "helpful"),
        ("The answer sounds natural and friendly.", "natural"),
        ("Must be accurate and well-written.", "well-written"),
        ("The reply is well organised, informative and correct.", "informative"),
        ("Is written in a clear, concise and professional manner.", "clear"),
        ("Names the shop; is honest and thorough.", "thorough"),
        ("Is coherent as well as readable.", "readable"),
        ("Is polite, thorough.", "thorough"),
    ],
)
def test_a_vague_one_among_others(description: str, word: str) -> None:
    (finding,) = found(rubric_of(description), "vague")
    assert (finding.level, finding.position) == ("note", 0)
    assert finding.message.startswith(f'Criterion 1 turns on "{word}"')


@pytest.mark.parametrize(
    "description",
    [
        "Is accurate and polite.",
        "States that the shop is honest and helpful to newcomers in town.",
        "Is clear and specific about the deadline for refunds.",
        "Is helpful to customers who return opened products.",
        "Names the costs and states which of them are reasonable or low.",
        "Gives clear and short instructions not to take the pills.",
        "Uses short sentences and clear headings of two words.",
        "Is written in clear and correct German prose.",
        "Explains that polite and concise letters are read first.",
        "Is short, friendly and polite.",
    ],
)
def test_none_of_them_is_vague(description: str) -> None:
    assert not found(rubric_of(description), "vague")
