"""JSON as it is defined: NaN and infinity are no numbers, and nothing is nested so deep that it cannot be written."""

from __future__ import annotations

import json

from reward_lab.core.chat import Json

MAX_DEPTH = 200
"""Far from Python's own limit, which parsing and writing would meet at different depths."""


def read_json(text: str) -> Json:
    """The value that a text is.

    Raises:
        ValueError: what is wrong with it, and at which character.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(_fault(error)) from error
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
    check_depth(value, text.count("[") + text.count("{"))
    return value


class ItemDecoder:
    """Reads one value after the other from a text."""

    def __init__(self) -> None:
        self._constants: list[str] = []
        self._decoder = json.JSONDecoder(parse_constant=self._constants.append)

    def item(self, text: str, place: int) -> tuple[Json, int, str]:
        """The value at a place, the place after it, and what is wrong with it though its end is known.

        Raises:
            ValueError: what is wrong, where the end of the value cannot be known.
        """
        self._constants.clear()
        try:
            value, end = self._decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise ValueError(_fault(error)) from error
        except RecursionError as error:
            raise ValueError(_TOO_DEEP) from error
        try:
            check_depth(value, text.count("[", place, end) + text.count("{", place, end))
        except ValueError as error:
            return value, end, str(error)
        return value, end, _not_a_number(self._constants[0]) if self._constants else ""


def _fault(error: json.JSONDecodeError) -> str:
    line = f"line {error.lineno}, " if "\n" in error.doc.rstrip() else ""
    return f"{error.msg} at {line}character {error.colno}"


_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


def check_depth(value: Json, brackets: int) -> None:
    """Refuse deep nesting, which takes as many brackets. Raises ``ValueError``."""
    if brackets <= MAX_DEPTH:
        return
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for one in level if isinstance(one, list | dict) for inner in _held(one)]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def _held(value: list[Json] | dict[str, Json]) -> list[Json]:
    return [*value.values()] if isinstance(value, dict) else value


def _refuse(name: str) -> float:
    raise ValueError(_not_a_number(name))


def _not_a_number(name: str) -> str:
    return f"{name} is not a JSON number; write null"
