"""The exact prompt that a judge gets under the rubric as it stands."""

from __future__ import annotations

import streamlit as st

from reward_lab.core.chat import text_of
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods import METHODS
from reward_lab.core.methods.method import Arrangement, Question
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput
from reward_lab.services.planning import approximate_tokens
from reward_lab.ui.fields import show_fault
from reward_lab.ui.frame import show_notice
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.studio import Context, Studio

_PLACEHOLDER = Trajectory(id="response", messages=({"role": "assistant", "content": "(the response to be judged)"},))


def draw(studio: Studio, context: Context) -> None:
    """Choose a method; read its first question word by word."""
    asking = [name for name, method in METHODS.items() if method.asks]
    method = METHODS[
        st.segmented_control(
            "Method",
            asking,
            default="rar_explicit",
            required=True,
            format_func=lambda name: METHODS[name].head,
            key="studio-prompt-method",
            label_visibility="collapsed",
            wrap=True,
        )
        or "rar_explicit"
    ]
    try:
        rubric = studio.draft.rubric()
    except InvalidInput as error:
        show_fault(error)
        return
    group = Group(id="preview", scenario=context.scenario, trajectories=context.trajectories or (_PLACEHOLDER,))
    obstacle = method.obstacle(group, rubric)
    if obstacle is not None:
        show_notice(f"There is nothing to ask. {obstacle.detail}")
        return
    members = group.trajectories if method.unit == "group" else group.trajectories[:1]
    questions = method.questions(group, members, rubric, Arrangement())
    each = "for the group" if method.unit == "group" else "for each response"
    tokens = sum(approximate_tokens(text_of(message)) for message in questions[0].messages)
    st.caption(
        f"{counted(len(questions), 'call')} {each}; this is the first, about {tokens:,} tokens. A reply must fit the "
        f"schema below it."
    )
    read(_blocks(questions[0]), key="studio-prompt", label=f"Prompt of {method.title}")
    with st.expander("Schema of the reply"):
        st.json(questions[0].schema)


def _blocks(question: Question) -> list[Block]:
    return [
        Block(
            f"prompt-{index}", "message", str(message["role"]).capitalize(), pieces=plain(text_of(message)), mono=True
        )
        for index, message in enumerate(question.messages)
    ]
