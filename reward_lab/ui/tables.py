"""Tables that are edited in place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from reward_lab.core.chat import Json, well_formed
from reward_lab.ui.editing import Editing


def edited_rows(
    desk: Editing,
    name: str,
    rows: Sequence[Mapping[str, Json]],
    *,
    columns: Mapping[str, ColumnConfig],
    order: Sequence[str],
    label: str,
) -> list[dict[str, Json]]:
    """A table of records that grows and shrinks; return its rows as edited, absent values as ``None``.

    The first rows are kept for as long as the table is mounted: a data editor holds its edits
    as differences from them, so its own result must never become its input.
    """
    import pandas as pd

    key = desk.key(f"table-{name}")
    first_key = f"{key}-first"
    if first_key not in st.session_state or key not in st.session_state:
        texts = [{field: _shown(row.get(field)) for field in columns} for row in rows]
        frame = pd.DataFrame(texts, columns=list(columns), dtype=object)
        if "weight" in columns:
            frame["weight"] = pd.to_numeric(frame["weight"])
        st.session_state[first_key] = frame
    edited = st.data_editor(
        st.session_state[first_key],
        key=key,
        num_rows="dynamic",
        column_config=dict(columns),
        column_order=list(order),
        hide_index=True,
        alt=label,
        width="stretch",
    )
    return [
        {str(field): _present(value) for field, value in record.items()} for record in edited.to_dict(orient="records")
    ]


def _shown(value: Json) -> Json:
    return well_formed(value) if isinstance(value, str) else value


def _present(value: Json) -> Json:
    import pandas as pd

    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value
