"""The pairs of responses that a judge puts in the other order than people do, with what it said of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from reward_lab.core.calibration import Judged
from reward_lab.core.disagreement import Answer, Disagreement
from reward_lab.core.labels import Label, Mark, ResponseLabel
from reward_lab.core.wording import isolated, listed
from reward_lab.services.results import Result
from reward_lab.ui import calibrate_rows
from reward_lab.ui.calibrate_view import CalibrateView
from reward_lab.ui.details import method_blocks, response_blocks
from reward_lab.ui.grid import grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.wiring import Lab

_AT_FIRST = 8
"""So many leave room for the open one below."""


def draw_pairs(lab: Lab, view: CalibrateView, pairs: Sequence[Disagreement], line: Judged) -> None:
    """The worst of them in a list, and the chosen one in full."""
    st.markdown("**The worst disagreements**")
    if not pairs:
        st.caption("There is none: no pair stands the other way round.")
        return
    shown = pairs if view.all_pairs else pairs[:_AT_FIRST]
    first = view.pair if view.pair in {str(place) for place in range(len(shown))} else "0"
    picked = grid(
        calibrate_rows.PAIRS,
        calibrate_rows.pair_rows(shown),
        key=f"calibrate-disagreements-{calibrate_rows.line_id(line)}",
        label="Pairs in the other order",
        selected=(first, None),
    )
    if len(pairs) > _AT_FIRST:

        def choose() -> None:
            view.all_pairs = st.session_state["calibrate-all-pairs"]

        st.toggle(f"All {len(pairs)}", view.all_pairs, key="calibrate-all-pairs", on_change=choose)
    view.pair = picked.row_id if picked is not None else first
    _draw_pair(lab, shown[int(view.pair)])


def _draw_pair(lab: Lab, pair: Disagreement) -> None:
    result = lab.results.of(pair.run_id, group_id=pair.group_id)
    said = {saved.label.annotator: order_words(saved.label, result) for saved in lab.labelling.of_group(pair.group_id)}
    asked = [
        Block("pair", "line", pair.name, pieces=plain(pair_words(pair))),
        *(Block(f"order-{who}", "line", who, pieces=plain(told)) for who, told in said.items() if told),
    ]
    read(asked, key="calibrate-pair", label="The open disagreement")
    sides = st.columns(2, gap="medium")
    for side, answer, by in zip(sides, (pair.better, pair.worse), ("people", "the judge"), strict=True):
        with side:
            blocks = answer_blocks(result, answer, pair.method, by)
            read(blocks, key=f"calibrate-better-by-{by}", label=f"Better by {by}")
    st.page_link(
        "pages/score.py",
        label="Open the group in its run",
        icon=":material/balance:",
        query_params={"run": str(pair.run_id), "group": str(result.run.group_ids.index(pair.group_id) + 1)},
    )


def pair_words(pair: Disagreement) -> str:
    """Who put the two in which order."""
    better, worse = pair.better.letter, pair.worse.letter
    siding = (
        f" {listed(map(isolated, pair.siding))} put {worse} above {better}, as the judge does." if pair.siding else ""
    )
    judge = f"The judge gives {worse} a reward that is {pair.reward_gap:.2f} higher."
    return f"{listed(map(isolated, pair.annotators))} put {better} above {worse}.{siding} {judge}"


def order_words(label: Label, result: Result) -> str:
    """What a person said of all responses, by their letters; "" where nothing was said of them.

    Ranked responses stand best first with ">" and "=", scored and marked ones with what they got.
    """
    said = [(row.letter, label.responses.get(row.trajectory.id, ResponseLabel())) for row in result.table.rows]
    ranked: dict[int, list[str]] = {}
    for letter, one in said:
        if one.rank is not None:
            ranked.setdefault(one.rank, []).append(letter)
    parts = [" > ".join(" = ".join(ranked[rank]) for rank in sorted(ranked))]
    parts.append(", ".join(f"{letter} {one.score:.3g}" for letter, one in said if one.score is not None))
    parts.append(", ".join(f"{letter} {_MARKS[one.mark]}" for letter, one in said if one.mark is not None))
    return "; ".join(filter(None, (*parts, label.comment.strip())))


_MARKS = {Mark.GOOD: "✓ good", Mark.BAD: "✕ bad"}


def answer_blocks(result: Result, answer: Answer, method: str, by: str) -> tuple[Block, ...]:
    """One response in full, then what the method said of it."""
    cards = method_blocks(result.table, result.run, answer.letter, None, lambda _: None)
    said = [replace(card, folds=()) for card in cards if card.id == f"card-{answer.letter}-{method}"]
    head, *texts = response_blocks(result.table, answer.letter)
    return (replace(head, note=f"better by {by}"), *said, *texts)
