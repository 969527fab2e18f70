"""Run by alembic: by the app through :func:`reward_lab.store.schema.upgrade`, in development by its command line.

``alembic -x url=sqlite:///scratch.db upgrade head`` makes a scratch database, and the same with ``revision
--autogenerate --rev-id r0003 -m "what changes"`` writes the next migration, numbered on from the last.
"""

from __future__ import annotations

from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection, create_engine
from sqlalchemy.types import TypeDecorator

from reward_lab.store.tables import METADATA


def _render(kind: str, item: object, _context: AutogenContext) -> str | Literal[False]:
    """A type of our own by the one it is stored as: a migration must not change when our code does."""
    return f"sa.{item.impl_instance!r}" if kind == "type" and isinstance(item, TypeDecorator) else False


def _run(connection: Connection) -> None:
    # SQLite alters a table only by building it anew: batch mode does that.
    context.configure(
        connection=connection, target_metadata=METADATA, render_as_batch=True, render_item=_render, compare_type=True
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    _run(given)
else:
    with create_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as opened:
        _run(opened)
