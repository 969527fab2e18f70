"""Parquet: typed rows. NaN is unknown; dates, decimals and bytes become text, since JSON has no such types."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.content import Content
from reward_lab.exchange.groups.sheet import MAX_ROWS, Lines, Row

MAX_UNPACKED_BYTES = 2**30

_BATCH = 2_000


def is_parquet(content: Content) -> bool:
    """By its first bytes."""
    return content.data.startswith(b"PAR1")


def parquet_rows(content: Content) -> Lines:
    """The rows of a parquet file, numbered from 1.

    Raises:
        InvalidInput: it is cut off or damaged, or too large once unpacked.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content.data))
        metadata = file.metadata
        unpacked = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(content, error) from error
    if unpacked > MAX_UNPACKED_BYTES or metadata.num_rows > MAX_ROWS:
        raise InvalidInput(
            f"{content.name}: unpacked it has {metadata.num_rows:,} rows and {unpacked / 2**20:.0f} MiB; at most "
            f"{MAX_ROWS:,} rows and {MAX_UNPACKED_BYTES // 2**20} MiB are read. Split it."
        )
    return Lines(tuple(file.schema_arrow.names), _rows(file, content))


def _rows(file: Any, content: Content) -> Iterator[Row]:
    import pyarrow as pa

    schema = file.schema_arrow
    mixed = [name for name in schema.names if not _is_plain(schema.field(name).type)]
    number = 0
    try:
        for batch in file.iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                number += 1
                for name in mixed:
                    row[name] = _json(row[name])
                yield number, row
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(content, error) from error


def _unreadable(content: Content, error: Exception) -> InvalidInput:
    first = (str(error).splitlines() or ["it is damaged"])[0].rstrip(".")
    return InvalidInput(f"{content.name} is not a readable parquet file: {first}. Write or download it again.")


def _is_plain(kind: Any) -> bool:
    """Whether values of this type are those of JSON as they come."""
    import pyarrow.types as types

    return any(test(kind) for test in (types.is_string, types.is_large_string, types.is_integer, types.is_boolean))


def _json(value: Any) -> Json:
    """A value as JSON has it. Keys without a value are left out: parquet fills in those that other rows have."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): _json(one) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return _text_of_bytes(value)
    return str(value)


def _text_of_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"<{len(value)} bytes>"
