"""The panes of the Rubrics page: writing, generating, history, evidence, the prompt, files."""

from __future__ import annotations

import streamlit as st

from reward_lab.errors import NotFound
from reward_lab.services.library import History
from reward_lab.ui import (
    rubric_editor,
    rubric_evidence,
    rubric_files,
    rubric_generation,
    rubric_history,
    rubric_prompt,
)
from reward_lab.ui.studio import Context, Studio, contexts

_KEY = "studio-pane"
_PANES = ("write", "generate", "history", "evidence", "prompt", "files")


def draw(studio: Studio, history: History | None) -> None:
    """The chosen pane; the others' widgets are neither sent nor painted."""

    def choose() -> None:
        studio.pane = st.session_state[_KEY] or studio.pane

    # The browser tells the choice by its label, which a count may have changed meanwhile: the studio knows better.
    st.session_state[_KEY] = pane = studio.pane
    st.segmented_control(
        "Pane",
        _PANES,
        format_func=lambda pane: _label(pane, studio, history),
        required=True,
        key=_KEY,
        on_change=choose,
        label_visibility="collapsed",
        width="stretch",
        wrap=True,
    )
    if pane == "history":
        _draw_history(studio, history)
    elif pane == "evidence":
        rubric_evidence.draw(studio, history)
    elif pane == "files":
        rubric_files.draw(studio)
    elif pane == "generate":
        rubric_generation.draw(studio, _context(studio, history))
    elif pane == "prompt":
        rubric_prompt.draw(studio, _context(studio, history))
    else:
        left, right = st.columns([3, 2])
        with left:
            rubric_editor.draw_name(studio)
        with right:
            context = _context(studio, history)
        rubric_editor.draw(studio, context)


def history_of(studio: Studio) -> History | None:
    """The history of the rubric that the draft is of, ``None`` for one that was never saved."""
    if not studio.draft.name.strip():
        return None
    try:
        return studio.lab.library.history(studio.draft.name.strip())
    except NotFound:
        return None


def _label(pane: str, studio: Studio, history: History | None) -> str:
    if pane == "history" and history is not None:
        return f"History ({len(history.versions)})"
    if pane == "generate" and studio.draft.proposals:
        undecided = sum(proposal.kept is None for proposal in studio.draft.proposals)
        return f"Generate ({undecided} to review)" if undecided else "Generate (reviewed)"
    if pane == "write":
        return f"Write ({sum(not row.is_blank for row in studio.draft.criteria)})"
    return pane.capitalize()


def _draw_history(studio: Studio, history: History | None) -> None:
    if history is None:
        st.info(
            "This rubric was not saved yet. Its versions, what differs between them, and the runs under each will "
            "stand here.",
            icon=":material/history:",
        )
        return
    rubric_history.draw(studio, history)


def _context(studio: Studio, history: History | None) -> Context:
    uses = [] if history is None else sorted((run for runs in history.uses.values() for run in runs), reverse=True)
    offered = {context.name: context for context in contexts(studio, uses)}
    chosen = st.selectbox(
        "Scenario at hand",
        list(offered),
        key="studio-context",
        help="What the rubric is generated from and checked against: the Score page's, a run's or an example's.",
    )
    return offered.get(chosen) or next(iter(offered.values()))
