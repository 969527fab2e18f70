"""The first tables.

Revision: r0001, the first
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "drafts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    op.create_index(op.f("ix_drafts_updated_at"), "drafts", ["updated_at"])
    op.create_table(
        "groups",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("opening", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sa.UniqueConstraint("digest", name=op.f("uq_groups_digest")),
    )
    op.create_index(op.f("ix_groups_key"), "groups", ["key"])
    op.create_table(
        "judges",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judges")),
        sa.UniqueConstraint("key", name=op.f("uq_judges_key")),
    )
    op.create_index(op.f("ix_judges_model"), "judges", ["model"])
    op.create_table(
        "rubrics",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rubrics")),
        sa.UniqueConstraint("slot", name=op.f("uq_rubrics_slot")),
    )
    op.create_table(
        "rubric_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rubric_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubrics.id"], name=op.f("fk_rubric_versions_rubric_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rubric_versions")),
        sa.UniqueConstraint("rubric_id", "key", name=op.f("uq_rubric_versions_rubric_id_key")),
        sa.UniqueConstraint("rubric_id", "number", name=op.f("uq_rubric_versions_rubric_id_number")),
    )
    op.create_table(
        "trajectories",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_trajectories_group_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trajectories")),
        sa.UniqueConstraint("group_id", "position", name=op.f("uq_trajectories_group_id_position")),
    )
    op.create_index(op.f("ix_trajectories_key"), "trajectories", ["key"])
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("draft_id", sa.Text(), nullable=True),
        sa.Column("rubric_version_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("worker", sa.String(), nullable=True),
        sa.Column("claimed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("method_versions", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["rubric_version_id"], ["rubric_versions.id"], name=op.f("fk_runs_rubric_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("uuid", name=op.f("uq_runs_uuid")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_runs_draft_id_id"), "runs", ["draft_id", "id"])
    op.create_index(op.f("ix_runs_rubric_version_id"), "runs", ["rubric_version_id"])
    op.create_index(op.f("ix_runs_state_worker"), "runs", ["state", "worker"])
    op.create_table(
        "run_groups",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_run_groups_group_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_groups_run_id")),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_run_groups")),
    )
    op.create_index(op.f("ix_run_groups_group_id"), "run_groups", ["group_id"])
    op.create_table(
        "run_items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.Column("trajectory_id", sa.Text(), nullable=True),
        sa.Column("judge", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_run_items_group_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_items_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_items")),
    )
    op.create_index(op.f("ix_run_items_run_id_group_id"), "run_items", ["run_id", "group_id"])
    op.create_index(op.f("ix_run_items_run_id_status_method"), "run_items", ["run_id", "status", "method"])
    op.create_table(
        "run_judges",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["judge_id"], ["judges.id"], name=op.f("fk_run_judges_judge_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_judges_run_id")),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_run_judges")),
    )
    op.create_index(op.f("ix_run_judges_judge_id"), "run_judges", ["judge_id"])
    op.create_table(
        "run_methods",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_methods_run_id")),
        sa.PrimaryKeyConstraint("run_id", "method", name=op.f("pk_run_methods")),
    )
    op.create_index(op.f("ix_run_methods_method"), "run_methods", ["method"])
    op.create_table(
        "judge_calls",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("finish_reason", sa.Text(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("latency_s", sa.Float(), nullable=True),
        sa.Column("cached", sa.Boolean(), nullable=False),
        sa.Column("fault_reason", sa.String(), nullable=True),
        sa.Column("fault_detail", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("messages", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["run_items.id"], name=op.f("fk_judge_calls_item_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_judge_calls_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judge_calls")),
        sa.UniqueConstraint("item_id", "digest", name=op.f("uq_judge_calls_item_id_digest")),
    )
    op.create_index(
        "ix_judge_calls_usage",
        "judge_calls",
        ["run_id", "cached", "prompt_tokens", "completion_tokens", "cost_usd", "latency_s"],
    )
    op.create_table(
        "verdicts",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.Column("trajectory_id", sa.Text(), nullable=False),
        sa.Column("judge", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("raw_reply", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_verdicts_group_id")),
        sa.ForeignKeyConstraint(["item_id"], ["run_items.id"], name=op.f("fk_verdicts_item_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_verdicts_run_id")),
        sa.PrimaryKeyConstraint("item_id", "position", name=op.f("pk_verdicts")),
    )
    op.create_index(op.f("ix_verdicts_run_id_method_score"), "verdicts", ["run_id", "method", "score"])
    op.create_table(
        "criterion_verdicts",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("criterion", sa.Integer(), nullable=False),
        sa.Column("holds", sa.Boolean(), nullable=True),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id", "position"],
            ["verdicts.item_id", "verdicts.position"],
            name=op.f("fk_criterion_verdicts_item_id_position"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("item_id", "position", "criterion", name=op.f("pk_criterion_verdicts")),
    )


def downgrade() -> None:
    for table in (
        "criterion_verdicts",
        "verdicts",
        "judge_calls",
        "run_methods",
        "run_judges",
        "run_items",
        "run_groups",
        "runs",
        "trajectories",
        "rubric_versions",
        "rubrics",
        "judges",
        "groups",
        "drafts",
    ):
        op.drop_table(table)
