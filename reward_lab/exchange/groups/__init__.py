"""Groups from files: our own group file, and tables of responses whose columns a mapping explains."""

from __future__ import annotations

from reward_lab.exchange.groups.gathering import imported_groups
from reward_lab.exchange.groups.group_file import ImportedGroup, group_record, read_groups, recorded_group
from reward_lab.exchange.groups.guessing import guess_mapping
from reward_lab.exchange.groups.reading import SHEET_FORMATS, read_sheet
from reward_lab.exchange.groups.roles import ANNOTATOR, Mapping, Role
from reward_lab.exchange.groups.sheet import BadLine, Sheet

__all__ = [
    "ANNOTATOR",
    "SHEET_FORMATS",
    "BadLine",
    "ImportedGroup",
    "Mapping",
    "Role",
    "Sheet",
    "group_record",
    "guess_mapping",
    "imported_groups",
    "read_groups",
    "read_sheet",
    "recorded_group",
]
