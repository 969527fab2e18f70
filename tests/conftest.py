"""What holds for every test: no address but loopback, no provider's key, a home of its own.

The guard is set before collection, because imports may connect too, and holds for the test process; a program that a
test starts inherits the cleaned environment, not the guard.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Names that begin so choose a provider, its key or its endpoint. A proxy on loopback would be a way out, and would
# stand between a client and a test's own server.
FOREIGN_VARIABLE = re.compile(
    r"""
    (?: ANTHROPIC | AWS | AZURE | CEREBRAS | CO | COHERE | DATABRICKS | DEEPSEEK | FIREWORKS | GEMINI | GOOGLE | GROQ
      | HF | HOSTED_VLLM | HUGGINGFACE | LITELLM | LM_STUDIO | MISTRAL | NVIDIA_NIM | OLLAMA | OPENAI | OPENROUTER
      | PERPLEXITY | TOGETHER | TOGETHERAI | VERTEX | VLLM | XAI | REWARD_LAB | STREAMLIT ) _ .*
    | .* _ (?: API_?KEY | API_BASE | API_TOKEN | BASE_URL )
    | (?: HTTP | HTTPS | ALL | NO ) _PROXY
    """,
    re.IGNORECASE | re.VERBOSE,
)


class NetworkBlockedError(RuntimeError):
    """A test tried to leave the machine. Not an ``OSError``: a client must not take it for a fault and retry."""

    def __init__(self, target: object) -> None:
        super().__init__(f"Tests may only reach loopback, not {target!r}: serve what the test needs on 127.0.0.1.")


def _is_local(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or host in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    # The unspecified address is where servers listen; connecting to it reaches this machine.
    return mapped.is_loopback or mapped.is_unspecified


def _guard_address(original: Callable[..., Any]) -> Callable[..., Any]:
    """``original``, a socket method whose last argument, if a tuple, is the address, refusing all but local ones."""

    def guarded(sock: socket.socket, *args: Any) -> Any:
        address = args[-1] if args else None
        internet = sock.family in (socket.AF_INET, socket.AF_INET6)
        if internet and isinstance(address, tuple) and not _is_local(address[0]):
            raise NetworkBlockedError(address)
        return original(sock, *args)

    return guarded


def _guard_name(original: Callable[..., Any]) -> Callable[..., Any]:
    """``original``, a function of :mod:`socket` that looks up its first argument, refusing to ask a name server."""

    def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_local(host):
            raise NetworkBlockedError(host)
        return original(host, *args, **kwargs)

    return guarded


def pytest_configure(config: pytest.Config) -> None:
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    for method in ("connect", "connect_ex", "sendto", "sendmsg"):
        patch.setattr(socket.socket, method, _guard_address(getattr(socket.socket, method)))
    for function in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        patch.setattr(socket, function, _guard_name(getattr(socket, function)))
    for name in filter(FOREIGN_VARIABLE.fullmatch, list(os.environ)):
        patch.delenv(name)
    # Without it litellm fetches a price map while it is imported.
    patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.path.is_relative_to(item.config.rootpath / "tests" / "browser"):
        item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session", autouse=True)
def _session_home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A home for what is started once for many tests; the process ends before it could matter to anyone else."""
    os.environ["REWARD_LAB_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def reward_lab_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Database and cache of this test alone, below its ``tmp_path``."""
    home = tmp_path / "reward-lab-home"
    monkeypatch.setenv("REWARD_LAB_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """Streamlit's tests put their script in the place of ``__main__``, and a process spawned later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
