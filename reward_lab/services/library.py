"""The rubric library: named rubrics and their versions, which never change."""

from __future__ import annotations

from dataclasses import dataclass

from reward_lab.core.rubric import Rubric
from reward_lab.store import RubricSave, RubricSummary, RubricVersion, Store

__all__ = ["History", "Library", "RubricSave", "RubricSummary", "RubricVersion"]


@dataclass(frozen=True, slots=True)
class History:
    """A rubric's versions, newest first; ``head`` is the number of the current one.

    ``uses`` has the runs under each version by its number, newest first.
    """

    name: str
    head: int
    versions: tuple[RubricVersion, ...]
    uses: dict[int, tuple[int, ...]]

    @property
    def current(self) -> RubricVersion:
        """The current version."""
        return self.version(self.head) or self.versions[0]

    def version(self, number: int) -> RubricVersion | None:
        """The version of a number, ``None`` where there is none."""
        return next((version for version in self.versions if version.number == number), None)


class Library:
    """Save rubrics under a name and find them again."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def names(self, *, archived: bool = False) -> list[RubricSummary]:
        """The named rubrics, the one saved last first; with ``archived``, those that were archived instead."""
        return [summary for summary in self._store.rubrics() if summary.archived == archived]

    def history(self, name: str) -> History:
        """All versions of one rubric and the runs under them. Raises :class:`~reward_lab.errors.NotFound`."""
        versions = tuple(self._store.rubric_versions(name))
        head = next((one.head for one in self._store.rubrics() if one.name == name), versions[0].number)
        return History(name, head, versions, self._store.rubric_uses(name))

    def save(
        self,
        rubric: Rubric,
        name: str,
        *,
        base: int | None = None,
        origin: RubricVersion | None = None,
        note: str = "",
        author: str = "",
    ) -> RubricSave:
        """Make content the current version of its name; content that is a version already becomes current again.

        With ``base``, the number of the version that the writer began from (0: the name is new),
        nothing is written where somebody else's save came first: that version is given back, to
        be compared with. ``origin`` is the version that the content was made from.

        Raises:
            InvalidRubric: the name is blank.
        """
        origin_id = None if origin is None else origin.id
        return self._store.save_rubric(
            rubric, name.strip(), base=base, origin_id=origin_id, note=note.strip(), author=author.strip()
        )

    def archive(self, name: str) -> None:
        """Take a rubric out of the list; its versions and runs stay. Raises :class:`~reward_lab.errors.NotFound`."""
        self._store.archive_rubric(name, archived=True)

    def unarchive(self, name: str) -> None:
        """Put a rubric back into the list. Raises :class:`~reward_lab.errors.NotFound`."""
        self._store.archive_rubric(name, archived=False)
