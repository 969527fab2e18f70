"""Sweep drafts: how a person means to score a dataset, kept as typed, and the plan that it makes."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from reward_lab.core.judge import Ensemble
from reward_lab.core.run import RunSettings
from reward_lab.core.split import Split
from reward_lab.core.sweep import SweepPlan, SweptRubric
from reward_lab.errors import InvalidJudge
from reward_lab.services.drafts import JudgeDraft, ensemble_of, settings_of
from reward_lab.services.rubric_drafts import OPEN

MOST_PROMPTS = 5


class SweepDraft(BaseModel):
    """What is chosen on the pane that scores a dataset.

    ``versions`` are rubrics by name and number; with ``score_rubric`` and ``score_judges`` those of the Score page are
    among them. ``own_prompts``: each group's own system prompt is one of those compared.
    """

    model_config = OPEN

    name: str = ""
    split: Split | None = None
    tag: str | None = None
    versions: list[tuple[str, int]] = Field(default_factory=list)
    score_rubric: bool = True
    judges: list[JudgeDraft] = Field(default_factory=list)
    score_judges: bool = True
    own_prompts: bool = True
    prompts: list[str] = Field(default_factory=list)
    methods: list[str] = Field(default_factory=lambda: ["ruler", "likert"])
    repeats: int = 1
    seed: int = 0
    budget_usd: float | None = None

    def settings(self) -> RunSettings:
        """Methods, repeats and budget. Raises :class:`InvalidRun`."""
        return settings_of(self.methods, repeats=self.repeats, seed=self.seed, budget_usd=self.budget_usd)

    def ensembles(self, score_page: Sequence[JudgeDraft]) -> tuple[Ensemble, ...]:
        """The Score page's judges, averaged as there, then each further judge alone. Raises :class:`InvalidJudge`."""
        found: list[Ensemble] = []
        if self.score_judges:
            found.append(ensemble_of(score_page))
        found += [ensemble_of([judge]) for judge in self.judges]
        if not found:
            raise InvalidJudge("No judge is chosen: take the Score page's, or add one.")
        return tuple(found)

    def plan(
        self,
        group_ids: Sequence[int],
        rubrics: Sequence[SweptRubric],
        judges: Sequence[Ensemble],
        *,
        name: str,
        source: str,
    ) -> SweepPlan:
        """The plan; ``name`` is for a sweep that was given none. Raises :class:`InvalidRun` naming what is missing."""
        typed = [prompt for prompt in self.prompts if prompt.strip()]
        return SweepPlan(
            group_ids=tuple(group_ids),
            rubrics=tuple(rubrics),
            judges=tuple(judges),
            settings=self.settings(),
            prompts=((None,) if self.own_prompts else ()) + tuple(typed),
            name=self.name.strip() or name,
            source=source,
        )
