"""How far people agree with each other: what no judge can be expected to go beyond."""

from __future__ import annotations

import streamlit as st

from reward_lab.core.agreement import FEW_GROUPS, Estimate
from reward_lab.core.chat import well_formed
from reward_lab.core.wording import counted
from reward_lab.services.labelling import Agreement, PairAgreement, Source
from reward_lab.ui.calibrate_cells import figure_cell, groups_cell, interval_cell, share_cell
from reward_lab.ui.calibrate_source import choose_source, draw_empty
from reward_lab.ui.calibrate_view import CalibrateView, show_in_address
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.wiring import Lab

_BADGE = "#5b6270"
_RELIABLE, _TENTATIVE = 0.8, 0.667
"""Krippendorff's own lines (Content Analysis, 4th ed., 12.4.3): above the first for conclusions, above the second for
tentative ones."""

_COLUMNS = (
    Column("who", "People", kind="text"),
    Column("groups", "Groups", "Groups in which both labelled the same two responses at least", kind="number"),
    Column("pairs", "Pairs", "Pairs of responses that both put in an order", kind="number"),
    Column("alike", "Same order", "Share of the pairs of responses that both put in an order, and in the same one"),
    Column("alike-interval", "95% interval", "By resampling whole groups (bootstrap)", kind="text"),
    Column("tau", "Tau-b", "Kendall's tau-b, mean of the groups; 1: the same order, 0: unrelated", kind="number"),
    Column("tau-interval", "95% interval", "By resampling whole groups (bootstrap)", kind="text"),
)


def draw(lab: Lab, view: CalibrateView) -> None:
    """The pane: choose the groups, read the agreement."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        source = choose_source(lab, view)
    if source is None:
        draw_empty()
        return
    show_in_address(view)
    draw_agreement(lab, source)


def draw_agreement(lab: Lab, source: Source) -> None:
    """Alpha in words, then each two people."""
    agreement = lab.labelling.agreement(source)
    read(agreement_blocks(agreement), key="calibrate-alpha", label="Agreement between people")
    if agreement.pairs:
        grid(_COLUMNS, agreement_rows(agreement), key="calibrate-pairs", label="Each two people", selected=None)


def agreement_blocks(agreement: Agreement) -> tuple[Block, ...]:
    """What the agreement says, and how far it can be trusted."""
    if not agreement.n_groups:
        said = "No group is labelled by two people yet."
        why = (
            "Let a second person label the same groups under a name of their own: where people do not agree, no judge "
            "can be right, and their agreement is the most that one can reach."
        )
        return Block("alpha", "lead", pieces=plain(said)), Block("why", "line", pieces=plain(why))
    alpha = agreement.alpha
    groups = counted(agreement.n_groups, "group")
    if alpha.value is None:
        said = f"Agreement cannot be told from {groups}: everything that two people said of them is tied."
        return (Block("alpha", "lead", pieces=plain(said)),)
    said = f"{_verdict(alpha.value)}: Krippendorff's alpha is {_figure(alpha)} over {groups} labelled by two or more."
    blocks = [
        Block("alpha", "lead", pieces=plain(said)),
        Block(
            "alpha-means",
            "line",
            "1 is full agreement, 0 what chance would give.",
            pieces=plain("A judge that agrees with people as well as they do with each other is as good as it can be."),
        ),
    ]
    if agreement.n_groups < FEW_GROUPS:
        few = f"Below {FEW_GROUPS} groups the interval is itself unsure: label more before deciding."
        blocks.append(Block("few", "line", "Few groups", tone="warning", pieces=plain(few)))
    return tuple(blocks)


def agreement_rows(agreement: Agreement) -> list[Row]:
    """A row for each two people."""
    return [_row(pair, place) for place, pair in enumerate(agreement.pairs)]


def _row(pair: PairAgreement, place: int) -> Row:
    cells = {
        "groups": groups_cell(pair.groups),
        "pairs": Cell(pair.pairs, f"{pair.pairs:,}"),
        "alike": share_cell(pair.alike),
        "alike-interval": interval_cell(pair.alike, percent=True),
        "tau": figure_cell(pair.tau),
        "tau-interval": interval_cell(pair.tau),
    }
    return Row(str(place), "", _BADGE, well_formed(f"{pair.first} and {pair.second}"), cells=cells)


def _verdict(alpha: float) -> str:
    if alpha >= _RELIABLE:
        return "People agree well"
    if alpha >= _TENTATIVE:
        return "People agree fairly: good enough for tentative conclusions"
    return "People do not agree enough to hold a judge against them" if alpha > 0 else "People do not agree"


def _figure(alpha: Estimate) -> str:
    value = f"{alpha.value:.2f}".replace("-", "−")
    if alpha.low is None or alpha.high is None:
        return value
    low, high = (f"{one:.2f}".replace("-", "−") for one in (alpha.low, alpha.high))
    return f"{value} ({low} to {high})"
