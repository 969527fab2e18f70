"""The studio: the rubric that this browser tab writes, in session, store and address.

As on the desk of the Score page, the draft of record is here, widgets write into it as they change, every change is
saved, and the address holds the draft's id, so that a refresh loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import streamlit as st

from reward_lab.core.group import Group, Scenario, Trajectory
from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.services.drafts import JudgeDraft, new_id
from reward_lab.services.examples import examples
from reward_lab.services.library import RubricVersion
from reward_lab.services.rubric_drafts import RubricDraft
from reward_lab.services.saved_drafts import SavedDraft
from reward_lab.ui.desk import present_desk, put_in_address, restore_desk
from reward_lab.ui.frame import open_laboratory
from reward_lab.wiring import Lab

_KEY = "studio"

_RUNS_OFFERED = 3


@dataclass(frozen=True, slots=True)
class Step:
    """A step that changed much at once: what it was, and the draft before it."""

    name: str
    before: RubricDraft


@dataclass(slots=True)
class Studio:
    """One tab's rubric. ``version`` is the stored draft's, 0 for one that was never saved.

    ``newer`` is the version that somebody saved while this draft was written, once a save has met it. ``followed`` is
    what the address asked for last. ``begun`` is the draft as it was begun, and ``aside`` the stored draft that was
    left with unsaved changes last. ``pane`` is the pane of the page that is shown, ``note`` what was written of a save
    that met a newer version, ``with_reference`` whether generation shows the reference answer. ``steps`` can be undone.
    """

    lab: Lab
    draft_id: str
    draft: RubricDraft
    version: int = 0
    generation: int = 0
    newer: RubricVersion | None = None
    notices: list[str] = field(default_factory=list)
    author: str = ""
    judge: JudgeDraft = field(default_factory=JudgeDraft)
    followed: tuple[str, ...] = ()
    begun: RubricDraft | None = None
    aside: str | None = None
    pane: str = "write"
    note: str = ""
    with_reference: bool = True
    steps: list[Step] = field(default_factory=list)

    @property
    def base(self) -> int:
        """The number of the version that the draft began from, 0 under a name that it did not begin under."""
        origin = self.draft.origin
        return self.draft.base if origin is not None and origin[0] == self.draft.name.strip() else 0

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present draft."""
        return f"studio-{name}-{self.generation}"

    def change(self, **fields: object) -> None:
        """Change fields of the draft, and save it."""
        self.draft = self.draft.model_copy(update=fields)
        self._save()

    def begin(self, draft: RubricDraft) -> None:
        """Begin another draft; the one before stays stored under its own id."""
        self._leave()
        self.draft_id, self.draft, self.version = new_id(), draft, 0
        self.begun = draft
        self.generation += 1
        self.newer = None
        self.steps.clear()
        self._save()

    def keep(self) -> None:
        """Store the draft also where nothing was changed in it yet."""
        if not self.version:
            self._save()

    def put(self, draft: RubricDraft, *, step: str = "") -> None:
        """Put other content in the draft's place; its fields are drawn anew. A ``step`` that is named can be undone."""
        if step:
            self.steps.append(Step(step, self.draft))
        self.draft = draft
        self.generation += 1
        self._save()

    def undo(self) -> None:
        """Take back the last step."""
        if self.steps:
            self.put(self.steps.pop().before)

    def open_rubric(self, name: str) -> None:
        """Begin a draft from the current version of a rubric. Raises :class:`NotFound`."""
        version = self.lab.library.history(name).current
        self.begin(RubricDraft.of(version.rubric, name=name, base=version.number, origin=(name, version.number)))

    def take(self, saved: SavedDraft[RubricDraft]) -> None:
        """Go on with another stored draft."""
        if saved.id != self.draft_id:
            self._leave()
        self.begun = None
        self.draft_id, self.draft, self.version = saved.id, saved.draft, saved.version
        self.generation += 1
        self.newer = None
        self.steps.clear()

    def _leave(self) -> None:
        """Remember the way back to a draft with changes that no version holds."""
        draft = self.draft
        if self.version and draft != self.begun and (draft.guidance.strip() or draft.criteria or draft.proposals):
            try:
                version = self.lab.library.history(draft.name.strip()).version(self.base)
            except NotFound:
                version = None
            if draft.proposals or unsaved(self, None if version is None else version.rubric):
                self.aside = self.draft_id

    def show_in_address(self) -> None:
        """Keep the address in step: ids only, never text."""
        address = {"draft": self.draft_id} if self.version else {}
        desk = present_desk()
        if desk is not None and desk.version:
            # A reload here would lose what the Score page holds in this tab.
            address["score"] = desk.draft_id
        put_in_address(address)

    def _save(self) -> None:
        drafts = self.lab.rubric_drafts
        saved = drafts.save(self.draft_id, self.draft, expected_version=self.version)
        if saved.newer is not None:
            self.draft_id = new_id()
            self.notices.append(
                "This draft was changed in another window meanwhile. Yours goes on here as a draft of its own; "
                "reload the page there to see the other."
            )
            saved = drafts.save(self.draft_id, self.draft)
        self.version = saved.version
        self.show_in_address()


