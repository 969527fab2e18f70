"""Sheets as tests write them."""

from __future__ import annotations

import json

from reward_lab.core.chat import Json
from reward_lab.exchange.groups import BadLine, Mapping, Role, Sheet, guess_mapping, imported_groups, read_sheet

ASK = {"role": "user", "content": "q"}


def said(text: str) -> dict[str, Json]:
    """A message of the assistant."""
    return {"role": "assistant", "content": text}


def sheet_of(source: str | list[dict[str, Json]]) -> Sheet:
    """A CSV, or records as JSONL, as a file is read."""
    if isinstance(source, str):
        return read_sheet(source.encode(), "x.csv")
    return read_sheet("\n".join(map(json.dumps, source)).encode(), "x.jsonl")


def bad_lines(source: str | list[dict[str, Json]], **roles: Role) -> list[tuple[int, str]]:
    """What could not be read, by line, under the guessed mapping with these roles."""
    sheet = sheet_of(source)
    mapping = Mapping({**guess_mapping(sheet).roles, **roles})
    return [(one.number, one.why) for one in imported_groups(sheet, mapping) if isinstance(one, BadLine)]
