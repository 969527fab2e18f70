"""The compare view: which runs one tab compares, and how it looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from reward_lab.core.advantages import CONVENTIONS
from reward_lab.core.methods import METHODS
from reward_lab.core.ordering import Filter, Order, Ordered, ordered
from reward_lab.services.comparison import MOST_RUNS, Compared
from reward_lab.services.results import DEFAULT_CONVENTION
from reward_lab.ui.desk import put_in_address
from reward_lab.wiring import Lab

_KEY = "compare-view"
_ADDRESS = "runs"
_FLIPS, _LOST = "flips", "lost"
_MOST_DIGITS = 9
"""Of a number in the address."""
MOST_SEARCHED = 200
"""Characters of a search."""
PAGE = 8
"""Groups on one page of the list: as many as leave room for the open one below."""


@dataclass(slots=True)
class CompareView:
    """How one tab looks at a comparison.

    ``place`` is the open group's in the comparison, ``letter`` the open response's in the baseline; ``against`` is the
    place among the other runs of the one that is read beside the baseline.
    ``intervals``: those of every method are shown. ``charted``: a chart was drawn in this tab, so that the browser
    has what it takes.
    """

    run_ids: tuple[int, ...]
    method: str | None = None
    order: Order = Order.CHANGE
    chosen: Filter = field(default_factory=Filter)
    page: int = 0
    place: int | None = None
    letter: str | None = None
    against: int = 0
    convention: str = DEFAULT_CONVENTION
    chart: str = "Ranks"
    intervals: bool = False
    charted: bool = False
    known: tuple[object, Compared, tuple[Ordered, ...]] | None = None

    def of(self, lab: Lab) -> Compared:
        """The comparison, with the figures of every method where something on the page needs them.

        Raises:
            NotFound: a run is not stored.
        """
        whole = self.order in (Order.METHODS, Order.JUDGES) or bool(self.chosen.high or self.chosen.low)
        return lab.comparisons.of(self.run_ids, only=self.method, whole=whole or self.intervals)

    def method_of(self, compared: Compared) -> str:
        """The method that is looked at: the chosen one where the runs share it, else the first that they do."""
        methods = compared.figures.methods
        return self.method if self.method is not None and self.method in methods else methods[0]

    def listed(self, compared: Compared) -> tuple[Ordered, ...]:
        """The groups as they are listed. What is open stays open while it is among them, else the first is."""
        listed = self._ordered(compared)
        if self.place not in {one.place for one in listed}:
            self.open(listed[0].place if listed else None)
        self.page = next((line for line, one in enumerate(listed) if one.place == self.place), 0) // PAGE
        self.against = min(self.against, len(compared.runs) - 2)
        return listed

    def _ordered(self, compared: Compared) -> tuple[Ordered, ...]:
        """Worked out once: each step through the list asks for it."""
        method = self.method_of(compared)
        stamp = (self.order, self.chosen, method)
        if self.known is None or self.known[0] != stamp or self.known[1] is not compared:
            self.known = stamp, compared, ordered(compared.figures, self.order, self.chosen, method=method)
        return self.known[2]

    def open(self, place: int | None) -> None:
        """Open another group, at the response that changed most."""
        if place != self.place:
            self.place, self.letter = place, None

    def step(self, listed: Sequence[Ordered], by: int) -> None:
        """Open the group so many lines further down; the list turns its page along."""
        line = next((line for line, one in enumerate(listed) if one.place == self.place), 0)
        line = max(0, min(len(listed) - 1, line + by))
        self.open(listed[line].place)
        self.page = line // PAGE

    def keep(self, chosen: Filter, order: Order) -> None:
        """List other groups, or in another order, from the first on."""
        self.chosen, self.order = chosen, order
        self.page, self.place, self.letter = 0, None, None

    def show_in_address(self, compared: Compared, listed: Sequence[Ordered]) -> None:
        """Keep the address in step: it is a permalink. What stands as it does at first is left out."""
        kept = self.chosen
        methods = compared.runs[0].settings.methods
        shared = [name for name in methods if any(name in run.settings.methods for run in compared.runs[1:])]
        first = listed[0].place if listed else None
        said = {
            _ADDRESS: ",".join(map(str, self.run_ids)),
            "method": self.method if self.method in shared[1:] else None,
            "advantage": self.convention if self.convention != DEFAULT_CONVENTION else None,
            "order": self.order.name.lower() if self.order is not Order.CHANGE else None,
            "search": kept.search.strip(),
            "high": kept.high,
            "low": kept.low,
            "only": ",".join(name for name, on in ((_FLIPS, kept.flipped), (_LOST, kept.lost)) if on),
            "group": str(self.place + 1) if self.place is not None and self.place != first else None,
        }
        put_in_address({name: one for name, one in said.items() if one})


def view_of(run_ids: tuple[int, ...]) -> CompareView:
    """This tab's view of these runs, first as the address has it; how it looked at others before, it looks at these."""
    view = st.session_state.get(_KEY)
    if not isinstance(view, CompareView):
        # Once: from then on the address follows the page, and lags behind it.
        view = _view_in_address(run_ids)
    elif view.run_ids != run_ids:
        view = replace(view, run_ids=run_ids, page=0, place=None, letter=None, against=0, known=None)
    st.session_state[_KEY] = view
    return view


def addressed() -> tuple[int, ...]:
    """The runs that the address names, the baseline first; what is no number in it is passed over."""
    named = st.query_params.get(_ADDRESS, "").split(",")
    ids = [number for number in (_number(part.strip()) for part in named) if number is not None]
    return tuple(dict.fromkeys(ids))[:MOST_RUNS]


def _view_in_address(run_ids: tuple[int, ...]) -> CompareView:
    """The view that a link asks for; what in it is not known here is passed over."""
    asked = st.query_params
    method, high, low = (name if name in METHODS else None for name in map(asked.get, ("method", "high", "low")))
    only = asked.get("only", "").split(",")
    group = _number(asked.get("group", ""))
    convention = asked.get("advantage", "")
    return CompareView(
        run_ids,
        method=method,
        order=Order.__members__.get(asked.get("order", "").upper(), Order.CHANGE),
        chosen=Filter(asked.get("search", "")[:MOST_SEARCHED], high, low, _FLIPS in only, _LOST in only),
        place=group - 1 if group else None,
        convention=convention if convention in CONVENTIONS else DEFAULT_CONVENTION,
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def address(run_ids: Sequence[int]) -> None:
    """Put the runs into the address, which is a permalink."""
    st.query_params[_ADDRESS] = ",".join(map(str, run_ids))
