"""A changed copy has an identity of its own."""

from __future__ import annotations

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Criterion, Rubric


def test_a_changed_rubric_has_its_own_key_and_weights() -> None:
    rubric = Rubric(criteria=(Criterion(description="a"),))
    seen = rubric.key, rubric.weights
    changed = rubric.model_copy(update={"criteria": (*rubric.criteria, Criterion(description="b"))})
    assert (changed.key, changed.weights) != seen
    assert len(changed.weights) == 2


def test_a_changed_judge_has_its_own_key() -> None:
    judge = Judge(model="openai/m")
    assert judge.key != judge.model_copy(update={"parameters": {"temperature": 1}}).key


def test_a_changed_group_has_its_own_key_and_conversations() -> None:
    group = Group.from_record({"id": "g", "scenario": {"system_prompt": "old"}, "trajectories": [{"text": "a"}]})
    before = group.key, group.conversation(group.trajectories[0])
    scenario = group.scenario.model_copy(update={"system_prompt": "new"})
    changed = group.model_copy(update={"scenario": scenario})
    assert (changed.key, changed.conversation(changed.trajectories[0])) != before
    assert changed.scenario.conversation[0]["content"] == "new"


def test_a_plain_copy_is_equal() -> None:
    judge = Judge(model="openai/m", parameters={"temperature": 0})
    assert judge.model_copy() == judge
    assert judge.model_copy().key == judge.key
