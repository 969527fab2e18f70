from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

from reward_lab.store.leases import Leases


def test_a_worker_lives_from_hold_to_release(tmp_path: Path) -> None:
    worker, watcher = Leases(tmp_path / "leases"), Leases(tmp_path / "leases")
    assert not worker.alive(worker.worker)
    name = worker.hold()
    assert worker.hold() == name
    assert worker.alive(name)
    assert watcher.alive(name)
    worker.release()
    assert not worker.alive(name)
    assert not watcher.alive(name)
    assert list((tmp_path / "leases").glob(f"{name}*")) == []


def test_nobody_and_strangers_are_dead(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    assert not leases.alive(None)
    assert not leases.alive(uuid4().hex)


def test_the_folder_is_private(tmp_path: Path) -> None:
    Leases(tmp_path / "leases").hold()
    assert (tmp_path / "leases").stat().st_mode & 0o777 == 0o700


def test_a_new_worker_sweeps_up_after_the_dead(tmp_path: Path) -> None:
    living = Leases(tmp_path)
    living.hold()
    left_behind = tmp_path / f"{uuid4().hex}.lock"
    left_behind.touch()
    Leases(tmp_path).hold()
    assert not left_behind.exists()
    assert Leases(tmp_path).alive(living.worker)


def test_two_who_look_at_once_both_see_the_dead(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        for _ in range(25):
            dead = uuid4().hex
            (tmp_path / f"{dead}.lock").touch()
            assert not any(
                threads.map(lambda leases, dead=dead: leases.alive(dead), [Leases(tmp_path) for _ in range(4)])
            )


def test_two_who_look_at_once_both_see_the_living(tmp_path: Path) -> None:
    living = Leases(tmp_path)
    living.hold()
    with ThreadPoolExecutor(4) as threads:
        for _ in range(25):
            assert all(threads.map(lambda leases: leases.alive(living.worker), [Leases(tmp_path) for _ in range(4)]))
