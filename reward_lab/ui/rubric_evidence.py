"""What runs show of a rubric: criteria that tell nothing, and weights that the data speak for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from reward_lab.core.criterion_evidence import CriterionEvidence, evidence_findings
from reward_lab.core.judge import OFFLINE
from reward_lab.core.marks import Response
from reward_lab.core.rubric import Rubric
from reward_lab.core.weighting import WeightProposal
from reward_lab.core.wording import counted
from reward_lab.services.evidence import Judged
from reward_lab.services.library import History
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.studio import Studio

_BADGE = "#5b6270"
_LABELLED_AT_ONCE = 24

_COLUMNS = (
    Column("criterion", "Criterion", kind="text"),
    Column("met", "Met", kind="score", help="The share of judged responses that meet it, and of how many."),
    Column(
        "rest",
        "With the rest",
        kind="number",
        help="Correlation with the other criteria, within groups; 95% interval on hover.",
    ),
    Column(
        "flips",
        "Flips",
        kind="number",
        help="The share of responses in which repeats of one judge disagree; 95% interval on hover.",
    ),
)

_WEIGHTS = (
    Column("criterion", "Criterion", kind="text"),
    Column("good", "Met by good", kind="score"),
    Column("bad", "Met by bad", kind="score"),
    Column("difference", "Difference", kind="number", help="In points, with its 95% interval on hover."),
    Column("present", "Weight", kind="number"),
    Column("proposed", "Proposed", kind="number"),
)


def draw(studio: Studio, history: History | None) -> None:
    """Evidence from the runs under a version, criterion by criterion; then the proposal of weights."""
    versions = [] if history is None else [one for one in history.versions if history.uses.get(one.number)]
    if history is None or not versions:
        st.info(
            "No run was scored under a saved version of this rubric yet. Score with it (RaR explicit), and what its "
            "criteria tell stands here: which never discriminate, which flip between repeats, which weights the data "
            "speak for.",
            icon=":material/science:",
        )
        return
    numbers = [one.number for one in versions]
    number = st.selectbox(
        "Version",
        numbers,
        format_func=lambda one: f"version {one}, {counted(len(history.uses[one]), 'run')}",
        key="evidence-version",
    )
    run_ids = history.uses[number]
    chosen = st.multiselect(
        "Runs", run_ids, default=run_ids[:5], format_func=lambda run: f"run {run}", key=f"evidence-runs-{number}"
    )
    if not chosen:
        st.caption("Choose at least one run.")
        return
    version = history.version(number) or history.current
    judged = studio.lab.evidence.of(version.rubric, chosen)
    if not judged.marks:
        st.info("None of these runs has verdicts on single criteria: score with RaR explicit.", icon=":material/info:")
        return
    _draw_evidence(version.rubric, judged)
    st.subheader("Weights that the data speak for", anchor=False)
    _draw_weights(studio, version.rubric, judged)


def _draw_evidence(rubric: Rubric, judged: Judged) -> None:
    evidence = judged.evidence
    responses = counted(judged.responses, "response")
    st.text(
        f"RaR explicit's verdicts on {responses} of {counted(judged.groups, 'group')}, by {_joined(judged.judges)}."
    )
    found = evidence_findings(evidence)
    if found:
        read(
            [
                Block(
                    f"evidence-{index}",
                    "line",
                    "⚠ Warning" if one.level == "warning" else "Note",
                    tone=one.level,
                    pieces=plain(f"{one.message} {one.advice}"),
                )
                for index, one in enumerate(found)
            ],
            key="evidence-findings",
            label="Findings",
        )
    grid(
        _COLUMNS,
        [_evidence_row(rubric, one) for one in evidence],
        key="evidence",
        label="Evidence on each criterion",
        selected=None,
        wrapped=True,
    )


def _evidence_row(rubric: Rubric, one: CriterionEvidence) -> Row:
    rest, flips = one.item_rest, one.flips
    interval = "" if rest.low is None else f"{rest.low:+.2f} to {rest.high:+.2f}, n = {rest.n}"
    return _row(
        rubric,
        one.position,
        {
            "met": Cell(state="unknown", hover="No verdict.")
            if one.met is None
            else Cell(one.met, f"{one.met:.0%}", bar=one.met, note=f"of {one.judged}"),
            "rest": Cell(state="empty", hover=f"Nothing varies, or too few responses (n = {rest.n}).")
            if rest.value is None
            else Cell(rest.value, f"{rest.value:+.2f}", hover=interval),
            "flips": Cell(state="empty", hover="No response was judged twice by one judge.")
            if flips.share is None
            else Cell(
                flips.share,
                f"{flips.share:.0%}",
                note=f"of {flips.n}",
                hover=f"{flips.low:.0%} to {flips.high:.0%}" if flips.low is not None else "",
            ),
        },
    )


def _joined(names: Sequence[str]) -> str:
    return ", ".join("the offline judge (no LLM)" if name == OFFLINE else name for name in names)


def _draw_weights(studio: Studio, rubric: Rubric, judged: Judged) -> None:
    labels = _labels(judged)
    proposals = judged.proposed_weights(labels)
    if not any(one.discrimination for one in proposals):
        st.caption("Mark at least one good and one bad response of the same group, above.")
        return
    grid(
        _WEIGHTS,
        [_weight_row(rubric, one) for one in proposals],
        key="evidence-weights",
        label="Proposed weights",
        selected=None,
        wrapped=True,
    )
    turned = [_words(rubric, one) for one in proposals if one.turned]
    if turned:
        read(turned, key="evidence-turned", label="Criteria that bad responses meet more often")
    with st.expander("The evidence in words"):
        read([_words(rubric, one) for one in proposals], key="evidence-words", label="Evidence in words")
    st.caption(
        "A proposal: with few labels it stays near the present weights (k = h / (h + 10), h the harmonic mean of good "
        "and bad responses). Nothing changes until you take it."
    )
    same = [row.description for row in studio.draft.criteria if not row.is_blank] == [
        one.description for one in rubric.criteria
    ]
    if st.button(
        "Take these weights into the editor", key="evidence-take", icon=":material/balance:", disabled=not same
    ):
        studio.put(studio.draft.model_copy(update=_weighted(studio, proposals)), step="the proposed weights were taken")
        st.toast("The weights stand in the editor; save them as a version when you agree.", icon=":material/check:")
        st.rerun()
    if not same:
        st.caption(
            "The editor holds other criteria than this version: open the version from History to take its weights."
        )


def _words(rubric: Rubric, one: WeightProposal) -> Block:
    return Block(
        f"weight-{one.position}",
        "line",
        f"{'⚠ ' if one.turned else ''}{one.position + 1}. {rubric.criteria[one.position].title}".rstrip(". "),
        tone="warning" if one.turned else "",
        pieces=plain(one.evidence),
    )


def _weighted(studio: Studio, proposals: tuple[WeightProposal, ...]) -> dict[str, object]:
    given = iter(proposals)
    rows = [
        row if row.is_blank else row.model_copy(update={"weight": round(next(given).proposed, 3)})
        for row in studio.draft.criteria
    ]
    return {"criteria": rows, "scoring": studio.draft.scoring.model_copy(update={"weights": "own"})}


def _weight_row(rubric: Rubric, one: WeightProposal) -> Row:
    found = one.discrimination
    figures: dict[str, Cell] = {
        "present": Cell(one.present, f"{one.present:.2f}"),
        "proposed": Cell(one.proposed, f"{one.proposed:.2f}"),
    }
    if found is not None:
        figures |= {
            "good": Cell(found.met_good, f"{found.met_good:.0%}", bar=found.met_good, note=f"of {found.good}"),
            "bad": Cell(found.met_bad, f"{found.met_bad:.0%}", bar=found.met_bad, note=f"of {found.bad}"),
            "difference": Cell(
                found.value,
                f"{round(100 * found.value):+d}" if round(100 * found.value) else "0",
                hover=f"{100 * found.low:+.0f} to {100 * found.high:+.0f} points",
            ),
        }
    return _row(rubric, one.position, figures)


def _row(rubric: Rubric, position: int, cells: Mapping[str, Cell]) -> Row:
    criterion = rubric.criteria[position]
    about = (criterion.title, criterion.category.value, "" if criterion.meets_when else "met when false")
    return Row(
        str(position),
        str(position + 1),
        _BADGE,
        criterion.description,
        " · ".join(filter(None, about)),
        cells=cells,
    )


def _labels(judged: Judged) -> dict[Response, float | None]:
    """Good and bad, as a person marks them here; what came along with the data stands as a start."""
    labels: dict[Response, float | None] = {}
    st.caption("Which of these are known to be good, which bad? Rewards that came with the data are taken as a start.")
    for index, (response, said) in enumerate(list(judged.texts.items())[:_LABELLED_AT_ONCE]):
        known = judged.labels.get(response)
        with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"label-line-{index}"):
            choice = st.segmented_control(
                f"Response {index + 1}",
                ["good", "bad"],
                default=None if known is None else "good" if known else "bad",
                format_func={"good": "✓ good", "bad": "✕ bad"}.__getitem__,
                key=f"label-{response.group}-{response.trajectory}",
                label_visibility="collapsed",
            )
            read(
                [Block(f"labelled-{index}", "line", said.head, pieces=plain(said.text))],
                key=f"labelled-{index}",
                label=said.head,
            )
        labels[response] = None if choice is None else float(choice == "good")
    rest = len(judged.texts) - _LABELLED_AT_ONCE
    if rest > 0:
        st.caption(f"{counted(rest, 'more response')} with the labels that came with the data.")
        labels |= {response: judged.labels.get(response) for response in list(judged.texts)[_LABELLED_AT_ONCE:]}
    return labels
