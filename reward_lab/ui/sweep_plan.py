"""The pane that scores a dataset: which groups, under which rubrics, judges and system prompts, and what it will take.

What is chosen is kept for the dataset, so that neither a reload nor the next visit begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.judge import Ensemble
from reward_lab.core.split import Split
from reward_lab.core.sweep import SweepPlan, SweptRubric, sweep_cells
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput, NotFound, RewardLabError
from reward_lab.services.datasets import DatasetSummary
from reward_lab.services.drafts import Draft, JudgeDraft
from reward_lab.services.examples import examples
from reward_lab.services.sweep_drafts import MOST_PROMPTS, SweepDraft
from reward_lab.services.sweeps import SweepEstimate
from reward_lab.ui.choices import choose_methods, choose_repeats, choose_seed
from reward_lab.ui.desk import example_draft, present_desk
from reward_lab.ui.fields import show_fault
from reward_lab.ui.figures import count, money
from reward_lab.ui.frame import show_error, shown_errors, warm_up
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.ui.headline import cost, short
from reward_lab.ui.judge_inputs import draw_judge
from reward_lab.ui.rubric_library import escaped
from reward_lab.wiring import Lab

_KEY = "sweep-work"
_BADGE = "#5b6270"
_ALL = "all groups"
_SPLITS = {_ALL: None, "tune": Split.TUNE, "holdout": Split.HOLDOUT, "neither": Split.NONE}
_ANY_TAG = ""


@dataclass(slots=True)
class Sweeping:
    """One tab's choices for a dataset, in session and store."""

    lab: Lab
    dataset_id: int
    draft: SweepDraft
    generation: int = 0

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present draft."""
        return f"sweep-{name}-{self.dataset_id}-{self.generation}"

    def change(self, **fields: object) -> None:
        """Change fields of the draft, and save it; of two tabs the last one counts."""
        self.draft = self.draft.model_copy(update=fields)
        self.lab.sweep_drafts.save(_draft_id(self.dataset_id), self.draft)

    def add_judge(self) -> None:
        """One more judge, to be chosen."""
        self.change(judges=[*self.draft.judges, JudgeDraft(model="")])

    def add_prompt(self, prompt: str = "") -> None:
        """One more system prompt, to be written or as it is."""
        self.generation += 1  # the menu closes
        self.change(prompts=[*self.draft.prompts, prompt])

    def remove_prompt(self, index: int) -> None:
        """One system prompt less; those after it move up."""
        self.generation += 1
        self.change(prompts=[one for place, one in enumerate(self.draft.prompts) if place != index])


def draw(lab: Lab, dataset_id: int) -> None:
    """Draw the pane."""
    st.fragment(_draw)(lab, dataset_id)


def _draw(lab: Lab, dataset_id: int) -> None:
    with shown_errors():
        work = _open(lab, dataset_id)
        summary = next((one for one in lab.datasets.summaries() if one.id == dataset_id), None)
        if summary is None:
            raise NotFound(f"Dataset {dataset_id} is not stored here: choose one from the list.")
        action = st.container()
        group_ids = _choose_groups(work, summary)
        rubrics = _choose_rubrics(work)
        judges = _choose_judges(work)
        _choose_prompts(work)
        _choose_settings(work)
        with action:
            _draw_action(work, summary, group_ids, rubrics, judges)


def _open(lab: Lab, dataset_id: int) -> Sweeping:
    work = st.session_state.get(_KEY)
    if not isinstance(work, Sweeping) or work.dataset_id != dataset_id:
        saved = lab.sweep_drafts.load(_draft_id(dataset_id))
        work = Sweeping(lab, dataset_id, _first_draft(lab) if saved is None else saved.draft)
        st.session_state[_KEY] = work
    return work


def _first_draft(lab: Lab) -> SweepDraft:
    """As the Score page of this tab asks; where it was not opened, under the rubric that was saved last."""
    desk, names = present_desk(), lab.library.names()
    if desk is not None:
        return SweepDraft(methods=desk.draft.methods, repeats=desk.draft.repeats)
    if names:
        return SweepDraft(versions=[(names[0].name, names[0].head)], score_rubric=False)
    return SweepDraft()


def _draft_id(dataset_id: int) -> str:
    return f"sweep of dataset {dataset_id}"


def _choose_groups(work: Sweeping, summary: DatasetSummary) -> tuple[int, ...]:
    draft, tags = work.draft, work.lab.datasets.tags(summary.id)
    left, right = st.columns(2)
    side = left.selectbox(
        "Split",
        list(_SPLITS),
        index=list(_SPLITS).index(_side(draft.split)),
        key=work.key("split"),
        help="Tune a rubric on one side, and look at the other to tell whether it became better.",
    )
    # A tag that the last of its groups has lost is offered still: what is chosen is never changed unseen.
    offered = [_ANY_TAG, *dict.fromkeys([*tags, *([draft.tag] if draft.tag is not None else [])])]
    named = right.selectbox(
        "Tag",
        offered,
        index=offered.index(draft.tag or _ANY_TAG),
        format_func=lambda tag: well_formed(tag) or "any",
        key=work.key("tag"),
        disabled=len(offered) == 1,
    )
    split, tag = _SPLITS[side], named or None
    if (split, tag) != (draft.split, draft.tag):
        work.change(split=split, tag=tag)
    return work.lab.datasets.group_ids(summary.id, split=split, tag=tag)


def _side(split: Split | None) -> str:
    return next(name for name, one in _SPLITS.items() if one is split)


def _choose_rubrics(work: Sweeping) -> tuple[SweptRubric, ...]:
    draft, library = work.draft, work.lab.library
    histories = {one.name: library.history(one.name) for one in library.names()}
    offered = {(name, version.number): version for name, history in histories.items() for version in history.versions}
    chosen = st.multiselect(
        "Rubric versions",
        list(offered),
        default=[one for one in draft.versions if one in offered],
        format_func=lambda one: well_formed(f"{one[0]} v{one[1]}{_head_mark(histories[one[0]].head, one[1])}"),
        key=work.key("versions"),
        placeholder="Choose saved versions" if offered else "No rubric is saved yet: save one on the Rubrics page",
        disabled=not offered,
        help="Each is a run of its own, to be compared afterwards.",
    )
    with_score = st.checkbox("The rubric on the Score page", draft.score_rubric, key=work.key("score-rubric"))
    if (chosen, with_score) != (draft.versions, draft.score_rubric):
        work.change(versions=list(chosen), score_rubric=with_score)
    # The oldest first, whichever was chosen first: Compare takes the first run for its baseline.
    found = [SweptRubric(rubric=offered[one].rubric, name=one[0], number=one[1]) for one in sorted(chosen)]
    if with_score:
        try:
            score_page = _score_page()
            found.append(SweptRubric(rubric=score_page.rubric(), name=score_page.rubric_name))
        except InvalidInput as error:
            show_fault(error)
    return tuple(found)


def _head_mark(head: int, number: int) -> str:
    return " (current)" if number == head else ""


def _score_page() -> Draft:
    """What stands on the Score page of this tab; what it opens with where it was not opened yet."""
    desk = present_desk()
    return example_draft(examples()[0]) if desk is None else desk.draft


def _choose_judges(work: Sweeping) -> tuple[Ensemble, ...]:
    draft, score_page = work.draft, _score_page()
    named = ", ".join(judge.model or "none chosen" for judge in score_page.judges)
    label = f"The Score page's judge ({escaped(well_formed(named))})"
    if len(score_page.judges) > 1:
        label = f"The Score page's judges, averaged ({escaped(well_formed(named))})"
    with_score = st.checkbox(label, draft.score_judges, key=work.key("score-judges"))
    if with_score != draft.score_judges:
        work.change(score_judges=with_score)
    for index in range(len(draft.judges)):
        draw_judge(work, index, f"Further judge {index + 1}", several=True)
    st.button(
        "Add a judge",
        key=work.key("add-judge"),
        icon=":material/group_add:",
        type="tertiary",
        help="Each further judge is a run of its own; to average several, add them on the Score page.",
        on_click=work.add_judge,
    )
    try:
        return work.draft.ensembles(score_page.judges)
    except InvalidInput as error:
        show_fault(error)
        return ()


def _choose_prompts(work: Sweeping) -> None:
    draft = work.draft
    own = st.checkbox("Each group's own system prompt", draft.own_prompts, key=work.key("own-prompts"))
    if own != draft.own_prompts:
        work.change(own_prompts=own)
    for index, prompt in enumerate(draft.prompts):
        typed = st.text_area(
            f"System prompt {index + 1}",
            well_formed(prompt),
            key=work.key(f"prompt-{index}"),
            height=100,
        )
        if typed != well_formed(prompt):
            work.change(prompts=[typed if place == index else one for place, one in enumerate(work.draft.prompts)])
        st.button(
            f"Remove system prompt {index + 1}",
            key=work.key(f"remove-prompt-{index}"),
            type="tertiary",
            on_click=work.remove_prompt,
            args=(index,),
        )
    if draft.prompts:
        st.caption(
            "A prompt written here takes the place of each scenario's. A response that opens with a system message of "
            "its own keeps that: it was sampled under it."
        )
    if len(draft.prompts) < MOST_PROMPTS:
        with st.popover("Add a system prompt", key=work.key("add-prompt"), icon=":material/add:", width="content"):
            _offer_prompts(work)


def _offer_prompts(work: Sweeping) -> None:
    st.button("Write one", key=work.key("write-prompt"), type="tertiary", width="stretch", on_click=work.add_prompt)
    for index, example in enumerate(examples()):
        for name, prompt in example.prompts.items():
            if len(example.prompts) > 1:
                st.button(
                    f"{example.name}: {name}",
                    key=work.key(f"example-prompt-{index}-{name}"),
                    type="tertiary",
                    width="stretch",
                    on_click=work.add_prompt,
                    args=(prompt,),
                )


def _choose_settings(work: Sweeping) -> None:
    draft = work.draft
    methods = choose_methods(draft.methods, key=work.key("methods"))
    left, middle, right = st.columns(3)
    repeats = choose_repeats(left, draft.repeats, key=work.key("repeats"))
    budget = middle.number_input(
        "Budget in USD (optional)",
        min_value=0.01,
        value=draft.budget_usd,
        placeholder="none",
        key=work.key("budget"),
        help="For all runs together: whichever asks next may spend what is left, and all stop once it is spent. Calls "
        "of unknown cost cannot be counted.",
    )
    seed = choose_seed(right, draft.seed, key=work.key("seed"))
    name = st.text_input(
        "Name (optional)", well_formed(draft.name), key=work.key("name"), placeholder="the dataset's", max_chars=200
    )
    changed = {"methods": methods, "repeats": repeats, "budget_usd": budget, "seed": seed, "name": name}
    if changed != {field: getattr(draft, field) for field in changed}:
        work.change(**changed)


def _draw_action(
    work: Sweeping,
    summary: DatasetSummary,
    group_ids: Sequence[int],
    rubrics: Sequence[SweptRubric],
    judges: Sequence[Ensemble],
) -> None:
    """The button with what it will take, or why there is nothing to press."""
    try:
        plan = work.draft.plan(
            group_ids, rubrics, judges, name=summary.name, source=source_of(summary.name, work.draft)
        ).without_repeats()
        estimate = work.lab.sweeps.estimate(plan)
    except RewardLabError as error:
        st.button("Score", key="sweep-start", type="primary", icon=":material/balance:", disabled=True)
        show_error(error)
        return
    warm_up(work.lab, tuple(judge for ensemble in plan.judges for judge in ensemble))
    pressed = st.button(
        described(estimate, plan), key="sweep-start", type="primary", icon=":material/balance:", wrap=True
    )
    _draw_remarks(plan, estimate)
    if pressed:
        sweep_id = work.lab.sweeps.start(plan)
        st.switch_page("pages/runs.py", query_params={"sweep": str(sweep_id)})


def source_of(name: str, draft: SweepDraft) -> str:
    """Where the groups come from, in words."""
    parts = [name, *([_side(draft.split)] if draft.split is not None else [])]
    return ", ".join([*parts, *([f"tagged {draft.tag}"] if draft.tag is not None else [])])


def described(estimate: SweepEstimate, plan: SweepPlan) -> str:
    """What a sweep will take, in a few words; to be read as Markdown, so without a word of anybody's."""
    each, rest = divmod(estimate.responses, estimate.groups)
    groups = counted(estimate.groups, "group") if rest else f"{counted(estimate.groups, 'group')} x {each:,} responses"
    if rest:
        groups += f" ({estimate.responses:,} responses)"
    total, about = estimate.total, "" if estimate.exact else "about "
    parts = [f"at most {about}{total.calls:,} call{'s' if total.calls != 1 else ''}"]
    if total.tokens:
        parts.append(f"~{short(total.tokens)} tokens")
    parts.append(cost(total.cost_usd))
    methods = counted(len(plan.settings.methods), "method")
    return f"Score {groups} x {methods} in {counted(len(estimate.cells), 'run')} ({', '.join(parts)})"


