"""The tables.

Large texts stand last in their rows: SQLite reads a row from the front, and listing,
counting and summing then never touch them. Columns that repeat a parent's (``run_id``,
``method`` on verdicts) are there so that hundreds of thousands of verdicts are filtered
and sorted by one index.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKeyConstraint, Index, MetaData, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from reward_lab.core.chat import Json
from reward_lab.store.columns import ExactText, FreeText, JsonText


class _Table(SQLModel):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class GroupRow(_Table, table=True):
    """A group, stored once: ``digest`` is of the whole record, ``key`` of what is scored."""

    __tablename__ = "groups"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    key: str = Field(index=True)
    external_id: str = Field(sa_type=ExactText)
    opening: str = Field(sa_type=FreeText)
    """The first words of the scenario, for lists and search."""
    created_at: datetime
    record: Json = Field(sa_type=JsonText)


class TrajectoryRow(_Table, table=True):
    """A member of a group; ``key`` matches equal responses across groups and runs."""

    __tablename__ = "trajectories"
    __table_args__ = (UniqueConstraint("group_id", "position"),)

    id: int | None = Field(default=None, primary_key=True)
    group_id: int = Field(foreign_key="groups.id")
    position: int
    key: str = Field(index=True)
    external_id: str = Field(sa_type=ExactText)
    label: str = Field(sa_type=FreeText)


class DatasetRow(_Table, table=True):
    """A named collection of groups."""

    __tablename__ = "datasets"
    __table_args__ = ({"sqlite_autoincrement": True},)  # a permalink never comes to mean another dataset

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=ExactText, unique=True)
    created_at: datetime


class DatasetGroupRow(_Table, table=True):
    """A group's place in a dataset, where an edited group replaces the old. ``split`` is "tune", "holdout" or ""."""

    __tablename__ = "dataset_groups"
    __table_args__ = (UniqueConstraint("dataset_id", "group_id"), Index(None, "dataset_id", "split", "position"))

    dataset_id: int = Field(foreign_key="datasets.id", primary_key=True)
    position: int = Field(primary_key=True)
    group_id: int = Field(foreign_key="groups.id", index=True)
    split: str
    added_at: datetime


class DatasetTagRow(_Table, table=True):
    """A tag of a place in a dataset."""

    __tablename__ = "dataset_tags"
    __table_args__ = (
        ForeignKeyConstraint(
            ["dataset_id", "position"], ["dataset_groups.dataset_id", "dataset_groups.position"], ondelete="CASCADE"
        ),
        Index(None, "dataset_id", "tag"),
    )

    dataset_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    tag: str = Field(sa_type=ExactText, primary_key=True)


class LabelRow(_Table, table=True):
    """What one annotator says of one group; ``version`` goes up by one with each save."""

    __tablename__ = "labels"
    __table_args__ = (UniqueConstraint("group_id", "annotator"),)

    id: int | None = Field(default=None, primary_key=True)
    group_id: int = Field(foreign_key="groups.id")
    annotator: str = Field(sa_type=ExactText, index=True)
    version: int
    updated_at: datetime
    content: Json = Field(sa_type=JsonText)


class SweepRow(_Table, table=True):
    """Runs that were planned together as a matrix of rubric versions, judges and system prompts."""

    __tablename__ = "sweeps"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=FreeText)
    created_at: datetime
    settings: Json = Field(sa_type=JsonText)


class RubricRow(_Table, table=True):
    """A rubric under its name. ``slot`` is unique also where there is no name: one for each draft.

    ``head`` is the number of the current version: the one saved, restored or first used last.
    """

    __tablename__ = "rubrics"

    id: int | None = Field(default=None, primary_key=True)
    slot: str = Field(sa_type=ExactText, unique=True)
    name: str = Field(sa_type=FreeText)
    created_at: datetime
    head: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    archived_at: datetime | None


class RubricVersionRow(_Table, table=True):
    """One version of a rubric; never changed. ``origin_id``: the version, of any rubric, that it was made from."""

    __tablename__ = "rubric_versions"
    __table_args__ = (UniqueConstraint("rubric_id", "number"), UniqueConstraint("rubric_id", "key"))

    id: int | None = Field(default=None, primary_key=True)
    rubric_id: int = Field(foreign_key="rubrics.id")
    number: int
    key: str
    author: str = Field(sa_type=FreeText)
    note: str = Field(sa_type=FreeText)
    created_at: datetime
    origin_id: int | None
    content: Json = Field(sa_type=JsonText)


class JudgeRow(_Table, table=True):
    """A judge's settings, stored once by key."""

    __tablename__ = "judges"

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    model: str = Field(sa_type=FreeText, index=True)
    settings: Json = Field(sa_type=JsonText)


class DraftRow(_Table, table=True):
    """What stands in the editor, saved as it changes."""

    __tablename__ = "drafts"

    id: str = Field(sa_type=ExactText, primary_key=True)
    version: int
    updated_at: datetime = Field(index=True)
    content: Json = Field(sa_type=JsonText)


