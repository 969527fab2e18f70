"""Examples: complete groups with their rubrics, to load and score on a fresh machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reward_lab.core.group import Group
from reward_lab.core.labels import Label
from reward_lab.core.rubric import Rubric
from reward_lab.errors import InvalidGroup
from reward_lab.exchange.groups.group_file import ImportedGroup, recorded_group
from reward_lab.exchange.groups.sheet import BadLine

_FILES = ("refund.json", "rebooking_agent.json", "bridge_summary.json", "warfarin_question.json")
"""In the order in which they are offered; the app opens on the first."""


@dataclass(frozen=True, slots=True)
class Example:
    """A group and a rubric with everything that the methods need.

    ``summary`` says in a sentence or two what there is to see. ``prompts`` are system prompts
    by name to put in the scenario's place, the one it has first. ``labels`` are what others say of the group.
    """

    name: str
    summary: str
    group: Group
    labels: tuple[Label, ...]
    rubric: Rubric
    prompts: dict[str, str]


@cache
def examples() -> tuple[Example, ...]:
    """All examples, the one the app opens on first."""
    return tuple(_read(file) for file in _FILES)


def labelled_examples() -> tuple[ImportedGroup, ...]:
    """All examples as the groups of a dataset, with what others say of them."""
    return tuple(ImportedGroup(example.group, example.labels) for example in examples())


def _read(file: str) -> Example:
    record = json.loads(files("reward_lab.services").joinpath("examples", file).read_text("utf-8"))
    read = recorded_group(record["group"], 1)
    if isinstance(read, BadLine):
        raise InvalidGroup(f"The example {file} holds no group: {read.why}.")
    return Example(
        name=record["name"],
        summary=record["summary"],
        group=read.group,
        labels=read.labels,
        rubric=Rubric.from_record(record["rubric"]),
        prompts=record["prompts"],
    )
