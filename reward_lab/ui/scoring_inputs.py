"""Scoring: how a rubric's verdicts become rewards."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from reward_lab.core.rubric import Scoring
from reward_lab.ui.editing import Editing


def draw_scoring(desk: Editing) -> None:
    """The settings of the rubric's scoring."""
    scoring = desk.draft.scoring
    weights = _choice(
        desk, "Weigh criteria", "weights", {"category": "by category", "own": "each by its own weight"}, scoring.weights
    )
    calls = _choice(
        desk,
        "RaR explicit asks",
        "explicit-calls",
        {"per_response": "once a response", "per_criterion": "once a criterion"},
        scoring.explicit_calls,
        hint="Once a criterion is the paper's way: more calls, each on one statement.",
    )
    scale = _choice(
        desk,
        "RaR explicit scores",
        "explicit-scale",
        {"share": "the share that is met", "points": "points won of those possible"},
        scoring.explicit_scale,
        hint="Points as in HealthBench: a statement that describes a fault costs its weight where it is true, and the "
        "score may fall below 0.",
    )
    partial = st.checkbox(
        "A statement may be partly true",
        scoring.partial,
        key=desk.key("partial"),
        help="It then counts half, as in ResearchRubrics.",
    )
    left, right = st.columns(2)
    likert_max = left.number_input(
        "Top of the rating scale", 2, 100, scoring.likert_max, key=desk.key("likert-max"), help="Ratings begin at 1."
    )
    normalising = right.selectbox(
        "Rating to reward",
        ["from_one", "share"],
        index=["from_one", "share"].index(scoring.likert_normalising),
        format_func={"from_one": "(r - 1) / (max - 1)", "share": "r / max"}.__getitem__,
        key=desk.key("normalising"),
    )
    judge_weight = left.number_input(
        "Weight of the judge",
        0.0,
        None,
        scoring.judge_weight,
        step=0.1,
        key=desk.key("judge-weight"),
        help="reward = weight x judge + sum of the checks",
    )
    add_independent = right.checkbox(
        "Add the independent reward",
        scoring.add_independent,
        key=desk.key("add-independent"),
        help="The reward that came with a trajectory, as RULER's users add a verifier's 0 or 1.",
    )
    changed = Scoring.model_validate(
        {
            "weights": weights,
            "likert_max": likert_max,
            "likert_normalising": normalising,
            "explicit_calls": calls,
            "explicit_scale": scale,
            "partial": partial,
            "judge_weight": judge_weight,
            "add_independent": add_independent,
        }
    )
    if changed != scoring:
        desk.change(scoring=changed)
        st.rerun()


def _choice(
    desk: Editing, label: str, key: str, options: Mapping[str, str], chosen: str, *, hint: str | None = None
) -> str:
    return st.radio(
        label,
        list(options),
        index=list(options).index(chosen),
        format_func=options.__getitem__,
        horizontal=True,
        key=desk.key(key),
        help=hint,
    )
