"""Editing: what an input needs to know of the draft that it writes into."""

from __future__ import annotations

from typing import Protocol

from reward_lab.services.rubric_drafts import RubricFields


class Editing(Protocol):
    """A tab's work on something that holds a rubric: the Score page's desk, or the studio."""

    @property
    def draft(self) -> RubricFields:
        """The draft of record."""
        ...

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present draft."""
        ...

    def change(self, **fields: object) -> None:
        """Change fields of the draft, and save it."""
        ...
