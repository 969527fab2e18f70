"""Which groups are labelled: those of a dataset, of one split of it, or of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.wording import counted
from reward_lab.services.labelling import Source
from reward_lab.services.scoring import RunSummary
from reward_lab.ui.calibrate_view import SPLITS, CalibrateView
from reward_lab.wiring import Lab

_OFFERED = 30
"""So many of the latest runs can be chosen; older ones by the address."""


def choose_source(lab: Lab, view: CalibrateView) -> Source | None:
    """Choose the groups; at first the dataset or else the run that came last. ``None`` where there is neither."""
    datasets = {one.id: one for one in lab.datasets.summaries()}
    runs = {run.id: run for run in lab.scoring.runs(limit=_OFFERED).rows}
    if view.source is None:
        view.look_at(_first(datasets, runs))
    chosen = view.source
    if chosen is None:
        return None
    offered = [*(Source(dataset_id=one) for one in datasets), *(Source(run_id=one) for one in runs)]
    whole = Source(dataset_id=chosen.dataset_id, run_id=chosen.run_id)
    if whole not in offered:
        offered.insert(0, whole)

    def named(source: Source) -> str:
        if source.run_id is not None:
            return run_label(source.run_id, runs.get(source.run_id))
        dataset = datasets.get(source.dataset_id or 0)
        if dataset is None:
            return f"Dataset {source.dataset_id}"
        return well_formed(f"{dataset.name} ({counted(dataset.groups, 'group')})")

    # Keyed by what is chosen, so that a link opened in this tab is not overruled by what stood here before.
    key = f"calibrate-source-{whole.dataset_id}-{whole.run_id}"

    def choose() -> None:
        view.look_at(st.session_state[key])

    st.selectbox("Groups", offered, offered.index(whole), named, key=key, on_change=choose, width=320)
    dataset = datasets.get(chosen.dataset_id or 0)
    if dataset is not None and (dataset.tune or dataset.holdout):
        _choose_split(view, {"tune": dataset.tune, "holdout": dataset.holdout}, dataset.groups)
    return view.source


def draw_empty() -> None:
    """That there is nothing to label yet, what labels are for, and how to come by them."""
    with st.container(border=True, key="calibrate-empty"):
        st.markdown("**Labels tell whether a judge can be trusted.**")
        st.caption(
            "You rank, score or mark the responses of a few dozen groups without seeing a score. Then each run, method "
            "and rubric version is held against what people said: how many pairs it orders as they do, and whether "
            "one version is better than another by more than noise."
        )
        st.caption(
            "There is no group here yet. Import a dataset on the Groups page (labels that come with it count as an "
            "annotator's), or score a group: what a run scored can be labelled too."
        )
    st.page_link("pages/groups.py", label="Import groups", icon=":material/dataset:")
    st.page_link("pages/score.py", label="Go to Score", icon=":material/balance:")


def run_label(run_id: int, run: RunSummary | None) -> str:
    """A run as it is chosen from a list."""
    if run is None:
        return f"Run {run_id}"
    rubric = f"{run.rubric_name or 'unnamed rubric'} v{run.rubric_version}"
    parts = (f"Run {run.id}", run.name, rubric, ", ".join(run.models), counted(run.groups, "group"))
    return well_formed(" · ".join(filter(None, parts)))


def _first(datasets: Collection[int], runs: Collection[int]) -> Source | None:
    if datasets:
        return Source(dataset_id=max(datasets))
    return Source(run_id=max(runs)) if runs else None


def _choose_split(view: CalibrateView, counts: Mapping[str, int], total: int) -> None:
    key = f"calibrate-split-{view.dataset_id}-{view.split}"

    def choose() -> None:
        view.look_at(Source(view.dataset_id, st.session_state[key], None))

    def named(split: str | None) -> str:
        return f"all ({total:,})" if split is None else f"{split} ({counts[split]:,})"

    options = [None, *SPLITS]
    st.selectbox("Split", options, options.index(view.split), named, key=key, on_change=choose, width=150)
