"""The desk: the draft that this browser tab works on and the run it shows, in session, store and address.

The draft of record is ``Desk.draft``. Widgets are drawn from it and write back to it as they
change, and every change is saved, so neither a refresh nor a page switch loses anything:
the address holds the draft's id. A widget keeps its value as long as its key stays; what
replaces a whole draft (an example, a run) therefore begins a new ``generation`` of keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from reward_lab.core.rubric import Rubric
from reward_lab.core.run import Run
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.services.drafts import Draft, JudgeDraft, new_id
from reward_lab.services.examples import Example, examples
from reward_lab.services.rubric_drafts import RubricFields
from reward_lab.ui.frame import open_laboratory
from reward_lab.ui.view import view_of
from reward_lab.wiring import Lab

_KEY = "desk"

_ASKING = ("judges", "methods", "repeats", "seed", "budget_usd", "ask_again")
"""The fields of a draft that say how it is scored, whatever is scored."""

_RUBRIC = (*RubricFields.model_fields, "rubric_name")

_MOST_DIGITS = 18
"""Of a run's number: what a database holds."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person must be told once; with a way to the list of runs, or to the draft that stood here before."""

    text: str
    to_runs: bool = False
    to_draft: bool = False


@dataclass(slots=True)
class Desk:
    """One tab's work. ``version`` is the stored draft's, 0 for one that was never saved.

    ``running`` is whether the run was going on when this page was begun: what the page's button says, and what the
    rest of the page must agree with. ``put_aside`` is the draft whose rubric another one took the place of.
    ``pressed``: Score was clicked, and nothing was begun yet. ``brought`` is the studio's draft whose rubric was taken
    over last, ``before`` the stored draft that stood here before this one.
    """

    lab: Lab
    draft_id: str
    draft: Draft
    version: int = 0
    generation: int = 0
    run_id: int | None = None
    running: bool = False
    pressed: bool = False
    notices: list[Notice] = field(default_factory=list)
    put_aside: Draft | None = None
    brought: str | None = None
    before: str | None = None

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present draft."""
        return f"{name}-{self.generation}"

    def change(self, **fields: object) -> None:
        """Change fields of the draft, and save it."""
        self.draft = self.draft.model_copy(update=fields)
        self.save()

    def press(self) -> None:
        """Ask for a run of what stands here."""
        self.pressed = True

    def save(self) -> None:
        """Save the draft. Where another window saved in between, this one goes on under an id of its own."""
        saved = self.lab.drafts.save(self.draft_id, self.draft, expected_version=self.version)
        if saved.newer is not None:
            self.draft_id = new_id()
            self.notices.append(
                Notice(
                    "This draft was changed in another window meanwhile. Yours goes on here as a draft of its own; "
                    "reload the page there to see the other."
                )
            )
            saved = self.lab.drafts.save(self.draft_id, self.draft)
        self.version = saved.version
        self.show_in_address()

    def use_rubric(self, rubric: Rubric, name: str) -> None:
        """Put a stored rubric in the place of the draft's, which :meth:`swap_rubric` brings back."""
        self.put_aside = self.draft
        self.generation += 1
        self.draft = self.draft.with_rubric(rubric)
        self.change(rubric_name=name)

    def swap_rubric(self) -> None:
        """Bring back the rubric that was put aside, and put the present one aside; nothing where there is none."""
        if self.put_aside is not None:
            before, self.put_aside = self.put_aside, self.draft
            self.generation += 1
            self.change(**{name: getattr(before, name) for name in _RUBRIC})

    def replace(self, draft: Draft, *, run_id: int | None = None) -> None:
        """Begin another draft; the one before stays stored under its own id."""
        self.before = self.draft_id if self.version else self.before
        self.draft_id, self.draft, self.version = new_id(), draft, 0
        self.put_aside = None
        self.generation += 1
        self.run_id = run_id
        self.show_in_address()

    def go_back(self) -> None:
        """Take up the draft that stood here before, as it was stored; this one can be gone back to in turn."""
        saved = None if self.before is None else self.lab.drafts.load(self.before)
        if saved is not None:
            self.replace(saved.draft)
            self.draft_id, self.version = saved.id, saved.version
            self.show_in_address()

    def show_run(self, run_id: int) -> None:
        """Show this run beside the draft."""
        self.run_id = run_id
        self.show_in_address()

    def show_in_address(self) -> None:
        """Keep the address in step: ids only, never text."""
        address = {"draft": self.draft_id} if self.version else {}
        if self.run_id is not None:
            address["run"] = str(self.run_id)
            group = view_of(self.run_id).address
            address |= {"group": group} if group else {}
        put_in_address(address)


