from __future__ import annotations

import json

import pytest

from reward_lab.core.group import Group
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.methods.ruler import DEFAULT_GUIDANCE, ORDERED, RULER
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.verdict import Reason, Scored, Unscored
from tests.core.methods.asking import blocks, by_content, decoded, group_of, prompt, replied, score

SYSTEM = {"role": "system", "content": "You are an agent."}
ASK = {"role": "user", "content": "What is it?"}


def question(group: Group, rubric: Rubric | None = None, repeat: int = 0) -> Question:
    (one,) = RULER.questions(group, group.trajectories, rubric or Rubric(), Arrangement(0, repeat))
    return one


def answer(group: Group, *entries: tuple[object, object]) -> dict[str, object]:
    reply = json.dumps(
        {"scores": [{"trajectory_id": one, "explanation": f"e{one}", "score": value} for one, value in entries]}
    )
    verdicts = score(RULER, group, Rubric(), lambda asked: reply)
    return {
        one.trajectory_id: (one.score, one.explanation)
        if isinstance(one, Scored)
        else (one.reason, one.raw_reply == reply)
        for one in verdicts
    }


def test_the_prompt_of_a_group() -> None:
    asked = question(group_of("A", "B"))
    assert [message["role"] for message in asked.messages] == ["system", "user"]
    assert decoded(asked, "context") == [[SYSTEM, ASK]]
    assert blocks(asked, "trajectory") == [
        ("1", '[{"role": "assistant", "content": "A"}]'),
        ("2", '[{"role": "assistant", "content": "B"}]'),
    ]
    assert blocks(asked, "available_tools") == []
    assert prompt(asked).count("What is it?") == 1
    assert asked.task.kind == "listwise"


def test_guidance_replaces_the_default() -> None:
    assert decoded(question(group_of("A", "B")), "rubric") == [DEFAULT_GUIDANCE]
    assert decoded(question(group_of("A", "B"), Rubric(guidance=" \n")), "rubric") == [DEFAULT_GUIDANCE]
    own = question(group_of("A", "B"), Rubric(guidance="Only brevity counts.\n"))
    assert decoded(own, "rubric") == ["Only brevity counts."]
    assert own.task.guidance == "Only brevity counts."
    criteria = question(group_of("A", "B"), Rubric(criteria=(Criterion(description="Says please."),)))
    assert decoded(criteria, "rubric") == [DEFAULT_GUIDANCE]
    assert "Says please." not in prompt(criteria)


def test_ids_in_another_order_do_not_swap_rewards() -> None:
    group = group_of("A", "B", "C")
    expected = {"t1": (0.1, "e1"), "t2": (0.2, "e2"), "t3": (0.3, "e3")}
    assert answer(group, ("1", 0.1), ("2", 0.2), ("3", 0.3)) == expected
    assert answer(group, ("3", 0.3), ("2", 0.2), ("1", 0.1)) == expected
    assert answer(group, (3, "0.3"), (1, 0.1), (2, 0.2)) == {**expected, "t3": (0.3, "e3")}


def test_a_shuffled_prompt_does_not_swap_rewards() -> None:
    group = group_of("A", "B", "C", "D")
    orders = set()
    for repeat in range(6):
        asked = question(group, repeat=repeat)
        order = Arrangement(0, repeat).order(4, of=ORDERED)
        orders.add(tuple(order))
        texts = [one[0]["content"] for one in decoded(asked, "trajectory")]
        assert texts == ["ABCD"[index] for index in order]
        reply = json.dumps(
            {
                "scores": [
                    {"trajectory_id": i, "score": "ABCD".index(text) / 10} for i, text in enumerate(texts, start=1)
                ]
            }
        )
        verdicts = RULER.verdicts(group, group.trajectories, Rubric(), [replied(asked, reply)])
        assert [one.score for one in verdicts if isinstance(one, Scored)] == [0.0, 0.1, 0.2, 0.3]
    assert (0, 1, 2, 3) in orders
    assert len(orders) > 2


def test_a_missing_id_leaves_only_its_own_member_unscored() -> None:
    assert answer(group_of("A", "B", "C"), ("1", 0.1), ("3", 0.3)) == {
        "t1": (0.1, "e1"),
        "t2": (Reason.WRONG_IDS, True),
        "t3": (0.3, "e3"),
    }


