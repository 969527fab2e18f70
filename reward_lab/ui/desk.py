"""The desk: the draft that this browser tab works on and the run it shows, in session, store and address.

The draft of record is ``Desk.draft``. Widgets are drawn from it and write back to it as they
change, and every change is saved, so neither a refresh nor a page switch loses anything:
the address holds the draft's id. A widget keeps its value as long as its key stays; what
replaces a whole draft (an example, a run) therefore begins a new ``generation`` of keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Run
from reward_lab.errors import NotFound
from reward_lab.services.drafts import Draft, JudgeDraft, new_id
from reward_lab.services.examples import Example, examples
from reward_lab.ui.frame import open_laboratory
from reward_lab.wiring import Lab

_KEY = "desk"


@dataclass(slots=True)
class Desk:
    """One tab's work. ``version`` is the stored draft's, 0 for one that was never saved.

    ``running`` is whether the run was going on when this page was begun: what the page's button says, and what the
    rest of the page must agree with.
    """

    lab: Lab
    draft_id: str
    draft: Draft
    version: int = 0
    generation: int = 0
    run_id: int | None = None
    running: bool = False
    notices: list[str] = field(default_factory=list)

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present draft."""
        return f"{name}-{self.generation}"

    def change(self, **fields: object) -> None:
        """Change fields of the draft, and save it."""
        self.draft = self.draft.model_copy(update=fields)
        self.save()

    def save(self) -> None:
        """Save the draft. Where another window saved in between, this one goes on under an id of its own."""
        saved = self.lab.drafts.save(self.draft_id, self.draft, expected_version=self.version)
        if saved.newer is not None:
            self.draft_id = new_id()
            self.notices.append(
                "This draft was changed in another window meanwhile. Yours goes on here as a draft of its own; "
                "reload the page there to see the other."
            )
            saved = self.lab.drafts.save(self.draft_id, self.draft)
        self.version = saved.version
        self.show_in_address()

    def use_rubric(self, rubric: Rubric, name: str) -> None:
        """Put a stored rubric in the place of the draft's."""
        self.generation += 1
        self.draft = self.draft.with_rubric(rubric)
        self.change(rubric_name=name)

    def replace(self, draft: Draft, *, run_id: int | None = None) -> None:
        """Begin another draft; the one before stays stored under its own id."""
        self.draft_id, self.draft, self.version = new_id(), draft, 0
        self.generation += 1
        self.run_id = run_id
        self.show_in_address()

    def show_run(self, run_id: int) -> None:
        """Show this run beside the draft."""
        self.run_id = run_id
        self.show_in_address()

    def show_in_address(self) -> None:
        """Keep the address in step: ids only, never text."""
        st.query_params.clear()
        if self.version:
            st.query_params["draft"] = self.draft_id
        if self.run_id is not None:
            st.query_params["run"] = str(self.run_id)


def open_desk() -> Desk:
    """This tab's desk. Its first time: what the address names, else the first example.

    Raises:
        NotFound: the address names a run that is not stored.
    """
    lab = open_laboratory()
    desk = st.session_state.get(_KEY)
    asked_run = _run_in_address()
    if not isinstance(desk, Desk):
        desk = _first_desk(lab, asked_run)
        st.session_state[_KEY] = desk
    elif asked_run is not None and asked_run != desk.run_id:
        # A link to another run was followed within this session.
        desk.replace(draft_of_run(lab, asked_run), run_id=asked_run)
    desk.show_in_address()
    return desk


def draft_of_run(lab: Lab, run_id: int) -> Draft:
    """A draft that repeats a run: its first group, rubric, judges and methods. Raises :class:`NotFound`."""
    result = lab.results.of(run_id)
    return draft_like(result.run, Draft.of(result.table.group, result.run.rubric, name=result.run.name))


def draft_like(run: Run, draft: Draft) -> Draft:
    """The draft under a run's judges and settings."""
    settings = run.settings
    return draft.model_copy(
        update={
            "judges": [JudgeDraft.of(judge) for judge in run.judges],
            "methods": list(settings.methods),
            "repeats": settings.repeats,
            "seed": settings.seed,
            "budget_usd": settings.budget_usd,
            "rubric_name": run.rubric_name,
        }
    )


def example_draft(example: Example) -> Draft:
    """The draft of an example."""
    return Draft.of(example.group, example.rubric, name=example.name)


def _first_desk(lab: Lab, asked_run: int | None) -> Desk:
    asked_draft = st.query_params.get("draft")
    saved = lab.drafts.load(asked_draft) if asked_draft else None
    if saved is not None:
        return Desk(lab, saved.id, saved.draft, saved.version, run_id=asked_run)
    if asked_run is not None:
        return Desk(lab, new_id(), draft_of_run(lab, asked_run), run_id=asked_run)
    desk = Desk(lab, new_id(), example_draft(examples()[0]))
    if asked_draft:
        desk.notices.append(
            f"There is no draft {asked_draft!r} here: it may be another installation's. This is the example."
        )
    return desk


def _run_in_address() -> int | None:
    asked = st.query_params.get("run")
    if asked is None:
        return None
    if not asked.isdecimal():
        raise NotFound(f"The address asks for run {asked!r}, but runs have numbers: open one from the Runs page.")
    return int(asked)
