"""Responses: a card each, and many from one paste."""

from __future__ import annotations

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.table import letter
from reward_lab.errors import InvalidInput
from reward_lab.services.drafts import Draft, ResponseDraft, new_id
from reward_lab.services.pasting import paste_many
from reward_lab.services.planning import approximate_tokens
from reward_lab.ui.desk import Desk
from reward_lab.ui.fields import show_fault
from reward_lab.ui.headline import short
from reward_lab.ui.live_text import LIVE
from reward_lab.ui.theme import colour_of, ink_on

_MOST_AT_ONCE = 12
"""So many cards are drawn open; a group of more is paged, since each card is a widget of its own."""


def draw(desk: Desk) -> None:
    """The cards, and below them what adds more."""
    responses = desk.draft.responses
    first = _page(desk, len(responses))
    for index in range(first, min(first + _MOST_AT_ONCE, len(responses))):
        _card(desk, index)
    if not responses:
        st.caption("No response yet. Add one, paste many, or load an example above. RULER advises 4 to 8.")
    with st.container(horizontal=True):
        if st.button("Add a response", icon=":material/add:", key="add-response"):
            _set(desk, [*responses, ResponseDraft(id=new_id())])
            st.rerun()
        _paste(desk)
    try:
        Draft(responses=responses).group()
    except InvalidInput as error:
        if responses:
            show_fault(error)


def badge(index: int) -> str:
    """The letter of a response on its colour, as HTML of ours alone."""
    colour = colour_of(index)
    return (
        f'<span style="display:inline-block;min-width:1.5em;padding:0 .35em;border-radius:.3em;text-align:center;'
        f'font-weight:600;background:{colour};color:{ink_on(colour)}">{letter(index)}</span>'
    )


def _page(desk: Desk, count: int) -> int:
    pages = -(-count // _MOST_AT_ONCE)
    if pages < 2:
        return 0
    page = st.segmented_control(
        "Responses shown",
        range(pages),
        format_func=lambda page: f"{letter(page * _MOST_AT_ONCE)}-{letter(min((page + 1) * _MOST_AT_ONCE, count) - 1)}",
        default=0,
        required=True,
        key="responses-page",
    )
    return min(page or 0, pages - 1) * _MOST_AT_ONCE


def _card(desk: Desk, index: int) -> None:
    response = desk.draft.responses[index]
    label_key, text_key = desk.key(f"label-{response.id}"), desk.key(f"text-{response.id}")

    def changed() -> None:
        update = {"label": st.session_state[label_key], "text": st.session_state[text_key]}
        _replace(desk, response.id, update)

    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(badge(index), width="content")
            label = st.text_input(
                f"Label of {letter(index)}",
                well_formed(response.label),
                key=label_key,
                on_change=changed,
                label_visibility="collapsed",
                placeholder="Label (optional)",
                live=LIVE,
            )
            _menu(desk, index)
        text = st.text_area(
            f"Text of {letter(index)}",
            well_formed(response.text),
            key=text_key,
            on_change=changed,
            label_visibility="collapsed",
            placeholder="The response, or a trajectory as a JSON list of messages",
            height=92,
        )
        if (label, text) != (well_formed(response.label), well_formed(response.text)):
            # As in text_field: text that a tab brings along without a change being told.
            _replace(desk, response.id, {"label": label, "text": text})
            st.rerun()
        st.caption(f"{len(response.text):,} characters, ~{short(approximate_tokens(response.text))} tokens")


def _menu(desk: Desk, index: int) -> None:
    responses = desk.draft.responses
    response = responses[index]
    name = letter(index)
    with st.popover(
        "",
        icon=":material/more_vert:",
        help=f"Move, duplicate or remove {name}",
        width="content",
        key=desk.key(f"menu-{response.id}"),
    ):
        others = [one for one in responses if one.id != response.id]
        if st.button("Move up", key=f"up-{response.id}", icon=":material/arrow_upward:", disabled=index == 0):
            _set(desk, [*others[: index - 1], response, *others[index - 1 :]])
            st.rerun()
        last = index == len(responses) - 1
        if st.button("Move down", key=f"down-{response.id}", icon=":material/arrow_downward:", disabled=last):
            _set(desk, [*others[: index + 1], response, *others[index + 1 :]])
            st.rerun()
        if st.button("Duplicate", key=f"copy-{response.id}", icon=":material/content_copy:"):
            twin = response.model_copy(update={"id": new_id()})
            _set(desk, [*responses[: index + 1], twin, *responses[index + 1 :]])
            st.rerun()
        if st.button("Remove", key=f"remove-{response.id}", icon=":material/delete:"):
            _set(desk, others)
            st.rerun()


def _paste(desk: Desk) -> None:
    # Under a key of the draft's generation: what was added closes the popover and leaves an empty field behind, and
    # what was refused stays to be mended.
    with st.popover("Paste many", icon=":material/content_paste:", width="content", key=desk.key("paste")):
        with st.form(desk.key("paste-many"), border=False):
            pasted = st.text_area(
                "A JSON list, JSONL, or texts separated by a line of ---",
                height=200,
                key=desk.key("pasted"),
                help='An entry is a text, {"text": ...}, {"messages": [...]} or a list of messages.',
            )
            add = st.form_submit_button("Add them", type="primary")
        if add:
            responses = desk.draft.responses
            try:
                added = paste_many(pasted, taken={response.id for response in responses})
            except InvalidInput as error:
                show_fault(error)
            else:
                _set(desk, [*responses, *added])
                st.rerun()


def _set(desk: Desk, responses: list[ResponseDraft]) -> None:
    # The cards are drawn anew, so that an open menu closes and none is left at another response's place.
    desk.generation += 1
    desk.change(responses=responses)


def _replace(desk: Desk, response_id: str, update: dict[str, str]) -> None:
    changed = [one.model_copy(update=update) if one.id == response_id else one for one in desk.draft.responses]
    desk.change(responses=changed)