def open_studio() -> Studio:
    """This tab's studio. Its first time: the draft or the rubric that the address names, else the one saved last."""
    lab = open_laboratory()
    studio = st.session_state.get(_KEY)
    restore_desk(lab, st.query_params.get("score"))
    if not isinstance(studio, Studio):
        studio = _first_studio(lab)
        desk = present_desk()
        if desk is not None and desk.draft.judges:
            studio.judge = desk.draft.judges[0]
        st.session_state[_KEY] = studio
    asked = tuple(st.query_params.get(name, "") for name in ("rubric_draft", "rubric", "version"))
    # The browser's address lags behind the page: what was followed once is not followed again.
    if any(asked) and asked != studio.followed:
        studio.followed = asked
        _follow(studio, *asked)
    studio.show_in_address()
    return studio


@dataclass(frozen=True, slots=True)
class Context:
    """What a rubric is tried on: a scenario, and responses where there are any."""

    name: str
    scenario: Scenario
    trajectories: tuple[Trajectory, ...] = ()


def contexts(studio: Studio, uses: Sequence[int]) -> list[Context]:
    """The contexts to choose from; ``uses`` are runs under this rubric, newest first."""
    found = []
    imported = studio.draft.imported_scenario()
    if imported is not None:
        found.append(Context("The scenario it was imported with", imported))
    desk = present_desk()
    if desk is not None:
        with suppress(InvalidInput):  # the Score page itself says what is wrong there
            found.append(_context(f"Score page: {desk.draft.name or 'unnamed'}", desk.draft.group()))
    found += [_context(f"Run {run_id}", studio.lab.results.of(run_id).table.group) for run_id in uses[:_RUNS_OFFERED]]
    found += [_context(f"Example: {example.name}", example.group) for example in examples()]
    return found


def _context(name: str, group: Group) -> Context:
    return Context(name, group.scenario, group.trajectories)


def _first_studio(lab: Lab) -> Studio:
    asked = st.query_params.get("draft")
    saved = lab.rubric_drafts.load(asked) if asked else None
    if saved is not None:
        return Studio(lab, saved.id, saved.draft, saved.version)
    studio = Studio(lab, new_id(), RubricDraft())
    if asked:
        studio.notices.append(f"There is no draft {asked!r} here: it may be another installation's.")
    names = lab.library.names()
    if names:
        version = lab.library.history(names[0].name).current
        studio.draft = RubricDraft.of(
            version.rubric, name=version.name, base=version.number, origin=(version.name, version.number)
        )
    return studio


def _follow(studio: Studio, draft_id: str, name: str, number: str) -> None:
    """Open the draft that was brought here, or the rubric, or the version of it, that a link asks for."""
    if draft_id:
        saved = studio.lab.rubric_drafts.load(draft_id)
        if saved is None:
            studio.notices.append(f"There is no rubric draft {draft_id!r} here: it may be another installation's.")
        else:
            studio.take(saved)
        return
    try:
        history = studio.lab.library.history(name)
    except NotFound as error:
        studio.notices.append(str(error))
        return
    version = history.current if not number else history.version(int(number)) if number.isdecimal() else None
    if version is None:
        studio.notices.append(f"The rubric {name!r} has no version {number!r}: this is version {history.head}.")
        version = history.current
    studio.begin(version_draft(version, head=history.head))


def version_draft(version: RubricVersion, *, head: int) -> RubricDraft:
    """The draft that goes on from a version of a rubric whose current one is ``head``."""
    return RubricDraft.of(version.rubric, name=version.name, base=head, origin=(version.name, version.number))


def unsaved(studio: Studio, stored: Rubric | None) -> bool:
    """Whether the draft differs from the stored version that it began from."""
    try:
        return stored is None or studio.draft.rubric().key != stored.key
    except InvalidInput:
        return True
