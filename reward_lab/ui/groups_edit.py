"""A group's texts in a form. Saving puts a new group in the old one's place: stored groups never change.

While it is open, the list is not drawn: a click there, or J and K, would take what is typed away.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.group import Group
from reward_lab.core.rubric import Rubric
from reward_lab.core.table import letter
from reward_lab.errors import RewardLabError
from reward_lab.services.drafts import Draft, ResponseDraft
from reward_lab.services.pasting import paste_many
from reward_lab.ui.fields import show_fault
from reward_lab.ui.groups_view import GroupsView


def draw(view: GroupsView, dataset_id: int, group_id: int) -> None:
    """Scenario and responses as on the Score page; nothing is stored before "Save the group"."""
    group = view.lab.datasets.group(group_id)
    before = Draft.of(group, Rubric(), name=group.id)
    people = len(view.lab.datasets.labels(group_id))

    def key(name: str) -> str:
        return view.key(f"edit-{group_id}-{name}")

    st.button("Stop editing", icon=":material/close:", key="groups-stop-editing", on_click=_stop, args=(view,))
    with st.form(key("form")):
        _scenario_fields(before, key)
        for index, response in enumerate(before.responses):
            _response_fields(response, index, key)
        st.text_area(
            "More responses",
            key=key("more"),
            height=100,
            placeholder="A JSON list, JSONL, or texts separated by a line of ---",
        )
        st.caption(_what_saving_does(people))
        pressed = st.form_submit_button("Save the group", type="primary", icon=":material/save:")
    if not pressed:
        return
    try:
        new = _edited(before, group, key)
        new_id = view.lab.datasets.replace(dataset_id, _position(view, dataset_id, group_id), new, old=group_id)
    except RewardLabError as error:
        show_fault(error)
        return
    view.open(new_id)
    view.editing = False
    st.rerun()


def _what_saving_does(people: int) -> str:
    """Told before it is done; ``people`` labelled the group."""
    said = "Saved, it stands in the old one's place. Runs and labels keep the group that they were made for."
    if not people:
        return said
    return f"{said} {people} {'people' if people != 1 else 'person'} labelled it: the saved group has no labels yet."


def _stop(view: GroupsView) -> None:
    view.editing = False


def _position(view: GroupsView, dataset_id: int, group_id: int) -> int:
    """Where the group stands, whatever is filtered; where none does, if it is gone: saving then says so."""
    places = view.lab.datasets.places(dataset_id)
    return next((place.position for place in places if place.group_id == group_id), -1)


def _scenario_fields(before: Draft, key: Callable[[str], str]) -> None:
    st.text_input("Name", well_formed(before.name), key=key("name"))
    st.text_area("System prompt", well_formed(before.system_prompt), key=key("system_prompt"), height=130)
    st.text_area(
        "User message, or a conversation as JSON",
        well_formed(before.user),
        key=key("user"),
        height=170,
        help='Plain text is one user message. A list such as [{"role": "user", "content": "..."}] is a conversation.',
    )
    st.text_area("Reference answer (optional)", well_formed(before.reference), key=key("reference"), height=100)
    st.text_area(
        "Tool definitions, a JSON list in OpenAI's format (optional)",
        well_formed(before.tools),
        key=key("tools"),
        height=100,
    )


def _response_fields(response: ResponseDraft, index: int, key: Callable[[str], str]) -> None:
    name = letter(index)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Label of {name}", well_formed(response.label), key=key(f"label-{index}"), placeholder="optional"
        )
        st.checkbox(f"Leave {name} out", key=key(f"out-{index}"))
    st.text_area(f"Text of {name}", well_formed(response.text), key=key(f"text-{index}"), height=120)


def _edited(before: Draft, group: Group, key: Callable[[str], str]) -> Group:
    """The group as it stands in the form. Raises :class:`InvalidGroup` naming the field or the response's letter."""

    def typed(name: str, text: str) -> str:
        now = str(st.session_state[key(name)])
        return text if now == well_formed(text) else now  # what was not touched stays, down to lone surrogates

    kept = [
        response.model_copy(
            update={
                "label": typed(f"label-{index}", response.label),
                "text": typed(f"text-{index}", response.text),
            }
        )
        for index, response in enumerate(before.responses)
        if not st.session_state[key(f"out-{index}")]
    ]
    more = str(st.session_state[key("more")])
    if more.strip():
        kept += paste_many(more, taken={response.id for response in before.responses})
    fields = {
        name: typed(name, getattr(before, name)) for name in ("name", "system_prompt", "user", "reference", "tools")
    }
    new = before.model_copy(update={**fields, "responses": kept}).group()
    scenario = new.scenario.model_copy(update={"metadata": group.scenario.metadata})
    return new.model_copy(update={"scenario": scenario})
