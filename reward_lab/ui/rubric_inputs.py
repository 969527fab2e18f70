"""Rubric: guidance in prose, criteria in a table, verifiers, and how they become a reward."""

from __future__ import annotations

import streamlit as st

from reward_lab.core.rubric import CATEGORY_WEIGHTS, Category, Scoring
from reward_lab.errors import InvalidInput, RewardLabError
from reward_lab.services.drafts import CriterionDraft
from reward_lab.ui.desk import Desk
from reward_lab.ui.fields import show_fault, text_field
from reward_lab.ui.tables import edited_rows
from reward_lab.ui.verifier_inputs import draw_verifiers

_MEETS_WHEN = {True: "true", False: "false"}


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
    _criteria(desk)
    with st.expander("Checks without a judge (verifiers)" + _count(len(desk.draft.verifiers))):
        draw_verifiers(desk)
    with st.expander("How verdicts become rewards"):
        _scoring(desk)
    try:
        desk.draft.rubric()
    except InvalidInput as error:
        show_fault(error)


def _count(count: int) -> str:
    return f" ({count})" if count else ""


def _library(desk: Desk) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text_field(desk, "rubric_name", "Rubric", placeholder="unnamed")
        with st.popover("Versions", icon=":material/history:", width="content", key=desk.key("versions")):
            _versions(desk)
        if st.button("Save as version", icon=":material/save:", disabled=not desk.draft.rubric_name.strip()):
            try:
                version = desk.lab.library.save(desk.draft.rubric(), desk.draft.rubric_name)
            except RewardLabError as error:
                show_fault(error)
            else:
                st.toast(f"{version.name}: version {version.number} is stored.", icon=":material/check:")
                st.rerun()  # the list of versions above was drawn before


def _versions(desk: Desk) -> None:
    names = [summary.name for summary in desk.lab.library.names()]
    if not names:
        st.caption("No rubric is saved yet. Give this one a name and save it as a version.")
        return
    name = st.selectbox("Saved rubric", names, key="library-name")
    versions = {version.number: version for version in desk.lab.library.versions(name)}
    number = st.selectbox(
        "Version",
        sorted(versions, reverse=True),
        format_func=lambda number: f"{number}, {versions[number].created_at:%Y-%m-%d %H:%M} UTC",
        key="library-version",
    )
    if st.button("Use it here", key="library-use", type="primary"):
        desk.use_rubric(versions[number].rubric, name)
        st.rerun()


def _criteria(desk: Desk) -> None:
    st.markdown("**Criteria**", help="Statements that RaR judges true or false of each response.")
    shown = [
        {**row.model_dump(exclude={"meets_when"}), "meets_when": _MEETS_WHEN[row.meets_when]}
        for row in desk.draft.criteria
    ]
    own = desk.draft.scoring.weights == "own"
    rows = edited_rows(
        desk,
        "criteria",
        shown,
        columns={
            "title": st.column_config.TextColumn("Title", width=90),
            "description": st.column_config.TextColumn("Statement", width=230),
            "category": st.column_config.SelectboxColumn(
                "Category",
                width=85,
                options=[category.value for category in Category],
                default=Category.IMPORTANT.value,
                help="Weights by category: "
                + ", ".join(f"{name} {weight:g}" for name, weight in CATEGORY_WEIGHTS.items()),
            ),
            "meets_when": st.column_config.SelectboxColumn(
                "Met if",
                width=72,
                options=["true", "false"],
                default="true",
                help="A pitfall such as 'invents a number' is met when it is false.",
            ),
            "weight": st.column_config.NumberColumn(
                "Weight", width=60, help="Counts where each criterion is weighed by its own number."
            ),
        },
        order=["description", "category", "meets_when", *(["weight"] if own else []), "title"],
        label="Criteria",
    )
    criteria = [
        CriterionDraft(
            title=str(row.get("title") or ""),
            description=str(row.get("description") or ""),
            category=str(row.get("category") or Category.IMPORTANT.value),
            weight=row.get("weight"),
            meets_when=row.get("meets_when") != "false",
        )
        for row in rows
    ]
    if criteria != desk.draft.criteria:
        desk.change(criteria=criteria)
        st.rerun()


def _scoring(desk: Desk) -> None:
    scoring = desk.draft.scoring
    weights = st.radio(
        "Weigh criteria",
        ["category", "own"],
        index=["category", "own"].index(scoring.weights),
        format_func={"category": "by category", "own": "each by its own weight"}.__getitem__,
        horizontal=True,
        key=desk.key("weights"),
    )
    calls = st.radio(
        "RaR explicit asks",
        ["per_response", "per_criterion"],
        index=["per_response", "per_criterion"].index(scoring.explicit_calls),
        format_func={"per_response": "once a response", "per_criterion": "once a criterion"}.__getitem__,
        horizontal=True,
        key=desk.key("explicit-calls"),
        help="Once a criterion is the paper's way: more calls, each on one statement.",
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
            "judge_weight": judge_weight,
            "add_independent": add_independent,
        }
    )
    if changed != scoring:
        desk.change(scoring=changed)
        st.rerun()
