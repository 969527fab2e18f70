"""The groups view: which dataset and which group of it one tab looks at, and how it filters the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from reward_lab.exchange.groups import Mapping
from reward_lab.services.datasets import DatasetSummary, Duplicates, Place, Split
from reward_lab.services.importing import Preview
from reward_lab.ui.desk import put_in_address
from reward_lab.wiring import Lab

_KEY = "groups-view"
SPLIT_NAMES = {Split.NONE: "neither", Split.TUNE: "tune", Split.HOLDOUT: "holdout"}
PAGE = 8
"""Groups on one page of the list: as many as leave room for the open one below."""


@dataclass(frozen=True, slots=True)
class Read:
    """A file as it was read last, and the mapping that is chosen for it. ``number`` counts the files of this tab."""

    number: int
    source: str
    mapping: Mapping
    preview: Preview


@dataclass(slots=True)
class GroupsView:
    """How one tab looks at datasets.

    ``group_id`` is the open group's, ``line`` its place among those that match: the one that follows it stands there
    when it no longer does. ``opened`` has the folds that were opened, ``alike`` the duplicates among the groups that
    stood in the dataset, ``read`` the file that is imported. ``generation`` goes up where widgets are to be drawn
    anew. ``moved``: something was opened that the address does not tell yet.
    """

    lab: Lab
    dataset_id: int | None = None
    group_id: int | None = None
    line: int = 0
    pane: str = "groups"
    search: str = ""
    tag: str | None = None
    split: Split | None = None
    editing: bool = False
    generation: int = 0
    moved: bool = False
    notices: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    alike: tuple[tuple[Place, ...], tuple[Duplicates, ...]] | None = None
    read: Read | None = None

    def key(self, name: str) -> str:
        """The key of a widget that shows a field of the present view."""
        return f"groups-{name}-{self.generation}"

    @property
    def filtered(self) -> bool:
        """Whether some of the groups may be left out."""
        return bool(self.search.strip() or self.tag is not None or self.split is not None)

    def open_dataset(self, dataset_id: int | None, *, pane: str = "groups") -> None:
        """Look at another dataset, from its first group on."""
        self.dataset_id, self.pane = dataset_id, pane
        self.keep_filters("", None, None)
        self.generation += 1

    def keep_filters(self, search: str, tag: str | None, split: Split | None) -> None:
        """List other groups, from the first on."""
        self.search, self.tag, self.split = search, tag, split
        self.group_id, self.line, self.editing, self.moved = None, 0, False, True

    def open(self, group_id: int | None) -> None:
        """Look at another group."""
        if group_id != self.group_id:
            self.group_id, self.editing, self.moved = group_id, False, True
            self.opened.clear()

    @property
    def page(self) -> int:
        """The page of the list that the open group is on."""
        return self.line // PAGE

    def step(self, found: Sequence[Place], by: int) -> None:
        """Open the group so many lines further down; the list turns its page along."""
        self.open(found[max(0, min(len(found) - 1, self.line + by))].group_id)

    def turn(self, found: Sequence[Place], by: int) -> None:
        """Open the first group so many pages further on."""
        self.open(found[(self.page + by) * PAGE].group_id)

    def found(self) -> tuple[Place, ...]:
        """The groups that match. The open one stays open while it is among them, else the next in its place is.

        One that is being edited stays in any case: what is typed would be lost with its form.

        Raises:
            NotFound: the dataset is not stored.
        """
        if self.dataset_id is None:
            return ()
        datasets = self.lab.datasets
        found = datasets.places(self.dataset_id, search=self.search, tag=self.tag, split=self.split)
        lines = {place.group_id: line for line, place in enumerate(found)}
        if self.editing and self.group_id not in lines:
            return found
        if not found:
            self.open(None)
        elif self.group_id not in lines:
            self.open(found[min(self.line, len(found) - 1)].group_id)
        self.line = 0 if self.group_id is None else lines[self.group_id]
        return found

    def place(self, found: Sequence[Place]) -> Place | None:
        """Where the open group stands."""
        return found[self.line] if found and found[self.line].group_id == self.group_id else None

    def show_in_address(self) -> None:
        """Keep the address in step: it is a permalink."""
        address = {"dataset": self.dataset_id, "group": self.group_id}
        put_in_address({name: str(one) for name, one in address.items() if one is not None})
        self.moved = False


def open_view(lab: Lab, summaries: Sequence[DatasetSummary]) -> GroupsView:
    """This tab's view, at what the address asks for; its first time without an address, at the newest dataset."""
    view = st.session_state.get(_KEY)
    if not isinstance(view, GroupsView):
        view = GroupsView(lab, max((one.id for one in summaries), default=None))
        st.session_state[_KEY] = view
    dataset_id, group_id = (_number(st.query_params.get(name)) for name in ("dataset", "group"))
    known = {one.id for one in summaries}
    # A click on its way while the address changes comes with the old one: what was opened by it counts.
    if dataset_id is not None and not view.moved and (dataset_id, group_id) != (view.dataset_id, view.group_id):
        _follow(view, dataset_id, group_id, known)
    newest = max(known, default=None)
    if view.dataset_id not in known and view.dataset_id != newest:
        view.open_dataset(newest)
    return view


def _follow(view: GroupsView, dataset_id: int, group_id: int | None, known: set[int]) -> None:
    """Open what a link asks for."""
    if dataset_id not in known:
        view.notices.append(f"Dataset {dataset_id} is not stored here: it was deleted, or is another installation's.")
        return
    if dataset_id != view.dataset_id:
        view.open_dataset(dataset_id)
    if group_id is None:
        return
    if all(place.group_id != group_id for place in view.lab.datasets.places(dataset_id)):
        view.notices.append(
            f"Group {group_id} does not stand in this dataset: it was changed or removed. This is another group of it."
        )
        return
    view.keep_filters("", None, None)
    view.generation += 1
    view.pane = "groups"
    view.open(group_id)


def _number(text: str | None) -> int | None:
    """An id in the address; what is no number is passed over."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None
