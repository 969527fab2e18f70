"""The left of the Rubrics page: every named rubric, and the ways to begin one."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.wording import counted
from reward_lab.services.library import RubricSummary
from reward_lab.services.rubric_drafts import RubricDraft
from reward_lab.services.templates import templates
from reward_lab.ui.figures import ago
from reward_lab.ui.studio import Studio

_LISTED = 40
"""More are found by searching: each is a widget of its own."""


def draw(studio: Studio) -> None:
    """What to begin, then the list. While nothing is saved yet, what to begin with is all there is to show."""
    if not studio.lab.library.names() and not st.session_state.get("library-archived"):
        archived = studio.lab.library.names(archived=True)
        said = "Every rubric is archived." if archived else "No rubric is saved yet."
        st.caption(f"{said} Begin with one of these, or write here and save it.")
        _begin(studio)
        if archived:
            _archived()
        return
    with st.popover("New rubric", icon=":material/add:", width="stretch", key=studio.key("new")):
        _begin(studio)
    _list(studio)


def _begin(studio: Studio) -> None:
    if st.button("Empty", icon=":material/draft:", key="new-empty", type="tertiary", width="stretch"):
        studio.begin(RubricDraft())
        st.rerun()
    st.button(
        "From a file or pasted text",
        icon=":material/upload:",
        key="new-import",
        type="tertiary",
        width="stretch",
        on_click=_show_files,
        args=(studio,),
    )
    st.caption("Or from a template; it becomes yours to change.")
    for index, template in enumerate(templates()):
        if st.button(
            template.name, help=template.summary, key=f"new-template-{index}", type="tertiary", width="stretch"
        ):
            studio.begin(RubricDraft.of(template.rubric, name=free_name(studio, template.name)))
            st.rerun()


def _show_files(studio: Studio) -> None:
    studio.pane = "files"
    studio.generation += 1  # the menu closes


def free_name(studio: Studio, name: str) -> str:
    """The name, with a number where a rubric is called so already."""
    taken = {summary.name for archived in (False, True) for summary in studio.lab.library.names(archived=archived)}
    names = (name, *(f"{name} {number}" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one not in taken)


def _list(studio: Studio) -> None:
    archived = bool(st.session_state.get("library-archived"))
    names = studio.lab.library.names(archived=archived)
    search = ""
    if len(names) > 8:
        search = st.text_input("Search", key="library-search", placeholder="Search", label_visibility="collapsed")
    found = [summary for summary in names if search.casefold() in summary.name.casefold()]
    if not found:
        st.caption(_nothing(archived=archived, searched=bool(search)))
    now = datetime.now(UTC)
    with st.container(key="library", gap=None):
        for index, summary in enumerate(found[:_LISTED]):
            _line(studio, summary, index, now, archived=archived)
    if len(found) > _LISTED:
        st.caption(f"{counted(len(found) - _LISTED, 'more rubric')}: search for it by name.")
    _archived()


def _archived() -> None:
    st.toggle("Archived", key="library-archived", help="Show the rubrics that were archived.")


def _nothing(*, archived: bool, searched: bool) -> str:
    if searched:
        return "No rubric is called so."
    if archived:
        return "Nothing is archived."
    return "No rubric is saved."


def _line(studio: Studio, summary: RubricSummary, index: int, now: datetime, *, archived: bool) -> None:
    is_open = summary.name == studio.draft.name.strip() and studio.base > 0
    with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False, key=f"library-line-{index}"):
        label = f"{'● ' if is_open else ''}{escaped(well_formed(summary.name))}"
        said = f"{counted(summary.versions, 'version')}, {ago(summary.updated_at, now)}"
        if st.button(
            f"{label} :gray[v{summary.head}]", key=f"library-open-{index}", type="tertiary", width="stretch", help=said
        ):
            studio.open_rubric(summary.name)
            st.rerun()
        if archived:
            if st.button("Put back", key=f"library-back-{index}", type="tertiary", icon=":material/unarchive:"):
                studio.lab.library.unarchive(summary.name)
                st.rerun()
        elif st.button(
            ":material/archive:",
            key=f"library-archive-{index}",
            type="tertiary",
            help=f"Archive {escaped(well_formed(summary.name))}: out of the list; its versions and runs stay.",
        ):
            studio.lab.library.archive(summary.name)
            st.rerun()


def escaped(text: str) -> str:
    """A name as Streamlit's labels show it: they read Markdown, and a name is text."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()<>#+-.!|~$:^=&" else sign for sign in text.replace("\n", " "))
