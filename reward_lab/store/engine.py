"""Database: connections and transactions, and every error of theirs put into words.

All that is particular to SQLite stands here. Readers never wait for a writer (WAL);
writers take their turn at ``BEGIN IMMEDIATE``, so that a transaction which reads before
it writes cannot fail half way because another process wrote in between.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from reward_lab.errors import StoreError

BUSY_TIMEOUT_S = 30.0
"""How long a statement waits for another process's transaction."""

_WRITERS_TURN = 0x7E3A_12AB
"""The advisory lock of PostgreSQL that writers take; any number that nobody else uses."""


class Database:
    """An engine with short read and write transactions. Thread-safe.

    Raises:
        StoreError: the URL is none, its driver is missing, or the folder or file cannot be made or written.
    """

    def __init__(self, url: str) -> None:
        self.url = _parsed(url)
        self.path = _sqlite_path(self.url)
        self._timeout_s = float(str(self.url.query.get("timeout", BUSY_TIMEOUT_S)))
        self.where = str(self.path) if self.path else self.url.render_as_string(hide_password=True)
        if self.path:
            make_private_file(self.path)
        try:
            self.engine = self._engine()
        except ModuleNotFoundError as error:
            raise StoreError(
                f"The database {self.where} needs the Python package {error.name!r}: install it and try again."
            ) from error
        self._writing = self.engine.execution_options(immediate=True)
        # One process has no use for SQLite's own waiting, which sleeps and retries.
        self._turn = threading.Lock() if self.path else nullcontext()

    def _engine(self, *, foreign_keys: bool = True) -> Engine:
        if not self.path:
            return _server_engine(self.url)
        engine = create_engine(self.url, connect_args={"timeout": self._timeout_s})

        @event.listens_for(engine, "connect")
        def configure(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
            # sqlite3 would begin transactions by rules of its own, and too late; `begin` below does.
            connection.isolation_level = None
            connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
            connection.execute("PRAGMA synchronous=NORMAL")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            immediate = connection.get_execution_options().get("immediate", False)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction: one consistent view of the database."""
        with self.explained(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction, committed at the end and rolled back on an error."""
        with self.explained(), self._turn, self._writing.begin() as connection:
            yield connection

    @contextmanager
    def migrate(self) -> Iterator[Connection]:
        """A write transaction for migrations. On SQLite, foreign keys are checked at its end only.

        SQLite alters a table by building it anew and dropping the old one, which would
        otherwise delete the rows that refer to it.
        """
        engine = self._engine(foreign_keys=False) if self.path else self.engine
        try:
            with engine.execution_options(immediate=True).begin() as connection:
                yield connection
                if self.path and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()):
                    raise StoreError(f"The database {self.where} has rows that refer to none, such as {broken[0]}.")
        finally:
            if self.path:
                engine.dispose()

    def use_wal(self) -> None:
        """Switch a SQLite file to write-ahead logging; the file remembers.

        The switch needs the file to itself and does not wait for it as other statements do.
        """
        if not self.path:
            return
        until = time.monotonic() + self._timeout_s
        with closing(sqlite3.connect(self.path, timeout=self._timeout_s)) as connection:
            while True:
                try:
                    if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
                        raise StoreError(
                            f"The database {self.where} cannot use write-ahead logging, which several processes need "
                            "to share it: keep it on a local disk."
                        )
                    return
                except sqlite3.DatabaseError as error:
                    if "locked" not in str(error) or time.monotonic() > until:
                        raise self._in_words(error) from error
                    time.sleep(0.02)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what the database refuses into a :class:`StoreError`; a programming error passes through."""
        try:
            yield
        except DBAPIError as error:
            if (told := self.explanation(error)) is None:
                raise
            raise told from error
        except PoolTimeout as error:
            raise StoreError(f"The database {self.where} has no free connection: {error}. Try again.") from error

    def explanation(self, error: Exception) -> StoreError | None:
        """What a person can do about an error of the driver; ``None`` where it is a bug of ours."""
        if not isinstance(error, DBAPIError) or error.orig is None:
            return None
        names = {kind.__name__ for kind in type(error.orig).__mro__}
        if names & {"IntegrityError", "ProgrammingError", "DataError", "InterfaceError"}:
            return None
        return self._in_words(error.orig)

    def _in_words(self, error: BaseException) -> StoreError:
        said = str(error).strip().rstrip(".")
        for sign, advice in _ADVICE:
            if sign in said:
                return StoreError(f"The database {self.where}: {said}. {advice}")
        return StoreError(f"The database {self.where} cannot be used: {said}.")

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()


_EXAMPLE = "Write one such as sqlite:////home/me/reward_lab.db."
_RESTORE = "Move it away and put the newest file of its .backups folder in its place, or start without it."
_ADVICE = (
    ("locked", "Another program holds it: close that program, or wait for it, and try again."),
    ("is not a database", f"The file is damaged or of another kind. {_RESTORE}"),
    ("malformed", f"The file is damaged. {_RESTORE}"),
    ("disk is full", "Free some space and try again; nothing that was stored is lost."),
    ("readonly", "Give this user the right to write the file and its folder."),
    ("unable to open", "Check that the folder exists and that this user may write in it."),
)


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can enter; one that exists is left as it is.

    Raises:
        StoreError: naming the folder.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def make_private_file(path: Path) -> None:
    """Make an empty file that only its owner can read, folder included; one that exists is left as it is.

    Raises:
        StoreError: naming the file, also where it or its folder cannot be written.
    """
    make_private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, stat.S_IRUSR | stat.S_IWUSR))
    except OSError as error:
        raise _unwritable(path, error) from error
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise _unwritable(path.parent, PermissionError("permission denied"))


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path} cannot be written: {error.strerror or error}. Give this user the right to, or choose another place "
        "with REWARD_LAB_HOME or REWARD_LAB_DATABASE_URL."
    )


def _server_engine(url: URL) -> Engine:
    engine = create_engine(url, pool_pre_ping=True)
    if engine.dialect.name == "postgresql":

        @event.listens_for(engine, "begin")
        def take_turn(connection: Connection) -> None:
            # What reads before it writes relies on its turn here as on SQLite's BEGIN IMMEDIATE.
            if connection.get_execution_options().get("immediate", False):
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS_TURN})")

    return engine


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
        needs_a_loop = parsed.get_dialect().is_async
    except (ArgumentError, NoSuchModuleError) as error:
        raise StoreError(f"The database URL cannot be read ({error}). {_EXAMPLE}") from error
    if needs_a_loop:
        raise StoreError(f"The database URL names the asynchronous driver {parsed.drivername!r}. {_EXAMPLE}")
    return parsed


def _sqlite_path(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise StoreError(
            f"The database {url.render_as_string()!r} is no file, so threads and processes cannot share it. {_EXAMPLE}"
        )
    return Path(url.database).absolute()
