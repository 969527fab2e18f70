from __future__ import annotations

import logging
import multiprocessing
import pickle
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reward_lab.core.run import Call
from reward_lab.judges import ReplyCache

MESSAGES = ({"role": "user", "content": "asked \ud800?"},)
CALL = Call("k1", MESSAGES, "said \N{GRINNING FACE}", "stop", 10, 5, 0.25, 1.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "replies"


@pytest.fixture
def cache(folder: Path) -> Iterator[ReplyCache]:
    replies = ReplyCache(folder)
    yield replies
    replies.close()


def kept(cache: ReplyCache, *calls: Call) -> None:
    for call in calls:
        cache.put(call, follow_up=())
    cache.close()


def test_a_call_comes_back_as_it_was_kept(cache: ReplyCache) -> None:
    kept(cache, CALL)

    assert cache.get("k1", MESSAGES) == replace(CALL, cached=True)
    assert cache.get("k2", MESSAGES) is None


def test_unknown_figures_stay_unknown(cache: ReplyCache) -> None:
    kept(cache, Call("k1", MESSAGES, "said"))

    assert cache.get("k1", MESSAGES) == Call("k1", MESSAGES, "said", cached=True)


def test_it_is_read_before_it_is_written(cache: ReplyCache) -> None:
    cache.put(CALL, follow_up=())

    assert cache.get("k1", MESSAGES) == replace(CALL, cached=True)


def test_a_conversation_comes_back_whole(cache: ReplyCache) -> None:
    follow_up = ({"role": "assistant", "content": "7"}, {"role": "user", "content": "out of range"})
    cache.put(CALL, follow_up=follow_up)
    cache.close()

    found = cache.get("k1", MESSAGES)

    assert found is not None
    assert found.messages == (*MESSAGES, *follow_up)


def test_only_its_owner_can_enter_the_folder(cache: ReplyCache, folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o755)
    kept(cache, CALL)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


class Bomb:
    """Unpickled, it leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.mark,)


def test_a_planted_pickle_does_not_run(cache: ReplyCache, folder: Path, tmp_path: Path) -> None:
    kept(cache, CALL)
    mark = tmp_path / "ran"
    pickled = pickle.dumps(Bomb(mark))
    with sqlite3.connect(folder / "cache.db") as database:
        database.execute("UPDATE Cache SET mode = 4, value = ?", (pickled,))
    database.close()

    assert cache.get("k1", MESSAGES) is None
    assert not mark.exists()


def test_no_row_is_a_pickle(cache: ReplyCache, folder: Path) -> None:
    kept(cache, CALL, replace(CALL, key="k2", reply="long " * 100_000))
    with sqlite3.connect(folder / "cache.db") as database:
        rows = database.execute("SELECT mode, typeof(key), typeof(value), filename FROM Cache").fetchall()
    database.close()

    assert rows == [(1, "text", "text", None)] * 2


@pytest.mark.parametrize("damage", [b"this is no database" * 100, b"", None], ids=["garbage", "empty", "overwritten"])
def test_a_corrupt_cache_is_moved_aside(damage: bytes | None, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(folder)
    kept(cache, *(replace(CALL, key=f"k{number}", reply="said " * 1000) for number in range(50)))
    file = folder / "cache.db"
    if damage is None:
        content = bytearray(file.read_bytes())
        content[4096:] = b"\x99" * (len(content) - 4096)
        damage = bytes(content)
    file.write_bytes(damage)

    assert cache.get("k1", MESSAGES) is None
    kept(cache, CALL)

    assert cache.get("k1", MESSAGES) == replace(CALL, cached=True)
    if damage:
        assert [one.name.startswith("replies.corrupt-") for one in folder.parent.iterdir()].count(True) == 1
        assert "is corrupt" in caplog.text
    cache.close()


@pytest.mark.parametrize(
    "text", ["not json", "{}", "[1, 2]", '[1, "stop", 1, 1, 1, 1, []]', '["a", "stop", 1, 1, 1, 1, 3]']
)
def test_a_value_of_another_shape_is_no_reply(text: str, cache: ReplyCache, folder: Path) -> None:
    kept(cache, CALL)
    with sqlite3.connect(folder / "cache.db") as database:
        database.execute("UPDATE Cache SET value = ?", (text,))
    database.close()

    assert cache.get("k1", MESSAGES) is None


def test_where_no_folder_can_be_made_nothing_is_cached(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ReplyCache(tmp_path / "file" / "replies")

    with caplog.at_level(logging.WARNING):
        kept(cache, CALL)

    assert cache.get("k1", MESSAGES) is None
    assert "not cached" in caplog.text


def test_it_stays_below_its_size_limit(folder: Path) -> None:
    cache = ReplyCache(folder, size_limit_bytes=4_000_000)
    for start in range(0, 1000, 20):
        kept(cache, *(replace(CALL, key=f"k{start + number}", reply="x" * 10_000) for number in range(20)))

    assert cache.get("k0", MESSAGES) is None
    assert cache.get("k999", MESSAGES) is not None
    assert 2_000_000 < (folder / "cache.db").stat().st_size < 5_000_000
    cache.close()


def _write(folder: Path, name: str) -> None:
    kept(ReplyCache(folder), *(replace(CALL, key=f"{name}{number}") for number in range(100)))


def test_several_processes_write_at_once(cache: ReplyCache, folder: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(folder, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert [worker.exitcode for worker in workers] == [0, 0]
    assert all(cache.get(f"{name}{number}", MESSAGES) for name in "ab" for number in range(100))


def test_a_program_that_ends_keeps_its_replies_without_complaint(cache: ReplyCache, folder: Path) -> None:
    program = f"""
import atexit
from pathlib import Path
from reward_lab.core.run import Call
from reward_lab.judges import ReplyCache
cache = ReplyCache(Path({str(folder)!r}))
atexit.register(cache.close)
cache.put(Call("k1", (), "said"), follow_up=())
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert cache.get("k1", MESSAGES) is not None


def test_several_threads_share_it(cache: ReplyCache) -> None:
    def write(name: str) -> None:
        for number in range(100):
            cache.put(replace(CALL, key=f"{name}{number}"), follow_up=())
            assert cache.get(f"{name}{number}", MESSAGES) is not None

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache.close()

    assert all(cache.get(f"{name}{number}", MESSAGES) for name in "abcd" for number in range(100))


def test_a_locked_cache_is_left_alone(cache: ReplyCache, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reward_lab.judges.cache._BUSY_TIMEOUT_S", 0.05)
    kept(cache, CALL)
    assert cache.get("k1", MESSAGES) is not None
    locked = sqlite3.connect(folder / "cache.db")
    locked.execute("BEGIN IMMEDIATE")

    kept(cache, replace(CALL, key="k2"))
    locked.rollback()
    locked.close()

    assert cache.get("k1", MESSAGES) is not None
    assert cache.get("k2", MESSAGES) is None, "dropped, without an error"
    assert [one.name for one in folder.parent.iterdir()] == ["replies"]
