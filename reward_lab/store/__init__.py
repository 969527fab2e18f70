"""The store: groups, rubrics, drafts and runs, kept in a database of one's choice."""

from reward_lab.store.records import (
    Draft,
    DraftSave,
    PlannedItem,
    RubricSave,
    RubricSummary,
    RubricVersion,
    RunPage,
    RunSummary,
    StoredItem,
    StoredVerdict,
)
from reward_lab.store.store import Store

__all__ = [
    "Draft",
    "DraftSave",
    "PlannedItem",
    "RubricSave",
    "RubricSummary",
    "RubricVersion",
    "RunPage",
    "RunSummary",
    "Store",
    "StoredItem",
    "StoredVerdict",
]
