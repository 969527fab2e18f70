from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.chat import Message
from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.prefix import before_response, shared_prefix


def say(role: str, content: str = "") -> Message:
    return {"role": role, "content": content}


SYSTEM, ASK, YES, NO, MORE = (
    say("system", "s"),
    say("user", "q"),
    say("assistant", "y"),
    say("assistant", "n"),
    say("user"),
)


@pytest.mark.parametrize(
    ("conversations", "expected"),
    [
        pytest.param([], 0, id="none"),
        pytest.param([[], []], 0, id="empty"),
        pytest.param([[], [ASK]], 0, id="one empty"),
        pytest.param([[SYSTEM, ASK, YES], [SYSTEM, ASK, NO]], 2, id="answers differ"),
        pytest.param([[SYSTEM, ASK, YES], [SYSTEM, ASK, NO], [SYSTEM, ASK, YES]], 2, id="first and last equal"),
        pytest.param([[SYSTEM, ASK, YES, MORE, YES], [SYSTEM, ASK, YES, MORE, NO]], 4, id="differ late"),
        pytest.param([[ASK, YES], [MORE, YES]], 0, id="differ at once"),
        pytest.param([[ASK, YES], [ASK, YES, MORE, NO]], 1, id="strict prefix keeps its last message"),
        pytest.param([[ASK, YES, MORE, NO], [ASK, YES]], 1, id="strict prefix, second"),
        pytest.param([[ASK], [ASK, YES]], 0, id="prefix of one message"),
        pytest.param([[SYSTEM, ASK, YES, MORE, NO]], 2, id="one alone: before its first answer"),
        pytest.param([[SYSTEM, ASK, YES]] * 3, 2, id="all identical: before the first answer"),
        pytest.param([[SYSTEM, ASK]], 1, id="one alone without an answer keeps its last message"),
        pytest.param([[YES]], 0, id="one alone, answer only"),
    ],
)
def test_shared_prefix(conversations: list[list[Message]], expected: int) -> None:
    assert shared_prefix(conversations) == expected


MESSAGES = st.lists(st.sampled_from([SYSTEM, ASK, YES, NO]), max_size=6)


@given(st.lists(MESSAGES, min_size=1, max_size=5))
def test_what_is_cut_is_equal_and_something_is_left(conversations: list[list[Message]]) -> None:
    count = shared_prefix(conversations)
    for conversation in conversations:
        assert conversation[:count] == conversations[0][:count]
        assert count < len(conversation) or count == 0


@given(st.lists(MESSAGES, min_size=1, max_size=5), st.randoms())
def test_order_does_not_matter(conversations: list[list[Message]], random: Random) -> None:
    shuffled = list(conversations)
    random.shuffle(shuffled)
    assert shared_prefix(shuffled) == shared_prefix(conversations)


def test_eight_long_conversations_are_fast() -> None:
    long = [[say("user", f"turn {turn}" * 20) for turn in range(2_000)] for _ in range(8)]
    started = time.process_time()
    assert shared_prefix([[*one, say("assistant", str(index))] for index, one in enumerate(long)]) == 2_000
    assert time.process_time() - started < 0.5


def test_a_response_begins_after_the_scenario_even_where_that_holds_answers() -> None:
    scenario = Scenario(system_prompt="s", messages=(ASK, YES, MORE))
    group = Group(id="g", scenario=scenario, trajectories=(Trajectory(id="a", messages=(NO,)),))
    assert before_response(group, group.trajectories[0]) == 4


def test_a_whole_conversation_begins_its_response_with_its_first_answer() -> None:
    whole = Trajectory(id="a", messages=(say("system", "own"), ASK, YES, MORE, NO))
    group = Group(id="g", scenario=Scenario(system_prompt="s", messages=(ASK,)), trajectories=(whole,))
    assert before_response(group, whole) == 2
