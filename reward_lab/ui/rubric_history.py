"""The history of a rubric: its versions, what differs between two of them, and the runs under each."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from reward_lab.core.changes import changed_scoring
from reward_lab.core.differences import word_diff
from reward_lab.core.rubric import Rubric
from reward_lab.core.rubric_changes import CriterionChange, CriterionFate, criterion_changes
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput
from reward_lab.services.library import History, RubricVersion
from reward_lab.services.rubric_drafts import RubricDraft
from reward_lab.ui.figures import ago, moment
from reward_lab.ui.grid import Cell, Column, Row, grid
from reward_lab.ui.reading import Block, Tone, abbreviated, plain, read
from reward_lab.ui.studio import Studio, unsaved, version_draft

_COLUMNS = (
    Column("version", "Version", kind="text"),
    Column("when", "Saved", kind="text", help="Hover for the date (UTC)."),
    Column("author", "By", kind="text"),
    Column("criteria", "Criteria", kind="number"),
    Column("runs", "Runs", kind="number", help="Runs that were scored under it."),
)

_CHOSEN = "history-chosen"
_DRAFT = "what stands in the editor"
_RUNS_LISTED = 20
_BADGE = "#5b6270"

_SIGNS = {CriterionFate.ADDED: "+", CriterionFate.REMOVED: "−", CriterionFate.MOVED: "↕"}


def draw(studio: Studio, history: History) -> None:
    """The versions, what can be done with the chosen one, and the difference between any two."""
    chosen = _choose(history)
    _act(studio, history, chosen)
    st.subheader("What differs", anchor=False)
    _compare(studio, history, chosen)


def difference_blocks(old: Rubric, new: Rubric, *, prefix: str) -> list[Block]:
    """The word diff of the prose, what became of each criterion, and the settings that differ."""
    blocks = []
    if old.guidance != new.guidance:
        pieces = abbreviated(word_diff(old.guidance, new.guidance), around=200)
        blocks.append(Block(f"{prefix}-guidance", "card", "Guidance", pieces=pieces))
    blocks += [
        _criterion_block(change, f"{prefix}-{index}")
        for index, change in enumerate(criterion_changes(old, new))
        if change.fates
    ]
    blocks += [
        Block(
            f"{prefix}-{change.name}",
            "line",
            change.name,
            pieces=plain(f"{change.old or 'none'} → {change.new or 'none'}"),
        )
        for change in changed_scoring(old, new)
    ]
    return blocks or [Block(f"{prefix}-same", "line", pieces=plain("The two are the same."))]


def _criterion_block(change: CriterionChange, key: str) -> Block:
    old, new = change.old, change.new
    one = new or old
    if one is None:
        raise ValueError("a change is of a criterion in the old version, in the new one, or in both")
    position = change.new_position if change.new_position is not None else change.old_position
    said = ", ".join(f"{_SIGNS.get(fate, '~')} {fate.value}" for fate in change.fates)
    details = []
    if old is not None and new is not None:
        if old.category != new.category:
            details.append(f"{old.category.value} → {new.category.value}")
        if old.weight != new.weight:
            details.append(f"weight {_weight(old.weight)} → {_weight(new.weight)}")
        if old.meets_when != new.meets_when:
            details.append(f"met when {_truth(old.meets_when)} → {_truth(new.meets_when)}")
        if old.title != new.title:
            details.append(f"title {old.title or 'none'} → {new.title or 'none'}")
    note = " · ".join([said, *details, _shares(change)])
    tone: Tone = "better" if old is None else "worse" if new is None else ""
    pieces = abbreviated(word_diff(old.description if old else "", new.description if new else ""), around=200)
    title = f"{(position or 0) + 1}. {one.title}" if one.title else f"Criterion {(position or 0) + 1}"
    return Block(f"{key}-criterion", "card", title, note=note, tone=tone, pieces=pieces)


def _shares(change: CriterionChange) -> str:
    shares = [change.old_share] * (change.old is not None) + [change.new_share] * (change.new is not None)
    told = dict.fromkeys("unknown" if share is None else f"{share:.0%}" for share in shares)
    return f"counts {' → '.join(told)}"


def _weight(weight: float | None) -> str:
    return "none" if weight is None else f"{weight:g}"


def _truth(truth: bool) -> str:
    return "true" if truth else "false"


def _choose(history: History) -> RubricVersion:
    now = datetime.now(UTC)
    # A version that became current since is what there is to look at.
    place = (history.name, history.head)
    name, head, number = st.session_state.get(_CHOSEN, (*place, history.head))
    version = history.version(number if (name, head) == place else history.head) or history.current
    selected = grid(
        _COLUMNS,
        [_row(one, history, now) for one in history.versions],
        key="history",
        label="Versions",
        selected=(str(version.number), None),
        wrapped=True,
    )
    if selected is not None and selected.row_id.isdecimal():
        version = history.version(int(selected.row_id)) or version
    st.session_state[_CHOSEN] = (*place, version.number)
    return version


def _row(version: RubricVersion, history: History, now: datetime) -> Row:
    runs = len(history.uses.get(version.number, ()))
    return Row(
        str(version.number),
        "",
        _BADGE,
        f"Version {version.number}{', current' if version.number == history.head else ''}",
        " · ".join(filter(None, (version.note, _made_from(version)))),
        cells={
            "when": Cell(
                version.created_at.timestamp(), ago(version.created_at, now), hover=moment(version.created_at)
            ),
            "author": Cell(text=version.author or "–"),
            "criteria": Cell(len(version.rubric.criteria), str(len(version.rubric.criteria))),
            "runs": Cell(runs, str(runs)),
        },
    )


def _made_from(version: RubricVersion) -> str:
    """Said where it is not the version before."""
    origin = version.origin
    if origin is None or origin == (version.name, version.number - 1):
        return ""
    return f"made from {origin[0]}, version {origin[1]}"


def _act(studio: Studio, history: History, version: RubricVersion) -> None:
    is_head = version.number == history.head
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Version {version.number}**", width="content")
        if st.button(
            "Edit from here", icon=":material/edit:", key="history-edit", help="Its content takes the editor's place."
        ):
            studio.begin(version_draft(version, head=history.head))
            st.rerun()
        if st.button(
            "Restore",
            icon=":material/restore:",
            key="history-restore",
            disabled=is_head,
            help="Make it the current version again; nothing is lost.",
        ):
            studio.lab.library.save(version.rubric, version.name, base=history.head)
            studio.open_rubric(version.name)
            st.toast(f"Version {version.number} is current again.", icon=":material/restore:")
            st.rerun()
        if st.button(
            "Fork",
            icon=":material/fork_right:",
            key="history-fork",
            help="Begin a rubric of its own from this version.",
        ):
            fork = RubricDraft.of(version.rubric, name=f"{version.name} (fork)", origin=(version.name, version.number))
            studio.begin(fork)
            st.rerun()
    runs = history.uses.get(version.number, ())
    if runs:
        links = ", ".join(f"[run {run_id}](/?run={run_id})" for run_id in runs[:_RUNS_LISTED])
        more = f" and {counted(len(runs) - _RUNS_LISTED, 'earlier one')}" if len(runs) > _RUNS_LISTED else ""
        st.caption(f"Scored under version {version.number}: {links}{more}")
    else:
        st.caption(f"No run was scored under version {version.number} yet.")


def _compare(studio: Studio, history: History, chosen: RubricVersion) -> None:
    """The difference between any two; to begin with what the chosen version changed, or what the editor did to it."""
    numbers = [version.number for version in history.versions]
    choices: list[int | None] = [None, *numbers]
    changed = chosen.number == history.head and unsaved(studio, chosen.rubric)
    before = numbers[min(numbers.index(chosen.number) + 1, len(numbers) - 1)]

    def name(number: int | None) -> str:
        return _DRAFT if number is None else f"version {number}{' (current)' if number == history.head else ''}"

    left, right = st.columns(2)
    key = f"{studio.generation}-{chosen.number}-{history.head}-{changed}"
    start = numbers.index(chosen.number if changed else before)
    old = left.selectbox("From", numbers, index=start, format_func=name, key=f"history-old-{key}")
    end = 0 if changed else choices.index(chosen.number)
    new = right.selectbox("To", choices, index=end, format_func=name, key=f"history-new-{key}")
    try:
        after = studio.draft.rubric() if new is None else _content(history, new)
    except InvalidInput as error:
        st.text(f"The editor's content is no rubric yet: {error}")
        return
    if new == old and old == numbers[-1]:
        st.caption("The first version: there is none before it to compare with.")
        return
    read(
        difference_blocks(_content(history, old), after, prefix="difference"),
        key="history-difference",
        label="Difference",
    )


def _content(history: History, number: int) -> Rubric:
    version = history.version(number)
    return (version or history.current).rubric
