from __future__ import annotations

import pytest

from reward_lab.core.group import Group
from reward_lab.core.methods import METHODS
from reward_lab.core.rubric import Category
from reward_lab.services.examples import Example, examples
from tests.cases.offline import JUDGED, rewards, scores

EXAMPLES = {one.group.id: one for one in examples()}
each_example = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)


@each_example
def test_an_example_has_what_all_methods_need(example: Example) -> None:
    assert [name for name in JUDGED if METHODS[name].obstacle(example.group, example.rubric)] == []
    assert len(JUDGED) == 6
    assert 4 <= len(example.group.trajectories) <= 8
    assert all(trajectory.label for trajectory in example.group.trajectories)
    assert example.summary.endswith(".")


@each_example
def test_an_example_offers_its_own_prompt_first_and_another(example: Example) -> None:
    prompts = list(example.prompts.values())

    assert prompts[0] == example.group.scenario.system_prompt
    assert len(set(prompts)) == 2


@each_example
def test_an_example_has_pitfalls_of_both_polarities(example: Example) -> None:
    pitfalls = {one.meets_when for one in example.rubric.criteria if one.category is Category.PITFALL}

    assert pitfalls == {True, False}


@each_example
def test_an_example_survives_the_group_file(example: Example) -> None:
    assert Group.from_record(example.group.to_record()) == example.group


def test_the_app_opens_on_the_refund_example() -> None:
    assert examples()[0].group.id == "refund-policy"


def test_the_published_scores_of_the_refund_example_are_a_label() -> None:
    (label,) = examples()[0].labels
    assert label.levels(["concise", "hallucinated", "ignored", "verbose"]) == (0.98, 0.2, 0.05, 0.96)
    assert examples()[0].group.metadata == {}


@pytest.mark.parametrize("method", ["ruler", "likert", "likert_reference", "rar_explicit", "rar_implicit"])
def test_refund_concise_and_verbose_above_hallucinated_above_ignored(method: str) -> None:
    example = EXAMPLES["refund-policy"]
    found = scores(example.group, method, example.rubric)

    assert min(found["concise"], found["verbose"]) > found["hallucinated"] > found["ignored"]


def test_refund_predefined_criteria_cannot_tell_the_two_bad_answers_apart() -> None:
    example = EXAMPLES["refund-policy"]
    found = scores(example.group, "rar_predefined", example.rubric)

    assert min(found["concise"], found["verbose"]) > found["hallucinated"] == found["ignored"]


@pytest.mark.parametrize("method", ["ruler", "likert", "likert_reference"])
def test_refund_the_strict_prompt_costs_the_hallucinated_answer(method: str) -> None:
    example = EXAMPLES["refund-policy"]

    def under(prompt: str) -> dict[str, float]:
        record = example.group.to_record()
        record["scenario"]["system_prompt"] = example.prompts[prompt]
        return rewards(Group.from_record(record), method, example.rubric)

    assert under("strict")["hallucinated"] < under("loose")["hallucinated"]


@pytest.mark.parametrize("method", ["ruler", "likert", "likert_reference"])
def test_the_agent_that_goes_straight_there_is_best_and_detours_cost(method: str) -> None:
    example = EXAMPLES["rebooking-agent"]
    found = scores(example.group, method, example.rubric)

    assert found["direct"] > found["repeats"] > max(found["made-up"], found["gives-up"])


@pytest.mark.parametrize("method", JUDGED)
def test_the_faithful_summary_is_best(method: str) -> None:
    example = EXAMPLES["bridge-summary"]
    found = scores(example.group, method, example.rubric)
    others = [score for name, score in found.items() if name != "faithful"]

    assert found["faithful"] > max(others)


@pytest.mark.parametrize("method", ["likert_reference", "rar_explicit", "rar_implicit"])
def test_medical_criteria_and_reference_find_the_dangerous_answer(method: str) -> None:
    example = EXAMPLES["warfarin-question"]
    found = scores(example.group, method, example.rubric)

    assert found["complete"] > found["brief"] > found["dangerous"]
