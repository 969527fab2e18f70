"""Templates: rubrics for common kinds of task, to start one's own from."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from reward_lab.core.methods.predefined import CRITERIA
from reward_lab.core.rubric import Rubric

_FILES = (
    "rag_faithfulness.json",
    "tool_use.json",
    "support_reply.json",
    "summary.json",
    "code_review.json",
    "safety_refusal.json",
    "medical_advice.json",
    "instruction_following.json",
)
"""In the order in which they are offered."""

_PREDEFINED = "predefined.json"
"""Offered last; its file has no criteria, for they are those of the method ``rar_predefined``."""


@dataclass(frozen=True, slots=True)
class Template:
    """A rubric to start from.

    ``summary`` says what it rewards, ``when`` which task it fits and what to put in for one's own.
    """

    name: str
    summary: str
    when: str
    rubric: Rubric


@cache
def templates() -> tuple[Template, ...]:
    """All templates, RaR's predefined criteria last.

    Criteria carry weights of their own on the scale of RaR's data (arXiv 2507.17746: Essential 5, Important
    3-4, Optional 1-2, Pitfall 1-2); scoring is by category.
    """
    predefined = _read(_PREDEFINED)
    return (
        *(_read(file) for file in _FILES),
        replace(predefined, rubric=predefined.rubric.model_copy(update={"criteria": CRITERIA})),
    )


def _read(file: str) -> Template:
    record = json.loads(files("reward_lab.services").joinpath("templates", file).read_text("utf-8"))
    return Template(
        name=record["name"],
        summary=record["summary"],
        when=record["when"],
        rubric=Rubric.from_record(record["rubric"]),
    )
