from __future__ import annotations

import pytest

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.errors import InvalidGroup
from reward_lab.store import Store
from tests.store.examples import group

CALLS = [{"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}]


def test_every_kind_of_content_comes_back_equal(store: Store) -> None:
    hard = Group(
        id="hard\ud800",
        scenario=Scenario(
            system_prompt="Be kind 😀",
            messages=(
                {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "x": None}]},
            ),
            tools=({"type": "function", "function": {"name": "look_up"}},),
            reference_answer="42",
            metadata={"source": "día"},
        ),
        trajectories=(
            Trajectory(
                id="a\ud83d",
                label="first\x00",
                messages=(
                    {"role": "assistant", "content": None, "tool_calls": CALLS},
                    {"role": "tool", "tool_call_id": "c1", "content": "\ud800 lone \x00"},
                    {"role": "assistant", "content": "x" * 3_000_000},
                ),
                tools=(),
                independent_reward=0.25,
            ),
            Trajectory(id="b", messages=({"role": "assistant", "content": ""},)),
        ),
        metadata={"n": 1},
    )
    group_id = store.add_group(hard)
    read = store.groups([group_id])[group_id]
    assert read == hard
    assert read.key == hard.key
    assert [one.key for one in read.trajectories] == [one.key for one in hard.trajectories]


def test_trajectories_that_repeat_the_scenario_stay_as_they_are(store: Store) -> None:
    question = {"role": "user", "content": "May I?"}
    repeating = Group(
        id="g",
        scenario=Scenario(messages=(question,)),
        trajectories=(Trajectory(id="a", messages=(question, {"role": "assistant", "content": "Yes."})),),
    )
    group_id = store.add_group(repeating)
    assert store.groups([group_id])[group_id] == repeating


def test_equal_groups_are_stored_once(store: Store) -> None:
    first = store.add_group(group("g"))
    assert store.add_group(group("g")) == first
    assert store.add_group(group("other")) != first
    assert store.add_group(group("g", ("b", "a"))) != first


def test_unknown_ids_are_left_out_and_many_ids_are_fine(store: Store) -> None:
    known = store.add_group(group())
    assert list(store.groups(range(50_000))) == [known]
    assert store.groups([]) == {}


def test_a_number_that_is_none_is_refused_by_name(store: Store) -> None:
    bad = Group(
        id="odd",
        trajectories=(Trajectory(id="a", messages=({"role": "assistant", "content": "x", "p": float("nan")},)),),
    )
    with pytest.raises(InvalidGroup, match=r"'odd' cannot be stored.*NaN"):
        store.add_group(bad)
