"""The store: groups, rubrics, drafts and runs, kept in a database of one's choice."""

from reward_lab.store.dataset_search import Place
from reward_lab.store.datasets import Added, DatasetLine, DatasetSummary
from reward_lab.store.labels import LabelSave, StoredLabel
from reward_lab.store.records import (
    ALL_RUNS,
    Draft,
    DraftSave,
    PlannedItem,
    RubricSave,
    RubricSummary,
    RubricVersion,
    RunFilter,
    RunPage,
    RunSummary,
    StoredItem,
    StoredVerdict,
)
from reward_lab.store.store import Store
from reward_lab.store.sweeps import Listing, SweepSummary

__all__ = [
    "ALL_RUNS",
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
    "RunFilter",
    "RunPage",
    "RunSummary",
    "Store",
    "StoredItem",
    "StoredLabel",
    "StoredVerdict",
    "SweepSummary",
]