def _draw_remarks(plan: SweepPlan, estimate: SweepEstimate) -> None:
    """What the figures on the button do not say; and each run with its own."""
    if estimate.own_prompts and any(prompt is not None for prompt in plan.prompts):
        st.caption(
            f"{estimate.own_prompts:,} of {counted(estimate.looked_at, 'response')} looked at open with a system "
            "message of their own: they keep it, so another prompt changes nothing for them."
        )
    if len(estimate.cells) > 1:
        st.caption("Questions that two runs share are asked once, so it may be less.")
        with st.expander(f"The {len(estimate.cells)} runs", icon=":material/table_rows:"):
            grid(
                [
                    Column("run", "Run", kind="text"),
                    Column("calls", "Calls, at most", kind="number"),
                    Column("tokens", "Tokens", kind="number"),
                    Column("cost", "Cost, USD", kind="number"),
                ],
                [
                    Row(
                        str(cell.place),
                        str(cell.place + 1),
                        _BADGE,
                        well_formed(cell.title),
                        cells={
                            "calls": Cell(float(found.calls), count(found.calls)),
                            "tokens": Cell(float(found.tokens), count(found.tokens)),
                            "cost": Cell(found.cost_usd, money(found.cost_usd)),
                        },
                    )
                    for cell, found in zip(sweep_cells(plan), estimate.cells, strict=True)
                ],
                key="sweep-planned",
                label="What each run takes",
                selected=None,
                wrapped=True,
            )
