"""Generation: ask a judge for criteria, then keep, change or drop each before it becomes a part of the rubric."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from reward_lab.core.chat import text_of
from reward_lab.core.generation.requests import AddPitfalls, Generate, Request, Separate, Sharpen
from reward_lab.core.group import Trajectory
from reward_lab.core.judge import OFFLINE
from reward_lab.core.proposal import Proposal
from reward_lab.core.rubric import Category, Rubric
from reward_lab.core.table import letter
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput, RewardLabError
from reward_lab.services.drafts import Draft, JudgeDraft, new_id
from reward_lab.services.generation import CallEstimate, GenerationJob, JobState
from reward_lab.services.rubric_drafts import ProposalDraft
from reward_lab.ui.desk import present_desk
from reward_lab.ui.fields import show_fault
from reward_lab.ui.figures import count, money, seconds
from reward_lab.ui.frame import warm_up
from reward_lab.ui.reading import Block, Fold, Tone, plain, read
from reward_lab.ui.studio import Context, Studio

_POLL_S = 0.5

_KINDS = {
    "generate": "A whole rubric",
    "sharpen": "Sharpen a criterion",
    "pitfalls": "Pitfalls from bad responses",
    "separate": "What separates two responses",
}


def draw(studio: Studio, context: Context) -> None:
    """What to ask for; the job while it runs; then the review."""
    job_id = studio.draft.job_id
    job = None if job_id is None else studio.lab.generation.job(job_id)
    if job is not None and job.state is JobState.RUNNING:
        st.fragment(_draw_running, run_every=_POLL_S)(studio, job.id)
        return
    if job is not None:
        _draw_outcome(studio, job)
    if studio.draft.proposals:
        _draw_review(studio)
        return
    _draw_request(studio, context)


def _draw_request(studio: Studio, context: Context) -> None:
    kind = st.segmented_control(
        "Ask for",
        list(_KINDS),
        format_func=_KINDS.__getitem__,
        default="generate",
        required=True,
        key="generation-kind",
        wrap=True,
    )
    try:
        rubric = studio.draft.rubric()
    except InvalidInput as error:
        show_fault(error)
        return
    request = _request(studio, kind or "generate", rubric, context)
    judge = _choose_judge(studio)
    if request is None:
        return
    try:
        (asked_of,) = Draft(judges=[judge]).ensemble()
        estimate = studio.lab.generation.estimate(request, asked_of)
    except RewardLabError as error:
        show_fault(error)
        return
    ask_again = asked_of.model != OFFLINE and st.checkbox(
        "Ask anew", key="generation-again", help="Leave a stored reply aside: the same request else gives the same one."
    )
    if st.button(f"Ask ({_described(estimate)})", type="primary", icon=":material/auto_awesome:", key="generation-ask"):
        warm_up(studio.lab, (asked_of,))
        studio.change(
            job_id=studio.lab.generation.start(request, asked_of, ask_again=ask_again),
            asked_of=tuple(row.id for row in studio.draft.criteria if not row.is_blank),
        )
        st.rerun()


def _request(studio: Studio, kind: str, rubric: Rubric, context: Context) -> Request | None:
    scenario, members = context.scenario, context.trajectories
    if kind == "sharpen":
        if not rubric.criteria:
            st.info("There is no criterion to sharpen yet.", icon=":material/info:")
            return None
        position = st.selectbox(
            "Criterion",
            range(len(rubric.criteria)),
            format_func=lambda index: f"{index + 1}. {rubric.criteria[index].description}",
            key="generation-criterion",
        )
        return Sharpen(scenario, rubric.criteria[position], position)
    if kind == "pitfalls":
        if not members:
            _say_too_few()
            return None
        bad = st.multiselect(
            "Bad responses", range(len(members)), format_func=lambda index: _named(members, index), key="generation-bad"
        )
        if not bad:
            st.caption("Choose the responses whose faults the rubric should name.")
            return None
        return AddPitfalls(scenario, rubric, tuple(members[index] for index in bad))
    if kind == "separate":
        if len(members) < 2:
            _say_too_few()
            return None
        left, right = st.columns(2)
        better = left.selectbox(
            "Better", range(len(members)), format_func=lambda index: _named(members, index), key="generation-better"
        )
        worse = right.selectbox(
            "Worse",
            range(len(members)),
            index=1,
            format_func=lambda index: _named(members, index),
            key="generation-worse",
        )
        return Separate(scenario, rubric, members[better], members[worse])
    has_reference = bool((scenario.reference_answer or "").strip())
    with_reference = st.checkbox(
        "Show the reference answer",
        value=has_reference and studio.with_reference,
        disabled=not has_reference,
        key=studio.key(f"reference-{has_reference}"),
        help="Criteria grounded in a reference train better: HealthBench 35.9 against 32.0 without one (RaR).",
    )
    if has_reference:
        studio.with_reference = with_reference
    else:
        st.caption("This scenario has no reference answer: criteria are made from the prompt alone.")
    return Generate(scenario, rubric, with_reference=with_reference)


def _say_too_few() -> None:
    st.info("The scenario at hand has too few responses: choose one that has some, above.", icon=":material/info:")


def _named(members: Sequence[Trajectory], index: int) -> str:
    member = members[index]
    said = member.label or member.answer
    return f"{letter(index)}: {said if len(said) <= 80 else f'{said[:80]} …'}"


def _choose_judge(studio: Studio) -> JudgeDraft:
    offers = {
        offer.label: JudgeDraft(model=offer.model, api_base=offer.api_base or "") for offer in studio.lab.offers.found()
    }
    desk = present_desk()
    if desk is not None:
        # With endpoint and parameters, which are set there.
        offers |= {
            f"Score page: {judge.model or 'unnamed'}": judge
            for judge in desk.draft.judges
            if judge not in offers.values()
        }
    present = studio.judge
    known = next((label for label, judge in offers.items() if judge == present), None)
    labels = [*offers] if known is not None else [present.model, *offers]
    chosen = st.selectbox(
        "Judge: choose, or type a LiteLLM model",
        labels,
        index=labels.index(known) if known is not None else 0,
        accept_new_options=True,
        key="generation-judge",
        help="One with parameters of its own: set it under Judge on the Score page, and choose it here.",
    )
    if chosen in offers:
        studio.judge = offers[chosen]
    elif chosen != present.model:
        studio.judge = JudgeDraft(model=chosen)
    if studio.judge.model == OFFLINE:
        st.caption(
            "The offline judge is no LLM: it turns sentences of the reference and the system prompt into statements. "
            "Take them as a first list."
        )
    elif chosen not in offers:
        endpoint = st.text_input(
            "Endpoint (optional)",
            studio.judge.api_base,
            key=f"generation-endpoint-{studio.judge.model}",
            placeholder="the provider's own",
            help="An endpoint typed here never receives a key of the server's, unless it is in the server's settings.",
        )
        studio.judge = studio.judge.model_copy(update={"api_base": endpoint.strip()})
    return studio.judge


def _described(estimate: CallEstimate) -> str:
    if not estimate.tokens:
        return "free, no LLM"
    cost = money(estimate.cost_usd)
    return f"{counted(estimate.calls, 'call')}, about {count(estimate.tokens)} tokens, cost {cost}".replace("$", "\\$")


def _draw_running(studio: Studio, job_id: str) -> None:
    job = studio.lab.generation.job(job_id)
    if job is None or job.state is not JobState.RUNNING:
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        said = f"{job.message} {seconds(job.seconds)}"
        read([Block("running", "line", "▶ Running", pieces=plain(said))], key="generation-running", label="Generation")
        if st.button("Cancel", key="generation-cancel", icon=":material/stop_circle:"):
            studio.lab.generation.cancel(job_id)
            st.rerun()


def _draw_outcome(studio: Studio, job: GenerationJob) -> None:
    if job.state is JobState.DONE and job.id != studio.draft.reviewed_job:
        proposals = [_proposal(one, studio.draft.asked_of) for one in job.proposals]
        studio.change(proposals=proposals, proposed_by=job.judge.model, reviewed_job=job.id)
        st.rerun()  # the panes' labels say how many there are to review
    heads = {JobState.DONE: "✓ Proposed", JobState.FAILED: "✕ Nothing came of it", JobState.CANCELLED: "■ Cancelled"}
    tone: Tone = "better" if job.state is JobState.DONE else "warning"
    usage = job.usage
    stored = "a stored reply, " if usage.cached and usage.cached >= usage.calls else ""
    took = (
        f"{stored}{counted(usage.calls, 'call')}, {count(usage.prompt_tokens)} tokens in, "
        f"{count(usage.completion_tokens)} out, cost {money(usage.cost_usd)}, {seconds(job.seconds)}"
    )
    prompt = [
        Block(f"asked-{index}", "message", str(message["role"]).capitalize(), pieces=plain(text_of(message)), mono=True)
        for index, message in enumerate(job.prompt)
    ]
    prompt.append(
        Block("replied", "message", "Raw reply", pieces=plain(job.raw_reply or "(none)"), mono=True, marked=True)
    )
    blocks = [
        Block(
            "outcome",
            "card",
            heads[job.state],
            note=took,
            tone=tone,
            pieces=plain(job.message),
            folds=(Fold("generation-call", "Prompt and raw reply", tuple(prompt)),),
        ),
        *(
            Block(f"note-{index}", "line", "Note", tone="note", pieces=plain(note))
            for index, note in enumerate(job.notes)
        ),
    ]
    read(blocks, key="generation-outcome", label="What came of it")


def _proposal(proposal: Proposal, rows: Sequence[str]) -> ProposalDraft:
    replaces = "" if proposal.replaces is None or proposal.replaces >= len(rows) else rows[proposal.replaces]
    return ProposalDraft(
        **proposal.criterion.model_dump(mode="json"),
        id=new_id(),
        why=proposal.why,
        notes=list(proposal.notes),
        replaces=replaces,
    )


def _draw_review(studio: Studio) -> None:
    proposals = studio.draft.proposals
    kept = sum(proposal.kept is True for proposal in proposals)
    undecided = sum(proposal.kept is None for proposal in proposals)
    with st.container(horizontal=True, vertical_alignment="center"):
        said = f"**{kept} kept**, {len(proposals) - kept - undecided} dropped, {undecided} to decide"
        st.markdown(said, width="content")
        st.button(
            "Keep all", key="review-keep-all", icon=":material/done_all:", on_click=_decide_all, args=(studio, True)
        )
        st.button(
            "Drop all", key="review-drop-all", icon=":material/close:", on_click=_decide_all, args=(studio, False)
        )
        st.button(
            f"Put {kept} into the rubric",
            type="primary",
            key="review-done",
            icon=":material/playlist_add:",
            on_click=_finish,
            args=(studio,),
            disabled=not kept,
            help="What was not kept is dropped." if kept else "Keep at least one first.",
        )
        st.button("Discard", key="review-discard", type="tertiary", on_click=_discard, args=(studio,))
    for index, proposal in enumerate(proposals):
        _draw_proposal(studio, index, proposal)


def _draw_proposal(studio: Studio, index: int, proposal: ProposalDraft) -> None:
    key = f"{proposal.id}-{studio.generation}"
    with st.container(border=True, key=f"review-{proposal.id}"):
        read([_proposal_block(studio, index, proposal)], key=f"proposal-{key}", label=f"Proposal {index + 1}")
        with st.container(horizontal=True, vertical_alignment="center"):
            choice = st.segmented_control(
                f"Decide on proposal {index + 1}",
                ["keep", "drop"],
                default=None if proposal.kept is None else "keep" if proposal.kept else "drop",
                format_func={"keep": "✓ Keep", "drop": "✕ Drop"}.__getitem__,
                key=f"decide-{key}",
                label_visibility="collapsed",
            )
            editing = st.toggle("Edit", key=f"edit-{key}")
        kept = None if choice is None else choice == "keep"
        changes: dict[str, object] = {} if kept == proposal.kept else {"kept": kept}
        if editing:
            changes |= _edited(key, proposal)
    if changes:
        _change(studio, index, changes)
        st.rerun()


def _edited(key: str, proposal: ProposalDraft) -> dict[str, object]:
    title = st.text_input("Title", proposal.title, key=f"title-{key}")
    description = st.text_area("Statement", proposal.description, key=f"statement-{key}", height=80)
    left, middle, right = st.columns(3)
    categories = [category.value for category in Category]
    category = left.selectbox(
        "Category",
        categories,
        index=categories.index(proposal.category) if proposal.category in categories else 1,
        key=f"category-{key}",
    )
    weight = middle.number_input("Weight", value=proposal.weight, key=f"weight-{key}")
    meets_when = right.selectbox(
        "Met when the statement is",
        [True, False],
        index=0 if proposal.meets_when else 1,
        format_func=lambda truth: "true" if truth else "false",
        key=f"polarity-{key}",
    )
    edited = {
        "title": title,
        "description": description,
        "category": category,
        "weight": weight,
        "meets_when": meets_when,
    }
    return {name: value for name, value in edited.items() if value != getattr(proposal, name)}


def _proposal_block(studio: Studio, index: int, proposal: ProposalDraft) -> Block:
    weight = "" if proposal.weight is None else f" · weight {proposal.weight:g}"
    met = "true" if proposal.meets_when else "false"
    note = f"{proposal.category}{weight} · met when {met}"
    said = [proposal.description]
    places = {row.id: place for place, row in enumerate(studio.draft.criteria, start=1)}
    if proposal.replaces in places:
        said.append(f"In the place of criterion {places[proposal.replaces]}.")
    said += [f"Why: {proposal.why}"] if proposal.why else []
    said += [f"⚠ {text}" for text in proposal.notes]
    return Block(
        f"proposal-{proposal.id}", "message", f"{index + 1}. {proposal.title}", note=note, pieces=plain("\n".join(said))
    )


def _change(studio: Studio, index: int, changes: dict[str, object]) -> None:
    proposals = list(studio.draft.proposals)
    proposals[index] = proposals[index].model_copy(update=changes)
    studio.change(proposals=proposals)


def _decide_all(studio: Studio, kept: bool) -> None:
    studio.generation += 1
    studio.change(proposals=[one.model_copy(update={"kept": kept}) for one in studio.draft.proposals])


def _discard(studio: Studio) -> None:
    emptied = studio.draft.model_copy(update={"proposals": [], "proposed_by": "", "job_id": None})
    studio.put(emptied, step="the proposals were discarded")


def _finish(studio: Studio) -> None:
    studio.put(studio.draft.reviewed().model_copy(update={"job_id": None}), step="proposals came into the rubric")
    studio.pane = "write"
