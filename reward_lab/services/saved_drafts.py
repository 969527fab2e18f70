"""Saved drafts: the Score page's inputs in the store, so that a refresh or a page switch loses nothing."""

from __future__ import annotations

from dataclasses import dataclass

from reward_lab.services.drafts import Draft
from reward_lab.store import Draft as StoredDraft
from reward_lab.store import Store


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A draft as stored. ``version`` grows with each save."""

    id: str
    version: int
    draft: Draft


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save came to. ``newer`` is another window's draft that came first; then nothing was written."""

    version: int
    newer: SavedDraft | None = None


class SavedDrafts:
    """Load and save drafts by id."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self, draft_id: str) -> SavedDraft | None:
        """The stored draft, or ``None`` where there is none of this id."""
        stored = self._store.draft(draft_id)
        return None if stored is None else _read(stored)

    def latest(self) -> SavedDraft | None:
        """The draft saved last, or ``None`` where there is none."""
        stored = self._store.latest_draft()
        return None if stored is None else _read(stored)

    def save(self, draft_id: str, draft: Draft, *, expected_version: int | None = None) -> Saved:
        """Store a draft unless another window did since ``expected_version`` (0: it is new).

        Without ``expected_version`` the last save wins.
        """
        save = self._store.save_draft(draft_id, draft.model_dump(mode="json"), expected_version=expected_version)
        return Saved(save.draft.version, None if save.saved else _read(save.draft))


def _read(stored: StoredDraft) -> SavedDraft:
    return SavedDraft(stored.id, stored.version, Draft.model_validate(stored.content))
