"""Verifiers: checks of the answer that need no judge."""

from __future__ import annotations

import json

import streamlit as st

from reward_lab.core.chat import Json
from reward_lab.ui.editing import Editing
from reward_lab.ui.tables import edited_rows

_VALUE_FIELD = {"exact": "value", "contains": "value", "regex": "pattern", "numeric": "value", "json": "json_schema"}
"""Which field of a verifier the column "Value" stands for."""


def draw_verifiers(desk: Editing) -> None:
    """The table of verifiers. Their sum is added to the judge's reward, and stands in the column Checks."""
    st.caption(
        "Each is 1 where it holds, times its weight. Exact, contains and numeric compare with the reference answer "
        "where the value is blank; json takes a JSON Schema or nothing; length counts characters."
    )
    rows = edited_rows(
        desk,
        "verifiers",
        [_row(verifier) for verifier in desk.draft.verifiers],
        columns={
            "kind": st.column_config.SelectboxColumn("Check", options=[*_VALUE_FIELD, "length"], required=True),
            "value": st.column_config.TextColumn("Value", width="medium"),
            "at_least": st.column_config.NumberColumn("At least", min_value=0, step=1),
            "at_most": st.column_config.NumberColumn("At most", min_value=0, step=1),
            "case_sensitive": st.column_config.CheckboxColumn("Case", help="Upper and lower case differ."),
            "weight": st.column_config.NumberColumn("Weight", default=1.0),
        },
        order=["kind", "value", "at_least", "at_most", "case_sensitive", "weight"],
        label="Verifiers",
    )
    verifiers = [verifier for row in rows if (verifier := _verifier(row)) is not None]
    if verifiers != [_verifier(_row(one)) for one in desk.draft.verifiers]:
        desk.change(verifiers=verifiers)
        st.rerun()


def _row(verifier: dict[str, Json]) -> dict[str, Json]:
    value = verifier.get(_VALUE_FIELD.get(str(verifier.get("kind")), ""))
    return {
        "kind": verifier.get("kind"),
        "value": json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else _text(value),
        "at_least": verifier.get("at_least"),
        "at_most": verifier.get("at_most"),
        "case_sensitive": bool(verifier.get("case_sensitive")),
        "weight": verifier.get("weight", 1.0),
    }


def _text(value: Json) -> str | None:
    return None if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _verifier(row: dict[str, Json]) -> dict[str, Json] | None:
    """The record of one row; ``None`` for a row whose check is not chosen yet. The rubric judges its values."""
    kind, value = row.get("kind"), row.get("value")
    if kind is None:
        return None
    verifier: dict[str, Json] = {"kind": kind, "weight": 1.0 if row.get("weight") is None else row["weight"]}
    if kind == "length":
        bounds = {name: row.get(name) for name in ("at_least", "at_most")}
        return verifier | {name: int(bound) for name, bound in bounds.items() if bound is not None}
    if kind in ("exact", "contains"):
        verifier["case_sensitive"] = bool(row.get("case_sensitive"))
    if value not in (None, ""):
        verifier[_VALUE_FIELD[kind]] = _parsed(value) if kind == "json" else value
    elif kind == "regex":
        verifier["pattern"] = ""
    return verifier


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
