"""Imported once by the process that the workers of `tests.services.worker` are forked from: litellm takes seconds."""

from __future__ import annotations

import asyncio

from reward_lab.judges.litellm_client import LitellmTransport
from tests.services import worker

__all__ = ["worker"]

asyncio.run(LitellmTransport().prepare())
