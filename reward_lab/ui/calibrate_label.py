"""The pane in which a person labels: who, which groups, and the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from reward_lab.core.agreement import pairwise_accuracy
from reward_lab.core.chat import Message, content_hash, text_of, well_formed
from reward_lab.core.group import Group, Scenario
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.core.wording import listed
from reward_lab.errors import RewardLabError
from reward_lab.services.labelling import Queue, Source
from reward_lab.ui import calibrate_people
from reward_lab.ui.calibrate_source import choose_source, draw_empty
from reward_lab.ui.calibrate_view import CalibrateView, Queued, show_in_address
from reward_lab.ui.frame import show_notice, shown_errors
from reward_lab.ui.label_queue import Answer, Given, Outcome, QueuedGroup, label_queue, wanted
from reward_lab.ui.reading import Block, plain
from reward_lab.ui.transcripts import conversation_blocks
from reward_lab.wiring import Lab

_AHEAD = 4
"""Groups that are sent before the browser asked for any."""
_HELD = 12
"""Groups that are kept as they are shown."""
_LOOKED_BACK = 8
"""So many of the latest runs are looked through for one that scored a group."""
_OPENING = 240


def draw(lab: Lab, view: CalibrateView) -> None:
    """Choose the groups, tell a name, label."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="calibrate-who"):
        source = choose_source(lab, view)
        if source is not None and view.annotator:
            _draw_annotator(view)
    if source is None:
        draw_empty()
        return
    show_in_address(view)
    if not view.annotator:
        _ask_name(view)
        return
    _draw_alike(lab, view)
    st.fragment(_draw_queue)(lab, view, source)


def _ask_name(view: CalibrateView) -> None:
    with st.form("calibrate-name", width=480):
        name = st.text_input("Your name", max_chars=80, placeholder="ann")
        st.caption("Your labels are kept under it. The order of the groups and responses is your own, and stays.")
        if st.form_submit_button("Start labelling", type="primary") and name and name.strip():
            view.annotator = name.strip()
            st.rerun()


def _draw_annotator(view: CalibrateView) -> None:
    def change() -> None:
        view.annotator = ""

    def tell() -> None:
        view.telling = st.session_state["calibrate-telling"]

    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        st.text(f"Labelling as {well_formed(view.annotator)}", width="content")
        st.button("Change name", key="calibrate-rename", type="tertiary", on_click=change)
        st.toggle(
            "Tell how the judges ordered it, after each save",
            view.telling,
            key="calibrate-telling",
            on_change=tell,
            help="It may lead you in the groups that follow, so that you and the judges agree more than you would.",
        )


def _draw_alike(lab: Lab, view: CalibrateView) -> None:
    """Names that differ by case or blanks only are likely one person, who would be counted as two."""
    alike = lab.labelling.alike(view.annotator)
    if not alike:
        return
    named = listed(repr(one) for one in alike)

    def take(name: str) -> None:
        view.annotator = name

    with show_notice(f"There are labels by {well_formed(named)} too. If that is you, go on under that name."):
        for place, name in enumerate(alike):
            st.button(
                f"Go on as number {place + 1}" if len(alike) > 1 else "Go on under that name",
                key=f"calibrate-alike-{place}",
                on_click=take,
                args=(name,),
            )


def _draw_queue(lab: Lab, view: CalibrateView, source: Source) -> None:
    with shown_errors():
        queue = lab.labelling.queue(source, view.annotator)
        if not queue.group_ids:
            st.info("There is no group here. Choose other groups above.", icon=":material/inbox:")
            return
        # Of these groups under this name: a label on its way must never be saved under another.
        identity = content_hash([source.dataset_id, source.split, source.run_id, view.annotator])[:16]
        key = f"calibrate-queue-{identity}"
        asked = wanted(key)
        left = [group_id for group_id in queue.group_ids if group_id not in queue.labelled]
        near = _near(queue, left) if asked is None else _known(queue, asked.group_ids)
        saved_late = label_queue(
            [_saved(lab, view, group_id) for group_id in near],
            key=key,
            identity=identity,
            label="Groups to label",
            ids=[str(one) for one in queue.group_ids],
            labelled=[str(one) for one in queue.group_ids if one in queue.labelled],
            start=str(left[0]) if left else None,
            on_save=lambda answer: _save(lab, view, source, answer),
            whole=frozenset() if asked is None else asked.whole,
        )
        if saved_late:
            st.rerun()
        at_end = asked.place is None if asked is not None else not left
        if at_end and not left:
            _draw_end(lab, view, source)


def _near(queue: Queue, left: Sequence[int]) -> list[int]:
    return list((left or queue.group_ids)[:_AHEAD])


def _known(queue: Queue, ids: Sequence[str]) -> list[int]:
    known = {str(one): one for one in queue.group_ids}
    return [known[one] for one in ids if one in known]


def _draw_end(lab: Lab, view: CalibrateView, source: Source) -> None:
    calibrate_people.draw_agreement(lab, source)

    def go() -> None:
        view.pane = "judges"

    if st.button("Hold the judges against the labels", key="calibrate-to-judges", icon=":material/straighten:"):
        go()
        st.rerun()


def _saved(lab: Lab, view: CalibrateView, group_id: int) -> QueuedGroup:
    """The group with what this annotator saved of it."""
    group, ids = _queued(lab, view, group_id)
    saved = lab.labelling.label(group_id, view.annotator)
    if saved is None:
        return group
    return replace(group, given=given_of(saved.label, ids), version=saved.version)


