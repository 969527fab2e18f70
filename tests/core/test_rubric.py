from __future__ import annotations

import pytest

from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric

FAULT = {"description": "The reply invents a phone number.", "weight": -2}


def test_a_negative_weight_without_polarity_is_refused_and_not_rewarded() -> None:
    with pytest.raises(
        InvalidRubric, match=r"criterion 1 has the weight -2 and no polarity: add \"meets_when\": false"
    ):
        Rubric.from_record({"criteria": [FAULT], "scoring": {"weights": "own"}})


@pytest.mark.parametrize("meets_when", [True, False])
def test_with_its_polarity_a_negative_weight_counts_by_its_size(meets_when: bool) -> None:
    rubric = Rubric.from_record({"criteria": [{**FAULT, "meets_when": meets_when}], "scoring": {"weights": "own"}})
    assert rubric.weights == (2.0,)
    assert rubric.criteria[0].meets_when is meets_when
    # What is stored says it, so that it is read back.
    assert Rubric.from_record(rubric.model_dump(mode="json")) == rubric


@pytest.mark.parametrize(
    ("record", "place"),
    [
        ({"criteria": [{"description": "A."}, {"title": "only"}]}, "criteria 2: description"),
        ({"verifiers": [{"kind": "length"}, {"kind": "regex"}]}, "verifiers 2: regex: pattern"),
        ({"scoring": {"likert_max": 1}}, "scoring: likert_max"),
    ],
)
def test_what_is_wrong_is_named_as_a_person_counts(record: object, place: str) -> None:
    with pytest.raises(InvalidRubric, match=place):
        Rubric.from_record(record)


def test_what_came_to_be_later_leaves_the_key_of_equal_content_alone() -> None:
    """A rubric's key is stored with its versions: one that uses nothing new must keep it."""
    rubric = Rubric(guidance="Be exact.", criteria=(Criterion(description="Names 30 days."),))
    record = rubric.model_dump(mode="json")
    assert set(record) == {"guidance", "criteria", "verifiers", "scoring"}
    assert set(record["criteria"][0]) == {"title", "description", "category", "weight", "meets_when"}
    assert not {"explicit_scale", "partial"} & set(record["scoring"])
    assert rubric.key == "7b78829ea405cbbc056cbe0d31140d971aefd0e2b60928ffb9aadab287a026d8"
    new = rubric.model_copy(update={"scoring": Scoring(explicit_scale="points", partial=True)})
    assert {"explicit_scale", "partial"} <= set(new.model_dump(mode="json")["scoring"])
    assert new.key != rubric.key
