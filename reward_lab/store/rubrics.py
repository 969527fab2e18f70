"""Rubrics: names and their versions, which never change."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidRubric, NotFound
from reward_lab.store.part import AnyRow, AnySelect, Part, insert_one, now
from reward_lab.store.records import RubricSummary, RubricVersion
from reward_lab.store.tables import rubric_versions, rubrics


class Rubrics(Part):
    """Rubrics by name."""

    def save_rubric(self, rubric: Rubric, name: str, *, note: str = "", author: str = "") -> RubricVersion:
        """Store a rubric as a version of its name; equal content is the version it was, with its note and author.

        Raises:
            InvalidRubric: the name is empty.
        """
        if not name.strip():
            raise InvalidRubric("A rubric needs a name to be saved under: give it one.")
        with self._database.write() as connection:
            version_id = add_rubric(connection, rubric, name=name.strip(), note=note, author=author)
            return _version(connection.execute(_versions().where(rubric_versions.c.id == version_id)).one())

    def rubrics(self) -> list[RubricSummary]:
        """The named rubrics, the one saved last first."""
        saved = func.max(rubric_versions.c.created_at)
        query = (
            select(rubrics.c.name, func.count().label("versions"), saved.label("updated_at"))
            .join(rubric_versions, rubric_versions.c.rubric_id == rubrics.c.id)
            .where(rubrics.c.name != "")
            .group_by(rubrics.c.id, rubrics.c.name)
            .order_by(saved.desc(), func.max(rubric_versions.c.id).desc())
        )
        with self._database.read() as connection:
            return [RubricSummary(row.name, row.versions, row.updated_at) for row in connection.execute(query)]

    def rubric_versions(self, name: str) -> list[RubricVersion]:
        """The versions of a rubric, newest first.

        Raises:
            NotFound: no rubric has this name.
        """
        query = _versions().where(rubrics.c.slot == _slot(name, None)).order_by(rubric_versions.c.number.desc())
        with self._database.read() as connection:
            found = [_version(row) for row in connection.execute(query)]
        if not found:
            raise NotFound(f"No rubric is named {name!r}: choose one from the list, or save one under this name.")
        return found


def add_rubric(
    connection: Connection,
    rubric: Rubric,
    *,
    name: str = "",
    draft_id: str | None = None,
    note: str = "",
    author: str = "",
) -> int:
    """Store a rubric within a transaction; return the id of its version.

    One without a name is a version of its draft's, so that the iterations of a draft count up.
    """
    slot = _slot(name, draft_id)
    rubric_id = connection.scalar(select(rubrics.c.id).where(rubrics.c.slot == slot))
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
                "content": rubric.model_dump(mode="json"),
            },
        )
    return int(version_id)


def _slot(name: str, draft_id: str | None) -> str:
    return f"name:{name}" if name else f"draft:{draft_id or ''}"


def _versions() -> AnySelect:
    return select(
        rubric_versions.c.id,
        rubrics.c.name,
        rubric_versions.c.number,
        rubric_versions.c.content,
        rubric_versions.c.note,
        rubric_versions.c.author,
        rubric_versions.c.created_at,
    ).join(rubrics, rubrics.c.id == rubric_versions.c.rubric_id)


def _version(row: AnyRow) -> RubricVersion:
    return RubricVersion(
        id=row.id,
        name=row.name,
        number=row.number,
        rubric=Rubric.model_validate(row.content),
        note=row.note,
        author=row.author,
        created_at=row.created_at,
    )
