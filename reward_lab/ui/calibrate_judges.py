"""The pane that holds runs against labels: a sentence, a table, and behind each line of it what went wrong."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from reward_lab.core.agreement import Estimate
from reward_lab.core.calibration import Judged
from reward_lab.core.chat import well_formed
from reward_lab.core.comparison_sentences import is_clear
from reward_lab.core.wording import counted, isolated
from reward_lab.services.calibration import MOST_RUNS, Calibrated
from reward_lab.ui import calibrate_rows
from reward_lab.ui.calibrate_charts import gap_chart, gap_words
from reward_lab.ui.calibrate_pairs import draw_pairs
from reward_lab.ui.calibrate_source import draw_empty, run_label
from reward_lab.ui.calibrate_view import CalibrateView, show_in_address
from reward_lab.ui.figures import signed
from reward_lab.ui.frame import let_numbers_paint
from reward_lab.ui.grid import grid
from reward_lab.ui.reading import Block, plain, read
from reward_lab.wiring import Lab

_OFFERED = 50
"""So many of the latest runs can be chosen; older ones by the address."""
_SIDES = ("holdout", "tune", "all")
_AT_FIRST = 6
"""So many of the latest runs with labels are held against them where none were chosen."""


def draw(lab: Lab, view: CalibrateView) -> None:
    """Choose runs, people and dataset; read the sentence, the table, and one line of it."""
    if not lab.scoring.runs(limit=1).total or not lab.labelling.annotators():
        _draw_nothing(lab)
        return
    run_ids = _choose(lab, view)
    show_in_address(view)
    if not run_ids:
        _draw_none_labelled(view)
        return
    calibrated = lab.calibrations.of(run_ids, annotators=view.people or None, dataset_id=view.dataset_id)
    lines = _choose_side(view, calibrated, [line for line in calibrated.rows if _has_figures(line)])
    _choose_method(view, calibrated, lines)
    read(said_blocks(calibrated, lines, view.method), key="calibrate-said", label="Result")
    if not lines:
        _draw_ways(view)
        return
    line = _draw_table(view, lines)
    _draw_line(lab, view, calibrated, lines, line)


def _draw_nothing(lab: Lab) -> None:
    if not lab.scoring.runs(limit=1).total and not lab.datasets.summaries():
        draw_empty()
        return
    with st.container(border=True, key="calibrate-nothing"):
        st.markdown("**Runs stand here beside what people said, once both are there.**")
        missing = "label some groups" if lab.scoring.runs(limit=1).total else "score a dataset"
        st.caption(f"What is missing: {missing}. Labels that come with an imported dataset count too.")
    st.page_link("pages/groups.py", label="Go to Groups", icon=":material/dataset:")
    st.page_link("pages/score.py", label="Go to Score", icon=":material/balance:")


def _draw_none_labelled(view: CalibrateView) -> None:
    if view.run_ids is not None:
        said = "Choose at least one run above."
    elif view.dataset_id is not None:
        said = "None of the latest runs scored a group of this dataset that is labelled: score it, or choose another."
    else:
        said = "None of the latest runs scored a group that is labelled: choose older runs, or label groups of theirs."
    st.info(said, icon=":material/history:")
    _draw_ways(view)


def _draw_ways(view: CalibrateView) -> None:
    def label() -> None:
        view.pane = "label"

    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button("Label groups", key="calibrate-to-label", icon=":material/edit:", on_click=label)
        st.page_link("pages/groups.py", label="Score a dataset", icon=":material/dataset:")


def _choose(lab: Lab, view: CalibrateView) -> tuple[int, ...]:
    runs = {run.id: run for run in lab.scoring.runs(limit=_OFFERED).rows}
    people = [one.name for one in lab.labelling.annotators()]
    datasets = {one.id: one for one in lab.datasets.summaries()}
    chosen = _latest_labelled(lab, view, [*runs]) if view.run_ids is None else view.run_ids
    offered = [*dict.fromkeys([*runs, *chosen])]
    # Keyed by what is chosen, so that a link opened in this tab is not overruled by what stood here before.
    keys = [f"calibrate-{name}-{hash(one)}" for name, one in (("runs", chosen), ("by", view.people))]
    dataset_key = f"calibrate-dataset-{view.dataset_id}"

    def choose() -> None:
        view.run_ids, view.people = (tuple(st.session_state[key]) for key in keys)
        view.row = view.against = view.pair = None

    def choose_dataset() -> None:
        view.dataset_id, view.split, view.run_id = st.session_state[dataset_key], None, None
        view.row = view.against = view.pair = None

    left, middle, right = st.columns([5, 3, 3], gap="small")
    left.multiselect(
        f"Runs (up to {MOST_RUNS})",
        offered,
        default=list(chosen),
        format_func=lambda run_id: run_label(run_id, runs.get(run_id)),
        placeholder="Choose runs",
        max_selections=MOST_RUNS,
        key=keys[0],
        on_change=choose,
    )
    middle.multiselect(
        "Labels by",
        people,
        default=[one for one in view.people if one in people],
        format_func=well_formed,
        placeholder="everybody",
        key=keys[1],
        on_change=choose,
    )
    options = [None, *dict.fromkeys([*datasets, *filter(None, [view.dataset_id])])]
    right.selectbox(
        "Dataset",
        options,
        index=options.index(view.dataset_id),
        format_func=lambda one: _dataset_name(one, None if one not in datasets else datasets[one].name),
        key=dataset_key,
        on_change=choose_dataset,
    )
    return tuple(chosen)


def _dataset_name(dataset_id: int | None, name: str | None) -> str:
    if dataset_id is None:
        return "all labelled groups"
    return f"Dataset {dataset_id}" if name is None else well_formed(name)


def _latest_labelled(lab: Lab, view: CalibrateView, run_ids: Sequence[int]) -> tuple[int, ...]:
    """The latest runs that labels can be held against, in the order in which they were made."""
    latest = run_ids[:MOST_RUNS]
    if not latest:
        return ()
    found = lab.calibrations.of(latest, annotators=view.people or None, dataset_id=view.dataset_id)
    labelled = [run_id for run_id in latest if any(line.run_id == run_id and _has_figures(line) for line in found.rows)]
    return tuple(sorted(labelled[:_AT_FIRST]))


def _has_figures(line: Judged) -> bool:
    return bool(line.figures.pairs) or line.figures.auc.value is not None


def _choose_side(view: CalibrateView, calibrated: Calibrated, lines: Sequence[Judged]) -> list[Judged]:
    """The lines of one side of the dataset: of the holdout at first, where the sentence is told too."""
    sides = [side for side in _SIDES if any(line.split == side for line in lines)]
    if len(sides) > 1:
        key = f"calibrate-side-{hash(tuple(run.id for run in calibrated.runs))}"

        def choose() -> None:
            view.side = st.session_state[key]
            view.row = view.against = view.pair = None

        side = view.side if view.side in sides else sides[0]
        st.segmented_control(
            "Figures of", sides, default=side, required=True, format_func=str.capitalize, key=key, on_change=choose
        )
        return [line for line in lines if line.split == side]
    return list(lines)


def _choose_method(view: CalibrateView, calibrated: Calibrated, lines: Sequence[Judged]) -> None:
    """By which method the sentence holds runs against each other, where they have several."""
    methods = [*dict.fromkeys(line.method for line in lines)]
    view.method = view.method if view.method in methods else None
    if len(methods) < 2:
        return
    key = f"calibrate-method-{hash(tuple(run.id for run in calibrated.runs))}"

    def choose() -> None:
        view.method = st.session_state[key]

    options = [None, *methods]
    st.selectbox(
        "Method",
        options,
        index=options.index(view.method),
        format_func=lambda one: "best" if one is None else calibrate_rows.method_head(one),
        help="The method by which the runs are held against each other below; the best one is that of the best line.",
        key=key,
        on_change=choose,
        width=220,
    )


def said_blocks(calibrated: Calibrated, lines: Sequence[Judged], method: str | None) -> tuple[Block, ...]:
    """The sentence, which warns of few groups itself; then whose labels these are, and what has none."""
    blocks = [Block("sentence", "lead", pieces=plain(calibrated.sentence(method)))]
    people = calibrated.annotators
    if people and lines:
        names = ", ".join(map(isolated, people[:8])) + (f" and {len(people) - 8} more" if len(people) > 8 else "")
        blocks.append(Block("people", "line", "Labels by", pieces=plain(names)))
    without = {run_id: count for run_id, count in calibrated.unlabelled.items() if count}
    if without:
        told = ", ".join(f"{count:,} of run {run_id}" for run_id, count in without.items())
        blocks.append(Block("unlabelled", "line", "Groups without a label", tone="note", pieces=plain(told)))
    return tuple(blocks)


def _draw_table(view: CalibrateView, lines: Sequence[Judged]) -> Judged:
    by_id = {calibrate_rows.line_id(line): line for line in lines}
    best = max(lines, key=lambda line: line.figures.accuracy.value or 0.0)
    first = view.row if view.row in by_id else calibrate_rows.line_id(best)
    picked = grid(
        calibrate_rows.COLUMNS,
        calibrate_rows.rows(lines),
        key="calibrate-table",
        label="Judges against labels",
        selected=(first, None),
    )
    row = picked.row_id if picked is not None else first
    if row != view.row:
        view.row, view.pair = row, None
    return by_id[row]


def _draw_line(lab: Lab, view: CalibrateView, calibrated: Calibrated, lines: Sequence[Judged], line: Judged) -> None:
    name = calibrate_rows.line_name(line) + (f", {line.split}" if len(calibrated.splits) > 1 else "")
    read([Block("line", "line", name)], key="calibrate-line", label="The chosen line")
    _draw_links(view, calibrated, lines, line)
    _draw_plot(view, calibrated, line)
    _draw_criteria(calibrated, line)
    draw_pairs(lab, view, calibrated.disagreements(line), line)


def _draw_links(view: CalibrateView, calibrated: Calibrated, lines: Sequence[Judged], line: Judged) -> None:
    """The ways to the rubric version, to the run, and to another line of the same groups."""
    others = {calibrate_rows.line_id(one): one for one in lines if one.split == line.split and one != line}
    key = f"calibrate-against-{calibrate_rows.line_id(line)}"

    def choose() -> None:
        view.against = st.session_state[key]

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="calibrate-links"):
        if line.rubric_name:
            st.page_link(
                "pages/rubrics.py",
                label=f"Rubric, version {line.rubric_version}",
                icon=":material/checklist:",
                query_params={"rubric": line.rubric_name, "version": str(line.rubric_version)},
            )
        st.page_link(
            "pages/runs.py",
            label=f"Run {line.run_id}",
            icon=":material/history:",
            query_params={"run": str(line.run_id)},
        )
        if not others:
            return
        options = [None, *others]
        st.selectbox(
            "Beside",
            options,
            index=options.index(view.against) if view.against in others else 0,
            format_func=lambda one: "another line" if one is None else calibrate_rows.line_name(others[one]),
            key=key,
            on_change=choose,
            width=320,
        )
        other = others.get(view.against or "")
        if other is not None and other.run_id != line.run_id:
            st.page_link(
                "pages/compare.py",
                label=f"Compare runs {other.run_id} and {line.run_id}",
                icon=":material/compare_arrows:",
                query_params={"runs": f"{other.run_id},{line.run_id}"},
            )
    if other is not None:
        said = difference_words(line, other, calibrated.difference(line, other))
        read([Block("difference", "line", pieces=plain(said))], key="calibrate-difference", label="The difference")


def difference_words(line: Judged, other: Judged, difference: Estimate) -> str:
    """The difference of two lines' accuracies, in points, and whether it is more than noise."""
    first, second = calibrate_rows.line_name(line), calibrate_rows.line_name(other)
    if difference.value is None:
        return f"{first} and {second} have no pair in common that both scored and people put in an order."
    interval = "no interval"
    if difference.low is not None and difference.high is not None:
        interval = f"{signed(100 * difference.low, 0)} to {signed(100 * difference.high, 0)}"
    clear = {True: "more than noise", False: "may be noise", None: "too few groups to tell"}[is_clear(difference)]
    points = f"{signed(100 * difference.value, 0)} points"
    return f"{first} against {second}: {points} ({interval}, n = {counted(difference.n, 'group')}), {clear}."