def put_in_address(address: Mapping[str, str]) -> None:
    """Make this the address's query, in one step and only where it differs: a reload in between would lose it."""
    if st.query_params.to_dict() != address:
        st.query_params.from_dict(address)


def open_desk() -> Desk:
    """This tab's desk. Its first time: what the address names, else the first example.

    A run that the address names and that is not stored is told as a notice; the page is usable all the same.
    """
    lab = open_laboratory()
    desk = present_desk()
    asked_run, missing = _run_in_address(lab, None if desk is None else desk.run_id)
    if desk is None:
        desk = _first_desk(lab, asked_run)
        st.session_state[_KEY] = desk
    elif asked_run is not None and asked_run != desk.run_id:
        # A link to another run was followed within this session.
        desk.replace(draft_of_run(lab, asked_run), run_id=asked_run)
    if asked_run is not None:
        view_of(asked_run).follow(st.query_params.get("group", ""))
    if missing:
        desk.notices.append(Notice(missing, to_runs=True))
    brought = st.query_params.get("rubric_draft")
    # The browser's address lags behind the page: what was brought once is not brought again.
    if brought not in (None, desk.brought):
        desk.brought = brought
        _take_rubric(desk, str(brought))
    desk.show_in_address()
    return desk


def restore_desk(lab: Lab, draft_id: str | None) -> None:
    """Open the desk on a stored draft where this tab has none yet, as after a reload of another page."""
    saved = lab.drafts.load(draft_id) if draft_id and present_desk() is None else None
    if saved is not None:
        st.session_state[_KEY] = Desk(lab, saved.id, saved.draft, saved.version)


def _take_rubric(desk: Desk, draft_id: str) -> None:
    """Put the studio's rubric in the place of the desk's."""
    saved = desk.lab.rubric_drafts.load(draft_id)
    try:
        if saved is None:
            raise NotFound(f"There is no rubric draft {draft_id!r} here: it may be another installation's.")
        desk.use_rubric(saved.draft.rubric(), saved.draft.name)
        named = saved.draft.name.strip() or "unnamed"
        desk.notices.append(Notice(f"The rubric {named!r} is in place: it stands in the tab Rubric."))
    except (InvalidInput, NotFound) as error:
        desk.notices.append(Notice(f"The rubric was not taken over: {error}"))


def present_desk() -> Desk | None:
    """This tab's desk, ``None`` before the Score page was opened in it."""
    desk = st.session_state.get(_KEY)
    return desk if isinstance(desk, Desk) else None


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


def example_draft(example: Example, prompt: str | None = None) -> Draft:
    """The draft of an example, under another of its system prompts where that is named."""
    draft = Draft.of(example.group, example.rubric, name=example.name)
    return draft if prompt is None else draft.model_copy(update={"system_prompt": example.prompts[prompt]})


def asked_as(draft: Draft, other: Draft) -> Draft:
    """The draft by the judges, the methods and the settings of another one."""
    return draft.model_copy(update={name: getattr(other, name) for name in _ASKING})


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
            Notice(f"There is no draft {asked_draft!r} here: it may be another installation's. This is the example.")
        )
    return desk


def _run_in_address(lab: Lab, shown: int | None) -> tuple[int | None, str]:
    """The run that the address asks for, or in words why there is none. ``shown``: the one that stands here."""
    asked = st.query_params.get("run")
    if asked is None:
        return None, ""
    if not (asked.isascii() and asked.isdecimal()):
        return None, f"The address asks for run {asked!r}, but runs have numbers: open one from the list of runs."
    missing = f"Run {asked} is not stored here: it may be another installation's. Open one from the list of runs."
    if len(asked) > _MOST_DIGITS:
        return None, missing
    if int(asked) != shown:
        try:
            lab.scoring.run(int(asked))
        except NotFound:
            return None, missing
    return int(asked), ""
