"""Rubrics: names and their versions, which never change."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, update

from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidRubric, NotFound
from reward_lab.store.part import AnyRow, AnySelect, Part, insert_one, now
from reward_lab.store.records import RubricSave, RubricSummary, RubricVersion
from reward_lab.store.tables import rubric_versions, rubrics, runs

_origins = rubric_versions.alias("origins")
_origin_rubrics = rubrics.alias("origin_rubrics")


class Rubrics(Part):
    """Rubrics by name."""

    def save_rubric(
        self,
        rubric: Rubric,
        name: str,
        *,
        base: int | None = None,
        origin_id: int | None = None,
        note: str = "",
        author: str = "",
    ) -> RubricSave:
        """Make content the current version of its name, unless another save came first.

        ``base`` is the number of the current version that the writer began from, 0 for a name
        that is new. Where another is current by now and differs from what is saved, nothing is
        written and that one is given back. Without ``base`` the last save wins. Content that is
        a version already becomes current again, with its own note and author.

        Raises:
            InvalidRubric: the name is empty.
        """
        if not name.strip():
            raise InvalidRubric("A rubric needs a name to be saved under: give it one.")
        with self._database.write() as connection:
            head = _head(connection, name.strip())
            if base is not None and head is not None and head.number != base and head.rubric.key != rubric.key:
                return RubricSave(head, saved=False)
            version_id = add_rubric(
                connection, rubric, name=name.strip(), origin_id=origin_id, note=note, author=author
            )
            version = _version(connection.execute(_versions().where(rubric_versions.c.id == version_id)).one())
            connection.execute(
                update(rubrics)
                .where(rubrics.c.slot == _slot(name.strip(), None))
                .values(head=version.number, archived_at=None)
            )
            return RubricSave(version, saved=True)

    def archive_rubric(self, name: str, *, archived: bool) -> None:
        """Put a rubric out of the list of names, or back. Its versions and runs stay.

        Raises:
            NotFound: no rubric has this name.
        """
        with self._database.write() as connection:
            done = connection.execute(
                update(rubrics)
                .where(rubrics.c.slot == _slot(name, None))
                .values(archived_at=now() if archived else None)
            )
            if not done.rowcount:
                raise _unknown(name)

    def rubrics(self) -> list[RubricSummary]:
        """The named rubrics, archived ones among them, the one saved last first."""
        saved = func.max(rubric_versions.c.created_at)
        query = (
            select(
                rubrics.c.name,
                rubrics.c.head,
                rubrics.c.archived_at,
                func.count().label("versions"),
                saved.label("updated_at"),
            )
            .join(rubric_versions, rubric_versions.c.rubric_id == rubrics.c.id)
            .where(rubrics.c.name != "")
            .group_by(rubrics.c.id, rubrics.c.name, rubrics.c.head, rubrics.c.archived_at)
            .order_by(saved.desc(), func.max(rubric_versions.c.id).desc())
        )
        with self._database.read() as connection:
            return [
                RubricSummary(row.name, row.versions, row.head, row.updated_at, archived=row.archived_at is not None)
                for row in connection.execute(query)
            ]

    def rubric_versions(self, name: str) -> list[RubricVersion]:
        """The versions of a rubric, newest first.

        Raises:
            NotFound: no rubric has this name.
        """
        query = _versions().where(rubrics.c.slot == _slot(name, None)).order_by(rubric_versions.c.number.desc())
        with self._database.read() as connection:
            found = [_version(row) for row in connection.execute(query)]
        if not found:
            raise _unknown(name)
        return found

    def rubric_uses(self, name: str) -> dict[int, tuple[int, ...]]:
        """The runs under each version of a rubric, by its number: ids, newest first; none for one never used."""
        query = (
            select(rubric_versions.c.number, runs.c.id)
            .join(rubrics, rubrics.c.id == rubric_versions.c.rubric_id)
            .join(runs, runs.c.rubric_version_id == rubric_versions.c.id)
            .where(rubrics.c.slot == _slot(name, None))
            .order_by(runs.c.id.desc())
        )
        uses: dict[int, tuple[int, ...]] = {}
        with self._database.read() as connection:
            for number, run_id in connection.execute(query):
                uses[number] = (*uses.get(number, ()), run_id)
        return uses


def add_rubric(
    connection: Connection,
    rubric: Rubric,
    *,
    name: str = "",
    draft_id: str | None = None,
    origin_id: int | None = None,
    note: str = "",
    author: str = "",
) -> int:
    """Store a rubric within a transaction; return the id of its version.

    One without a name is a version of its draft's, so that the iterations of a draft count up.
    A version that is new becomes current.
    """
    slot = _slot(name, draft_id)
    # The row is locked, or two processes would give one number twice.
    rubric_id = connection.scalar(select(rubrics.c.id).where(rubrics.c.slot == slot).with_for_update())
    if rubric_id is None:
        rubric_id = insert_one(connection, rubrics, {"slot": slot, "name": name, "created_at": now()})
    own = rubric_versions.c.rubric_id == rubric_id
    version_id = connection.scalar(select(rubric_versions.c.id).where(own, rubric_versions.c.key == rubric.key))
    if version_id is None:
        latest = connection.scalar(select(func.max(rubric_versions.c.number)).where(own)) or 0
        version_id = insert_one(
            connection,
            rubric_versions,
            {
                "rubric_id": rubric_id,
                "number": latest + 1,
                "key": rubric.key,
                "author": author,
                "note": note,
                "created_at": now(),
                "origin_id": origin_id,
                "content": rubric.model_dump(mode="json"),
            },
        )
        connection.execute(update(rubrics).where(rubrics.c.id == rubric_id).values(head=latest + 1))
    return int(version_id)


def _slot(name: str, draft_id: str | None) -> str:
    return f"name:{name}" if name else f"draft:{draft_id or ''}"


def _unknown(name: str) -> NotFound:
    return NotFound(f"No rubric is named {name!r}: choose one from the list, or save one under this name.")


def _head(connection: Connection, name: str) -> RubricVersion | None:
    row = connection.execute(
        _versions().where(rubrics.c.slot == _slot(name, None), rubric_versions.c.number == rubrics.c.head)
    ).one_or_none()
    return None if row is None else _version(row)


def _versions() -> AnySelect:
    return select(
        rubric_versions.c.id,
        rubrics.c.name,
        rubric_versions.c.number,
        rubric_versions.c.content,
        rubric_versions.c.note,
        rubric_versions.c.author,
        rubric_versions.c.created_at,
        _origins.c.number.label("origin_number"),
        _origin_rubrics.c.name.label("origin_name"),
    ).select_from(
        rubric_versions.join(rubrics, rubrics.c.id == rubric_versions.c.rubric_id)
        .outerjoin(_origins, _origins.c.id == rubric_versions.c.origin_id)
        .outerjoin(_origin_rubrics, _origin_rubrics.c.id == _origins.c.rubric_id)
    )


def _version(row: AnyRow) -> RubricVersion:
    return RubricVersion(
        id=row.id,
        name=row.name,
        number=row.number,
        rubric=Rubric.model_validate(row.content),
        note=row.note,
        author=row.author,
        created_at=row.created_at,
        origin=None if row.origin_number is None else (row.origin_name, row.origin_number),
    )
