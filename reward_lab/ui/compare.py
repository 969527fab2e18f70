"""The Compare page: a baseline and up to five other runs; what differs in what they asked, and in what came of it.

All below the choice of runs is a fragment: ordering, filtering and walking through groups leave the rest alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from reward_lab.core.methods import METHODS
from reward_lab.core.ordering import Filter, Order, Ordered
from reward_lab.core.run import RunState
from reward_lab.core.wording import counted
from reward_lab.services.comparison import Compared, OpenGroup
from reward_lab.ui import compare_charts, compare_group, compare_list, compare_runs, compare_summary
from reward_lab.ui.choices import choose_reward
from reward_lab.ui.compare_view import MOST_SEARCHED, PAGE, CompareView, view_of
from reward_lab.ui.frame import let_numbers_paint, shown_errors
from reward_lab.ui.grid import grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.wiring import Lab

_POLL_S, _SLOW_POLL_S, _MANY_ITEMS = 3.0, 30.0, 5_000
_MEASURED = 200
"""Groups whose responses' lengths are read for one chart."""
_CHARTS = ("Ranks", "Rewards", "Changes", "Length")


def draw(lab: Lab) -> None:
    """Choose the runs, and compare them."""
    st.markdown("### Compare")
    ids = compare_runs.choose(lab)
    if len(ids) < 2:
        compare_runs.draw_empty(ids)
        return
    compared = view_of(ids).of(lab)
    unfinished = [run for run in compared.runs if run.state is RunState.RUNNING]
    often = _POLL_S if sum(run.progress.total for run in unfinished) < _MANY_ITEMS else _SLOW_POLL_S
    st.fragment(_draw, run_every=often if unfinished else None)(lab, ids, bool(unfinished))


def _draw(lab: Lab, ids: tuple[int, ...], running: bool) -> None:
    with shown_errors():
        view = view_of(ids)
        compared = view.of(lab)
        if any(run.state is RunState.RUNNING for run in compared.runs) != running:
            st.rerun()
        _draw_changes(compared)
        if not compared.figures.groups or not compared.figures.methods:
            _draw_nothing_shared(compared)
            return
        method = _choose_method(view, compared)
        said = st.container()
        listed = _choose_groups(view, compared)
        if not listed:
            view.show_in_address(compared, listed)
            st.info("No group matches. Clear a filter above to see more.", icon=":material/filter_alt_off:")
            _draw_said(said, compared, method)
            return
        _draw_list(view, compared, listed, method)
        view.show_in_address(compared, listed)
        _draw_said(said, compared, method)
        opened = _draw_open(lab, view, compared, listed, method)
        let_numbers_paint(view)
        _draw_charts(lab, view, compared, opened, listed, method)
        _draw_intervals(view, compared)


def _draw_changes(compared: Compared) -> None:
    read(compare_summary.change_blocks(compared), key="compare-changes", label="What was asked otherwise")


def _draw_nothing_shared(compared: Compared) -> None:
    baseline = compared.runs[0].id
    if compared.figures.groups:
        said = f"No method of run {baseline} is in another of these runs: choose runs that share a method."
    else:
        said = f"No other run has a response in common with run {baseline}: choose runs over the same groups."
    read([Block("nothing", "lead", pieces=plain(said))], key="compare-nothing", label="Result")
    read(compare_summary.unmatched_blocks(compared), key="compare-unmatched", label="Groups without a counterpart")


def _draw_said(room: DeltaGenerator, compared: Compared, method: str) -> None:
    """The sentence, put above the list once the list is drawn: its interval takes a moment."""
    blocks = compare_summary.sentence_blocks(compared, method)
    with room:
        read([*blocks, *compare_summary.unmatched_blocks(compared)], key="compare-sentence", label="Result")


def _choose_method(view: CompareView, compared: Compared) -> str:
    method = view.method_of(compared)

    def chosen() -> None:
        view.method = st.session_state["compare-method"]
        view.convention = st.session_state["compare-convention"]

    choose_reward(
        "Method",
        compared.figures.methods,
        method,
        view.convention,
        keys=("compare-method", "compare-convention"),
        on_change=chosen,
    )
    return method


