"""Rubric: guidance in prose, criteria, verifiers, and how they become a reward."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidInput, NotFound, RewardLabError
from reward_lab.services.drafts import new_id
from reward_lab.services.rubric_drafts import RubricDraft, RubricFields
from reward_lab.ui.criteria_inputs import draw_criteria, findings_on
from reward_lab.ui.desk import Desk
from reward_lab.ui.fields import show_fault, text_field
from reward_lab.ui.scoring_inputs import draw_scoring
from reward_lab.ui.verifier_inputs import draw_verifiers


def draw(desk: Desk) -> None:
    """The rubric, from prose to reward."""
    _library(desk)
    text_field(
        desk,
        "guidance",
        "Guidance in prose",
        height=120,
        hint="RULER and Likert read it. Blank: RULER's general guidance.",
        placeholder="What makes one response better than another?",
    )
    found = findings_on(desk.draft, reference=desk.draft.reference)
    draw_criteria(desk, key="criteria", findings=found)
    try:
        desk.draft.rubric()
    except InvalidInput as error:
        show_fault(error)
    with st.expander("Checks without a judge (verifiers)" + _count(len(desk.draft.verifiers))):
        draw_verifiers(desk)
        if desk.draft.verifiers and "verifier" not in desk.draft.methods:
            st.caption("Add Checks under Judge to see them in a column of their own.")
    with st.expander("How verdicts become rewards"):
        draw_scoring(desk)


def _count(count: int) -> str:
    return f" ({count})" if count else ""


def _library(desk: Desk) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text_field(desk, "rubric_name", "Rubric", placeholder="unnamed")
        with st.popover("Versions", icon=":material/history:", width="content", key=desk.key("versions")):
            _versions(desk)
        nameless = not desk.draft.rubric_name.strip()
        if st.button(
            "Save as version",
            icon=":material/save:",
            disabled=nameless,
            help="Give the rubric a name first." if nameless else None,
        ):
            try:
                version = desk.lab.library.save(desk.draft.rubric(), desk.draft.rubric_name).version
            except RewardLabError as error:
                show_fault(error)
            else:
                # Without the name: a toast would read it as Markdown.
                st.toast(f"Version {version.number} is stored.", icon=":material/check:")
                st.rerun()  # the list of versions above was drawn before
    if st.button(
        "Open in Rubrics",
        icon=":material/open_in_new:",
        key="rubric-studio",
        type="tertiary",
        help="Generate criteria, check their wording, compare versions and see what runs tell of each.",
    ):
        _open_in_studio(desk)
    if desk.put_aside is not None:
        _offer_undo(desk)


def _open_in_studio(desk: Desk) -> None:
    """Take the rubric as it stands to the Rubrics page, as a draft that goes on from the current version."""
    draft = desk.draft
    name = draft.rubric_name.strip()
    head = 0
    with suppress(NotFound):  # a name that is new
        head = desk.lab.library.history(name).head
    fields = {field: getattr(draft, field) for field in RubricFields.model_fields}
    brought = RubricDraft(**fields, name=name, base=head, origin=(name, head) if head else None)
    draft_id = new_id()
    desk.lab.rubric_drafts.save(draft_id, brought)
    st.switch_page("pages/rubrics.py", query_params={"rubric_draft": draft_id})


def _versions(desk: Desk) -> None:
    names = [summary.name for summary in desk.lab.library.names()]
    if not names:
        st.caption("No rubric is saved yet. Give this one a name and save it as a version.")
        return
    name = st.selectbox("Saved rubric", names, key="library-name")
    versions = {version.number: version for version in desk.lab.library.history(name).versions}
    number = st.selectbox(
        "Version",
        sorted(versions, reverse=True),
        format_func=lambda number: f"{number}, {versions[number].created_at:%Y-%m-%d %H:%M} UTC",
        key="library-version",
    )
    if not _is_saved(desk, [version.rubric for version in versions.values()]):
        st.caption("What stands here now is not one of these versions. It is put aside, and can be brought back.")
    if st.button("Use it here", key="library-use", type="primary"):
        desk.use_rubric(versions[number].rubric, name)
        st.rerun()


def _is_saved(desk: Desk, versions: Sequence[Rubric]) -> bool:
    """Whether the rubric as it stands is one of these, so that nothing is lost with it."""
    try:
        return desk.draft.rubric() in versions
    except InvalidInput:
        return False


def _offer_undo(desk: Desk) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("The rubric that stood here before is put aside.", width="content")
        if st.button("Bring it back", icon=":material/undo:", key="rubric-swap", type="tertiary"):
            desk.swap_rubric()
            st.rerun()
