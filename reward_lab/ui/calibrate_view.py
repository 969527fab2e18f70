"""The calibrate view: whose labels of which groups one tab looks at, and which runs it holds against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import streamlit as st

from reward_lab.services.labelling import Source
from reward_lab.ui.desk import put_in_address
from reward_lab.ui.label_queue import QueuedGroup

_KEY = "calibrate-view"
_MOST_DIGITS = 9
PANES = {"label": "Label", "people": "Agreement between people", "judges": "Judges against labels"}
SPLITS = ("tune", "holdout")


class Queued(NamedTuple):
    """A group as an annotator sees it, without what is saved of it, and the ids of its responses in that order."""

    group: QueuedGroup
    ids: tuple[str, ...]


@dataclass(slots=True)
class CalibrateView:
    """How one tab looks at labels.

    The groups are those of a dataset (or one ``split`` of it) or of a run; with neither, none were chosen yet.
    ``annotator`` is who labels here, "" before a name was given. ``run_ids`` are the runs that are held against the
    labels of ``people``; ``None`` is the latest ones, () everybody. ``row`` is the chosen line of the table,
    ``against`` the one beside it, ``method`` that of the sentence (``None``: the best), ``side`` the split that the
    table is of, ``pair`` the open disagreement. ``told`` are the addresses that this view had last. ``all_pairs``: the
    list shows every one. ``charted``: a chart was drawn in this tab. ``members`` has the groups of runs that were
    looked at, ``queued`` by annotator what was shown of some groups: neither ever changes. ``telling``: after each save
    the annotator is told how the judges ordered the group.
    """

    pane: str = "label"
    dataset_id: int | None = None
    split: str | None = None
    run_id: int | None = None
    annotator: str = ""
    run_ids: tuple[int, ...] | None = None
    people: tuple[str, ...] = ()
    row: str | None = None
    against: str | None = None
    method: str | None = None
    side: str | None = None
    pair: str | None = None
    all_pairs: bool = False
    telling: bool = False
    charted: bool = False
    told: tuple[Mapping[str, str], ...] = ()
    members: dict[int, frozenset[int]] = field(default_factory=dict)
    queued: dict[tuple[int, str], Queued] = field(default_factory=dict)

    @property
    def source(self) -> Source | None:
        """The groups that are looked at, ``None`` where none were chosen."""
        if self.run_id is not None:
            return Source(run_id=self.run_id)
        return None if self.dataset_id is None else Source(dataset_id=self.dataset_id, split=self.split)

    def look_at(self, source: Source | None) -> None:
        """Look at other groups."""
        chosen = source or Source()
        self.dataset_id, self.split, self.run_id = chosen.dataset_id, chosen.split, chosen.run_id
        self.row = self.against = self.pair = None

    def address(self) -> dict[str, str]:
        """What the address says; with it another tab looks the same way."""
        parts = {
            "pane": self.pane,
            "dataset": self.dataset_id,
            "split": self.split,
            "run": self.run_id,
            "annotator": self.annotator,
            "runs": None if self.run_ids is None else ",".join(map(str, self.run_ids)),
            "by": "\n".join(self.people),
        }
        return {name: str(part) for name, part in parts.items() if part not in (None, "")}

    def follow(self, asked: Mapping[str, str]) -> None:
        """Look at what an address asks for; what is none of ours in it is passed over."""
        self.pane = asked["pane"] if asked.get("pane") in PANES else "judges" if "runs" in asked else "label"
        split = asked.get("split")
        dataset_id = _number(asked.get("dataset", ""))
        known = split if split in SPLITS and dataset_id is not None else None
        self.look_at(Source(dataset_id, known, None if dataset_id is not None else _number(asked.get("run", ""))))
        self.annotator = asked.get("annotator", self.annotator).strip()
        self.run_ids = _numbers(asked["runs"]) if "runs" in asked else None
        self.people = tuple(dict.fromkeys(filter(None, asked.get("by", "").split("\n"))))


def open_view() -> CalibrateView:
    """This tab's view, at what the address asks for."""
    view = st.session_state.get(_KEY)
    if not isinstance(view, CalibrateView):
        view = st.session_state[_KEY] = CalibrateView()
    asked = st.query_params.to_dict()
    # The browser's address lags behind the page: what stood there a moment ago is not followed again.
    if asked and asked not in view.told:
        view.follow(asked)
    show_in_address(view)
    return view


def show_in_address(view: CalibrateView) -> None:
    """Keep the address in step: it is a permalink."""
    address = view.address()
    view.told = (*view.told[-1:], address) if address not in view.told else view.told
    put_in_address(address)


def _number(text: str) -> int | None:
    known = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if known else None


def _numbers(text: str) -> tuple[int, ...]:
    found = (_number(part.strip()) for part in text.split(","))
    return tuple(dict.fromkeys(one for one in found if one is not None))
