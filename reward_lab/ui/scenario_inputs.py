"""Scenario: what every response answers."""

from __future__ import annotations

import streamlit as st

from reward_lab.errors import InvalidInput
from reward_lab.ui.desk import Desk
from reward_lab.ui.fields import show_fault, text_field


def draw(desk: Desk) -> None:
    """System prompt, user message or conversation, reference answer, tools."""
    text_field(desk, "name", "Name", hint="Under this name the run stands on the Runs page.")
    text_field(
        desk,
        "system_prompt",
        "System prompt",
        height=130,
        hint="The agent's goal. RULER's judge reads it as what the responses should achieve.",
    )
    text_field(
        desk,
        "user",
        "User message, or a conversation as JSON",
        height=170,
        hint='Plain text is one user message. A list such as [{"role": "user", "content": "..."}] is a conversation.',
    )
    text_field(
        desk,
        "reference",
        "Reference answer (optional)",
        height=100,
        hint="What a good answer says. Likert with a reference needs it; verifiers compare with it.",
    )
    with st.expander("Tools" if not desk.draft.tools.strip() else "Tools (given)"):
        text_field(
            desk,
            "tools",
            "Tool definitions, a JSON list in OpenAI's format",
            height=160,
            placeholder='[{"type": "function", "function": {"name": "..."}}]',
        )
    try:
        desk.draft.scenario()
    except InvalidInput as error:
        show_fault(error)
