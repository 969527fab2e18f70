"""Import into a dataset: a file or pasted text, what its columns hold, and the groups as they will be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.wording import counted, listed
from reward_lab.errors import RewardLabError
from reward_lab.exchange.groups import ANNOTATOR, ImportedGroup, Mapping, Role
from reward_lab.services.datasets import Added
from reward_lab.services.importing import ColumnPreview, Preview
from reward_lab.ui.fields import show_fault
from reward_lab.ui.groups_reading import group_blocks, label_blocks
from reward_lab.ui.groups_view import GroupsView, Read
from reward_lab.ui.reading import Block, plain, read

_COLUMNS_SHOWN = 40
_EXAMPLES, _EXAMPLE = 2, 120
_SIGNS = re.compile(r"[^\w\s.,;/()+'-]|\b_+|_+\b")
_VERDICTS = frozenset({Role.SCORE, Role.RANK, Role.MARK, Role.PREFERENCE})


def draw(view: GroupsView) -> None:
    """Choose a file, mend the mapping, see the groups, add them."""
    dataset_id = view.dataset_id
    if dataset_id is None:
        return
    st.caption(
        "JSONL, JSON, CSV, TSV or parquet: one row a group, or one row a response; split what is larger than "
        f"{st.get_option('server.maxUploadSize')} MB. Nothing is stored before you add it."
    )
    # Any file may be chosen: the browser would refuse an Excel file without a word, and reading it tells what to do.
    uploaded = st.file_uploader("File", key=view.key("upload"), label_visibility="collapsed")
    pasted = st.text_area("or paste its content", key=view.key("pasted"), height=110)
    if uploaded is not None:
        source, name, data = uploaded.file_id, uploaded.name, uploaded.getvalue()
    elif pasted.strip():
        source, name, data = pasted, "", pasted.encode(errors="replace")
    else:
        return
    try:
        found = _read(view, source, data, name)
    except RewardLabError as error:
        show_fault(error)
        return
    preview = found.preview
    if preview.columns:
        _draw_mapping(view, found)
    _draw_counts(preview)
    if preview.groups:
        _draw_add(view, dataset_id, data, name, preview)
        _draw_groups(view, preview.groups)


def _read(view: GroupsView, source: str, data: bytes, name: str) -> Read:
    """The file under the mapping at hand, read anew only where either is another. Raises :class:`InvalidInput`."""
    before = view.read
    same = before is not None and before.source == source
    if before is None or not same or before.mapping != before.preview.mapping:
        with st.spinner("Reading …"):
            preview = view.lab.importing.preview(data, name, before.mapping if before and same else None)
        number = 1 if before is None else before.number + (not same)
        view.read = Read(number, source, preview.mapping, preview)
        return view.read
    return before


def _draw_mapping(view: GroupsView, found: Read) -> None:
    st.subheader("What each column holds", anchor=False)
    columns = found.preview.columns
    for index, column in enumerate(columns[:_COLUMNS_SHOWN]):
        _draw_column(view, found, column, index)
    if len(columns) > _COLUMNS_SHOWN:
        st.caption(f"{counted(len(columns) - _COLUMNS_SHOWN, 'more column')}: as guessed.")
    roles = set(found.mapping.roles.values())
    raters = found.mapping.raters
    said = {role for column, role in found.mapping.roles.items() if column not in raters}
    if said & _VERDICTS and Role.ANNOTATOR not in roles:
        key = view.key(f"annotator-{found.number}")

        def changed() -> None:
            annotator = st.session_state[key].strip() or ANNOTATOR
            view.read = replace(found, mapping=Mapping(found.mapping.roles, annotator))

        st.text_input(
            "Who scored, ranked or marked, since no column says it",
            well_formed(found.mapping.annotator),
            key=key,
            on_change=changed,
            max_chars=200,
            width=330,
        )


def _draw_column(view: GroupsView, found: Read, column: ColumnPreview, index: int) -> None:
    key = view.key(f"role-{found.number}-{index}")

    def changed() -> None:
        roles = {**found.mapping.roles, column.name: st.session_state[key]}
        view.read = replace(found, mapping=Mapping(roles, found.mapping.annotator))

    name, examples, role, meaning = st.columns([2, 4, 2, 3], gap="small", vertical_alignment="center")
    with name:
        st.text(well_formed(column.name))
    with examples, st.container(gap=None):
        for one in column.examples[:_EXAMPLES] or ("(nothing)",):
            st.text(well_formed(" ".join(one[:_EXAMPLE].split())) or "(blank)", wrap=False)
    with role:
        st.selectbox(
            f"What {spoken(column.name)} holds",
            list(Role),
            index=list(Role).index(column.role),
            format_func=lambda one: one.value,
            key=key,
            on_change=changed,
            label_visibility="collapsed",
        )
    with meaning:
        st.caption(column.role.meaning)


def spoken(name: str) -> str:
    """A column's name in a label that is not shown and is read aloud: signs of Markdown and markup are left out.

    >>> spoken("response_a"), spoken("**x** <b>")
    ('response_a', 'x b')
    """
    return " ".join(_SIGNS.sub(" ", well_formed(name)).split())


def _draw_counts(preview: Preview) -> None:
    blocks = []
    if preview.problem:
        blocks.append(Block("problem", "line", "⚠ No groups yet", tone="warning", pieces=plain(preview.problem)))
    elif preview.group_count:
        blocks.append(Block("read", "line", "✓ Understood", tone="better", pieces=plain(f"{preview.sizes}.")))
    if preview.labels:
        people = listed(f"{name} ({count:,})" for name, count in preview.labels)
        blocks.append(Block("labels", "line", "Labelled groups", pieces=plain(f"by {people}.")))
    if preview.bad_count:
        said = f"{counted(preview.bad_count, 'line')} gave no group or response and will be left out:"
        blocks.append(Block("bad", "line", "⚠ Not read", tone="warning", pieces=plain(said)))
        blocks += [
            Block(f"bad-{index}", "line", f"Line {bad.number:,}", pieces=plain(bad.why))
            for index, bad in enumerate(preview.bad)
        ]
        if preview.bad_count > len(preview.bad):
            rest = f"and {preview.bad_count - len(preview.bad):,} more"
            blocks.append(Block("bad-more", "line", pieces=plain(rest)))
    if blocks:
        read(blocks, key="import-counts", label="What was understood")


def _draw_add(view: GroupsView, dataset_id: int, data: bytes, name: str, preview: Preview) -> None:
    standing = view.lab.datasets.standing(dataset_id, preview.keys)
    again = bool(standing) and _draw_standing(view, standing, labels=bool(preview.labels))
    fresh = preview.group_count - (0 if again else standing)
    only_labels = not fresh and bool(preview.labels)
    if not st.button(
        "Add their labels" if only_labels else f"Add {counted(fresh, 'group')}",
        type="primary",
        icon=":material/add:",
        key="groups-add",
        disabled=not (fresh or only_labels),
    ):
        return
    try:
        with st.spinner("Adding …"):
            added = view.lab.datasets.add(
                dataset_id, view.lab.importing.groups(data, name, preview.mapping), again=again
            )
    except RewardLabError as error:
        show_fault(error)
        return
    view.notices.append(told(added))
    view.open_dataset(dataset_id)
    view.read = None
    st.rerun()


def _draw_standing(view: GroupsView, standing: int, *, labels: bool) -> bool:
    """Tell how many of the groups stand there already; return whether they are to stand there again."""
    stand = f"{standing:,} stand{'s' if standing == 1 else ''} there already, with the same question and responses"
    its, groups = ("its", "the group is") if standing == 1 else ("their", "the groups are")
    st.text(f"{stand}: {its} labels are added, {groups} not." if labels else f"{stand}: {groups} not added.")
    return st.checkbox(
        f"Add {'it as a group' if standing == 1 else 'them as groups'} all the same",
        key=view.key("again"),
        help="A group whose ids and metadata are the same as well is never added twice.",
    )


def told(added: Added) -> str:
    """What came of adding.

    >>> told(Added(120, 3, 1))
    '120 groups were added. 3 groups stood there already; 1 of them brought new labels.'
    """
    groups = f"{added.added:,} group{'s were' if added.added != 1 else ' was'} added."
    if not added.known:
        return groups
    known = f"{added.known:,} group{'s' if added.known != 1 else ''} stood there already"
    labels = f"; {added.relabelled:,} of them brought new labels" if added.relabelled else ""
    return f"{groups} {known}{labels}."


def _draw_groups(view: GroupsView, groups: Sequence[ImportedGroup]) -> None:
    st.subheader("The first groups, as they will be", anchor=False)
    place = st.selectbox(
        "Group shown",
        range(len(groups)),
        format_func=lambda index: f"{index + 1}. {well_formed(groups[index].group.id)}",
        key=view.key("previewed"),
        width=330,
    )
    one = groups[min(place, len(groups) - 1)]
    blocks = [*group_blocks(one.group, view.opened), *label_blocks(one.labels, one.group)]
    read(blocks, key="import-preview", label="The group as it will be", on_open=view.opened.add)
