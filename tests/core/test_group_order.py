"""The order of a run's groups, worked by hand."""

from __future__ import annotations

import pytest

from reward_lab.core.comparison import GroupFigures
from reward_lab.core.group_order import GroupOrder, ordered_groups
from reward_lab.core.matching import Member, RunGroup
from reward_lab.core.training import GroupRewards

REWARDS: tuple[tuple[float | None, ...], ...] = ((0.2, 0.4), (0.9, 0.1), (0.5, 0.5), (None, 0.7), (None, None))
OTHER: tuple[tuple[float | None, ...], ...] = ((0.4, 0.2), (0.9, 0.1), (0.1, 0.3), (None, None), (None, None))
GROUPS = [GroupRewards(one, one) for one in REWARDS]
FIGURES = [
    GroupFigures(
        RunGroup(
            place, f"group {place}", "Was ist MIT?" if place == 3 else "Why?", (Member("x", "1"), Member("y", "2"))
        ),
        {"ruler": rewards, "likert": OTHER[place]},
    )
    for place, rewards in enumerate(REWARDS)
]


@pytest.mark.parametrize(
    ("order", "places"),
    [
        (GroupOrder.RUN, (0, 1, 2, 3, 4)),
        (GroupOrder.LEAST_SPREAD, (2, 0, 1, 3, 4)),  # one reward has no spread: unknown, not 0
        (GroupOrder.MOST_SPREAD, (1, 0, 2, 3, 4)),
        (GroupOrder.LOWEST, (0, 1, 2, 3, 4)),
        (GroupOrder.HIGHEST, (3, 1, 2, 0, 4)),
        (GroupOrder.METHODS, (0, 2, 1, 3, 4)),  # reversed, tied against ordered, the same
        (GroupOrder.UNKNOWN, (4, 3, 0, 1, 2)),
    ],
)
def test_groups_stand_in_the_order_asked_for(order: GroupOrder, places: tuple[int, ...]) -> None:
    assert ordered_groups(GROUPS, FIGURES, order) == places


def test_a_search_keeps_what_has_it_in_name_or_question() -> None:
    assert ordered_groups(GROUPS, FIGURES, GroupOrder.RUN, search=" mit ") == (3,)
    assert ordered_groups(GROUPS, FIGURES, GroupOrder.HIGHEST, search="GROUP 1") == (1,)
    assert ordered_groups(GROUPS, FIGURES, GroupOrder.RUN, search="nothing") == ()
