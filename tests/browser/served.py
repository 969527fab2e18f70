"""A Streamlit script, served on loopback for as long as a test needs it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@contextmanager
def serving(script: Path, folder: Path, *, port: int | None = None, **environment: str) -> Iterator[str]:
    """Serve ``script`` from ``folder`` (its log is there too); yields the address.

    With the ``port`` of a server that has ended, it is the same server started again.
    """
    server, url = started(script, folder, port=port or free_port(), **environment)
    try:
        wait_until_up(url, server)
        yield url
    finally:
        server.terminate()
        server.wait(10)


def started(script: Path, folder: Path, *, port: int, **environment: str) -> tuple[subprocess.Popen[bytes], str]:
    """The process that serves ``script``, which is about to be up, and its address."""
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += [f"--{name}={value}" for name, value in options.items()]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with (folder / "server.log").open("a") as log:
        server = subprocess.Popen(command, env=variables, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    return server, f"http://127.0.0.1:{port}"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(url: str, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended with status {server.returncode}"
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"{url} did not answer within 60 s")
