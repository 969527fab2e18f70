"""Schema: bring a database to the revision that this code works with.

A database that is up to date costs one SELECT; alembic is imported only for one that is
not. Before an existing SQLite file is changed, it is copied.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, column, inspect, select, table
from sqlalchemy.exc import SQLAlchemyError

from reward_lab.errors import RewardLabError, StoreError
from reward_lab.store.engine import Database, make_private_folder
from reward_lab.store.leases import Leases

MIGRATIONS = Path(__file__).parent / "migrations"

BACKUPS_KEPT = 5

_REVISION_FILE = re.compile(r"(r\d+)_\w+\.py")


def ensure_current(database: Database, leases: Leases) -> None:
    """Create or upgrade the tables, where that is due.

    Processes that open one database at once take turns; the first does the work.

    Raises:
        StoreError: a database newer than this code, one that cannot be read, a migration that failed.
    """
    database.use_wal()
    known = revisions()
    if _checked(database, known) == known[-1]:
        return
    with leases.exclusive():
        found = _checked(database, known)
        if found == known[-1]:
            return
        saved = back_up(database.path, found) if database.path and found else None
        try:
            with database.explained(), database.migrate() as connection:
                upgrade(connection)
        except RewardLabError:
            raise
        except SQLAlchemyError as error:
            kept = f" The file as it was is {saved}." if saved else ""
            raise StoreError(
                f"The database {database.where} could not be brought from revision {found or 'none'} to {known[-1]}, "
                f"and is as it was: {error}.{kept}"
            ) from error


def revisions() -> list[str]:
    """The revisions this code knows, oldest first, by the names of the migrations."""
    named = (_REVISION_FILE.fullmatch(path.name) for path in (MIGRATIONS / "versions").iterdir())
    return sorted(found.group(1) for found in named if found)


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def back_up(path: Path, revision: str) -> Path:
    """Copy a SQLite file into ``<file>.backups/``, where the newest five stay; return the copy.

    Raises:
        StoreError: the copy cannot be written; nothing was changed.
    """
    folder = path.with_name(f"{path.name}.backups")
    make_private_folder(folder)
    copy = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}Z-{revision}.db"
    try:
        os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except (OSError, sqlite3.Error) as error:
        copy.unlink(missing_ok=True)
        raise StoreError(
            f"The database {path} needs an upgrade, and no backup of it could be written to {folder}: {error}. "
            "Free some space or move the folder away, and try again; nothing was changed."
        ) from error
    for old in sorted(folder.glob("*Z-*.db"))[:-BACKUPS_KEPT]:
        old.unlink(missing_ok=True)
    return copy


def _checked(database: Database, known: list[str]) -> str | None:
    """The database's revision, ``None`` for an empty one; refuse what this code must not touch."""
    version = table("alembic_version", column("version_num"))
    with database.read() as connection:
        tables = set(inspect(connection).get_table_names())
        found = connection.scalar(select(version.c.version_num)) if version.name in tables else None
    if found is not None and found not in known:
        raise StoreError(
            f"The database {database.where} has revision {found}, but this version of Reward Lab knows only up to "
            f"{known[-1]}: install the newer version that wrote it, or choose another database."
        )
    if found is None and database.path and tables - {version.name}:
        raise StoreError(
            f"The database {database.where} was not made by Reward Lab (it has tables such as {min(tables)}): "
            "choose another file."
        )
    return found
