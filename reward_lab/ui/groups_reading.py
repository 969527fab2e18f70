"""A group as blocks to read: its scenario, its responses as conversations, and what people said of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from reward_lab.core.chat import Json, transcript
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.labels import Label
from reward_lab.core.table import letter
from reward_lab.core.wording import counted, listed
from reward_lab.ui.reading import Block, Fold, plain
from reward_lab.ui.theme import colour_of
from reward_lab.ui.transcripts import conversation_blocks

LABELS = "labels-said"
"""The id of the fold with the labels."""

_MESSAGES_SHOWN = 12
_CHARACTERS_SHOWN = 60_000
"""Of all responses together; those beyond are a click away, each on its own."""


def group_blocks(group: Group, opened: Collection[str]) -> tuple[Block, ...]:
    """The scenario, then each response. A long conversation is in a fold, and sent once it is among the ``opened``."""
    blocks = [*_scenario(group)]
    room = _CHARACTERS_SHOWN
    for index, trajectory in enumerate(group.trajectories):
        size = len(transcript(trajectory.messages))
        whole = size <= room and len(trajectory.messages) <= _MESSAGES_SHOWN
        room -= size if whole else 0
        blocks += _response(trajectory, index, size, whole=whole, opened=opened)
    return tuple(blocks)


def label_blocks(labels: Sequence[Label], group: Group) -> tuple[Block, ...]:
    """What each annotator said, by the letters of the responses."""
    return tuple(
        Block(f"label-{place}", "line", label.annotator, pieces=plain(told(label, group)))
        for place, label in enumerate(labels)
    )


def told(label: Label, group: Group) -> str:
    """A label as one line: the order, best first, "=" where responses are tied; then what was remarked.

    >>> from reward_lab.core.labels import ResponseLabel
    >>> group = Group.from_record({"trajectories": [{"text": "x"}, {"text": "y"}, {"text": "z"}]})
    >>> told(Label(annotator="ann", responses={"2": ResponseLabel(rank=1), "1": ResponseLabel(rank=2)}), group)
    'B > A. Not labelled: C.'
    """
    ids = [one.id for one in group.trajectories]
    letters = {one: letter(index) for index, one in enumerate(ids)}
    levels = dict(zip(ids, label.levels(ids), strict=True))
    steps = sorted({level for level in levels.values() if level is not None}, reverse=True)
    order = " > ".join(" = ".join(letters[one] for one in ids if levels[one] == step) for step in steps)
    left = [letters[one] for one in ids if levels[one] is None]
    parts = [order]
    if order and left:
        parts.append(f"Not labelled: {listed(left)}")
    for one in ids:
        parts += _remarks(label, one, letters[one])
    parts.append(label.comment)
    return " ".join(f"{part.rstrip('.')}." for part in parts if part.strip())


def _remarks(label: Label, response_id: str, named: str) -> Iterator[str]:
    said = label.responses.get(response_id)
    if said is None:
        return
    if said.score is not None:
        yield f"{named} scored {said.score:g}"
    if said.mark is not None:
        yield f"{named} is {said.mark.value}"
    if said.comment:
        yield f"{named}: {said.comment}"


def _scenario(group: Group) -> Iterator[Block]:
    scenario = group.scenario
    yield Block("name", "line", group.id, note=counted(len(group.trajectories), "response"))
    asked = conversation_blocks(scenario.conversation, prefix="asked")
    yield from asked or (
        Block("asked-none", "line", "Scenario", pieces=plain("None: each response is a whole conversation.")),
    )
    if scenario.reference_answer is not None:
        yield Block("reference", "message", "Reference answer", pieces=plain(scenario.reference_answer or "(empty)"))
    folds = []
    if scenario.tools:
        tools = (Block("tools-text", "message", pieces=plain(_pretty(scenario.tools)), mono=True),)
        folds.append(Fold("tools", counted(len(scenario.tools), "tool"), tools))
    kept = {"group": group.metadata, "scenario": scenario.metadata}
    if any(kept.values()):
        shown = _pretty({name: one for name, one in kept.items() if one})
        folds.append(Fold("metadata", "Metadata", (Block("metadata-text", "message", pieces=plain(shown), mono=True),)))
    if folds:
        yield Block("beside", "line", folds=tuple(folds))


def _response(
    trajectory: Trajectory, index: int, size: int, *, whole: bool, opened: Collection[str]
) -> Iterator[Block]:
    name = letter(index)
    parts = [counted(len(trajectory.messages), "message"), f"{size:,} character{'s' if size != 1 else ''}"]
    if trajectory.independent_reward is not None:
        parts.append(f"came with reward {trajectory.independent_reward:g}")
    # An id that only counts would stand beside the letter as another name for the same place.
    title = trajectory.label or ("" if trajectory.id == str(index + 1) else trajectory.id)
    folds = []
    fold_id = f"whole-{name}"
    if not whole:
        said = conversation_blocks(trajectory.messages, prefix=f"said-{name}") if fold_id in opened else None
        folds.append(Fold(fold_id, f"The whole conversation of {name}", said))
    kept = {"tools": trajectory.tools, "metadata": trajectory.metadata}
    if any(kept.values()):
        shown = _pretty({key: one for key, one in kept.items() if one})
        own = (Block(f"own-{name}-text", "message", pieces=plain(shown), mono=True),)
        folds.append(Fold(f"own-{name}", f"Its own {listed(key for key, one in kept.items() if one)}", own))
    yield Block(
        f"head-{name}",
        "line",
        title,
        note=" · ".join(parts),
        badge=name,
        colour=colour_of(index),
        folds=tuple(folds),
    )
    if whole:
        spoken = conversation_blocks(trajectory.messages, prefix=f"said-{name}")
        is_answer = len(spoken) == 1 and spoken[0].title == "Assistant"
        yield from (replace(spoken[0], title=""),) if is_answer else spoken
    else:
        yield Block(f"end-{name}", "line", "How it ends")
        yield from conversation_blocks(trajectory.messages[-1:], prefix=f"end-{name}")


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
