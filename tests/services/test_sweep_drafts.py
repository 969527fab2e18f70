"""What is chosen for a dataset becomes a plan, or says what is missing."""

from __future__ import annotations

import pytest

from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.split import Split
from reward_lab.core.sweep import SweptRubric
from reward_lab.errors import InvalidInput, InvalidJudge, InvalidRun
from reward_lab.services.drafts import JudgeDraft
from reward_lab.services.sweep_drafts import SweepDraft

RUBRIC = SweptRubric(rubric=Rubric(guidance="Be brief."))
OFFLINE = (Judge(),)


def test_each_further_judge_is_asked_alone_and_those_of_the_score_page_together() -> None:
    score_page = [JudgeDraft(), JudgeDraft(model="openai/a")]
    draft = SweepDraft(judges=[JudgeDraft(model="openai/b"), JudgeDraft(model="openai/c")])
    a, b, c = (Judge(model=f"openai/{name}") for name in "abc")
    assert draft.ensembles(score_page) == ((Judge(), a), (b,), (c,))
    assert draft.model_copy(update={"score_judges": False}).ensembles(score_page) == ((b,), (c,))


def test_blank_prompts_are_left_out_and_the_others_kept_as_typed() -> None:
    draft = SweepDraft(prompts=["", "  Be strict.\n", " "], own_prompts=True)
    assert draft.plan([1], [RUBRIC], [OFFLINE], name="n", source="s").prompts == (None, "  Be strict.\n")
    assert SweepDraft(prompts=["a"], own_prompts=False).plan(
        [1], [RUBRIC], [OFFLINE], name="n", source="s"
    ).prompts == ("a",)


def test_a_sweep_without_a_name_has_the_datasets() -> None:
    assert SweepDraft(name=" ").plan([1], [RUBRIC], [OFFLINE], name="Refunds", source="s").name == "Refunds"
    assert SweepDraft(name="Night").plan([1], [RUBRIC], [OFFLINE], name="Refunds", source="s").name == "Night"


@pytest.mark.parametrize(
    ("draft", "error", "said"),
    [
        (SweepDraft(methods=[]), InvalidRun, "No method is chosen"),
        (SweepDraft(repeats=0), InvalidRun, "repeats"),
        (SweepDraft(score_judges=False), InvalidJudge, "No judge is chosen: take the Score page's, or add one"),
        (SweepDraft(judges=[JudgeDraft(model=" ")]), InvalidJudge, "no model is chosen"),
    ],
)
def test_what_is_missing_is_named(draft: SweepDraft, error: type[InvalidInput], said: str) -> None:
    with pytest.raises(error, match=said):
        draft.plan([1], [RUBRIC], draft.ensembles([JudgeDraft()]), name="n", source="s")


def test_a_draft_comes_back_from_json_as_it_was() -> None:
    draft = SweepDraft(split=Split.NONE, tag="hard", versions=[("Support", 2)], prompts=["a"], budget_usd=2.5)
    assert SweepDraft.model_validate(draft.model_dump(mode="json")) == draft
