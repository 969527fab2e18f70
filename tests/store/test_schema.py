from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from reward_lab.core.rubric import Rubric
from reward_lab.core.verdict import CriterionVerdict, Scored
from reward_lab.errors import StoreError
from reward_lab.store import Store, schema
from reward_lab.store.engine import Database
from reward_lab.store.leases import Leases, lease_folder
from reward_lab.store.tables import METADATA
from tests.store.conftest import Start
from tests.store.examples import RUBRIC, finish, group, make_run, open_and_score, scored

LATEST = schema.revisions()[-1]

ADD_A_COLUMN = """
import sqlalchemy as sa
from alembic import op

revision = "r9000"
down_revision = "{latest}"


def upgrade():
    with op.batch_alter_table("run_items") as table:
        table.add_column(sa.Column("probe", sa.String(), nullable=False, server_default="new"))
        table.alter_column("method", type_=sa.Text())
    {then}
"""


def newer_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, then: str = "pass") -> None:
    """The code of a later version, with one migration more: it builds a table anew that others refer to."""
    migrations = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, migrations)
    (migrations / "versions" / "r9000_probe.py").write_text(ADD_A_COLUMN.format(latest=LATEST, then=then))
    monkeypatch.setattr(schema, "MIGRATIONS", migrations)


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def backups(path: Path) -> list[Path]:
    return sorted(path.with_name(f"{path.name}.backups").glob("*"))


def test_a_new_database_is_private(url: str, path: Path) -> None:
    with Store.open(url) as store:
        store.add_group(group())
        files = [one for one in path.parent.iterdir() if one.is_file()]
        assert {one.name for one in files} == {"reward_lab.db", "reward_lab.db-wal", "reward_lab.db-shm"}
        assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_pragmas_hold_on_every_connection(url: str) -> None:
    database = Database(url)
    with database.read() as one, database.read() as other:
        for connection in (one, other):
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 1
    database.close()


def test_an_open_database_logs_ahead(store: Store, path: Path) -> None:
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]


def test_migrations_make_the_tables_that_the_code_describes(url: str) -> None:
    Store.open(url).close()
    database = Database(url)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
    database.close()


def test_files_and_alembic_agree_on_the_revisions() -> None:
    scripts = ScriptDirectory(str(schema.MIGRATIONS))
    assert [script.revision for script in scripts.walk_revisions()][::-1] == schema.revisions()


def test_a_new_or_current_database_is_not_backed_up(url: str, path: Path) -> None:
    for _ in range(2):
        Store.open(url).close()
    assert backups(path) == []


