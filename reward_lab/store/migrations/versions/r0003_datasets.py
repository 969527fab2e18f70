"""Datasets of groups, people's labels, sweeps of runs; a run can be paused.

Revision: r0003, after r0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
        sa.UniqueConstraint("name", name=op.f("uq_datasets_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "dataset_groups",
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_dataset_groups_dataset_id")),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_dataset_groups_group_id")),
        sa.PrimaryKeyConstraint("dataset_id", "position", name=op.f("pk_dataset_groups")),
        sa.UniqueConstraint("dataset_id", "group_id", name=op.f("uq_dataset_groups_dataset_id_group_id")),
    )
    op.create_index(op.f("ix_dataset_groups_group_id"), "dataset_groups", ["group_id"])
    op.create_index(
        op.f("ix_dataset_groups_dataset_id_split_position"), "dataset_groups", ["dataset_id", "split", "position"]
    )
    op.create_table(
        "dataset_tags",
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id", "position"],
            ["dataset_groups.dataset_id", "dataset_groups.position"],
            name=op.f("fk_dataset_tags_dataset_id_position"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dataset_id", "position", "tag", name=op.f("pk_dataset_tags")),
    )
    op.create_index(op.f("ix_dataset_tags_dataset_id_tag"), "dataset_tags", ["dataset_id", "tag"])
    op.create_table(
        "labels",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_labels_group_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_labels")),
        sa.UniqueConstraint("group_id", "annotator", name=op.f("uq_labels_group_id_annotator")),
    )
    op.create_index(op.f("ix_labels_annotator"), "labels", ["annotator"])
    op.create_table(
        "sweeps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweeps")),
        sqlite_autoincrement=True,
    )
    op.add_column("runs", sa.Column("pause_requested", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("runs", sa.Column("sweep_id", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_runs_sweep_id"), "runs", ["sweep_id"])
