"""Which response of a row is the best: a name, a tie, an order, or an object that says one of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.wording import listed
from reward_lab.exchange.groups.cells import as_text, is_unknown
from reward_lab.exchange.groups.sheet import shown
from reward_lab.exchange.groups.strict_json import read_json
from reward_lab.exchange.groups.vocabulary import words_of

_ORDER_KEYS = ("ranking", "order")
_BEST_KEYS = ("better", "winner", "best", "preferred", "chosen", "preference", "choice")
_TIE_KEY = "tie"
_NUMBER = re.compile(r"[-+]?[0-9.]+")
_TIES = frozenset({"tie", "both", "equal", "draw", "same", "neither"})
"""First words of a tie: "tie (bothbad)" too."""


def is_preference(value: Json) -> bool:
    """Whether a cell could say which response is the best."""
    value = _read(value)
    if isinstance(value, Mapping):
        return any(key in value for key in (*_ORDER_KEYS, *_BEST_KEYS, _TIE_KEY))
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, str | list) for one in value)
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def ranks_by_preference(value: Json, names: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The rank of each response, by its id; equal ranks are a tie, and nothing where the cell says nothing.

    ``names`` are the names that each response goes by. Who wins has rank 1 and all others 2. In an order, a list in
    place of a name is a tie, and ranks go on after it by place: 1, 1, 3.

    Raises:
        ValueError: a name that is of no response or of several.

    >>> ranks_by_preference("model_b", {"a": ["response_a"], "b": ["model_b"]})
    {'b': 1, 'a': 2}
    >>> ranks_by_preference([["a", "b"], "c"], {"a": [], "b": [], "c": []})
    {'a': 1, 'b': 1, 'c': 3}
    """
    value = _read(value)
    if isinstance(value, Mapping):
        value = _said_in(value)
    if is_unknown(value):
        return {}
    if isinstance(value, list):
        return _ordered(value, names)
    words = words_of(as_text(value))
    best = _matching(value, names)
    if not best and words and words[0] in _TIES:
        return dict.fromkeys(names, 1)
    winner = _only(best, value, names)
    return {winner: 1} | {other: 2 for other in names if other != winner}


def _read(value: Json) -> Json:
    """Objects and lists that a text cell holds as JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return read_json(value)
        except ValueError:
            return value
    return value


def _said_in(record: Mapping[str, Json]) -> Json:
    for key in _ORDER_KEYS:
        if isinstance(record.get(key), list):
            return record[key]
    if record.get(_TIE_KEY) is True:
        return _TIE_KEY
    return next((record[key] for key in _BEST_KEYS if not is_unknown(record.get(key))), None)


def _ordered(order: list[Json], names: Mapping[str, Sequence[str]]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for place in order:
        rank = len(ranks) + 1
        for one in place if isinstance(place, list) else [place]:
            found = _only(_matching(one, names), one, names)
            if found in ranks:
                raise ValueError(f"{shown(one, 60)!r} stands twice in the order")
            ranks[found] = rank
    return ranks


def _matching(value: Json, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The ids of the responses that a value names: exactly, else, unless it is a number, by the same words."""
    text = as_text(value).strip()
    exact = [one for one, others in names.items() if text in (one, *others)]
    if exact:
        return exact
    words = () if _NUMBER.fullmatch(text) else words_of(text)
    return [one for one, others in names.items() if words and any(words == words_of(name) for name in (one, *others))]


def _only(found: Sequence[str], value: Json, names: Iterable[str]) -> str:
    if not found:
        raise ValueError(f"{shown(value, 60)!r} is none of the responses {listed(map(repr, names))}, and no tie")
    if len(found) > 1:
        raise ValueError(f"{shown(value, 60)!r} could be {listed(map(repr, found), 'or')}")
    return found[0]
