"""Saved drafts: what is being written, in the store, so that a refresh or a page switch loses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from reward_lab.store import Draft as StoredDraft
from reward_lab.store import Store

D = TypeVar("D", bound=BaseModel)
"""A kind of draft: of the Score page, or of the rubric studio."""


@dataclass(frozen=True, slots=True)
class SavedDraft(Generic[D]):
    """A draft as stored. ``version`` grows with each save."""

    id: str
    version: int
    draft: D


@dataclass(frozen=True, slots=True)
class Saved(Generic[D]):
    """What a save came to. ``newer`` is another window's draft that came first; then nothing was written."""

    version: int
    newer: SavedDraft[D] | None = None


class SavedDrafts(Generic[D]):
    """Load and save drafts of one kind by id."""

    def __init__(self, store: Store, kind: type[D]) -> None:
        self._store = store
        self._kind = kind

    def load(self, draft_id: str) -> SavedDraft[D] | None:
        """The stored draft, or ``None`` where there is none of this id."""
        stored = self._store.draft(draft_id)
        return None if stored is None else self._read(stored)

    def save(self, draft_id: str, draft: D, *, expected_version: int | None = None) -> Saved[D]:
        """Store a draft unless another window did since ``expected_version`` (0: it is new).

        Without ``expected_version`` the last save wins.
        """
        save = self._store.save_draft(draft_id, draft.model_dump(mode="json"), expected_version=expected_version)
        return Saved(save.draft.version, None if save.saved else self._read(save.draft))

    def _read(self, stored: StoredDraft) -> SavedDraft[D]:
        return SavedDraft(stored.id, stored.version, self._kind.model_validate(stored.content))