class RunRow(_Table, table=True):
    """A run. ``worker`` made it or took it last; ``claimed`` says whether it is at work on it."""

    __tablename__ = "runs"
    __table_args__ = (
        Index(None, "draft_id", "id"),
        Index(None, "state", "worker"),
        {"sqlite_autoincrement": True},  # a permalink never comes to mean another run
    )

    id: int | None = Field(default=None, primary_key=True)
    uuid: str = Field(unique=True)
    name: str = Field(sa_type=FreeText)
    draft_id: str | None = Field(sa_type=ExactText)
    rubric_version_id: int = Field(foreign_key="rubric_versions.id", index=True)
    state: str
    cancel_requested: bool
    pause_requested: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    worker: str | None
    claimed: bool
    created_at: datetime
    finished_at: datetime | None
    sweep_id: int | None = Field(index=True)
    settings: Json = Field(sa_type=JsonText)
    method_versions: Json = Field(sa_type=JsonText)


class RunGroupRow(_Table, table=True):
    """A group's place in a run."""

    __tablename__ = "run_groups"

    run_id: int = Field(foreign_key="runs.id", primary_key=True)
    position: int = Field(primary_key=True)
    group_id: int = Field(foreign_key="groups.id", index=True)


class RunJudgeRow(_Table, table=True):
    """A judge's place in a run's ensemble."""

    __tablename__ = "run_judges"

    run_id: int = Field(foreign_key="runs.id", primary_key=True)
    position: int = Field(primary_key=True)
    judge_id: int = Field(foreign_key="judges.id", index=True)


class RunMethodRow(_Table, table=True):
    """A method of a run, to find runs by."""

    __tablename__ = "run_methods"

    run_id: int = Field(foreign_key="runs.id", primary_key=True)
    method: str = Field(primary_key=True, index=True)


class RunItemRow(_Table, table=True):
    """One item of a run; ``trajectory_id`` is the trajectory's own id, null where the unit is the group."""

    __tablename__ = "run_items"
    __table_args__ = (Index(None, "run_id", "status", "method"), Index(None, "run_id", "group_id"))

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="runs.id")
    group_id: int = Field(foreign_key="groups.id")
    method: str
    trajectory_id: str | None = Field(sa_type=ExactText)
    judge: int
    repeat: int
    status: str
    reason: str | None
    started_at: datetime | None
    finished_at: datetime | None
    detail: str | None = Field(sa_type=FreeText)


class VerdictRow(_Table, table=True):
    """A verdict: the ``position``-th of its item."""

    __tablename__ = "verdicts"
    __table_args__ = (Index(None, "run_id", "method", "score"),)

    item_id: int = Field(foreign_key="run_items.id", primary_key=True)
    position: int = Field(primary_key=True)
    run_id: int = Field(foreign_key="runs.id")
    group_id: int = Field(foreign_key="groups.id")
    method: str
    trajectory_id: str = Field(sa_type=ExactText)
    judge: int
    repeat: int
    status: str
    score: float | None
    reason: str | None
    explanation: str = Field(sa_type=FreeText)
    detail: str = Field(sa_type=FreeText)
    raw_reply: str = Field(sa_type=FreeText)


class CriterionVerdictRow(_Table, table=True):
    """What a verdict says of one criterion; ``criterion`` is its place in the rubric version."""

    __tablename__ = "criterion_verdicts"
    __table_args__ = (
        ForeignKeyConstraint(["item_id", "position"], ["verdicts.item_id", "verdicts.position"], ondelete="CASCADE"),
    )

    item_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    criterion: int = Field(primary_key=True)
    truth: float | None
    explanation: str = Field(sa_type=FreeText)


class JudgeCallRow(_Table, table=True):
    """A call to a judge. ``digest`` tells one call of an item's asking from another, so that none is stored twice."""

    __tablename__ = "judge_calls"
    __table_args__ = (
        UniqueConstraint("item_id", "digest"),
        # Holds every figure that usage sums, so that the sum reads no row.
        Index(
            "ix_judge_calls_usage",
            "run_id",
            "cached",
            "prompt_tokens",
            "completion_tokens",
            "cost_usd",
            "latency_s",
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="run_items.id")
    run_id: int = Field(foreign_key="runs.id")
    digest: str
    key: str
    finish_reason: str | None = Field(sa_type=FreeText)
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    latency_s: float | None
    cached: bool
    fault_reason: str | None
    fault_detail: str | None = Field(sa_type=FreeText)
    created_at: datetime
    messages: Json = Field(sa_type=JsonText)
    reply: str = Field(sa_type=FreeText)


METADATA = _Table.metadata
groups = METADATA.tables["groups"]
trajectories = METADATA.tables["trajectories"]
datasets = METADATA.tables["datasets"]
dataset_groups = METADATA.tables["dataset_groups"]
dataset_tags = METADATA.tables["dataset_tags"]
labels = METADATA.tables["labels"]
sweeps = METADATA.tables["sweeps"]
rubrics = METADATA.tables["rubrics"]
rubric_versions = METADATA.tables["rubric_versions"]
judges = METADATA.tables["judges"]
drafts = METADATA.tables["drafts"]
runs = METADATA.tables["runs"]
run_groups = METADATA.tables["run_groups"]
run_judges = METADATA.tables["run_judges"]
run_methods = METADATA.tables["run_methods"]
run_items = METADATA.tables["run_items"]
verdicts = METADATA.tables["verdicts"]
criterion_verdicts = METADATA.tables["criterion_verdicts"]
judge_calls = METADATA.tables["judge_calls"]
