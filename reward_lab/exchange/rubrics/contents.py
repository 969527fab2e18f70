"""What a file holds, before anybody asks which format it is: records with their places, from bytes.

Limits are checked here, since what is uploaded may be hostile.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidInput, InvalidRubric

MAX_BYTES = 64 * 2**20
MAX_UNPACKED_BYTES = 512 * 2**20
MAX_YAML_BYTES = 2 * 2**20
MAX_DEPTH = 100
MAX_RECORDS = 100_000
MAX_CRITERIA = 5_000


class Container(StrEnum):
    """How records lie in a file."""

    JSON = "JSON"
    JSONL = "JSONL"
    PARQUET = "parquet"
    YAML = "YAML"
    CSV = "CSV"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know of an import: where, and what was understood, assumed or skipped there."""

    place: str
    text: str
    skipped: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


@dataclass(frozen=True, slots=True)
class Record:
    """One value of a file: where it stands ("line 3"), the value, and the name its rubric has if it states none."""

    place: str
    value: Json
    name: str


@dataclass(frozen=True, slots=True)
class Contents:
    """A file's records; ``whole`` is the document as one record, ``None`` where lines or rows are separate."""

    container: Container
    name: str
    records: tuple[Record, ...]
    whole: Record | None = None
    notes: tuple[Note, ...] = ()

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return PurePath(self.name).stem


def read_contents(data: bytes, name: str) -> Contents:
    """The records of a file, told by what it holds; its name decides only between what the content leaves open.

    Raises:
        InvalidInput: too large, or not text.
        InvalidRubric: not JSON, YAML or parquet where it can be nothing else; or empty.
    """
    if len(data) > MAX_BYTES:
        raise InvalidInput(
            f"{name}: the file has {len(data) / 2**20:.0f} MiB; at most {MAX_BYTES // 2**20} MiB are read. Split it."
        )
    if data.startswith(b"PAR1"):
        return _parquet(data, name)
    text = _decoded(data, name)
    if not text.strip():
        raise InvalidRubric(f"{name}: the file is empty.")
    suffix = PurePath(name).suffix.lower()
    if suffix in (".json", ".jsonl") or text.lstrip()[0] in "[{":
        found = _json(text, name, must=suffix in (".json", ".jsonl"))
        if found is not None:
            return found
    if suffix in (".csv", ".tsv") or (suffix not in _TEXTUAL and _looks_like_csv(text)):
        return _csv(text, name)
    if suffix in (".yaml", ".yml") or (suffix not in _TEXTUAL and _YAML_KEY.search(text)):
        return _yaml(text, name)
    whole = Record("", text, PurePath(name).stem)
    return Contents(Container.TEXT, name, (whole,), whole)


_TEXTUAL = (".md", ".markdown", ".txt")
_YAML_KEY = re.compile(r"^(?:criteria|rubrics?|guidance|scoring)[ \t]*:", re.MULTILINE)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name} cannot be read as text: it is not UTF-8 at byte {error.start + 1}. Save it as UTF-8."
        ) from error


def _json(text: str, name: str, *, must: bool) -> Contents | None:
    """JSON or JSON lines; ``None`` where it is neither and need not be. Only line feeds end a line."""
    try:
        return listed(_parsed(text), name, Container.JSON)
    except ValueError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        good = list(_lines(lines, name))
        read = sum(isinstance(one, Record) for one in good)
        if len(lines) > 1 and (read * 2 >= len(lines) or (read and name.lower().endswith(".jsonl"))):
            records = tuple(one for one in good if isinstance(one, Record))
            _check_count(len(records), name)
            notes = tuple(one for one in good if isinstance(one, Note))
            return Contents(Container.JSONL, name, records, notes=notes)
        if not must:
            return None
        raise InvalidRubric(f"{name} is not JSON: {_json_fault(error)}.") from error


