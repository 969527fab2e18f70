"""Criteria: the list of statements that RaR judges, with the effective weight of each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from reward_lab.core import lint
from reward_lab.core.lint import Finding
from reward_lab.errors import InvalidInput
from reward_lab.services.rubric_drafts import CriterionDraft, RubricFields
from reward_lab.ui.criteria_editor import CriterionRow, Edited, Line, criteria_editor
from reward_lab.ui.editing import Editing


def draw_criteria(desk: Editing, *, key: str, findings: Sequence[Finding] = ()) -> None:
    """The criteria of the draft, to be edited; ``findings`` of lint stand under the criteria they are about.

    ``key`` stays the same while drafts come and go: a tab that outlives its server finds its list again by it.
    """
    st.markdown("**Criteria**", help="Statements that RaR judges true or false of each response.")

    def take(edited: Edited) -> None:
        desk.change(criteria=[_draft(row) for row in edited.rows])

    lines = lint_lines(desk.draft, findings)
    edited = criteria_editor(_rows(desk.draft), key=key, weights=desk.draft.scoring.weights, lines=lines, on_edit=take)
    if edited is not None:
        # A tab that outlived its server's session brings its text along, and nothing tells of a change.
        take(edited)
        st.rerun()


def findings_on(draft: RubricFields, *, reference: str | None) -> tuple[Finding, ...]:
    """What lint finds in the draft's rubric, a criterion without a statement left out; nothing while it is none."""
    written = [row for row in draft.criteria if row.description.strip()]
    try:
        return lint.findings(draft.model_copy(update={"criteria": written}).rubric(), reference=reference)
    except InvalidInput:
        return ()


def lint_lines(draft: RubricFields, findings: Sequence[Finding]) -> dict[str, list[Line]]:
    """The findings by the id of the criterion that they are about; those on the whole rubric are left out."""
    rows = [row for row in draft.criteria if row.description.strip()]
    lines: dict[str, list[Line]] = {}
    for one in findings:
        if one.position is not None:
            lines.setdefault(rows[one.position].id, []).append(Line(one.level, f"{one.message} {one.advice}"))
    return lines


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
