"""Response columns side by side, and the columns that say something of each: ``score_a`` is of ``response_a``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reward_lab.core.wording import listed
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.roles import Role
from reward_lab.exchange.groups.vocabulary import DISPREFERRED, PREFERRED, words_of


@dataclass(frozen=True, slots=True)
class ResponseColumn:
    """A column of responses, its tag (the words that no other has), and the columns that are about it by role."""

    name: str
    tag: tuple[str, ...]
    about: dict[Role, str] = field(default_factory=dict)

    @property
    def other_names(self) -> tuple[str, ...]:
        """What else its response is called: by its tag, as "a" and "model_a", and by the columns about it."""
        tag = "_".join(self.tag)
        return (*((tag, f"model_{tag}", f"response_{tag}") if tag else ()), *self.about.values())

    @property
    def rank(self) -> int | None:
        """The rank that the name tells: chosen before rejected."""
        if not PREFERRED.isdisjoint(self.tag):
            return 1
        return None if DISPREFERRED.isdisjoint(self.tag) else 2


def response_columns(names: Sequence[str]) -> tuple[ResponseColumn, ...]:
    """Columns with their tags: what is left of each name without the words that all have.

    >>> [column.tag for column in response_columns(["response_a", "response_b"])]
    [('a',), ('b',)]
    """
    words = [words_of(name) for name in names]
    common = set(words[0]).intersection(*words[1:]) if len(words) > 1 else set()
    return tuple(
        ResponseColumn(name, tuple(word for word in some if word not in common))
        for name, some in zip(names, words, strict=True)
    )


def column_about(columns: Sequence[ResponseColumn], name: str) -> ResponseColumn | None:
    """The one response column that a name is about: all the words of its tag are in the name.

    >>> column_about(response_columns(["response_a", "response_b"]), "score B").name
    'response_b'
    """
    if len(columns) == 1:
        return columns[0]
    words = set(words_of(name))
    found = [column for column in columns if column.tag and words.issuperset(column.tag)]
    return found[0] if len(found) == 1 else None


def attached(columns: Sequence[ResponseColumn], about: Mapping[Role, Sequence[str]]) -> tuple[ResponseColumn, ...]:
    """The response columns, each with the columns about it. A lone comment is about the whole row.

    Raises:
        InvalidInput: a column that is about none of them or about several, or two of one role about the same.
    """
    held: dict[str, dict[Role, str]] = {column.name: {} for column in columns}
    for role, names in about.items():
        for name in names:
            found = column_about(columns, name)
            if found is None and role is Role.COMMENT and len(names) == 1:
                continue
            if found is None or role in held[found.name]:
                raise InvalidInput(
                    f"The column {name!r} has the role {role.value!r}, and its name does not tell of which response: "
                    f"there are {listed(repr(one.name) for one in columns)}. Name it after one of them, such as "
                    f"'{role.value} {' '.join(columns[0].tag)}', or give it the role 'metadata'."
                )
            held[found.name][role] = name
    return tuple(replace(column, about=held[column.name]) for column in columns)
