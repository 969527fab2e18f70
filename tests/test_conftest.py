"""The guard of conftest.py, seen from a test."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

# Reserved for documentation (RFC 5737, RFC 3849): were the guard to fail, nobody would be asked anything.
OUTSIDE_V4 = ("192.0.2.1", 80)
OUTSIDE_V6 = ("2001:db8::1", 80)

PROVIDER_VARIABLES = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "AZURE_API_BASE",
    "AZURE_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OLLAMA_HOST",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORG_ID",
    "OPENROUTER_API_KEY",
    "SOME_NEW_PROVIDER_API_KEY",
    "TOGETHERAI_API_KEY",
    "TOGETHER_API_KEY",
]
PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
SETTINGS = ["REWARD_LAB_DATABASE_URL", "STREAMLIT_SERVER_PORT"]


@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, OUTSIDE_V4), (socket.AF_INET6, OUTSIDE_V6)], ids=["v4", "v6"]
)
@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_connections_to_other_machines_are_refused(family: int, address: tuple[str, int], method: str) -> None:
    with socket.socket(family) as client:
        client.settimeout(0.1)
        with pytest.raises(RuntimeError, match=r"may only reach loopback, not \('"):
            getattr(client, method)(address)


def test_an_ipv4_address_inside_ipv6_is_judged_by_itself() -> None:
    with socket.socket(socket.AF_INET6) as client, pytest.raises(RuntimeError, match="may only reach loopback"):
        client.connect((f"::ffff:{OUTSIDE_V4[0]}", 80))


def test_datagrams_to_other_machines_are_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        with pytest.raises(RuntimeError, match="may only reach loopback"):
            client.sendto(b"x", OUTSIDE_V4)
        with pytest.raises(RuntimeError, match="may only reach loopback"):
            client.sendto(b"x", 0, OUTSIDE_V4)
        with pytest.raises(RuntimeError, match="may only reach loopback"):
            client.sendmsg([b"x"], [], 0, OUTSIDE_V4)


@pytest.mark.parametrize("lookup", ["getaddrinfo", "gethostbyname", "gethostbyname_ex"])
def test_names_of_other_machines_are_not_looked_up(lookup: str) -> None:
    arguments = ("judge.invalid", 443) if lookup == "getaddrinfo" else ("judge.invalid",)
    with pytest.raises(RuntimeError, match=r"not 'judge\.invalid'"):
        getattr(socket, lookup)(*arguments)


@pytest.mark.parametrize("host", ["judge.invalid", OUTSIDE_V4[0]])
async def test_asyncio_is_guarded_too(host: str) -> None:
    with pytest.raises(RuntimeError, match="may only reach loopback"):
        await asyncio.open_connection(host, 80)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_loopback_works(host: str) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"scored\n")
        assert await reader.readline() == b"scored\n"
        writer.close()
        await writer.wait_closed()


def test_datagrams_to_loopback_and_on_connected_sockets_work() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as server, socket.socket(type=socket.SOCK_DGRAM) as client:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        client.sendto(b"one", server.getsockname())
        client.connect(server.getsockname())
        client.sendmsg([b"two"])
        assert [server.recv(8), server.recv(8)] == [b"one", b"two"]


def test_unix_sockets_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a Unix socket has to be short
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("socket")
        server.listen()
        client.connect("socket")
        accepted, _ = server.accept()
        with accepted:
            client.sendall(b"scored")
            assert accepted.recv(16) == b"scored"


def test_no_key_endpoint_proxy_or_setting_is_visible() -> None:
    assert [name for name in (*PROVIDER_VARIABLES, *PROXY_VARIABLES, *SETTINGS) if name in os.environ] == []


def test_a_key_in_the_environment_does_not_reach_a_test() -> None:
    """The test above, in a process whose environment has them all."""
    given = dict.fromkeys((*PROVIDER_VARIABLES, *PROXY_VARIABLES, *SETTINGS), "127.0.0.1")
    node = f"{__file__}::{test_no_key_endpoint_proxy_or_setting_is_visible.__name__}"
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", node]
    child = subprocess.run(
        command, check=False, cwd=root, env=os.environ | given, capture_output=True, text=True, timeout=120
    )
    assert child.returncode == 0, child.stdout + child.stderr
    assert "1 passed" in child.stdout


def test_litellm_takes_its_price_map_from_disk() -> None:
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"


def test_home_is_this_tests_own(reward_lab_home: Path, tmp_path: Path) -> None:
    assert Path(os.environ["REWARD_LAB_HOME"]) == reward_lab_home
    assert reward_lab_home.is_relative_to(tmp_path)


def test_tests_in_the_browser_folder_carry_the_marker(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    """Selected by folder, so that no test there can forget the marker."""
    browser = tmp_path / "tests" / "browser"
    browser.mkdir(parents=True)
    (tmp_path / "tests" / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    (tmp_path / "pyproject.toml").write_text((pytestconfig.rootpath / "pyproject.toml").read_text())
    (browser / "test_page.py").write_text("def test_page():\n    assert True\n")
    (tmp_path / "tests" / "test_core.py").write_text("def test_core():\n    assert True\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--numprocesses=0", "-m", "browser"]
    child = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "1 passed, 1 deselected" in child.stdout, child.stdout + child.stderr
