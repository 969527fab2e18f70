"""The background loop outlives its callers."""

from __future__ import annotations

import asyncio
import threading

import pytest

from reward_lab.services.loop import BackgroundLoop


async def _where() -> tuple[int, int]:
    return threading.get_ident(), id(asyncio.get_running_loop())


def test_every_coroutine_runs_on_one_loop_off_the_caller() -> None:
    background = BackgroundLoop()
    try:
        places = {background.submit(_where()).result(5) for _ in range(3)}
        assert len(places) == 1
        assert next(iter(places))[0] != threading.get_ident()
    finally:
        background.close()


def test_closing_cancels_what_runs_and_a_later_coroutine_starts_anew() -> None:
    background = BackgroundLoop()
    hanging = background.submit(asyncio.sleep(60))
    background.close()
    with pytest.raises(BaseException, match=r"^$"):
        hanging.result(5)
    assert hanging.cancelled()
    assert background.submit(asyncio.sleep(0, "again")).result(5) == "again"
    background.close()
