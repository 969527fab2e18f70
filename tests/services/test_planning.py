"""A run laid out as items, and what it will take."""

from __future__ import annotations

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.errors import InvalidRun
from reward_lab.services.planning import Extent, approximate_tokens, estimate, plan
from tests.services.laboratory import group

OFFLINE = (Judge(),)
PRICED = (Judge(model="openai/gpt-4o-mini"),)
UNKNOWN = (Judge(model="openai/mine", api_base="http://127.0.0.1:9/v1"),)
RUBRIC = Rubric(criteria=(Criterion(description="a"), Criterion(description="b")))


def settings(*methods: str, repeats: int = 1) -> RunSettings:
    return RunSettings(methods=methods, repeats=repeats)


def test_items_are_groups_by_methods_by_units_by_judges_by_repeats() -> None:
    new = NewRun((group("g"), group("h")), RUBRIC, (*PRICED, *UNKNOWN), settings("ruler", "likert", repeats=3))
    items = plan(new)
    assert len(items) == len(set(items)) == 2 * (1 + 3) * 2 * 3
    assert {item.trajectory_id for item in items if item.method == "ruler"} == {None}
    assert [item.group for item in items] == sorted(item.group for item in items)


def test_a_method_without_a_judge_is_looked_at_once() -> None:
    items = plan(NewRun((group(),), RUBRIC, (*PRICED, *UNKNOWN), settings("verifier", repeats=5)))
    assert len(items) == 3


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(InvalidRun, match="vibes"):
        plan(NewRun((group(),), RUBRIC, OFFLINE, settings("vibes")))


@pytest.mark.parametrize(
    ("methods", "calls"),
    [
        (("ruler",), 1),
        (("likert",), 3),
        (("likert_reference",), 0),
        (("rar_explicit",), 3),
        (("verifier",), 0),
        (("ruler", "likert", "rar_predefined"), 7),
    ],
)
def test_calls_are_counted_as_they_will_be_made(methods: tuple[str, ...], calls: int) -> None:
    assert estimate((group(),), RUBRIC, OFFLINE, settings(*methods)).calls == calls


def test_one_call_a_criterion_is_counted() -> None:
    each = RUBRIC.model_copy(update={"scoring": RUBRIC.scoring.model_copy(update={"explicit_calls": "per_criterion"})})
    assert estimate((group(),), each, OFFLINE, settings("rar_explicit", repeats=2)).calls == 12


def test_offline_costs_nothing_a_known_model_something_and_another_is_unknown() -> None:
    ask = settings("ruler", "likert")
    assert estimate((group(),), RUBRIC, OFFLINE, ask).cost_usd == 0
    assert estimate((group(),), RUBRIC, OFFLINE, ask).tokens == 0
    assert (estimate((group(),), RUBRIC, PRICED, ask).cost_usd or 0) > 0
    assert estimate((group(),), RUBRIC, UNKNOWN, ask).cost_usd is None
    assert estimate((group(),), RUBRIC, (*PRICED, *UNKNOWN), ask).cost_usd is None


def test_many_groups_are_scaled_from_the_first() -> None:
    one = estimate((group(),), RUBRIC, PRICED, settings("ruler"))
    many = estimate(tuple(group(f"g{number}") for number in range(200)), RUBRIC, PRICED, settings("ruler"))
    assert many.calls == 200 * one.calls
    assert many.prompt_tokens == 200 * one.prompt_tokens


def test_calls_of_a_sample_are_scaled_by_what_they_are_asked_of() -> None:
    """Of 52 groups with 137 responses one has been looked at: RULER asks 52 times, Likert 137 times."""
    found = estimate((group(),), RUBRIC, PRICED, settings("ruler", "likert"), whole=Extent(52, 137))
    assert (found.calls, found.responses) == (52 + 137, 137)


def test_tokens_of_other_scripts_are_not_counted_as_english() -> None:
    assert approximate_tokens("a" * 40) == 10
    assert approximate_tokens("退" * 40) == 27
