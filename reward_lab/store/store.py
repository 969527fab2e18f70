"""Store: everything that is kept, behind one door."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from reward_lab.store.calibration import Calibration
from reward_lab.store.datasets import Datasets
from reward_lab.store.drafts import Drafts
from reward_lab.store.engine import Database
from reward_lab.store.groups import Groups
from reward_lab.store.items import Items
from reward_lab.store.labels import Labels
from reward_lab.store.leases import Leases, lease_folder
from reward_lab.store.results import Results
from reward_lab.store.rubrics import Rubrics
from reward_lab.store.schema import ensure_current
from reward_lab.store.standings import Standings
from reward_lab.store.sweeps import Sweeps
from reward_lab.store.writer import Writer


class Store(Groups, Rubrics, Drafts, Sweeps, Items, Results, Standings, Labels, Calibration, Datasets):
    """Groups, rubrics, drafts and runs in a database. Thread-safe, and safe for several processes at once.

    Reads and writes are short; those of a run in progress are coroutines, which any number
    of event loops may await. Errors of the database are :class:`~reward_lab.errors.StoreError`.
    """

    @classmethod
    def open(cls, url: str) -> Self:
        """Open a database by its SQLAlchemy URL; create or upgrade it where that is due.

        A SQLite file and its folder are made readable by their owner only. An existing file
        is copied into ``<file>.backups/`` before it is upgraded.

        Raises:
            StoreError: naming the database and the next step: no such place, no right to
                write, damaged, locked, made by another program or by a newer version.
        """
        database = Database(url)
        leases = Leases(lease_folder(database))
        try:
            ensure_current(database, leases)
        except BaseException:
            database.close()
            raise
        return cls(database, leases, Writer(database))

    def close(self) -> None:
        """Commit what is on its way and close. Runs of this process that are not released can be claimed by others."""
        self._writer.close()
        self._leases.release()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
