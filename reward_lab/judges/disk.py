"""A diskcache that keeps text in SQLite, and nothing in any other way."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diskcache import Cache, Disk, Timeout
from diskcache.core import MODE_RAW


class TextDisk(Disk):  # type: ignore[misc]  # diskcache ships no types
    """Keys and values are text. Nothing is pickled, and no pickle is loaded.

    diskcache's own ``Disk`` unpickles whatever a row says is a pickle, so that whoever can
    write the folder runs code in this process (CVE-2025-69872).
    """

    def put(self, key: str) -> tuple[str, bool]:
        """The key as SQLite gets it."""
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        """The key of a row. Raises ``ValueError`` where it is not text."""
        if not raw or not isinstance(key, str):
            raise ValueError("a key is not text")
        return key

    def store(self, value: str, read: bool, key: object = None) -> tuple[int, int, None, str]:
        """The columns ``size, mode, filename, value`` of a row."""
        return 0, MODE_RAW, None, value

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        """The value of a row. Raises ``ValueError`` where it is not text."""
        if mode != MODE_RAW or not isinstance(value, str):
            raise ValueError("a value is not text")
        return value


class TextCache:
    """Texts by key, in a folder shared by threads and processes; the oldest go when it is full.

    Raises ``sqlite3.OperationalError`` where the file is busy, full or read-only, another
    ``sqlite3.DatabaseError`` or ``ValueError`` where it is corrupt.
    """

    def __init__(self, folder: Path, *, size_limit_bytes: int, busy_timeout_s: float) -> None:
        self._cache = Cache(str(folder), timeout=busy_timeout_s, disk=TextDisk, size_limit=size_limit_bytes)

    def get(self, key: str) -> str | None:
        """The text under ``key``."""
        text: str | None = self._cache.get(key)
        return text

    def put(self, texts: Mapping[str, str]) -> None:
        """Keep all of them, in one transaction."""
        try:
            with self._cache.transact():
                for key, text in texts.items():
                    self._cache.set(key, text)
        except Timeout as busy:
            raise sqlite3.OperationalError("another process holds the lock") from busy

    def close(self) -> None:
        """Close the calling thread's connection; those of other threads close with them."""
        self._cache.close()
