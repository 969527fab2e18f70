"""Writer: one thread that commits what the tasks of a run write, many of them at a time.

While a transaction is on its way to the file, the next writes gather; they then go in
together. Each task awaits the commit of its own write, and a write that cannot be stored
fails alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from reward_lab.errors import StoreError
from reward_lab.store.engine import Database
from reward_lab.store.writes import Statements, Write

_AT_ONCE = 256
"""Writes in one transaction at most, so that other processes get their turn."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    write: Write
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


class Writer:
    """Takes writes from any number of event loops. The thread starts with the first write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._statements = Statements(database.engine.dialect)
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    async def write(self, write: Write) -> None:
        """Store a write; return when it is committed.

        Raises:
            StoreError: the database cannot be written, or the store was closed.
        """
        loop = asyncio.get_running_loop()
        waiting = _Waiting(write, loop, loop.create_future())
        with self._lock:
            if self._closed:
                raise StoreError(f"The database {self._database.where} was closed: open the store again.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
                self._thread.start()
            self._queue.put(waiting)
        await waiting.done

    def close(self) -> None:
        """Commit what was given so far, then end the thread."""
        with self._lock:
            self._closed = True
            thread = self._thread
            self._queue.put(None)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, ended = self._gather(first)
            self._commit(batch)
            if ended:
                return

    def _gather(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        batch = [first]
        while len(batch) < _AT_ONCE:
            try:
                more = self._queue.get_nowait()
            except Empty:
                break
            if more is None:
                return batch, True
            batch.append(more)
        return batch, False

    def _commit(self, batch: Sequence[_Waiting]) -> None:
        try:
            with self._database.write() as connection:
                self._statements.store(connection, [waiting.write for waiting in batch])
        except StoreError as error:  # the database's fault, not one write's
            _tell(batch, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it goes to the task whose write it is
            if len(batch) == 1:
                _tell(batch, error)
                return
            for waiting in batch:
                self._commit([waiting])
        else:
            _tell(batch, None)


def _tell(batch: Sequence[_Waiting], error: Exception | None) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for waiting in batch:
        by_loop.setdefault(waiting.loop, []).append(waiting.done)
    for loop, futures in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, futures, error)
        except RuntimeError:  # the loop was closed: nobody waits any more, and the write is stored
            continue


def _resolve(futures: Sequence[asyncio.Future[None]], error: Exception | None) -> None:
    for future in futures:
        if future.done():  # its task was cancelled
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
