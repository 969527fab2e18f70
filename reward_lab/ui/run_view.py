"""The view of a run of many groups: how one tab looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from reward_lab.core.group_order import GroupOrder, ordered_groups
from reward_lab.services.results import DEFAULT_CONVENTION
from reward_lab.services.training import RunTraining
from reward_lab.wiring import Lab

_KEY = "run-view"
PAGE = 25
"""Groups on one page of the list."""


@dataclass(slots=True)
class RunView:
    """How one tab looks at a run. ``charted``: a chart was drawn in it, so that the browser has what it takes."""

    run_id: int
    method: str | None = None
    convention: str = DEFAULT_CONVENTION
    order: GroupOrder = GroupOrder.LEAST_SPREAD
    search: str = ""
    page: int = 0
    chart: str = "Advantages"
    charted: bool = False
    known: tuple[object, RunTraining, tuple[int, ...]] | None = None

    def of(self, lab: Lab) -> RunTraining:
        """The run's training view. Raises :class:`NotFound`."""
        methods = lab.scoring.run(self.run_id).settings.methods
        if self.method not in methods:
            self.method = None
        return lab.trainings.of(self.run_id, method=self.method, convention=self.convention)

    def listed(self, found: RunTraining) -> Sequence[int]:
        """The places of the groups as they are listed; worked out once."""
        stamp = (self.order, self.search)
        if self.known is None or self.known[0] != stamp or self.known[1] is not found:
            places = ordered_groups(found.groups, found.figures.groups, self.order, search=self.search)
            self.known = stamp, found, places
        places = self.known[2]
        self.page = min(self.page, max(0, (len(places) - 1) // PAGE))
        return places


def view_of(run_id: int) -> RunView:
    """This tab's view of a run; how it looked at another before, it looks at this one."""
    view = st.session_state.get(_KEY)
    if not isinstance(view, RunView):
        view = RunView(run_id)
    elif view.run_id != run_id:
        view = replace(view, run_id=run_id, search="", page=0, known=None)
    st.session_state[_KEY] = view
    return view
