"""Imported once by the process that the workers of `tests.services.worker` are forked from: litellm takes seconds."""

from __future__ import annotations

import asyncio

import tests.services.worker
from reward_lab.judges.litellm_client import LitellmTransport

asyncio.run(LitellmTransport().prepare())

__all__ = ["tests"]