def _choose_groups(view: CompareView, compared: Compared) -> tuple[Ordered, ...]:
    """The order and the filters, where there is something to order."""
    if len(compared.figures.groups) == 1:
        view.chosen = Filter()
        return view.listed(compared)
    methods = compared.figures.methods

    def chosen() -> None:
        state = st.session_state
        kept = Filter(
            search=state["compare-search"],
            high=state["compare-high"],
            low=state["compare-low"],
            flipped="flips" in state["compare-only"],
            lost="lost scores" in state["compare-only"],
        )
        view.keep(kept, state["compare-order"])

    def head(name: str | None) -> str:
        return "any" if name is None else METHODS[name].head

    kept = view.chosen
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="compare-filters"):
        st.selectbox(
            "Order by",
            list(Order),
            index=list(Order).index(view.order),
            key="compare-order",
            on_change=chosen,
            width=240,
        )
        st.text_input(
            "Search",
            kept.search,
            placeholder="group",
            max_chars=MOST_SEARCHED,
            key="compare-search",
            on_change=chosen,
            width=160,
        )
        options = [None, *methods]
        high = options.index(kept.high) if kept.high in options else 0
        low = options.index(kept.low) if kept.low in options else 0
        told = "A response in the {} third of its group by this method, in one of the runs."
        st.selectbox("High by", options, high, head, "compare-high", told.format("upper"), on_change=chosen, width=130)
        st.selectbox("Low by", options, low, head, "compare-low", told.format("lower"), on_change=chosen, width=130)
        only = [name for name, on in (("flips", kept.flipped), ("lost scores", kept.lost)) if on]
        st.multiselect("Only with", ["flips", "lost scores"], only, key="compare-only", on_change=chosen, width=200)
    return view.listed(compared)


def _draw_list(view: CompareView, compared: Compared, listed: Sequence[Ordered], method: str) -> None:
    start = view.page * PAGE
    shown = listed[start : start + PAGE]
    total = len(compared.figures.groups)
    if total > 1:
        picked = grid(
            compare_list.columns(compared, view.order),
            compare_list.rows(compared, shown, view.order, method),
            key="compare-list",
            label="Groups by what changed",
            selected=(str(view.place), None),
            sortable=False,
            roomy=True,
        )
        if picked is not None and picked.row_id.isdecimal():
            view.open(int(picked.row_id))
    _draw_pager(view, listed, total)


def _draw_pager(view: CompareView, listed: Sequence[Ordered], total: int) -> None:
    if total == 1:
        return

    def turn(by: int) -> None:
        view.page += by
        view.open(listed[view.page * PAGE].place)

    last = (len(listed) - 1) // PAGE
    line = next((line for line, one in enumerate(listed) if one.place == view.place), 0)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Previous group",
            icon=":material/keyboard_arrow_up:",
            key="compare-before",
            shortcut="K",
            disabled=line == 0,
            on_click=view.step,
            args=(listed, -1),
            type="tertiary",
        )
        st.button(
            "Next group",
            icon=":material/keyboard_arrow_down:",
            key="compare-after",
            shortcut="J",
            disabled=line == len(listed) - 1,
            on_click=view.step,
            args=(listed, 1),
            type="tertiary",
        )
        of = f" of {total:,}" if len(listed) < total else ""
        st.caption(f"Group {line + 1:,} of {counted(len(listed), 'group')}{of}", width="content")
        if last:
            st.button(
                "Page back", key="compare-back", disabled=view.page == 0, on_click=turn, args=(-1,), type="tertiary"
            )
            st.caption(f"Page {view.page + 1} of {last + 1}", width="content")
            st.button(
                "Page on", key="compare-on", disabled=view.page == last, on_click=turn, args=(1,), type="tertiary"
            )