def test_a_score_withheld_leaves_only_its_own_member_unscored() -> None:
    assert answer(group_of("A", "B"), ("1", None), ("2", 0.3)) == {"t1": (Reason.REFUSAL, True), "t2": (0.3, "e2")}


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ((("1", 0.1), ("1", 0.2)), Reason.WRONG_IDS),
        ((("1", 0.1), ("7", 0.2)), Reason.WRONG_IDS),
        ((("1", 0.1), ("2", 7)), Reason.OUT_OF_RANGE),
        ((("1", 0.1), ("2", -3)), Reason.OUT_OF_RANGE),
        ((("1", 0.1), ("2", float("nan"))), Reason.UNREADABLE_REPLY),
        ((("1", 0.1), ("2", "0.8x")), Reason.UNREADABLE_REPLY),
    ],
)
def test_what_cannot_be_trusted_leaves_all_unscored(entries: tuple[tuple[object, object], ...], reason: Reason) -> None:
    assert answer(group_of("A", "B"), *entries) == {"t1": (reason, True), "t2": (reason, True)}


def test_identical_trajectories_are_sent_once_and_told() -> None:
    group = group_of("A", "A", "A")
    asked = question(group, repeat=1)
    assert blocks(asked, "trajectory") == [("1", '[{"role": "assistant", "content": "A"}]')]
    assert decoded(asked, "context") == [[SYSTEM, ASK]]
    said = "All 3 trajectories are identical, so one was judged for all. e1"
    assert answer(group, ("1", 0.4)) == {"t1": (0.4, said), "t2": (0.4, said), "t3": (0.4, said)}
    assert answer(group, ("2", 0.4)) == dict.fromkeys(("t1", "t2", "t3"), (Reason.WRONG_IDS, True))


def test_two_of_three_identical_are_all_sent() -> None:
    assert len(blocks(question(group_of("A", "B", "A")), "trajectory")) == 3


def test_equal_messages_with_different_tools_are_not_identical() -> None:
    group = Group.from_record({"trajectories": [{"text": "A", "tools": [{"type": "x"}]}, {"text": "A", "tools": []}]})
    assert len(blocks(question(group), "trajectory")) == 2


def test_one_trajectory_is_sent_alone() -> None:
    group = group_of("A")
    asked = question(group)
    assert decoded(asked, "context") == [[SYSTEM, ASK]]
    assert len(blocks(asked, "trajectory")) == 1
    assert answer(group, ("1", 0.4)) == {"t1": (0.4, "e1")}


def test_a_strict_prefix_keeps_its_last_message() -> None:
    first, more, last = (
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": "B"},
    )
    group = Group.from_record(
        {"scenario": {"messages": [ASK]}, "trajectories": [{"messages": [first]}, {"messages": [first, more, last]}]}
    )
    asked = question(group)
    assert decoded(asked, "context") == [[ASK]]
    assert decoded(asked, "trajectory") == [[first], [first, more, last]]


def test_equal_turns_after_the_scenario_are_sent_once() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    group = Group.from_record(
        {
            "scenario": {"messages": [ASK]},
            "trajectories": [{"messages": [call, {"role": "assistant", "content": text}]} for text in "AB"],
        }
    )
    asked = question(group)
    assert decoded(asked, "context") == [[ASK, call]]
    assert [len(one) for one in decoded(asked, "trajectory")] == [1, 1]


def test_nothing_in_common_leaves_out_the_context() -> None:
    group = Group.from_record(
        {"trajectories": [{"messages": [{"role": "system", "content": one}, ASK]} for one in ("S", "T")]}
    )
    assert blocks(question(group), "context") == []
    assert [one[0]["content"] for one in decoded(question(group), "trajectory")] == ["S", "T"]


def test_tools_stand_once_where_they_are_equal_and_with_each_where_not() -> None:
    tools = [{"type": "function", "function": {"name": "look"}}]
    same = group_of("A", "B", tools=tools)
    assert decoded(question(same), "available_tools") == [tools]
    assert prompt(question(same)).index("</available_tools>") < prompt(question(same)).index('<trajectory id="1">')
    others = Group.from_record(
        {"scenario": {"messages": [ASK], "tools": tools}, "trajectories": [{"text": "A"}, {"text": "B", "tools": []}]}
    )
    asked = question(others)
    assert decoded(asked, "available_tools") == [tools, []]
    written = prompt(asked)
    places = [written.index(one) for one in ('<trajectory id="1">', '[{"type"', '<trajectory id="2">', "\n[]\n")]
    assert places == sorted(places)


def test_other_scripts_cost_no_escapes() -> None:
    assert "日本語 é 🙂" in prompt(question(group_of("日本語 é 🙂", "B")))


def test_the_verdicts_carry_the_explanations() -> None:
    verdicts = score(RULER, group_of("A", "B"), Rubric(), by_content)
    assert [one.explanation for one in verdicts if isinstance(one, Scored)] == [
        '[{"role": "assistant", "content": "A"}]',
        '[{"role": "assistant", "content": "B"}]',
    ]
    assert not any(isinstance(one, Unscored) for one in verdicts)
