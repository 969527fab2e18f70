from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from reward_lab.store import Store

Start = Callable[..., BaseProcess]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lab" / "reward_lab.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a function in a new process; what still runs at the end of the test is killed."""
    spawn = multiprocessing.get_context("spawn")
    started: list[BaseProcess] = []

    def start_process(function: Callable[..., object], *arguments: object) -> BaseProcess:
        process = spawn.Process(target=function, args=arguments)
        process.start()
        started.append(process)
        return process

    yield start_process
    for process in started:
        if process.is_alive():
            kill(process)


def kill(process: BaseProcess) -> None:
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(30)
