"""The view: how one tab looks at a run, and what it chose there."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from reward_lab.services.results import DEFAULT_CONVENTION, Result
from reward_lab.services.scoring import Status
from reward_lab.ui.charts import Measure
from reward_lab.ui.grid import Selection
from reward_lab.wiring import Lab

_KEY = "results-view"
_MOST_DIGITS = 10


@dataclass(slots=True)
class View:
    """How one tab looks at a run. ``group`` is the group's place in the run, ``since`` the run to compare with.

    ``followed`` is the group that the address named last, from 1, and that is not followed again. ``charted``: a
    chart was drawn in this tab, so that the browser has what it takes.
    """

    run_id: int
    group: int = 0
    followed: str = ""
    convention: str = DEFAULT_CONVENTION
    reward_method: str | None = None
    measure: Measure = "reward"
    selection: Selection | None = None
    marks: dict[str, Selection] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    since: int | None = None
    earlier: tuple[int, ...] | None = None
    known: tuple[object, Result] | None = None
    charted: bool = False

    def of_run(self, run_id: int) -> View:
        """The same choices over another run."""
        return View(
            run_id,
            convention=self.convention,
            reward_method=self.reward_method,
            measure=self.measure,
            selection=self.selection,
            since=self.since,
            charted=self.charted,
        )

    def show_group(self, group: int) -> None:
        """Look at another group of the run."""
        if group != self.group:
            self.followed = self.address  # the browser's address lags behind the page
            self.group = group
            self.selection = None
            self.marks.clear()
            self.opened.clear()

    def follow(self, asked: str) -> None:
        """Look at the group that the address names by its place, from 1."""
        if asked != self.followed and asked.isascii() and asked.isdecimal() and 0 < len(asked) < _MOST_DIGITS:
            self.show_group(max(0, int(asked) - 1))
            self.followed = asked

    @property
    def address(self) -> str:
        """The group as the address names it; "" for the first."""
        return str(self.group + 1) if self.group else ""

    def candidates(self, lab: Lab) -> tuple[int, ...]:
        """The earlier runs to choose from, looked up once. A choice that is not among them is no more."""
        if self.earlier is None:
            self.earlier = lab.results.earlier(self.run_id)
            self.since = self.since if self.since in self.earlier else None
        return self.earlier

    def result(self, lab: Lab, status: Status) -> Result:
        """The result as it stands, read anew only where it can differ. Raises :class:`NotFound`."""
        counts = tuple((name, *sorted(one.counts.items())) for name, one in sorted(status.progress.items()))
        self.candidates(lab)
        stamp = (status.state, counts, self.group, self.convention, self.reward_method, self.since)
        if self.known is None or self.known[0] != stamp:
            self.known = stamp, self._read(lab)
        return self.known[1]

    def _read(self, lab: Lab) -> Result:
        run = lab.scoring.run(self.run_id)
        if self.reward_method not in run.settings.methods:
            self.reward_method = None
        self.group = min(self.group, len(run.group_ids) - 1)
        return lab.results.of(
            self.run_id,
            group_id=run.group_ids[self.group],
            convention=self.convention,
            reward_method=self.reward_method,
            since=self.since,
        )


def view_of(run_id: int) -> View:
    """This tab's view of a run: what was chosen for the one before stays chosen."""
    view = st.session_state.get(_KEY)
    if not isinstance(view, View):
        view = View(run_id)
    elif view.run_id != run_id:
        view = view.of_run(run_id)
    st.session_state[_KEY] = view
    return view
