"""Runs with the scores that a test wants, and labels of their groups, straight in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from reward_lab.core.group import Group
from reward_lab.core.judge import Ensemble, Judge
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import ItemResult, ItemStatus, NewRun, RunSettings, RunState
from reward_lab.core.verdict import Scored, Verdict
from reward_lab.services.planning import method_versions
from reward_lab.store import PlannedItem, Store
from tests.core.tables import verdict_of

Scores = Sequence[Sequence[float | None]]
"""One list a group, one score a response."""


def group(name: str, texts: Sequence[str], *, prompt: str = "Be strict.", question: str = "Refunds?") -> Group:
    scenario = {"system_prompt": prompt, "messages": [{"role": "user", "content": question}]}
    return Group.from_record({"id": name, "scenario": scenario, "trajectories": [{"text": text} for text in texts]})


def groups(count: int, *, size: int = 3, prompt: str = "Be strict.") -> tuple[Group, ...]:
    """Groups of different questions, their responses with ids 1, 2, ..."""
    return tuple(
        group(f"g{number}", [f"Answer {number}.{at}" for at in range(size)], prompt=prompt, question=f"Case {number}?")
        for number in range(count)
    )


def judged(
    store: Store,
    given: Sequence[Group],
    scores: Mapping[str, Scores],
    *,
    rubric: Rubric | None = None,
    rubric_name: str = "refunds",
    judges: Ensemble | None = None,
    over: bool = True,
) -> int:
    """A run whose methods gave these scores, each by the first judge; ``None`` is unscored."""
    new = NewRun(
        tuple(given),
        rubric or Rubric(),
        judges or (Judge(),),
        RunSettings(methods=tuple(scores)),
        rubric_name=rubric_name,
    )
    plan = [PlannedItem(place, method) for method in scores for place in range(len(given))]
    run_id = store.create_run(new, method_versions(new.settings), plan)
    assert store.claim(run_id)
    by_group = dict(zip(store.run(run_id).group_ids, range(len(given)), strict=True))
    for item in store.pending_items(run_id):
        place = by_group[item.group_id]
        told = zip(given[place].trajectories, scores[item.method][place], strict=True)
        verdicts: tuple[Verdict, ...] = tuple(verdict_of(one.id, score) for one, score in told)
        lost = not all(isinstance(one, Scored) for one in verdicts)
        status = ItemStatus.PARTLY if lost else ItemStatus.SCORED
        asyncio.run(store.finish_item(item, ItemResult(item.id, status, verdicts)))
    if over:
        store.release(run_id, RunState.FINISHED)
    return run_id


def ranks(*places: int | None, annotator: str = "ann") -> Label:
    """Ranks of the responses 1, 2, ... of a group."""
    said = {str(at): ResponseLabel(rank=rank) for at, rank in enumerate(places, start=1) if rank is not None}
    return Label(annotator=annotator, responses=said)


def save(store: Store, given: Group, label: Label) -> int:
    """Label a group, which is stored where it is not yet; return its id."""
    group_id = store.add_group(given)
    stored = store.label(group_id, label.annotator)
    assert store.save_label(group_id, label, expected_version=stored.version if stored else 0).saved
    return group_id
