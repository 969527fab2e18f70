"""Offers: the judges that can be chosen without typing, found on this machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from reward_lab.core.judge import OFFLINE
from reward_lab.judges.discovery import Offer as Found
from reward_lab.judges.discovery import offers

_FRESH_S = 60.0
"""A local server that was just started is found within this time; asking at each rerun would slow every click."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A judge at hand: its model, its endpoint if it has one of its own, and the words it is offered by."""

    model: str
    api_base: str | None
    label: str


_OFFLINE = Offer(OFFLINE, None, "offline (built in, no LLM)")


class Offers:
    """Looks for keys in the environment and for servers on loopback; remembers what it found for a minute."""

    def __init__(self, look: Callable[[], list[Found]] = offers, clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._lock = threading.Lock()
        self._found: list[Offer] = []
        self._until = float("-inf")

    def found(self) -> list[Offer]:
        """The offline judge first, then what was found; labels are unique. Takes up to a second once a minute."""
        with self._lock:
            if self._clock() >= self._until:
                named = [Offer(one.model, one.api_base, f"{one.label}: {one.model}") for one in self._look()]
                self._found = list({offer.label: offer for offer in (_OFFLINE, *named)}.values())
                self._until = self._clock() + _FRESH_S
            return self._found
