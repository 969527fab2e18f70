"""YAML in and out, with JSON's types only."""

from __future__ import annotations

import re
from typing import Any

import yaml

from reward_lab.core.chat import Json


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # it ships no types
    """The safe loader with YAML 1.2's core types: "no" and dates are text, and "010" is no octal number."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  pyyaml's own attribute


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # it ships no types
    """Quotes what either version of YAML would take for something else than text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whether a value that stands twice is written twice: always, since aliases are not read."""
        return True


_BREAKS = ("\x85", "\u2028", "\u2029")
"""Line breaks for YAML 1.1 alone: written as escapes, they stay what they are."""


def _quoted(dumper: _Dumper, text: str) -> yaml.Node:
    style = '"' if any(mark in text for mark in _BREAKS) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quoted)

_CORE = (
    ("null", r"^(?:~|null|Null|NULL|)$", "~nN"),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+0123456789."),
)
for _tag, _pattern, _first in _CORE:
    for _kind in (_Loader, _Dumper):
        starts = [*_first, ""] if _tag == "null" else [*_first]
        _kind.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), starts)


def parsed_yaml(text: str, max_depth: int) -> Json:
    """The value of a YAML text.

    Raises:
        ValueError: not YAML; nested deeper than ``max_depth``; or with aliases, by which a short
            text can stand for an endless one.
    """
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1
                raise ValueError(f"line {line}: the alias *{event.anchor} is not read; write its value out")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > max_depth:
                raise ValueError(f"it is nested more than {max_depth} levels deep")
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise ValueError(f"{error.problem}{f' at line {mark.line + 1}' if mark else ''}") from error
    except (yaml.YAMLError, RecursionError, TypeError) as error:
        raise ValueError(str(error).splitlines()[0]) from error


def yaml_text(value: Json) -> str:
    """A value as YAML that :func:`parsed_yaml` reads back to an equal one."""
    dumped: Any = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    return str(dumped)
