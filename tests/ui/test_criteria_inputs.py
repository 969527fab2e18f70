from __future__ import annotations

import pytest

from reward_lab.core.rubric import Scoring
from reward_lab.services.rubric_drafts import CriterionDraft, RubricFields
from reward_lab.ui.criteria_inputs import percentages


def drafts(*weights: float | None) -> list[CriterionDraft]:
    return [CriterionDraft(id=str(at), description=f"States {at}.", weight=weight) for at, weight in enumerate(weights)]


def percent(*weights: float | None) -> dict[str, float]:
    return percentages(RubricFields(criteria=drafts(*weights), scoring=Scoring(weights="own")))


def test_a_weight_counts_by_its_share_of_all() -> None:
    assert percent(5, 3, -1, -1) == {"0": 50.0, "1": 30.0, "2": 10.0, "3": 10.0}
    assert percent(0, 4) == {"0": 0.0, "1": 100.0}
    assert percent(1e308, 1e308, 1e308, 1e308) == dict.fromkeys("0123", 25.0)


def test_by_category_the_papers_weights_count() -> None:
    categories = ("Essential", "Important", "Optional", "Pitfall")
    rows = [CriterionDraft(id=name, description="States it.", category=name, weight=99) for name in categories]
    found = percentages(RubricFields(criteria=rows))
    assert [round(found[name], 1) for name in categories] == [34.5, 24.1, 10.3, 31.0]


def test_a_row_without_a_statement_has_no_weight_yet() -> None:
    rows = [*drafts(1, 3), CriterionDraft(id="new", title="Tone", weight=4), CriterionDraft(id="blank", weight=4)]
    found = percentages(RubricFields(criteria=rows, scoring=Scoring(weights="own")))
    assert found == pytest.approx({"0": 25.0, "1": 75.0})


@pytest.mark.parametrize("weights", [(), (1, None), (0, 0), (1, float("nan"))])
def test_what_is_unknown_is_not_shown_as_a_figure(weights: tuple[float | None, ...]) -> None:
    assert percent(*weights) == {}


def test_a_category_that_is_none_leaves_all_unknown() -> None:
    rows = [CriterionDraft(id="a", description="x", category="Vital"), CriterionDraft(id="b", description="y")]
    assert percentages(RubricFields(criteria=rows)) == {}
