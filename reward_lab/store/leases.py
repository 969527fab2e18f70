"""Leases: which workers are alive.

A worker is one open store of one process. It holds an operating system's lock on a file
of its own for as long as it lives; the system lets go of it when the process ends, also by
``kill -9``, so that nobody waits for a timeout to take over its runs. A worker's name is
never used again: once dead, always dead.

The files lie beside a SQLite database, whose processes share a machine anyway. For
another database they lie in this user's data folder, so all processes that work on runs
of that database must share that folder; from elsewhere their workers look dead.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from reward_lab.store.engine import Database, make_private_folder

if TYPE_CHECKING:
    from filelock import BaseFileLock


_WORKER = re.compile(r"[0-9a-f]{32}")


class Leases:
    """This worker's lease, and a look at the others'. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.worker = uuid4().hex
        self._folder = folder
        self._held: BaseFileLock | None = None
        self._dead: set[str] = set()
        self._lock = threading.Lock()

    def hold(self) -> str:
        """Take the lease, if this worker has none yet; return the worker's name."""
        with self._lock:
            if self._held is None:
                make_private_folder(self._folder)
                self._sweep()
                held = _lock(self._file(self.worker))
                held.acquire()
                self._held = held
        return self.worker

    def alive(self, worker: str | None) -> bool:
        """Whether this worker lives. ``None`` is nobody."""
        if worker is None:
            return False
        with self._lock:
            if worker == self.worker:
                return self._held is not None
            if worker not in self._dead and not self._is_held(worker):
                self._dead.add(worker)
            return worker not in self._dead

    def exclusive(self) -> BaseFileLock:
        """A lock that one process holds at a time, to be used in a ``with``; for opening the database."""
        make_private_folder(self._folder)
        return _lock(self._folder / "opening.lock")

    def release(self) -> None:
        """Give the lease up: this worker is dead from here on."""
        with self._lock:
            if self._held is not None:
                self._held.release(force=True)
                with suppress(OSError):
                    self._file(self.worker).unlink(missing_ok=True)
                self._held = None

    def _sweep(self) -> None:
        """Remove the files of workers that were killed."""
        for path in self._folder.glob("*.lock"):
            if _WORKER.fullmatch(path.stem):
                self._is_held(path.stem)

    def _is_held(self, worker: str) -> bool:
        path = self._file(worker)
        if not path.exists():
            return False
        # Probing takes the lock for a moment: two who probe at once would each see the other as the worker.
        with _lock(self._folder / "probe.lock"):
            probe = _lock(path)
            try:
                probe.acquire(blocking=False)
            except TimeoutError:
                return True
            with suppress(OSError):  # Windows keeps a file that is open; it is found dead again next time
                path.unlink(missing_ok=True)
            probe.release()
            return False

    def _file(self, worker: str) -> Path:
        return self._folder / f"{worker}.lock"


def lease_folder(database: Database) -> Path:
    """Where the leases of a database's workers lie."""
    if database.path:
        return database.path.with_name(f"{database.path.name}.leases")
    from platformdirs import user_data_path

    url = database.url.set(password=None).render_as_string()
    return user_data_path("reward-lab") / "leases" / hashlib.sha256(os.fsencode(url)).hexdigest()[:16]


def _lock(path: Path) -> BaseFileLock:
    # Imported here: the first paint takes no lease.
    from filelock import FileLock

    return FileLock(path, thread_local=False, poll_interval=0.01)
