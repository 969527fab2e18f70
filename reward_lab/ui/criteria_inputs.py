"""Criteria: the list of statements that RaR judges, with the effective weight of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from reward_lab.errors import InvalidInput
from reward_lab.services.rubric_drafts import CriterionDraft, RubricFields
from reward_lab.ui.criteria_editor import CriterionRow, Edited, Line, criteria_editor
from reward_lab.ui.editing import Editing


def draw_criteria(desk: Editing, *, key: str, lines: Mapping[str, Sequence[Line]] | None = None) -> None:
    """The criteria of the draft, to be edited; ``lines`` are what lint says, by the id of the criterion.

    ``key`` stays the same while drafts come and go: a tab that outlives its server finds its list again by it.
    """
    st.markdown("**Criteria**", help="Statements that RaR judges true or false of each response.")

    def take(edited: Edited) -> None:
        desk.change(criteria=[_draft(row) for row in edited.rows])

    edited = criteria_editor(_rows(desk.draft), key=key, weights=desk.draft.scoring.weights, lines=lines, on_edit=take)
    if edited is not None:
        # A tab that outlived its server's session brings its text along, and nothing tells of a change.
        take(edited)
        st.rerun()


def percentages(draft: RubricFields) -> dict[str, float]:
    """(C,) the effective weight of each written criterion by its id, in percent: its share of the sum of all weights.

    Empty where the sum is unknown or 0.
    """
    written = [row for row in draft.criteria if row.description.strip()]
    try:
        weights = RubricFields(criteria=written, scoring=draft.scoring).rubric().weights
    except InvalidInput:
        return {}
    largest = max(weights, default=0.0)
    if largest == 0:
        return {}
    # Relative to the largest, so that neither huge nor tiny weights leave the range of a float.
    shares = [weight / largest for weight in weights]
    total = math.fsum(shares)
    return {row.id: 100 * share / total for row, share in zip(written, shares, strict=True)}


def _rows(draft: RubricFields) -> list[CriterionRow]:
    percents = percentages(draft)
    return [
        CriterionRow(
            row.id,
            row.title,
            row.description,
            row.category,
            row.weight,
            row.meets_when,
            percents.get(row.id),
            row.source,
        )
        for row in draft.criteria
    ]


def _draft(row: CriterionRow) -> CriterionDraft:
    return CriterionDraft(
        id=row.id,
        title=row.title,
        description=row.description,
        category=row.category,
        weight=row.weight,
        meets_when=row.meets_when,
        source=dict(row.source),
    )
