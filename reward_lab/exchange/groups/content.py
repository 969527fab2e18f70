"""A file's bytes as text: byte order marks, UTF-16, and bytes that are no text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.sheet import MAX_BYTES

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""In this order: UTF-32's mark begins with UTF-16's."""

_OTHER_FILES = (
    (b"PK\x03\x04", "an Excel or zip file", "Save the sheet as CSV (UTF-8), or unpack the file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", "Save the sheet as CSV (UTF-8)"),
    (b"\x1f\x8b", "packed with gzip", "Unpack it"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", "Unpack it"),
    (b"ARROW1", "an Arrow file", "Save it as parquet"),
    (b"%PDF", "a PDF", "Save the groups as JSONL or CSV"),
)

_STRAY_BYTE = re.compile(r"[\udc80-\udcff]")
"""What ``surrogateescape`` makes of a byte that is not UTF-8."""


@dataclass(frozen=True, slots=True)
class Content:
    """A file: its name as messages say it, its ending, its bytes, and its text ("" for parquet).

    ``damaged``: some bytes are not UTF-8; :func:`stray_byte` finds them in the text.
    """

    name: str
    suffix: str
    data: bytes
    text: str = ""
    damaged: bool = False


def read_content(data: bytes, name: str) -> Content:
    """The file as text, unless it is parquet.

    Raises:
        InvalidInput: empty, too large, or another kind of file; the name and the next step are told.
    """
    named = name or "The pasted text"
    suffix = PurePath(name).suffix.lower()
    if len(data) > MAX_BYTES:
        raise InvalidInput(
            f"{named}: the file has {len(data) / 2**20:.0f} MiB; at most {MAX_BYTES // 2**20} MiB are read. Split it."
        )
    if data.startswith(b"PAR1"):
        return Content(named, suffix, data)
    for start, kind, step in _OTHER_FILES:
        if data.startswith(start):
            raise InvalidInput(f"{named} is {kind}, which is not read here. {step}, and choose that.")
    text, damaged = _decoded(data, named)
    if not text.strip():
        raise InvalidInput(f"{named} is empty. Choose a file with at least one group or row.")
    if "\0" in text[:1000]:
        raise InvalidInput(f"{named} is not a text file. Choose JSONL, JSON, CSV, TSV or parquet.")
    return Content(named, suffix, data, text, damaged)


def stray_byte(text: str) -> str | None:
    """The first byte in a damaged text that is not UTF-8, as "0xE9"."""
    found = _STRAY_BYTE.search(text)
    return None if found is None else f"0x{ord(found.group()) - 0xDC00:02X}"


def _decoded(data: bytes, name: str) -> tuple[str, bool]:
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), _unmarked(data))
    try:
        return data.decode(encoding), False
    except UnicodeDecodeError as error:
        if encoding != "utf-8-sig":
            raise InvalidInput(
                f"{name} begins as {encoding.upper()} and breaks off at byte {error.start + 1}. Save it as UTF-8."
            ) from error
        return data.decode(encoding, errors="surrogateescape"), True


def _unmarked(data: bytes) -> str:
    """UTF-16 without a mark shows by a zero byte beside the first character, which is ASCII in what is read here."""
    if len(data) > 1 and data[1] == 0 != data[0]:
        return "utf-16-le"
    if len(data) > 1 and data[0] == 0 != data[1]:
        return "utf-16-be"
    return "utf-8-sig"
