"""Cache: replies on disk, by the identity of the question.

Only a reply that was read well is kept, so that a rescore gives the same verdict; a fault
is worth another try. Writes are gathered and made in a thread of the cache's own, for
SQLite may have to wait for another process; until then a reply is read from memory.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from reward_lab.core.chat import Message
from reward_lab.core.run import Call

if TYPE_CHECKING:
    from reward_lab.judges.disk import TextCache

_log = logging.getLogger(__name__)

_SIZE_LIMIT_BYTES = 2 * 1024**3
_BUSY_TIMEOUT_S = 5.0
_MOST_AT_ONCE = 64
"""Replies in one transaction: other processes wait for it, and a full cache makes room row by row."""

T = TypeVar("T")


class ReplyCache:
    """Replies of judges in ``folder``, which only its owner can enter.

    Threads and processes may share it. It is never in the way: where it cannot be read there
    is no cached reply, where it cannot be written none is kept, and what is corrupt is moved
    aside, under the folder's name with ``.corrupt-`` and the time.
    """

    def __init__(self, folder: Path, *, size_limit_bytes: int = _SIZE_LIMIT_BYTES) -> None:
        self._folder = folder
        self._size_limit_bytes = size_limit_bytes
        self._lock = threading.RLock()
        self._disk: TextCache | None = None
        self._unusable = False
        self._unwritten: dict[str, str] = {}
        self._writer: ThreadPoolExecutor | None = None
        self._writing: Future[None] | None = None

    def get(self, key: str, messages: tuple[Message, ...]) -> Call | None:
        """The call that was kept under ``key``, marked as cached; ``messages`` are the question's."""
        text = self._unwritten.get(key)
        if text is None:
            text = self._with_disk(lambda disk: disk.get(key))
        if text is None:
            return None
        try:
            reply, finish_reason, prompt_tokens, completion_tokens, cost_usd, latency_s, follow_up = json.loads(text)
        except (ValueError, TypeError):
            return None
        if not isinstance(reply, str) or not isinstance(follow_up, list):
            return None
        return Call(
            key=key,
            messages=(*messages, *follow_up),
            reply=reply,
            finish_reason=finish_reason,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cost_usd=cost_usd,
            latency_s=latency_s,
            cached=True,
        )

    def put(self, call: Call, *, follow_up: Sequence[Message]) -> None:
        """Keep a call under its key. ``follow_up``: what was said in it beyond the question's own messages."""
        figures = (call.prompt_tokens, call.completion_tokens, call.cost_usd, call.latency_s)
        text = json.dumps([call.reply, call.finish_reason, *figures, follow_up], separators=(",", ":"))
        with self._lock:
            self._unwritten[call.key] = text
            if self._writing is None:
                if self._writer is None:
                    self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reward-lab-cache")
                with suppress(RuntimeError):  # the program is ending: what is not written now is asked again some day
                    self._writing = self._writer.submit(self._write)

    def close(self) -> None:
        """Write out what is still in memory and let go of the files. The cache opens again when used."""
        with self._lock:
            writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(RuntimeError):  # at the end of the program all pools have finished, and take nothing more
                writer.submit(self._disconnect)
            writer.shutdown(wait=True)
        self._disconnect()
        self._disk = None

    def _disconnect(self) -> None:
        """Close this thread's connection."""
        if self._disk is not None:
            self._disk.close()

    def _write(self) -> None:
        while True:
            with self._lock:
                batch = dict(islice(self._unwritten.items(), _MOST_AT_ONCE))
                if not batch:
                    self._writing = None
                    return
            self._with_disk(partial(_put, texts=batch))
            with self._lock:
                for key, text in batch.items():
                    if self._unwritten.get(key) is text:
                        del self._unwritten[key]

    def _with_disk(self, use: Callable[[TextCache], T]) -> T | None:
        """What ``use`` makes of the open cache; ``None`` where there is none to be had."""
        for _ in range(2):
            disk = self._opened()
            if disk is None:
                return None
            try:
                return use(disk)
            except sqlite3.OperationalError as busy_or_full:
                _log.warning("the judge cache in %s is not available: %s", self._folder, busy_or_full)
                return None
            except (sqlite3.DatabaseError, ValueError) as corrupt:
                self._move_aside(disk, corrupt)
        return None

    def _opened(self) -> TextCache | None:
        disk = self._disk
        if disk is None and not self._unusable:
            with self._lock:
                disk = self._disk = self._disk or self._open()
        return disk

    def _open(self) -> TextCache | None:
        from reward_lab.judges.disk import TextCache  # diskcache takes its time to import: not before the first paint

        for _ in range(2):
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._folder.chmod(0o700)
                return TextCache(self._folder, size_limit_bytes=self._size_limit_bytes, busy_timeout_s=_BUSY_TIMEOUT_S)
            except (sqlite3.OperationalError, OSError) as error:
                _log.warning("replies of judges are not cached: %s", error)
                break
            except sqlite3.DatabaseError as corrupt:
                self._move_aside(None, corrupt)
        self._unusable = True
        return None

    def _move_aside(self, disk: TextCache | None, cause: Exception) -> None:
        with self._lock:
            if disk is not self._disk:
                return  # another thread has dealt with it
            if disk is not None:
                with suppress(sqlite3.Error):
                    disk.close()
            self._disk = None
            stamp = f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
            aside = self._folder.with_name(f"{self._folder.name}.corrupt-{stamp}")
            _log.warning("the judge cache in %s is corrupt (%s): moved to %s", self._folder, cause, aside.name)
            try:
                self._folder.rename(aside)
            except OSError as error:
                _log.warning("it could not be moved, so that replies are not cached: %s", error)
                self._unusable = True


def _put(disk: TextCache, texts: Mapping[str, str]) -> None:
    disk.put(texts)
