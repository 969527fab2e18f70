"""A sweep as a matrix: its cells, their names, and groups under another system prompt."""

from __future__ import annotations

import pytest

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import RunSettings
from reward_lab.core.sweep import SweepPlan, SweptRubric, keeping_own_prompt, sweep_cells, under_prompt
from reward_lab.errors import InvalidGroup, InvalidInput, InvalidJudge, InvalidRubric, InvalidRun

OFFLINE = (Judge(),)
HOSTED = (Judge(model="openai/m"),)
V1 = SweptRubric(rubric=Rubric(guidance="Be brief."), name="Support", number=1)
V2 = SweptRubric(rubric=Rubric(guidance="Be kind."), name="Support", number=2)


def plan(**changed: object) -> SweepPlan:
    given: dict[str, object] = {
        "group_ids": (1, 2),
        "rubrics": (V1,),
        "judges": (OFFLINE,),
        "settings": RunSettings(methods=("likert",)),
    }
    return SweepPlan.model_validate({**given, **changed})


def titles(plan: SweepPlan) -> list[str]:
    return [cell.title for cell in sweep_cells(plan)]


def test_a_cell_is_named_by_what_tells_it_from_the_others() -> None:
    strict = "Answer using ONLY the retrieved context, and nothing else at all."
    assert titles(plan()) == ["Support v1"]
    assert titles(plan(judges=(OFFLINE, HOSTED))) == ["offline", "openai/m"]
    assert titles(plan(rubrics=(V1, V2), prompts=(None, strict))) == [
        "Support v1 · own prompts",
        "Support v1 · prompt 1 (Answer using ONLY the retrieved ...)",
        "Support v2 · own prompts",
        "Support v2 · prompt 1 (Answer using ONLY the retrieved ...)",
    ]


def test_two_cells_never_bear_one_name() -> None:
    cold = (Judge(model="openai/m", parameters={"temperature": 0}),)
    assert titles(plan(judges=(HOSTED, cold, OFFLINE))) == ["openai/m (1)", "openai/m (2)", "offline"]


def test_cells_hold_every_combination_once() -> None:
    found = sweep_cells(plan(rubrics=(V1, V2), judges=(OFFLINE, HOSTED, OFFLINE + HOSTED), prompts=(None, "a", "b")))
    assert [cell.place for cell in found] == list(range(18))
    assert len({(cell.rubric.number, repr(cell.judges), cell.prompt) for cell in found}) == 18


def test_what_is_chosen_twice_counts_once_under_its_first_name() -> None:
    unsaved = SweptRubric(rubric=V1.rubric)
    once = plan(
        group_ids=(3, 1, 3), rubrics=(V2, V1, unsaved), judges=(HOSTED, OFFLINE, HOSTED), prompts=("a", None, "a")
    ).without_repeats()
    assert once.group_ids == (3, 1)
    assert once.rubrics == (V2, V1)
    assert once.judges == (HOSTED, OFFLINE)
    assert once.prompts == ("a", None)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"group_ids": ()}, InvalidGroup, "choose another split or tag"),
        ({"rubrics": ()}, InvalidRubric, "choose at least one version"),
        ({"judges": ()}, InvalidJudge, "'offline' needs no key"),
        ({"judges": ((),)}, InvalidJudge, "'offline' needs no key"),
        ({"prompts": ()}, InvalidRun, "keep each group's own"),
        (
            {"judges": tuple((Judge(model=f"openai/{number}"),) for number in range(25))},
            InvalidRun,
            "1 rubrics x 25 judges x 1 system prompts are 25 runs, and a sweep has 24 at most: choose fewer",
        ),
    ],
)
def test_what_is_missing_or_too_much_is_told_with_the_next_step(
    changed: dict[str, object], error: type[InvalidInput], said: str
) -> None:
    with pytest.raises(error, match=said):
        sweep_cells(plan(**changed))


def test_24_cells_are_not_too_many() -> None:
    judges = tuple((Judge(model=f"openai/{number}"),) for number in range(24))
    assert len(sweep_cells(plan(judges=judges))) == 24


def test_a_plan_comes_back_from_json_as_it_was() -> None:
    given = plan(
        rubrics=(V1, V2),
        judges=(
            OFFLINE,
            (Judge(model="openai/m", api_base="http://127.0.0.1:1/v1", parameters={"top_p": 0.5}), *OFFLINE),
        ),
        prompts=(None, "", "lone \ud800"),
        settings=RunSettings(methods=("ruler", "likert"), repeats=3, seed=7, budget_usd=1.5),
        source="dataset 'refunds', holdout",
    )
    assert SweepPlan.model_validate(given.model_dump(mode="json")) == given


ANSWER = {"role": "assistant", "content": "Yes."}
SYSTEM = {"role": "system", "content": "I have my own."}


def scenario_group(system_prompt: str, *messages: dict[str, str]) -> Group:
    return Group(
        id="g",
        scenario=Scenario(system_prompt=system_prompt, messages=messages, reference_answer="Yes."),
        trajectories=(Trajectory(id="a", messages=(ANSWER,)), Trajectory(id="b", messages=(SYSTEM, ANSWER))),
    )


@pytest.mark.parametrize(
    "given",
    [
        scenario_group("Old.", {"role": "user", "content": "May I?"}),
        scenario_group("", {"role": "developer", "content": "Old."}, {"role": "user", "content": "May I?"}),
        scenario_group("", {"role": "user", "content": "May I?"}),
    ],
    ids=["own field", "first message", "none"],
)
def test_a_system_prompt_takes_the_place_of_the_scenarios_but_of_no_trajectorys_own(given: Group) -> None:
    assert given.conversation(given.trajectories[0])  # worked out before: a copy must not keep it
    changed = under_prompt(given, "New.")
    first, second = changed.trajectories
    assert changed.conversation(first) == (
        {"role": "system", "content": "New."},
        {"role": "user", "content": "May I?"},
        ANSWER,
    )
    assert changed.conversation(second) == (SYSTEM, ANSWER)
    assert keeping_own_prompt(changed) == 1
    assert changed.trajectories == given.trajectories
    assert changed.key != given.key


def test_without_a_prompt_a_group_is_as_it_was() -> None:
    given = scenario_group("Old.")
    assert under_prompt(given, None) is given
    assert under_prompt(given, "Old.") == given
    assert under_prompt(given, "").conversation(given.trajectories[0]) == (ANSWER,)
