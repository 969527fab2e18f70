"""The store: groups, rubrics, drafts and runs, kept in a database of one's choice."""

from reward_lab.store.dataset_search import Place
from reward_lab.store.datasets import Added, DatasetLine, DatasetSummary
from reward_lab.store.labels import LabelSave, StoredLabel
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
from reward_lab.store.sweeps import Listing, SweepSummary

__all__ = [
    "Added",
    "DatasetLine",
    "DatasetSummary",
    "Draft",
    "DraftSave",
    "LabelSave",
    "Listing",
    "Place",
    "PlannedItem",
    "RubricSave",
    "RubricSummary",
    "RubricVersion",
    "RunPage",
    "RunSummary",
    "Store",
    "StoredItem",
    "StoredLabel",
    "StoredVerdict",
    "SweepSummary",
]
