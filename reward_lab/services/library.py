"""The rubric library: named rubrics and their versions."""

from __future__ import annotations

from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidRubric
from reward_lab.store import RubricSummary, RubricVersion, Store


class Library:
    """Save rubrics under a name and find them again. A version never changes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def names(self) -> list[RubricSummary]:
        """The named rubrics."""
        return self._store.rubrics()

    def versions(self, name: str) -> list[RubricVersion]:
        """The versions of one rubric."""
        return self._store.rubric_versions(name)

    def save(self, rubric: Rubric, name: str, *, note: str = "", author: str = "") -> RubricVersion:
        """Save content as the next version; content that is a version already gives that version.

        Raises:
            InvalidRubric: the name is blank.
        """
        if not name.strip():
            raise InvalidRubric("The rubric has no name: give it one to save it as a version.")
        return self._store.save_rubric(rubric, name.strip(), note=note, author=author)
