"""What a model charges, from litellm's own price map on disk.

litellm itself takes seconds to import; the map is a JSON file in its package and reads in
milliseconds. A model that the map does not name has an unknown price, not a price of 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from reward_lab.core.judge import Judge

_PRICE_MAP = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Price:
    """USD a token."""

    prompt_usd: float
    completion_usd: float


def price_of(judge: Judge) -> Price | None:
    """The list price of a judge's model; ``None`` where it is unknown.

    A judge at an endpoint of its own has no list price, whatever its model is called.
    """
    if judge.is_offline:
        return Price(0.0, 0.0)
    if judge.api_base is not None:
        return None
    return price_of_model(judge.model)


@cache
def price_of_model(model: str) -> Price | None:
    """The list price of a LiteLLM model name, with or without its provider's prefix."""
    entries = price_map()
    entry = entries.get(model)
    if entry is None and "/" in model:
        provider, _, name = model.partition("/")
        bare = entries.get(name)
        entry = bare if bare is not None and bare.get("litellm_provider") == provider else None
    if entry is None:
        return None
    prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    if prompt == completion == 0 and str(entry.get("litellm_provider", "")).startswith(("ollama", "lm_studio")):
        return None
    return Price(float(prompt), float(completion))


@cache
def price_map() -> dict[str, dict[str, object]]:
    """litellm's price map, model name -> its entry; empty where litellm ships none."""
    spec = find_spec("litellm")
    for folder in spec.submodule_search_locations or () if spec else ():
        path = Path(folder) / _PRICE_MAP
        if path.is_file():
            entries: dict[str, dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))
            return entries
    return {}
