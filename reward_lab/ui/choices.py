"""Choices that stand on several pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from reward_lab.core.advantages import CONVENTIONS
from reward_lab.core.methods import METHODS


def choose_methods(chosen: Sequence[str], *, key: str) -> list[str]:
    """The methods that score, in their usual order."""
    ticked = st.pills(
        "Methods",
        list(METHODS),
        selection_mode="multi",
        wrap=True,
        default=[name for name in METHODS if name in chosen],
        format_func=lambda name: METHODS[name].head,
        key=key,
        help="; ".join(f"{method.head}: {method.title}" for method in METHODS.values()),
    )
    return list(ticked)


def choose_repeats(room: DeltaGenerator, repeats: int, *, key: str) -> int:
    """How often each question is asked."""
    told = "Each repeat shows responses and criteria in another order; scores are averaged."
    return int(room.number_input("Repeats", 1, 100, repeats, key=key, help=told))


def choose_seed(room: DeltaGenerator, seed: int, *, key: str) -> int:
    """What the orders are drawn from."""
    return int(room.number_input("Seed", 0, None, seed, key=key, help="Of the orders and the repeats."))


def choose_reward(
    label: str,
    methods: Sequence[str],
    method: str,
    convention: str,
    *,
    keys: tuple[str, str],
    on_change: Callable[[], None],
) -> None:
    """The method whose rewards are looked at, and the trainer that takes them; both stand under their ``keys``."""
    with st.container(horizontal=True, gap="small"):
        st.selectbox(
            label,
            methods,
            index=methods.index(method),
            format_func=lambda name: METHODS[name].title,
            key=keys[0],
            on_change=on_change,
            width=270,
        )
        st.selectbox(
            "Advantage by",
            list(CONVENTIONS),
            index=list(CONVENTIONS).index(convention),
            format_func=lambda name: CONVENTIONS[name].title,
            key=keys[1],
            on_change=on_change,
            width=230,
        )
