"""Routes: which transport a judge is reached by."""

from __future__ import annotations

from reward_lab.core.judge import Judge
from reward_lab.judges.completion import Transport


class Routes:
    """The offline judge by its own transport, every other by ``hosted``."""

    def __init__(self, *, offline: Transport, hosted: Transport) -> None:
        self._offline = offline
        self._hosted = hosted

    def transport_of(self, judge: Judge) -> Transport:
        """The transport of one judge."""
        return self._offline if judge.is_offline else self._hosted

    async def aclose(self) -> None:
        """Close both."""
        await self._offline.aclose()
        await self._hosted.aclose()
