"""The right of the Rubrics page: the rubric as it is written, with what there is to say of each line."""

from __future__ import annotations

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.lint import Finding
from reward_lab.errors import InvalidInput, RewardLabError
from reward_lab.services.library import History, RubricVersion
from reward_lab.ui import criteria_inputs, rubric_history
from reward_lab.ui.fields import show_fault, text_field
from reward_lab.ui.frame import show_notice
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.rubric_library import free_name
from reward_lab.ui.scoring_inputs import draw_scoring
from reward_lab.ui.studio import Context, Studio, unsaved
from reward_lab.ui.verifier_inputs import draw_verifiers

_NAME_SHOWN = 60


def draw_headline(studio: Studio, history: History | None) -> None:
    """The page's name, what is open, and the one primary action."""
    with (
        st.container(key="headline"),
        st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"),
    ):
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="studio-standing"):
            st.markdown("### Rubrics", width="content")
            st.text(well_formed(studio.draft.name.strip()) or "unnamed", width="content", wrap=False)
            st.caption(_standing(studio, history), width="content")
        with st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="right", width="content", wrap=False
        ):
            if studio.steps:
                st.button(
                    "Undo",
                    icon=":material/undo:",
                    key="studio-undo",
                    on_click=studio.undo,
                    help=f"Take back: {studio.steps[-1].name}.",
                )
            if st.button(
                "Score with it",
                icon=":material/balance:",
                key="studio-score",
                help="Take it to the Score page as it stands here, saved or not.",
            ):
                studio.keep()
                st.switch_page("pages/score.py", query_params={"rubric_draft": studio.draft_id})
            with st.popover(
                "Save as version", icon=":material/save:", type="primary", width="content", key=studio.key("save")
            ):
                _save_form(studio, history)
    for notice in studio.notices:
        show_notice(notice)
    studio.notices.clear()
    if studio.aside is not None:
        _offer_back(studio, studio.aside)
    if studio.newer is not None:
        _draw_conflict(studio)


def _offer_back(studio: Studio, draft_id: str) -> None:
    """The way back to what was left unsaved."""
    saved = studio.lab.rubric_drafts.load(draft_id)
    if saved is None:
        return
    name = well_formed(saved.draft.name.strip()) or "unnamed"
    shown = name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]} …"
    with (
        show_notice(f"Your unsaved changes to {shown!r} are kept."),
        st.container(horizontal=True, gap="small"),
    ):
        if st.button("Go back to them", icon=":material/undo:", key="studio-back", type="tertiary"):
            studio.aside = None
            studio.take(saved)
            st.rerun()
        if st.button("Not now", key="studio-back-not", type="tertiary", help="They stay stored; this line goes."):
            studio.aside = None
            st.rerun()


def draw_name(studio: Studio) -> None:
    """The name that versions are saved under."""
    text_field(studio, "name", "Name", placeholder="What this rubric is for")


def draw(studio: Studio, context: Context) -> None:
    """Prose above, criteria below, then checks and scoring."""
    text_field(
        studio,
        "guidance",
        "Guidance in prose",
        height=150,
        hint="RULER and Likert read it. Blank: RULER's general guidance.",
        placeholder="What makes one response better than another?",
    )
    found = criteria_inputs.findings_on(studio.draft, reference=context.scenario.reference_answer)
    whole = [one for one in found if one.position is None]
    if whole:
        read(
            [
                Block(
                    f"lint-{index}",
                    "line",
                    _level(one),
                    tone="warning" if one.level == "warning" else "note",
                    pieces=plain(f"{one.message} {one.advice}"),
                )
                for index, one in enumerate(whole)
            ],
            key="studio-lint",
            label="Findings on the whole rubric",
        )
    criteria_inputs.draw_criteria(studio, key="studio-criteria", findings=found)
    try:
        studio.draft.rubric()
    except InvalidInput as error:
        show_fault(error)
    with st.expander("Checks without a judge (verifiers)"):
        draw_verifiers(studio)
    with st.expander("How verdicts become rewards"):
        draw_scoring(studio)


def _level(finding: Finding) -> str:
    return "⚠ Warning" if finding.level == "warning" else "Note"


def _standing(studio: Studio, history: History | None) -> str:
    if history is None:
        return "new, not saved"
    if not studio.base:
        return "not saved; the name is taken"
    version = history.version(studio.base)
    changed = unsaved(studio, None if version is None else version.rubric)
    return f"version {studio.base}{', with unsaved changes' if changed else ''}"