def _lines(lines: list[tuple[int, str]], name: str) -> Iterator[Record | Note]:
    stem = PurePath(name).stem
    for number, line in lines:
        try:
            yield Record(f"line {number}", _parsed(line.rstrip("\r")), stem if len(lines) == 1 else f"{stem} {number}")
        except ValueError as error:
            yield Note(f"line {number}", f"not JSON: {_json_fault(error)}.", skipped=True)


def _parsed(text: str) -> Json:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _json_fault(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, character {error.colno}"
    return str(error).rstrip(".")


def listed(value: Json, name: str, container: Container) -> Contents:
    """A document: as a whole, and as the items of its list or the named values of its object."""
    stem = PurePath(name).stem
    whole = Record("", value, stem)
    if isinstance(value, list):
        _check_count(len(value), name)
        parts = [Record(f"item {number}", one, f"{stem} {number}") for number, one in enumerate(value, start=1)]
    elif isinstance(value, dict):
        parts = [Record(f"{key!r}", one, str(key)) for key, one in value.items()]
    else:
        parts = []
    return Contents(container, name, tuple(parts), whole)


def _parquet(data: bytes, name: str) -> Contents:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stem = PurePath(name).stem
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        metadata = file.metadata
        unpacked = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
        if unpacked > MAX_UNPACKED_BYTES:
            raise InvalidInput(
                f"{name}: unpacked it has {unpacked / 2**20:.0f} MiB; at most {MAX_UNPACKED_BYTES // 2**20} MiB are "
                "read. Split it."
            )
        _check_count(metadata.num_rows, name)
        rows = file.read().to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidRubric(
            f"{name} is not a readable parquet file: {str(error).splitlines()[0].rstrip('.')}."
        ) from error
    records = (Record(f"row {number}", row, f"{stem} {number}") for number, row in enumerate(rows, start=1))
    return Contents(Container.PARQUET, name, tuple(records))


def _check_count(count: int, name: str) -> None:
    if count > MAX_RECORDS:
        raise InvalidInput(f"{name}: holds {count} records; at most {MAX_RECORDS} are read. Split it.")


def _looks_like_csv(text: str) -> bool:
    header = text.split("\n", 1)[0]
    names = [cell.strip().strip('"').lower() for cell in re.split(r"[,;\t]", header)]
    return len(names) > 1 and any(name in ("description", "criterion", "criteria", "statement") for name in names)


def _csv(text: str, name: str) -> Contents:
    """A table: one record, the list of its rows by column. A first line that names no column is a row."""
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(map(str.strip, row))
        ]
    except csv.Error as error:
        raise InvalidRubric(f"{name} is not a readable CSV file: {error}.") from error
    _check_count(len(rows), name)
    whole = Record("", rows, PurePath(name).stem)
    return Contents(Container.CSV, name, (whole,), whole)


def _yaml(text: str, name: str) -> Contents:
    from reward_lab.exchange.rubrics.yaml_text import parsed_yaml

    if len(text) > MAX_YAML_BYTES:
        raise InvalidInput(f"{name}: a YAML file may have at most {MAX_YAML_BYTES // 2**20} MiB; save it as JSON.")
    try:
        value = parsed_yaml(text, MAX_DEPTH)
    except ValueError as error:
        raise InvalidRubric(f"{name} is not a readable YAML file: {error}.") from error
    return listed(value, name, Container.YAML)


def check_value(value: Json) -> None:
    """Refuse what no JSON text can hold, and nesting that is deeper than any rubric's.

    Raises:
        ValueError: nesting deeper than ``MAX_DEPTH``, a number that is not finite, half a
            character (a lone surrogate), or a type that JSON has not; the value is named.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        deeper: list[Json] = []
        for one in level:
            if isinstance(one, dict):
                deeper += one.keys()
                deeper += one.values()
            elif isinstance(one, list):
                deeper += one
            else:
                _check_scalar(one)
        if not deeper:
            return
        level = deeper
    raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")


def _check_scalar(value: Json) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"it holds half a character, {value[error.start]!a}: a text was cut there") from error
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a JSON number")
    elif value is not None and not isinstance(value, int):
        raise ValueError(f"{type(value).__name__} is not a type of JSON: {str(value)[:40]!r}")