def _queued(lab: Lab, view: CalibrateView, group_id: int) -> Queued:
    """The group as this annotator sees it. Its texts may be long, and are asked for by each run of the page."""
    key = (group_id, view.annotator)
    if key not in view.queued:
        for old in list(view.queued)[: 1 - _HELD]:
            del view.queued[old]
        group = lab.labelling.group(group_id)
        responses = [group.trajectories[place] for place in lab.labelling.order(group_id, view.annotator)]
        shown = QueuedGroup(
            id=str(group_id),
            name=group.id,
            asked=opening(group.scenario.messages),
            scenario=scenario_blocks(group.scenario),
            responses=tuple(
                conversation_blocks(one.messages, prefix=f"said-{number}") for number, one in enumerate(responses)
            ),
        )
        view.queued[key] = Queued(shown, tuple(one.id for one in responses))
    return view.queued[key]


def opening(messages: Sequence[Message]) -> str:
    """What the last user message asks, in one line."""
    asked = next((text_of(one) for one in reversed(messages) if one.get("role") == "user"), "")
    return " ".join(asked[: 2 * _OPENING].split())[:_OPENING]


def scenario_blocks(scenario: Scenario) -> tuple[Block, ...]:
    """System prompt, conversation and reference answer."""
    blocks = conversation_blocks(scenario.conversation, prefix="scenario")
    if scenario.reference_answer is None:
        return blocks
    return (*blocks, Block("reference", "message", "Reference answer", pieces=plain(scenario.reference_answer)))


def given_of(label: Label, ids: Sequence[str]) -> Given:
    """What a label says of the responses with these ids, in their order."""
    said = [label.responses.get(one, ResponseLabel()) for one in ids]
    return Given(
        tuple(one.rank for one in said),
        tuple(one.score for one in said),
        tuple(one.mark for one in said),
        label.comment,
    )


def label_of(given: Given, ids: Sequence[str], annotator: str, before: Label | None) -> Label:
    """The label that says what was given of the responses with these ids, in their order.

    What the queue does not show, comments on single responses and labels of criteria, stays from ``before``.

    Raises:
        ValueError: the group has another number of responses.
    """
    if len(given.ranks) != len(ids):
        raise ValueError(f"{len(given.ranks)} responses were labelled of a group of {len(ids)}: load the page again")
    said = {}
    for name, rank, score, mark in zip(ids, given.ranks, given.scores, given.marks, strict=True):
        kept = ResponseLabel() if before is None else before.responses.get(name, ResponseLabel())
        said[name] = kept.model_copy(update={"rank": rank, "score": score, "mark": mark})
    told = {name: one for name, one in said.items() if one != ResponseLabel()}
    return Label(annotator=annotator, responses=told, comment=given.comment)


def _save(lab: Lab, view: CalibrateView, source: Source, answer: Answer) -> Outcome:
    """Save one label. One that came before, from a browser that did not hear of it, is saved already."""
    try:
        group_id = int(answer.group_id)
        ids = _queued(lab, view, group_id).ids
        before = lab.labelling.label(group_id, view.annotator)
        label = label_of(answer.given, ids, view.annotator, None if before is None else before.label)
        if before is None or before.label != label:
            before = lab.labelling.save(group_id, label, expected_version=answer.version)
        return Outcome(before.version, said=_agreed(lab, view, source, group_id, label) if view.telling else "")
    except (RewardLabError, ValueError) as error:
        return Outcome(fault=str(error))


def _agreed(lab: Lab, view: CalibrateView, source: Source, group_id: int, label: Label) -> str:
    """How the methods of a run that scored the group order its responses; "" where none did."""
    latest = () if source.run_id is not None else lab.scoring.runs(limit=_LOOKED_BACK).rows
    for run_id in [one.id for one in latest] or filter(None, [source.run_id]):
        if run_id not in view.members:
            view.members[run_id] = frozenset(lab.scoring.run(run_id).group_ids)
        if group_id in view.members[run_id]:
            table = lab.results.of(run_id, group_id=group_id).table
            scores = {one.head: [cell.score for cell in table.cells(one.name)] for one in table.columns}
            said = agreed_words(table.group, label, scores)
            return f"Run {run_id}: {said}" if said else ""
    return ""


def agreed_words(group: Group, label: Label, scores: Mapping[str, Sequence[float | None]]) -> str:
    """How many pairs each method orders as the label does; a method that has none of them is left out.

    >>> from reward_lab.core.group import Trajectory
    >>> said = [Trajectory(id=id, messages=({"role": "assistant", "content": id},)) for id in "ab"]
    >>> label = Label(annotator="ann", responses={"a": ResponseLabel(rank=1), "b": ResponseLabel(rank=2)})
    >>> agreed_words(Group(id="g", trajectories=tuple(said)), label, {"RULER": [0.9, 0.1], "Likert": [0.2, 0.2]})
    'RULER ordered 1 of 1 pair as you did, Likert 0.5 of 1.'
    """
    levels = label.levels([one.id for one in group.trajectories])
    found = {head: pairwise_accuracy(given, levels) for head, given in scores.items()}
    told = [(head, pairs) for head, pairs in found.items() if pairs.pairs]
    if not told:
        return ""
    (head, first), *rest = told
    pairs = "pair" if first.pairs == 1 else "pairs"
    others = "".join(f", {name} {one.correct:g} of {one.pairs}" for name, one in rest)
    return f"{head} ordered {first.correct:g} of {first.pairs} {pairs} as you did{others}."
