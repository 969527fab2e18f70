"""The rubric file: our own JSON, or plain prose that becomes the guidance."""

from __future__ import annotations

import json
from pathlib import Path

from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidInput, InvalidRubric


def read_rubric(path: Path) -> tuple[str, Rubric]:
    """The name and content of a rubric file.

    A ``.json`` file is ``{"name", "guidance", "criteria": [{"title", "description", "category",
    "weight", "meets_when"}], "verifiers", "scoring"}``; any other file is guidance in prose.
    The name is the file's where it states none.

    Raises:
        InvalidInput: the file cannot be read as text.
        InvalidRubric: it is no rubric; the field and value are named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The rubric file {path} cannot be read: {error}.") from error
    if path.suffix.lower() != ".json":
        return path.stem, Rubric(guidance=text.strip())
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InvalidRubric(f"The rubric file {path} is not JSON: {error}.") from error
    if not isinstance(record, dict):
        raise InvalidRubric(f"The rubric file {path} must hold one JSON object, got {type(record).__name__}.")
    name = record.pop("name", None) or path.stem
    return str(name), Rubric.from_record(record)
