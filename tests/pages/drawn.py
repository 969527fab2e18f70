"""A page that is driven without a browser, and what it draws with components of our own, as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest


def opened_at(script: Path, **address: object) -> AppTest:
    """The page as this address opens it."""
    page = AppTest.from_file(str(script), default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = str(value)
    return checked(page.run())


def checked(page: AppTest) -> AppTest:
    """The page, which ran to its end."""
    assert not page.exception
    return page


def components(page: AppTest) -> list[dict[str, Any]]:
    """The data of every grid, reading and editor: of each component that has an accessible name."""
    found = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return [data for data in found if "label" in data]


def component(page: AppTest, label: str) -> dict[str, Any]:
    """The data of the component whose accessible name begins so."""
    return next(data for data in components(page) if data["label"].startswith(label))


def words(data: dict[str, Any]) -> str:
    """All that it says, as one text to look into."""
    return json.dumps(data, ensure_ascii=False)
