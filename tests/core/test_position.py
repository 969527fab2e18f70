from __future__ import annotations

import pytest

from reward_lab.core.methods.method import Arrangement
from reward_lab.core.position import Reading, TopFlips, position_effect, top_flips
from tests.core.tables import table_of

IDS = ("t1", "t2", "t3", "t4")
WORTH = {"t1": 0.2, "t2": 0.4, "t3": 0.5, "t4": 0.7}


def shown(repeat: int) -> tuple[str, ...]:
    return tuple(IDS[index] for index in Arrangement(7, repeat).order(4, of="trajectories"))


def readings(bias: float, repeats: int = 6) -> list[Reading]:
    """Each response's worth plus ``bias`` for each slot it stands further back."""
    return [
        Reading({one: WORTH[one] + bias * slot for slot, one in enumerate(shown(repeat))}, shown(repeat))
        for repeat in range(repeats)
    ]


def test_a_judge_that_goes_by_slot_is_found() -> None:
    effect = position_effect(readings(0.05))
    assert effect is not None
    assert effect.rho is not None
    assert effect.p_value is not None
    assert effect.rho > 0.9
    assert effect.p_value <= 0.01
    assert effect.n == 24
    assert [slot.number for slot in effect.slots] == [1, 2, 3, 4]
    assert [slot.n for slot in effect.slots] == [6] * 4
    assert effect.slots[0].offset < 0 < effect.slots[3].offset
    assert sum(slot.offset for slot in effect.slots) == pytest.approx(0, abs=1e-12)


def test_a_judge_that_goes_by_worth_alone_has_no_effect() -> None:
    effect = position_effect(readings(0.0))
    assert effect is not None
    assert (effect.rho, effect.p_value) == (None, None)
    assert [slot.offset for slot in effect.slots] == pytest.approx([0.0] * 4)


def test_mean_by_slot_is_of_the_scores_that_stood_there() -> None:
    effect = position_effect([Reading({"a": 0.2, "b": 0.8}, ("a", "b")), Reading({"a": 0.4, "b": 0.6}, ("b", "a"))])
    assert effect is not None
    assert [slot.mean for slot in effect.slots] == pytest.approx([0.4, 0.6])
    assert [slot.offset for slot in effect.slots] == pytest.approx([-0.1, 0.1])


def test_one_order_or_none_tells_nothing() -> None:
    assert position_effect([]) is None
    assert position_effect([Reading({"a": 0.2}, ("a", "b"))] * 3) is None
    assert position_effect([Reading({"a": 0.2}), Reading({"a": 0.3})]) is None


def test_flips_count_samples_whose_best_is_another() -> None:
    flipped = [{"a": 0.9, "b": 0.1}, {"a": 0.8, "b": 0.2}, {"a": 0.3, "b": 0.4}]
    assert top_flips([Reading(one) for one in flipped], ["a", "b"]) == TopFlips(1, 3)


def test_a_tie_with_the_favourite_is_no_flip() -> None:
    tied = [{"a": 0.9, "b": 0.1}, {"a": 0.5, "b": 0.5}]
    assert top_flips([Reading(one) for one in tied], ["a", "b"]) == TopFlips(0, 2)


def test_incomplete_samples_do_not_count() -> None:
    scores = [{"a": 0.9, "b": 0.1}, {"b": 0.5}, {"a": 0.2, "b": 0.3}]
    assert top_flips([Reading(one) for one in scores], ["a", "b"]) == TopFlips(1, 2)
    assert top_flips([Reading(scores[0]), Reading(scores[1])], ["a", "b"]) is None
    assert top_flips([Reading(scores[0])] * 2, ["a"]) is None


def test_the_table_recomputes_the_slots_of_listwise_methods_only() -> None:
    repeats = [[0.2, 0.4, 0.5, 0.7]] * 3
    table = table_of({"ruler": repeats, "likert": [[2.0, 4.0, 5.0, 7.0]] * 3})
    listwise, single = table.columns
    assert listwise.position is not None
    assert sum(slot.n for slot in listwise.position.slots) == 12
    assert single.position is None
    assert single.flips == TopFlips(0, 3)
