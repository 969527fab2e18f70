"""An installation for tests: a real SQLite file, the real engine, and a judge that a test scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reward_lab.core.group import Group
from reward_lab.core.judge import Judge
from reward_lab.core.rubric import Rubric
from reward_lab.core.run import NewRun, RunSettings
from reward_lab.judges import Asker, Policy, ReplyCache
from reward_lab.judges.completion import Transport
from reward_lab.services.engine import Engine
from reward_lab.services.loop import BackgroundLoop
from reward_lab.services.results import Results
from reward_lab.services.scoring import Scoring
from reward_lab.services.sweeps import Sweeps
from reward_lab.store import Store

JUDGE = Judge(model="scripted/judge")


@dataclass(frozen=True)
class Bench:
    """The parts that a test looks at."""

    store: Store
    scoring: Scoring
    sweeps: Sweeps
    results: Results


@contextmanager
def opened(folder: Path, transport_of: Callable[[Judge], Transport], *, workers: int = 8) -> Iterator[Bench]:
    """An installation in ``folder``; opened anew there, it finds what was stored."""
    store = Store.open(f"sqlite:///{folder / 'lab.db'}")
    loop = BackgroundLoop()
    policy = Policy(concurrency=workers, timeout_s=10, attempts=2, first_wait_s=0.01)
    asker = Asker(transport_of, cache=ReplyCache(folder / "cache"), policy=policy)
    try:
        engine = Engine(store, asker, loop, workers=workers)
        scoring = Scoring(store, engine)
        yield Bench(store, scoring, Sweeps(store, scoring, engine, loop), Results(store))
    finally:
        loop.close()
        asker.close()
        store.close()


def group(name: str = "g", texts: tuple[str, ...] = ("Yes.", "No.", "Perhaps."), **scenario: object) -> Group:
    """A group of plain answers."""
    return Group.from_record({"id": name, "scenario": scenario, "trajectories": [{"text": text} for text in texts]})


def new_run(groups: tuple[Group, ...], *methods: str, rubric: Rubric | None = None, **settings: object) -> NewRun:
    """A run over these groups by the scripted judge."""
    return NewRun(
        groups=groups,
        rubric=rubric or Rubric(),
        judges=(JUDGE,),
        settings=RunSettings.model_validate({"methods": methods or ("likert",), **settings}),
        name="test",
    )
