"""Settings of one installation: from the environment, then ``reward_lab.toml`` in the working folder."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from reward_lab.errors import InvalidInput


class Settings(BaseSettings):
    """What the person who runs the server decides; frozen once read.

    Environment names carry the prefix ``REWARD_LAB_`` (``REWARD_LAB_HOME``,
    ``REWARD_LAB_DATABASE_URL``, ...); ``reward_lab.toml`` has the same names in lower case.
    API keys are not among them: they stay in the providers' own variables.

    - ``home`` holds the database and the cache.
    - ``database_url``: any SQLAlchemy URL; a SQLite file in ``home`` by default.
    - ``endpoints``: judge endpoints that may receive the server's keys. One typed in the
      browser never does unless it stands here.
    - ``concurrency``: calls in flight per provider. ``timeout_s``: seconds for one call.
    """

    model_config = SettingsConfigDict(
        env_prefix="REWARD_LAB_", toml_file="reward_lab.toml", frozen=True, extra="forbid", env_ignore_empty=True
    )

    home: Path = Field(default_factory=lambda: user_data_path("reward-lab", appauthor=False))
    database_url: str | None = None
    endpoints: tuple[str, ...] = ()
    concurrency: int = Field(default=16, ge=1, le=1024)
    timeout_s: float = Field(default=120.0, gt=0, allow_inf_nan=False)

    @field_validator("endpoints")
    @classmethod
    def _as_judges_spell_them(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(endpoint.rstrip("/") for endpoint in value)

    @cached_property
    def database(self) -> str:
        """The database's SQLAlchemy URL."""
        return self.database_url or f"sqlite:///{(self.home / 'reward_lab.db').absolute()}"

    @cached_property
    def cache(self) -> Path:
        """The folder of the judges' replies."""
        return self.home / "cache"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file; there are no other sources."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def read_settings() -> Settings:
    """The settings of this process. Raises :class:`InvalidInput` naming the setting and its value."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"Setting {name!r} (REWARD_LAB_{name.upper()} or reward_lab.toml): {first['msg']}, got {first['input']!r}."
        ) from error
