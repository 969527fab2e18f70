from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reward_lab.core.group import Group
from reward_lab.core.split import Question, Split, drawn, question_key
from reward_lab.errors import InvalidInput

QUESTIONS = st.lists(st.builds(Question, st.sampled_from("abcdef"), st.sampled_from(["", "1", "2"])), max_size=40)


def key(**scenario: object) -> str:
    return key_of({"scenario": scenario, "trajectories": [{"text": "Yes."}]})


def key_of(record: object) -> str:
    return question_key(Group.from_record(record).to_record())


ASKED = [{"role": "user", "content": "May I?"}]


@given(QUESTIONS, st.floats(0, 1), st.integers(0, 9))
def test_what_asks_the_same_is_on_one_side_and_the_share_is_not_passed(
    questions: list[Question], share: float, seed: int
) -> None:
    sides = drawn(questions, share, seed)
    assert all(
        len({side for side, one in zip(sides, questions, strict=True) if one == asked}) == 1 for asked in questions
    )
    assert sides.count(Split.HOLDOUT) <= round(share * len(questions))
    assert drawn(questions[::-1], share, seed) == sides[::-1], "by content, wherever it stands"


@pytest.mark.parametrize(("share", "held"), [(0, 0), (0.25, 25), (1, 100)])
def test_different_questions_reach_the_share_exactly(share: float, held: int) -> None:
    questions = [Question(f"question {number}") for number in range(100)]
    assert drawn(questions, share, 0).count(Split.HOLDOUT) == held


def test_another_seed_is_another_draw_and_more_groups_move_few() -> None:
    questions = [Question("the same first words", str(number)) for number in range(200)]
    before = drawn(questions, 0.5, 0)
    assert drawn(questions, 0.5, 1) != before
    after = drawn([*questions, *(Question(f"new {number}") for number in range(20))], 0.5, 0)
    moved = sum(old is not new for old, new in zip(before, after, strict=False))
    assert moved <= 20


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        drawn([], share, 0)


def test_the_question_is_the_same_under_another_prompt_and_with_other_responses() -> None:
    asked = key(messages=ASKED)
    assert asked == key(system_prompt="Be strict.", messages=ASKED, tools=[{"type": "function"}])
    assert asked == key(messages=[{"role": "system", "content": "Be strict."}, *ASKED])
    assert asked != key(messages=[*ASKED, {"role": "assistant", "content": "No."}, *ASKED])


def test_where_no_user_asks_the_prompt_and_what_came_first_are_the_question() -> None:
    assert key(system_prompt="Write a poem.") != key(system_prompt="Write a song.")
    blank = [{"role": "user", "content": " "}]
    assert key(system_prompt="Describe.", messages=blank) != key(system_prompt="Count.", messages=blank)

    def rollout(asked: str, said: str) -> object:
        messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": asked}]
        return {"trajectories": [{"messages": [*messages, {"role": "assistant", "content": said}]}]}

    assert key_of(rollout("Hello?", "Hi.")) == key_of(rollout("Hello?", "Good day."))
    assert key_of(rollout("Hello?", "Hi.")) != key_of(rollout("Bye?", "Hi."))
    assert key_of({"trajectories": [{"text": "Yes."}]}) != key_of({"trajectories": [{"text": "No."}]})
