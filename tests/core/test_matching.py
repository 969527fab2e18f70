"""Groups and responses are found again by what they are, whatever their system prompt."""

from __future__ import annotations

from reward_lab.core.matching import Member, RunGroup, matched_groups, matched_members


def group(number: int, keys: str, *, name: str = "", opening: str = "") -> RunGroup:
    members = tuple(Member(key, str(place)) for place, key in enumerate(keys, start=1))
    return RunGroup(number, name, opening, members)


def test_the_same_stored_group_comes_first() -> None:
    twins = [group(1, "ab", name="x"), group(2, "ab", name="x")]
    assert matched_groups(twins, twins[::-1]) == {0: 1, 1: 0}


def test_another_system_prompt_changes_neither_name_nor_question_nor_responses() -> None:
    old = [group(1, "ab", name="x", opening="q"), group(2, "ab", name="y", opening="q")]
    new = [group(3, "ba", name="y", opening="q"), group(4, "ab", name="x", opening="q")]
    assert matched_groups(old, new) == {0: 1, 1: 0}


def test_the_question_tells_more_than_the_name() -> None:
    old = [group(1, "ab", name="1", opening="refunds?")]
    new = [group(2, "ab", name="1", opening="bookings?"), group(3, "ab", name="2", opening="refunds?")]
    assert matched_groups(old, new) == {0: 1}


def test_equal_responses_alone_match_only_where_they_are_nobody_elses() -> None:
    old = [group(1, "ab", name="1", opening="p")]
    assert matched_groups(old, [group(2, "ab", name="2", opening="q")]) == {0: 0}
    yes_no = [group(2, "ab", name="2", opening="q"), group(3, "ab", name="3", opening="r")]
    assert matched_groups(old, yes_no) == {}


def test_a_rewritten_response_leaves_the_group_what_it_is() -> None:
    old = [group(1, "abc", name="1", opening="p"), group(2, "xyz", name="2", opening="q")]
    new = [group(3, "aby", name="1", opening="p"), group(4, "uvw", name="2", opening="q")]
    assert matched_groups(old, new) == {0: 0}, "the second has no response in common"


def test_who_shares_most_is_taken() -> None:
    old = [group(1, "abc", name="1"), group(2, "abd", name="1")]
    new = [group(3, "abde", name="1")]
    assert matched_groups(old, new) == {1: 0}


def test_responses_match_by_content_then_by_id() -> None:
    old = [Member("x", "1"), Member("x", "2"), Member("y", "3"), Member("z", "4")]
    new = [Member("x", "2"), Member("w", "3"), Member("x", "9")]
    assert matched_members(old, new) == (2, 0, 1, None)