def _draw_plot(view: CalibrateView, calibrated: Calibrated, line: Judged) -> None:
    bins = calibrated.plot(line)
    st.markdown("**Is it more often right where it is more sure?**")
    if not bins:
        st.caption("No pair that people put in an order has two different rewards.")
        return
    pairs = counted(sum(one.n for one in bins), "pair")
    drawn, told = st.columns([3, 2], gap="medium")
    with drawn:
        let_numbers_paint(view)
        st.altair_chart(gap_chart(bins), width="stretch", alt=gap_words(bins), key="calibrate-plot")
    with told:
        st.caption(
            f"{pairs} of different rewards, in bins of about equal count, with Wilson's 95% intervals; the dashed line "
            "is chance. Points that rise to the right: a large gap in reward can be trusted, a small one is a guess. "
            "Points on the dashed line: the gap says nothing, and neither does an advantage made of it."
        )


def _draw_criteria(calibrated: Calibrated, line: Judged) -> None:
    criteria = calibrated.criteria(line)
    if not criteria:  # labels of single statements only come with a dataset, and few have them
        return
    st.markdown("**Criterion by criterion**")
    grid(
        calibrate_rows.CRITERIA,
        calibrate_rows.criterion_rows(criteria),
        key="calibrate-criteria",
        label="Criteria against labels",
        selected=None,
        wrapped=True,
    )
