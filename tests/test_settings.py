"""Settings: the environment first, then the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from reward_lab.errors import InvalidInput
from reward_lab.settings import read_settings


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reward_lab.toml").write_text('concurrency = 3\ntimeout_s = 9.5\nendpoints = ["http://h/v1/"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REWARD_LAB_CONCURRENCY", "5")
    settings = read_settings()
    assert (settings.concurrency, settings.timeout_s, settings.endpoints) == (5, 9.5, ("http://h/v1",))


def test_the_database_is_in_the_home_unless_a_url_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARD_LAB_HOME", str(tmp_path))
    assert read_settings().database == f"sqlite:///{tmp_path / 'reward_lab.db'}"
    monkeypatch.setenv("REWARD_LAB_DATABASE_URL", "sqlite:////elsewhere.db")
    assert read_settings().database == "sqlite:////elsewhere.db"


@pytest.mark.parametrize(("name", "value"), [("CONCURRENCY", "many"), ("TIMEOUT_S", "-1"), ("TIMEOUT_S", "nan")])
def test_a_wrong_setting_is_named_with_its_value(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"REWARD_LAB_{name}", value)
    with pytest.raises(InvalidInput, match=f"REWARD_LAB_{name}") as caught:
        read_settings()
    assert value in str(caught.value)


def test_a_misspelled_setting_in_the_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reward_lab.toml").write_text("concurency = 3\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="concurency"):
        read_settings()
