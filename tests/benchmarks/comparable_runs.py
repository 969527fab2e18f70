"""Two runs over a dataset of thousands of groups, some of them labelled, for what only reads them.

The runs' verdicts are written straight into the store's tables.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import create_engine, insert, select, update

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.core.run import ItemStatus, NewRun, RunSettings, RunState
from reward_lab.services.planning import method_versions, plan
from reward_lab.store import Store
from reward_lab.store.tables import run_items, runs, verdicts
from tests.benchmarks.rig import JUDGED, RUBRIC, group_records

_BATCH = 20_000
_LABELLED_EVERY = 10
_WHOLE = ("likert", "likert_reference", "rar_implicit")


def fill(home: Path, groups: int) -> tuple[int, int]:
    """Store two finished runs of six methods over groups of 8; return their ids. The second has another guidance.

    The groups are a dataset too, and every tenth is ranked by an annotator.
    """
    database = f"sqlite:///{home / 'reward_lab.db'}"
    members = tuple(Group.from_record(record) for record in group_records(groups, first=0))
    with Store.open(database) as store:
        ids = []
        for rubric in (RUBRIC, RUBRIC.model_copy(update={"guidance": "Say only what the policy says."})):
            new = NewRun(members, rubric, (Judge(),), RunSettings(methods=JUDGED), name=f"{groups} groups")
            ids.append(store.create_run(new, method_versions(new.settings), plan(new)))
        order = {run_id: store.run(run_id).group_ids for run_id in ids}
        dataset_id = store.create_dataset("all groups")
        store.add_to_dataset(dataset_id, [(group, _labels(place, group)) for place, group in enumerate(members)])
    names = {
        group_id: [one.id for one in group.trajectories] for group_id, group in zip(order[ids[0]], members, strict=True)
    }
    for place, run_id in enumerate(ids):
        _score(database, run_id, names, drift=0.05 * place)
    return ids[0], ids[1]


def _labels(place: int, group: Group) -> tuple[Label, ...]:
    if place % _LABELLED_EVERY:
        return ()
    ranked = {one.id: ResponseLabel(rank=len(group.trajectories) - at) for at, one in enumerate(group.trajectories)}
    return (Label(annotator="annotator", responses=ranked),)


def _score(database: str, run_id: int, names: dict[int, list[str]], *, drift: float) -> None:
    source = random.Random(run_id)
    engine = create_engine(database)
    with engine.begin() as connection:
        query = select(run_items.c.id, run_items.c.group_id, run_items.c.method, run_items.c.trajectory_id)
        items = connection.execute(query.where(run_items.c.run_id == run_id)).all()
        rows: list[dict[str, object]] = []
        for item_id, group_id, method, trajectory_id in items:
            told: Sequence[str] = names[group_id] if trajectory_id is None else [trajectory_id]
            for position, name in enumerate(told):
                level = min(1.0, max(0.0, 0.1 * int(name) + source.gauss(drift, 0.15)))
                rows.append(
                    {
                        "item_id": item_id,
                        "position": position,
                        "run_id": run_id,
                        "group_id": group_id,
                        "method": method,
                        "trajectory_id": name,
                        "judge": 0,
                        "repeat": 0,
                        "status": "scored",
                        "score": float(round(1 + 9 * level)) if method in _WHOLE else round(level, 3),
                        "reason": None,
                        "explanation": f"Says what the policy says of case {group_id}, and little else. " * 3,
                        "detail": "",
                        "raw_reply": "",
                    }
                )
        for start in range(0, len(rows), _BATCH):
            connection.execute(insert(verdicts), rows[start : start + _BATCH])
        connection.execute(update(run_items).where(run_items.c.run_id == run_id).values(status=ItemStatus.SCORED.value))
        finished = select(runs.c.created_at).where(runs.c.id == run_id).scalar_subquery()
        ended = {"state": RunState.FINISHED.value, "finished_at": finished, "worker": None, "claimed": False}
        connection.execute(update(runs).where(runs.c.id == run_id).values(**ended))
    engine.dispose()
