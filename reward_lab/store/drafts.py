"""Drafts: what stands in the editor, saved as it changes, so that a refresh loses nothing."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, insert, select, update

from reward_lab.core.chat import Json, canonical_json
from reward_lab.errors import InvalidInput
from reward_lab.store.part import AnyRow, AnySelect, Part, now
from reward_lab.store.records import Draft, DraftSave
from reward_lab.store.tables import drafts


class Drafts(Part):
    """Drafts by id."""

    def draft(self, draft_id: str) -> Draft | None:
        """The draft with this id, ``None`` where there is none."""
        with self._database.read() as connection:
            return _found(connection, select(drafts).where(drafts.c.id == draft_id))

    def save_draft(
        self, draft_id: str, content: Mapping[str, Json], *, expected_version: int | None = None
    ) -> DraftSave:
        """Save a draft. ``expected_version`` is the version the editor started from, 0 for a new draft.

        Where another tab has saved since, nothing is written, and that tab's draft comes back
        with ``saved`` false, for the editor to decide. Without ``expected_version`` the last save wins.

        Raises:
            InvalidInput: the content is not JSON, or holds NaN.
        """
        try:
            canonical_json(content)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"The draft {draft_id!r} cannot be stored: {error}. Write null where there is no value."
            ) from error
        with self._database.write() as connection:
            stored = _found(connection, select(drafts).where(drafts.c.id == draft_id))
            version = stored.version if stored else 0
            if expected_version is not None and expected_version != version and stored:
                return DraftSave(stored, saved=False)
            draft = Draft(draft_id, dict(content), version + 1, now())
            values = {"version": draft.version, "updated_at": draft.updated_at, "content": draft.content}
            if stored:
                connection.execute(update(drafts).where(drafts.c.id == draft_id).values(values))
            else:
                connection.execute(insert(drafts).values(id=draft_id, **values))
            return DraftSave(draft, saved=True)


def _found(connection: Connection, query: AnySelect) -> Draft | None:
    row: AnyRow | None = connection.execute(query).first()
    return None if row is None else Draft(row.id, row.content, row.version, row.updated_at)
