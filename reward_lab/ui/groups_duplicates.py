"""The duplicates of a dataset, by what is alike, and keeping the first of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from reward_lab.core.wording import counted
from reward_lab.services.datasets import DatasetLine, Duplicates, Likeness
from reward_lab.ui.groups_view import GroupsView
from reward_lab.ui.reading import Block, plain, read

_SETS_SHOWN, _MEMBERS_SHOWN = 15, 6

_TOLD = {
    Likeness.GROUP: (
        "The same group",
        (
            "Scenario and responses are the same; ids or metadata differ. Scored, it counts more than once. The one "
            "that is kept gets the labels of the others; where somebody labelled both, the kept one's own stays."
        ),
    ),
    Likeness.QUESTION: (
        "The same question",
        "Other responses, or another system prompt. Drawing a split keeps them on one side.",
    ),
    Likeness.RESPONSES: (
        "The same responses",
        "To another question, as short answers often are; longer ones hint at a mistake in the file.",
    ),
}


def draw(view: GroupsView) -> None:
    """A section for each kind of likeness."""
    dataset_id = view.dataset_id
    if dataset_id is None:
        return
    found = _alike(view, dataset_id)
    if not found:
        st.info("No group of this dataset is like another.", icon=":material/check:")
        return
    for kind, (title, said) in _TOLD.items():
        sets = [one for one in found if one.kind is kind]
        if sets:
            st.subheader(f"{title} ({len(sets):,})", anchor=False)
            st.caption(said)
            _draw_sets(view, dataset_id, kind, sets)


def _alike(view: GroupsView, dataset_id: int) -> tuple[Duplicates, ...]:
    """Worked out anew only where other groups stand in the dataset: a group never changes."""
    places = view.lab.datasets.places(dataset_id)
    if view.alike is None or view.alike[0] != places:
        view.alike = places, view.lab.datasets.duplicates(dataset_id)
    return view.alike[1]


def _draw_sets(view: GroupsView, dataset_id: int, kind: Likeness, sets: Sequence[Duplicates]) -> None:
    rest = {position for one in sets for position in one.positions[1:]}
    _keep_first(view, dataset_id, sets, f"Keep the first of each, remove {counted(len(rest), 'group')}", kind.name)
    shown = sets[:_SETS_SHOWN]
    positions = [position for one in shown for position in one.positions[:_MEMBERS_SHOWN]]
    lines = {line.position: line for line in view.lab.datasets.lines(dataset_id, positions)}
    for index, one in enumerate(shown):
        with st.container(border=True, gap="xsmall"):
            read(_blocks(one, lines), key=f"alike-{kind.name}-{index}", label=f"{kind.value.capitalize()}, {index + 1}")
            if len(sets) > 1:
                _keep_first(view, dataset_id, [one], "Keep the first", f"{kind.name}-{one.positions[0]}")
    if len(sets) > len(shown):
        st.caption(f"{counted(len(sets) - len(shown), 'more set')} will stand here once some of these are gone.")


def _blocks(one: Duplicates, lines: Mapping[int, DatasetLine]) -> list[Block]:
    known = [lines[position] for position in one.positions[:_MEMBERS_SHOWN] if position in lines]
    blocks = [Block(str(line.position), "line", line.name, pieces=plain(line.opening)) for line in known]
    if len(one.positions) > _MEMBERS_SHOWN:
        blocks.append(Block("more", "line", pieces=plain(f"and {len(one.positions) - _MEMBERS_SHOWN:,} more")))
    return blocks


def _keep_first(view: GroupsView, dataset_id: int, sets: Sequence[Duplicates], label: str, key: str) -> None:
    equal = sets[0].kind is Likeness.GROUP
    rest = sorted({position for one in sets for position in one.positions[1:]})
    labels = "their labels go to those that are kept" if equal else "their labels stay with them"
    with st.popover(label, icon=":material/filter_1:", width="content", key=view.key(f"first-{key}")):
        st.caption(f"{counted(len(rest), 'group')} will leave the dataset; {labels}. Runs that hold them stay.")
        if st.button("Remove them", icon=":material/delete:", key=f"alike-remove-{key}"):
            if equal:
                carried = view.lab.datasets.keep_first(dataset_id, sets)
                view.notices.append(f"{counted(carried, 'label')} of removed groups went to the kept ones.")
            else:
                view.lab.datasets.remove(dataset_id, rest)
            view.generation += 1
            st.rerun()
