"""Judge: which model is asked, where, and with what parameters."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TypeAlias
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from reward_lab.core.chat import Json, content_hash
from reward_lab.core.value import Value

OFFLINE = "offline"
"""The built-in lexical judge: no LLM, no network, no key."""


class Judge(Value):
    """A model, its endpoint and its parameters; never a key.

    ``model`` is ``offline`` or a LiteLLM model name such as ``openai/gpt-4.1`` or
    ``ollama_chat/qwen3``. ``parameters`` go to the model as they are (``temperature``,
    ``max_tokens``, ``reasoning_effort``, ``num_ctx`` ...).
    """

    model: str = OFFLINE
    api_base: str | None = None
    parameters: dict[str, Json] = Field(default_factory=dict)

    @field_validator("model")
    @classmethod
    def _named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a judge needs a model: 'offline' or a LiteLLM name such as openai/gpt-4.1")
        return value.strip()

    @field_validator("api_base")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if value is None or not value.strip():
            return None
        if not value.strip().startswith(("http://", "https://")):
            raise ValueError(f"the endpoint {value!r} must start with http:// or https://")
        parts = urlsplit(value.strip())
        if "@" in parts.netloc or parts.query or parts.fragment:
            # Endpoints are stored and shown; the value is not repeated, as it may hold a password.
            raise ValueError("the endpoint must have no user, password or query: keys come from the environment")
        return value.strip().rstrip("/")

    @field_validator("parameters")
    @classmethod
    def _no_secrets_no_nan(cls, value: dict[str, Json]) -> dict[str, Json]:
        for name, one in value.items():
            if any(
                word in name.lower() for word in ("api_key", "apikey", "token_secret", "authorization", "password")
            ) or (name.lower() in ("headers", "extra_headers", "api_base", "base_url")):
                raise ValueError(
                    f"the parameter {name!r} may hold a secret or an endpoint: keys come from the environment"
                )
            if isinstance(one, float) and not math.isfinite(one):
                raise ValueError(f"the parameter {name!r} must be a finite number, got {one}")
        return value

    @property
    def is_offline(self) -> bool:
        """Whether this is the built-in lexical judge."""
        return self.model == OFFLINE

    @cached_property
    def key(self) -> str:
        """Identity: equal settings share verdicts in the cache; any difference does not."""
        return content_hash(self.model_dump(mode="json"))


Ensemble: TypeAlias = tuple[Judge, ...]
"""One or more judges whose scores are averaged."""