def test_opening_a_current_database_imports_no_alembic(url: str) -> None:
    Store.open(url).close()
    program = f"""
import sys
from reward_lab.store import Store
with Store.open({url!r}) as store:
    store.rubrics()
    store.runs()
print([name for name in ("alembic", "filelock", "streamlit", "litellm") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert done.stdout.strip() == "[]"


def test_an_upgrade_keeps_every_row_and_the_file_as_it_was(
    url: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(url) as store:
        run_id = make_run(store, items=3)
        finish(store, store.pending_items(run_id)[0], scored())
    newer_code(tmp_path, monkeypatch)
    database = Database(url)
    schema.ensure_current(database, Leases(lease_folder(database)))
    database.close()
    assert rows(path, "SELECT version_num FROM alembic_version") == [("r9000",)]
    assert rows(path, "SELECT probe, count(*) FROM run_items GROUP BY probe") == [("new", 3)]
    assert rows(path, "SELECT count(*) FROM verdicts") == [(1,)]
    (backup,) = backups(path)
    assert LATEST in backup.name
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert rows(backup, "SELECT version_num FROM alembic_version") == [(LATEST,)]
    assert rows(backup, "SELECT count(*) FROM verdicts") == [(1,)]


def test_a_failed_upgrade_changes_nothing(
    url: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(url) as store:
        make_run(store, items=3)
    newer_code(tmp_path, monkeypatch, then='op.execute("INSERT INTO no_such_table VALUES (1)")')
    with pytest.raises(StoreError, match=r"(?s)reward_lab\.db.*no_such_table.*"):
        Store.open(url)
    assert rows(path, "SELECT version_num FROM alembic_version") == [(LATEST,)]
    assert "probe" not in {name for _, name, *_ in rows(path, "PRAGMA table_info(run_items)")}
    assert rows(path, "SELECT count(*) FROM run_items") == [(3,)]


def test_five_backups_are_kept(url: str, path: Path) -> None:
    Store.open(url).close()
    made = [schema.back_up(path, f"r{number}") for number in range(7)]
    assert backups(path) == made[2:]


def test_a_newer_database_is_refused_and_left_alone(url: str, path: Path) -> None:
    Store.open(url).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'r9999'")
    with pytest.raises(StoreError, match=r"reward_lab\.db has revision r9999.*install the newer version"):
        Store.open(url)
    assert backups(path) == []


def test_a_file_of_another_kind_is_refused(url: str, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"Dear diary, " * 500)
    with pytest.raises(StoreError, match=r"reward_lab\.db: file is not a database.*\.backups"):
        Store.open(url)
    assert path.read_bytes().startswith(b"Dear diary")


def test_a_damaged_file_is_refused(url: str, path: Path) -> None:
    Store.open(url).close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(size - 100))
    with pytest.raises(StoreError, match=r"reward_lab\.db: .*damaged"):
        Store.open(url)


def test_a_database_of_another_program_is_refused(url: str, path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match=r"was not made by Reward Lab.*recipes"):
        Store.open(url)
    assert rows(path, "SELECT name FROM sqlite_master") == [("recipes",)]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/lab cannot be written.*REWARD_LAB_HOME"):
        Store.open(f"sqlite:///{tmp_path}/file/lab/reward_lab.db")


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs a folder where even root may not write")
def test_a_folder_that_cannot_be_written_is_named() -> None:
    with pytest.raises(StoreError, match=r"/proc/reward_lab\.db cannot be written"):
        Store.open("sqlite:////proc/reward_lab.db")


def test_a_locked_database_is_named(url: str, path: Path) -> None:
    Store.open(url).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"reward_lab\.db: database is locked\. Another program holds it"):
            Store.open(f"{url}?timeout=0.1")


def test_waiting_writers_say_who_keeps_them(store: Store, url: str, path: Path) -> None:
    with Store.open(f"{url}?timeout=0.1") as impatient, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked"):
            impatient.add_group(group())
        other.execute("ROLLBACK")
        assert impatient.add_group(group()) == 1


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("nonsense", "cannot be read"),
        ("nosuch://host/db", "cannot be read"),
        ("sqlite://", "is no file"),
        ("sqlite:///:memory:", "is no file"),
        ("sqlite+aiosqlite:////tmp/x.db", "asynchronous driver"),
    ],
)
def test_a_url_that_cannot_serve_is_refused(bad: str, said: str) -> None:
    with pytest.raises(StoreError, match=said):
        Store.open(bad)


def test_a_password_is_in_no_error() -> None:
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql+psycopg://judge:s3cret@127.0.0.1:1/lab")
    assert "s3cret" not in str(caught.value)


def test_threads_open_a_new_database_at_once(url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        for opened in threads.map(Store.open, [url] * 4):
            opened.close()


def test_processes_open_a_new_database_at_once_and_write_together(url: str, start: Start) -> None:
    processes = [start(open_and_score, url, 40) for _ in range(3)]
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    with Store.open(url) as store:
        page = store.runs()
        assert page.total == 3
        for summary in page.rows:
            assert summary.progress.done == 40
            assert len(store.verdicts(summary.id)) == 80
            assert summary.usage.calls == 40


def test_what_the_first_tables_held_is_read_as_before(url: str, path: Path, tmp_path: Path) -> None:
    with Store.open(url) as store:
        store.save_rubric(RUBRIC, "Support")
        store.save_rubric(Rubric(guidance="Be kind."), "Support")
        run_id = make_run(store)
        finish(store, store.pending_items(run_id)[0], Scored("a", 0.5, "because", (TRUE, FALSE, OPEN)))
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in AS_THE_FIRST_TABLES:
            connection.execute(statement)
    with Store.open(url) as store:
        assert [(one.name, one.head, one.archived) for one in store.rubrics()] == [("Support", 2, False)]
        assert [one.origin for one in store.rubric_versions("Support")] == [None, None]
        (stored, *_) = store.verdicts(run_id)
        assert stored.verdict.criteria == (TRUE, FALSE, OPEN)
    assert len(backups(path)) == 1


TRUE, FALSE, OPEN = CriterionVerdict(0, 1.0, "yes"), CriterionVerdict(1, 0.0, "no"), CriterionVerdict(2, None)

AS_THE_FIRST_TABLES = (
    *(f"DROP TABLE {table}" for table in ("dataset_tags", "dataset_groups", "datasets", "labels", "sweeps")),
    "DROP INDEX ix_runs_sweep_id",
    "ALTER TABLE runs DROP COLUMN sweep_id",
    "ALTER TABLE runs DROP COLUMN pause_requested",
    "ALTER TABLE rubrics DROP COLUMN head",
    "ALTER TABLE rubrics DROP COLUMN archived_at",
    "ALTER TABLE rubric_versions DROP COLUMN origin_id",
    "ALTER TABLE criterion_verdicts RENAME TO later",
    """CREATE TABLE criterion_verdicts (
        item_id INTEGER NOT NULL, position INTEGER NOT NULL, criterion INTEGER NOT NULL,
        holds BOOLEAN, explanation TEXT NOT NULL,
        CONSTRAINT pk_criterion_verdicts PRIMARY KEY (item_id, position, criterion),
        CONSTRAINT fk_criterion_verdicts_item_id_position FOREIGN KEY (item_id, position)
            REFERENCES verdicts (item_id, position) ON DELETE CASCADE)""",
    """INSERT INTO criterion_verdicts
        SELECT item_id, position, criterion, CAST(truth AS INTEGER), explanation FROM later""",
    "DROP TABLE later",
    "UPDATE alembic_version SET version_num = 'r0001'",
)