def _save_form(studio: Studio, history: History | None) -> None:
    nameless = not studio.draft.name.strip()
    with st.form(studio.key("save-form"), border=False):
        named = st.text_input("Name of the rubric", key=studio.key("save-name")) if nameless else studio.draft.name
        note = st.text_input("What changed, and why", key=studio.key("note"), placeholder="optional")
        author = st.text_input("Your name", studio.author, key="studio-author", placeholder="optional")
        pressed = st.form_submit_button("Save", type="primary", icon=":material/save:", key="studio-save")
    if not pressed:
        return
    studio.author = author
    if nameless and named.strip():
        studio.change(name=named.strip())
    if _saved(studio, history, note=note):
        st.rerun()


def _saved(studio: Studio, history: History | None, *, note: str, base: int | None = None) -> bool:
    """Save the draft's content; where somebody saved meanwhile, the page then says so instead.

    False where the content is no rubric yet: that is then said here.
    """
    draft, rubrics = studio.draft, studio.lab.library
    try:
        rubric = draft.rubric()
        saved = rubrics.save(
            rubric,
            draft.name,
            base=studio.base if base is None else base,
            origin=_origin(studio, history),
            note=note,
            author=studio.author,
        )
    except RewardLabError as error:
        show_fault(error)
        return False
    if not saved.saved:
        studio.newer, studio.note = saved.version, note
        studio.generation += 1  # the form closes, and what happened is in view
        return True
    version = saved.version
    studio.newer = None
    studio.put(draft.model_copy(update={"base": version.number, "origin": (version.name, version.number)}))
    # Without the name: a toast would read it as Markdown.
    st.toast(f"Version {version.number} is stored.", icon=":material/check:")
    return True


def _origin(studio: Studio, history: History | None) -> RubricVersion | None:
    """The version that the draft was made from."""
    if studio.draft.origin is None:
        return None
    name, number = studio.draft.origin
    known = history if history is not None and history.name == name else studio.lab.library.history(name)
    return known.version(number)


def _draw_conflict(studio: Studio) -> None:
    """Somebody else's version came first: the difference, and every way out of it. Nothing was overwritten."""
    newer = studio.newer
    if newer is None:
        return
    by = f" by {newer.author}" if newer.author else ""
    note = f" It says: {newer.note}" if newer.note else ""
    before = (
        f"Version {newer.number} of {newer.name!r} was saved{by} while you were writing."
        if studio.base
        else f"There is a rubric named {newer.name!r} already; its version {newer.number} was saved{by or ' before'}."
    )
    head = "⚠ Saved meanwhile" if studio.base else "⚠ The name is taken"
    said = f"{before} Yours was not saved, and nothing is lost: choose what becomes of it.{note}"
    with st.container(border=True, key="studio-conflict"):
        read(
            [Block("conflict", "line", head, tone="warning", pieces=plain(said))],
            key="studio-conflict-text",
            label="Conflict",
        )
        with st.container(horizontal=True):
            mine = st.button(f"Save mine as version {newer.number + 1}", key="conflict-mine", icon=":material/save:")
            fork = st.button("Save mine as a rubric of its own", key="conflict-fork", icon=":material/fork_right:")
            theirs = st.button(
                f"Take version {newer.number}",
                key="conflict-theirs",
                icon=":material/download:",
                help="Yours stays stored, and the page offers the way back to it.",
            )
        _resolve(studio, newer, mine=mine, fork=fork, theirs=theirs)
        try:
            mine_now = studio.draft.rubric()
        except InvalidInput:
            return
        blocks = rubric_history.difference_blocks(newer.rubric, mine_now, prefix="conflict-difference")
        read(blocks, key="studio-conflict-difference", label=f"From version {newer.number} to yours")


def _resolve(studio: Studio, newer: RubricVersion, *, mine: bool, fork: bool, theirs: bool) -> None:
    if fork:
        studio.change(name=free_name(studio, f"{studio.draft.name.strip()} (fork)"), base=0)
    if theirs:
        studio.open_rubric(newer.name)
    if theirs or ((mine or fork) and _saved(studio, None, note=studio.note, base=newer.number if mine else 0)):
        st.rerun()
