"""Replies as a judge would write them when it is asked for criteria, and the reading of them."""

from __future__ import annotations

import json
from typing import Any

from reward_lab.core.generation.reading import Expected, read_proposals
from reward_lab.core.proposal import Proposals


def item(description: Any = "Essential: States that refunds end after 30 days.", **fields: Any) -> dict[str, Any]:
    """One item; fields given as ``None`` are left out."""
    whole = {
        "why": "The policy turns on it.",
        "title": "Refund window",
        "description": description,
        "category": "Essential",
        "weight": 5,
        **fields,
    }
    return {name: value for name, value in whole.items() if value is not None}


def reply(*items: Any) -> str:
    return json.dumps({"proposals": list(items)})


def read(*items: Any, **expected: Any) -> Proposals:
    return read_proposals(reply(*items), Expected(**expected))
