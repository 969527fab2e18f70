from __future__ import annotations

import pytest

from reward_lab.core.generation.likeness import gist_of


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("States that refunds end after 30 days.", "States that refunds end after 30 days", True),
        ("States that refunds end after 30 days.", "STATES: that refunds end after 30 days!", True),
        ("States that all refunds end after 30 days.", "States that refunds end after 30 days.", True),
        ("States that refunds end after 30 days.", "States that refunds end after 90 days.", False),
        ("Names the source of the figure.", "Never names the source of the figure.", False),
        ("Names the source.", "Is brief.", False),
        ("说明三十天内可退款", "说明三十天内可退款。", True),
        ("说明三十天内可退款", "建议联系客服处理", False),
        ("", "", False),
    ],
)
def test_nearly_the_same(one: str, other: str, alike: bool) -> None:
    assert gist_of(one).is_like(gist_of(other)) is alike
    assert gist_of(other).is_like(gist_of(one)) is alike
