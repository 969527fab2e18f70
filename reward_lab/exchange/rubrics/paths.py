"""Values within records by path, texts that hold JSON included."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, TypeAlias

from reward_lab.core.chat import Json

Path: TypeAlias = tuple[str, ...]

ABSENT: Final = object()


def value_at(record: Json, path: Sequence[str]) -> Json:
    """The value at a path of keys, ``ABSENT`` where there is none.

    >>> value_at({"a": {"b": 1}}, ("a", "b"))
    1
    """
    for key in path:
        if not isinstance(record, dict) or key not in record:
            return ABSENT
        record = record[key]
    return record


def take(record: Json, path: Sequence[str]) -> None:
    """Remove the value at a path; what held it stays, if only empty."""
    holder = value_at(record, path[:-1])
    if isinstance(holder, dict):
        holder.pop(path[-1], None)


def put(record: dict[str, Json], path: Sequence[str], value: Json) -> None:
    """Set the value at a path, and make what must hold it."""
    for key in path[:-1]:
        held = record.get(key)
        if not isinstance(held, dict):
            held = record[key] = {}
        record = held
    record[path[-1]] = value


def unpack(record: dict[str, Json], keys: Sequence[str]) -> list[str]:
    """Read the texts under ``keys`` that hold a JSON object or list, in place; the keys where there was one.

    Tables such as CSV and parquet often carry nested values so.
    """
    packed = []
    for key in keys:
        text = record.get(key)
        if isinstance(text, str) and text.lstrip()[:1] in ("{", "["):
            try:
                record[key] = json.loads(text)
            except (ValueError, RecursionError):
                continue
            packed.append(key)
    return packed


def pack(record: dict[str, Json], keys: Sequence[str]) -> None:
    """Write the values under ``keys`` as JSON texts, in place."""
    for key in keys:
        if key in record:
            record[key] = json.dumps(record[key], ensure_ascii=False)
