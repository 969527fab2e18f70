"""Rubrics have a current version, an origin for each version, and an archive; a statement can be partly true.

Revision: r0002, after r0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("rubrics", sa.Column("head", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("rubrics", sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("rubric_versions", sa.Column("origin_id", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE rubrics SET head = "
        "(SELECT coalesce(max(number), 0) FROM rubric_versions WHERE rubric_versions.rubric_id = rubrics.id)"
    )
    with op.batch_alter_table("criterion_verdicts") as table:
        table.alter_column(
            "holds",
            new_column_name="truth",
            existing_type=sa.Boolean(),
            type_=sa.Float(),
            existing_nullable=True,
            postgresql_using="holds::integer::double precision",
        )