def _draw_open(lab: Lab, view: CompareView, compared: Compared, listed: Sequence[Ordered], method: str) -> OpenGroup:
    place = view.place if view.place is not None else listed[0].place
    opened = lab.comparisons.group(compared, place, method=method, convention=view.convention)
    group = compared.figures.groups[place].group
    title = Block("open", "line", "Group", pieces=plain(group.name), note="")
    read([title, *compare_group.other_responses(opened, compared.runs)], key="compare-open", label="The open group")
    labels = lab.calibrations.said_of(group)
    rows = compare_group.with_labels(compare_group.rows(opened, compared.runs, method), labels)
    change = compared.figures.changes(view.against, method)[place]
    moved = rows[0].id if change is None or change.member is None else rows[change.member].id
    letter = view.letter if view.letter in {row.id for row in rows} else moved
    picked = grid(
        [*compare_group.columns(opened, compared.runs, method), *compare_group.annotator_columns(labels)],
        rows,
        key=f"compare-matrix-{place}",
        label="Scores of each response by run",
        selected=(letter, None),
        roomy=True,
    )
    view.letter = picked.row_id if picked is not None else letter
    _draw_texts(view, compared, opened, method, view.letter)
    return opened


def _draw_texts(view: CompareView, compared: Compared, opened: OpenGroup, method: str, letter: str) -> None:
    _choose_against(view, compared)
    key = f"{letter}-{compared.runs[view.against + 1].id}"
    read(
        compare_group.response_blocks(opened, letter, view.against), key="compare-response", label=f"Response {letter}"
    )
    methods = [method, *(name for name in compared.figures.methods if name != method)]
    sides = st.columns(2, gap="medium")
    for side, against, label in zip(sides, (None, view.against), ("before", "after"), strict=True):
        with side:
            blocks = compare_group.explanation_blocks(opened, compared.runs, letter, methods, against)
            read(blocks, key=f"compare-said-{label}", label=f"What each method said {label}, {key}")


def _choose_against(view: CompareView, compared: Compared) -> None:
    if len(compared.runs) == 2:
        return

    def chosen() -> None:
        view.against = st.session_state["compare-against"]

    st.selectbox(
        "Read beside the baseline",
        range(len(compared.runs) - 1),
        index=view.against,
        format_func=lambda place: f"Run {compared.runs[place + 1].id}",
        key="compare-against",
        on_change=chosen,
        width=230,
    )


def _draw_charts(
    lab: Lab, view: CompareView, compared: Compared, opened: OpenGroup, listed: Sequence[Ordered], method: str
) -> None:
    def chosen() -> None:
        view.chart = st.session_state["compare-chart"]

    st.segmented_control(
        "Chart",
        _CHARTS,
        default=view.chart,
        required=True,
        key="compare-chart",
        on_change=chosen,
        label_visibility="collapsed",
    )
    head = METHODS[method].head
    if view.chart == "Ranks":
        ranks = compare_charts.rank_points(opened, compared.figures.run_ids, method)
        said = "; ".join(f"{one.letter} rank {one.rank} in {one.run.lower()}" for one in ranks)
        _chart(compare_charts.slope_chart(ranks) if ranks else None, f"{head} ranks of the open group: {said}.")
    elif view.chart == "Length":
        lengths = lab.comparisons.lengths(compared, [one.place for one in listed[:_MEASURED]])
        points = compare_charts.length_points(compared.figures, method, dict(lengths))
        of = counted(len(lengths), "group")
        said = (
            f"Change of the {head} reward against length, {counted(len(points), 'response')} of the first {of} listed."
        )
        _chart(compare_charts.length_chart(points) if points else None, said)
    else:
        rewards = view.chart == "Rewards"
        shares = (compare_charts.reward_shares if rewards else compare_charts.delta_shares)(compared.figures, method)
        title = f"{head} reward of a response" if rewards else f"Mean change of a group's {head} rewards"
        _chart(compare_charts.share_chart(shares, title) if shares else None, f"{title}: distribution in each run.")


def _chart(chart: compare_charts.AnyChart | None, said: str) -> None:
    if chart is None:
        st.caption("Nothing is scored that this chart could show.")
        return
    st.altair_chart(chart, width="stretch", alt=said, key="compare-drawn")
    st.caption(said if len(said) < 160 else f"{said.split(':')[0]}.")


def _draw_intervals(view: CompareView, compared: Compared) -> None:
    """Every method's interval: asked for, since many groups take a moment each."""

    def chosen() -> None:
        view.intervals = st.session_state["compare-intervals"]

    st.toggle("Intervals of every method", view.intervals, key="compare-intervals", on_change=chosen)
    if view.intervals:
        grid(
            compare_summary.difference_columns(),
            compare_summary.difference_rows(compared),
            key="compare-differences",
            label="Paired differences by run and method",
            selected=None,
        )
