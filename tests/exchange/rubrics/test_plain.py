"""Lists as people write them: JSON, YAML, CSV, Markdown, prose."""

from __future__ import annotations

import pytest

from reward_lab.core.rubric import Category, Criterion, Rubric
from reward_lab.exchange.rubrics import NamedRubric, read_rubrics, write_rubrics

MARKDOWN = """\
# Refunds

Answers come from the policy.

## Essential

- States that refunds end after 30 days.
- **Contact** (weight 2): Names the address.
  It is on page 4.

## Pitfalls

1. Invents a phone number.
2) [ ] Avoids legal advice.
- (Optional, met when false): Rambles.
- Optional: Stays (mostly) calm.
"""


def test_markdown_lists_are_criteria_and_prose_is_guidance() -> None:
    report = read_rubrics(MARKDOWN.encode(), "refunds.md")
    (named,) = report.rubrics
    assert (report.format, named.name, named.rubric.guidance) == (
        "markdown",
        "Refunds",
        "Answers come from the policy.",
    )
    assert [
        (one.title, one.description, one.category, one.weight, one.meets_when) for one in named.rubric.criteria
    ] == [
        ("", "States that refunds end after 30 days.", Category.ESSENTIAL, None, True),
        ("Contact", "Names the address.\nIt is on page 4.", Category.ESSENTIAL, 2.0, True),
        ("", "Invents a phone number.", Category.PITFALL, None, False),
        ("", "Avoids legal advice.", Category.PITFALL, None, True),
        ("", "Rambles.", Category.OPTIONAL, None, False),
        ("", "Stays (mostly) calm.", Category.OPTIONAL, None, True),
    ]
    assert "criterion 1 has no weight, so criteria weigh by category; their numbers are kept" in map(str, report.notes)


def test_markdown_is_written_so_that_it_reads_well_and_comes_back() -> None:
    rubric = Rubric(
        guidance="- be fair\n- be kind",
        criteria=(
            Criterion(title="Window", description="States 30 days.", category=Category.ESSENTIAL, weight=5),
            Criterion(description="Invents\na contact.", category=Category.PITFALL, weight=-2, meets_when=False),
        ),
        scoring={"weights": "own"},  # type: ignore[arg-type]
    )
    written = write_rubrics([NamedRubric("refunds", rubric)], "markdown")
    assert written.data.decode() == (
        "# refunds\n\n- be fair\n- be kind\n\n## Criteria\n\n"
        "- **Window** (Essential, weight 5): States 30 days.\n"
        "- (Pitfall, weight -2, met when false): Invents\n  a contact.\n"
    )
    assert written.lost == ()


def test_several_first_level_headings_are_several_rubrics() -> None:
    report = read_rubrics(b"# A\n\n- one\n\n# B\n\n- two\n- three\n", "both.md")
    assert [(one.name, len(one.rubric.criteria)) for one in report.rubrics] == [("A", 1), ("B", 2)]


def test_prose_without_a_list_is_guidance() -> None:
    report = read_rubrics("Sei freundlich.\r\nUnd knapp.\r\n".encode("utf-8-sig"), "ton.txt")
    assert (report.rubrics[0].name, report.rubrics[0].rubric.guidance) == ("ton", "Sei freundlich.\nUnd knapp.")
    assert "no list was found: the text is the guidance" in map(str, report.notes)


@pytest.mark.parametrize(
    ("text", "weights", "polarities"),
    [
        ("description,weight\r\nStates it.,5\r\nInvents it.,-3\r\n", (5, 3), (True, False)),
        ("\ufeffTitle;Criterion;Points\nA;States it.;5\nB;Says so.;2,\n", (5, 2), (True, True)),
        ("criterion\tmet when\nRambles.\tno\n", (0.7,), (False,)),
        ("States it.\nSays so.\n", (0.7, 0.7), (True, True)),
        ('importance,criterion\npitfall,"Avoids ""legal"" advice"\n', (0.9,), (True,)),
    ],
)
def test_tables_of_any_head(text: str, weights: tuple[float, ...], polarities: tuple[bool, ...]) -> None:
    report = read_rubrics(text.replace("2,\n", "2\n").encode(), "t.csv")
    (named,) = report.rubrics
    assert report.format == "csv"
    assert named.rubric.weights == weights
    assert tuple(one.meets_when for one in named.rubric.criteria) == polarities


def test_a_table_holds_several_rubrics_and_columns_of_its_own() -> None:
    data = b"rubric,description,note\nA,one,x\nB,two,\nA,three,\n"
    report = read_rubrics(data, "t.csv")
    assert [(one.name, [c.description for c in one.rubric.criteria]) for one in report.rubrics] == [
        ("A", ["one", "three"]),
        ("B", ["two"]),
    ]
    written = write_rubrics(report.rubrics, "csv")
    assert written.data.decode() == (
        "rubric,description,title,category,weight,meets_when,note\r\nA,one,,,,,x\r\nA,three,,,,,\r\nB,two,,,,,\r\n"
    )
    assert written.lost == ()


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\tx", "'=1", "''=1", "'quoted'", "a=b"])
def test_no_cell_begins_a_formula_and_every_text_comes_back(text: str) -> None:
    named = NamedRubric("n", Rubric(criteria=(Criterion(title=text, description="d"),)))
    written = write_rubrics([named], "csv")
    assert not any(
        cell.startswith(("=", "+", "-", "@", "\t")) for cell in written.data.decode().split("\r\n")[1].split(",")
    )
    assert read_rubrics(written.data, "r.csv").rubrics[0].rubric.criteria[0].title == text


def test_yaml_is_read_with_the_types_of_json() -> None:
    text = "name: no\nguidance: |\n  Be kind.\ncriteria:\n  - yes\n  - description: 2024-01-01\n    weight: 010\n"
    with pytest.raises(Exception, match="the weight must be a number") as caught:
        read_rubrics(text.replace("010", "ten").encode(), "r.yaml")
    assert "criterion 2" in str(caught.value)
    (named,) = read_rubrics(text.encode(), "r.yaml").rubrics
    assert (named.name, named.rubric.guidance) == ("no", "Be kind.\n")
    assert [(one.description, one.weight) for one in named.rubric.criteria] == [("yes", None), ("2024-01-01", 10.0)]
