"""Rubric drafts: a rubric as it is being written, valid or not, on the Score page and in the studio."""

from __future__ import annotations

import math
import secrets
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from reward_lab.core.chat import Json
from reward_lab.core.group import Scenario
from reward_lab.core.rubric import Category, Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric

OPEN = ConfigDict(extra="ignore")
"""Drafts are read back by later versions: a field that is no more is dropped, not an error."""


class CriterionDraft(BaseModel):
    """One criterion as typed. Its ``id`` tells it from the others of the draft; it is no part of the rubric."""

    model_config = OPEN

    id: str = Field(default_factory=lambda: secrets.token_hex(4))
    title: str = ""
    description: str = ""
    category: str = Category.IMPORTANT.value
    weight: float | None = None
    meets_when: bool = True
    source: dict[str, Json] = Field(default_factory=dict)

    @classmethod
    def of(cls, criterion: Criterion) -> Self:
        """The draft that makes this criterion."""
        return cls.model_validate(criterion.model_dump(mode="json"))

    @property
    def is_blank(self) -> bool:
        """Whether nothing was written yet: such a row is no criterion."""
        return not (self.description.strip() or self.title.strip())


class RubricFields(BaseModel):
    """The part of a draft that makes a rubric."""

    model_config = OPEN

    guidance: str = ""
    criteria: list[CriterionDraft] = Field(default_factory=list)
    verifiers: list[dict[str, Json]] = Field(default_factory=list)
    scoring: Scoring = Field(default_factory=Scoring)
    source: dict[str, Json] = Field(default_factory=dict)

    def rubric(self) -> Rubric:
        """The rubric that is written here. Raises :class:`InvalidRubric` naming the criterion."""
        rows = [row for row in self.criteria if not row.is_blank]
        for number, row in enumerate(rows, start=1):
            if not row.description.strip():
                raise InvalidRubric(
                    f"Criterion {number} ({row.title!r}) has no description: write the statement to judge."
                )
            if row.weight is not None and not math.isfinite(row.weight):
                raise InvalidRubric(f"Criterion {number} has the weight {row.weight}: give it a finite number.")
        return Rubric.from_record(
            {
                "guidance": self.guidance,
                "criteria": [row.model_dump(exclude={"id"}) for row in rows],
                "verifiers": self.verifiers,
                "scoring": self.scoring,
                "source": self.source,
            }
        )

    def with_rubric(self, rubric: Rubric) -> Self:
        """The same draft with the content of this rubric."""
        return self.model_copy(
            update={
                "guidance": rubric.guidance,
                "criteria": [CriterionDraft.of(criterion) for criterion in rubric.criteria],
                "verifiers": [verifier.model_dump(mode="json", exclude_none=True) for verifier in rubric.verifiers],
                "scoring": rubric.scoring,
                "source": rubric.source,
            }
        )


class ProposalDraft(CriterionDraft):
    """A proposed criterion under review. ``kept`` is ``None`` until a person decided.

    ``replaces`` is the id of the criterion that it stands for, blank where it is a new one; ``why`` and ``notes`` are
    what the judge and the reading of its reply said.
    """

    why: str = ""
    notes: list[str] = Field(default_factory=list)
    replaces: str = ""
    kept: bool | None = None


class RubricDraft(RubricFields):
    """All that the studio holds of one rubric.

    ``base`` is the number of the version that was current when the draft began, 0 for a rubric that is new; a save
    that finds another one current writes nothing. ``origin`` is the name and number of the version it was made from.
    ``scenario`` is the record of a scenario that came with an imported rubric. ``job_id`` is the generation that was
    asked for last, ``asked_of`` the ids of the criteria it was asked with, and ``reviewed_job`` the one whose proposals
    were taken up.
    """

    name: str = ""
    base: int = 0
    origin: tuple[str, int] | None = None
    scenario: dict[str, Json] | None = None
    proposals: list[ProposalDraft] = Field(default_factory=list)
    proposed_by: str = ""
    job_id: str | None = None
    asked_of: tuple[str, ...] = ()
    reviewed_job: str | None = None

    @classmethod
    def of(cls, rubric: Rubric, *, name: str = "", base: int = 0, origin: tuple[str, int] | None = None) -> Self:
        """The draft that makes this rubric."""
        return cls(name=name, base=base, origin=origin).with_rubric(rubric)

    def imported_scenario(self) -> Scenario | None:
        """The scenario that came with an imported rubric."""
        return None if self.scenario is None else Scenario.model_validate(self.scenario)

    def reviewed(self) -> Self:
        """The draft with the proposals that were kept in the places of those that they replace, else at the end."""
        kept = [proposal for proposal in self.proposals if proposal.kept]
        present = {row.id for row in self.criteria}
        rows: list[CriterionDraft] = []
        for row in self.criteria:
            instead = [_criterion(one) for one in kept if one.replaces and one.replaces == row.id]
            rows += instead or [row]
        rows += [_criterion(one) for one in kept if one.replaces not in present]
        return self.model_copy(update={"criteria": rows, "proposals": [], "proposed_by": ""})


def _criterion(proposal: ProposalDraft) -> CriterionDraft:
    return CriterionDraft.model_validate(proposal.model_dump())
