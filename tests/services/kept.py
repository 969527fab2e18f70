"""What a home holds, read from its files without the code under test; and what a judge was asked."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tests.judges.answers import obedient_answer
from tests.judges.server import Reply

Question: TypeAlias = str
"""The messages of a request, as JSON."""

Messages: TypeAlias = Sequence[Mapping[str, Any]]

_NUMBER = re.compile(r"reply (\d+)\.")


def question_of(messages: Messages) -> Question:
    return json.dumps([[message["role"], message["content"]] for message in messages])


class NumberedJudge:
    """An obedient judge that says in every reply which one it is, so that each can be found again wherever it went.

    `asked` holds all questions in order of arrival, `bodies` the whole request of each. `instead` may give another
    reply.
    """

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.bodies: dict[Question, set[str]] = {}
        self.instead: Callable[[Messages], Reply | None] = lambda _: None
        self._waited_for = 0
        self._reached = threading.Event()

    def __call__(self, body: dict[str, Any], _index: int) -> Reply:
        number = len(self.asked)
        question = question_of(body["messages"])
        self.asked.append(question)
        self.bodies.setdefault(question, set()).add(json.dumps(body, sort_keys=True))
        if len(self.asked) >= self._waited_for:
            self._reached.set()
        if (other := self.instead(body["messages"])) is not None:
            return other
        text = obedient_answer(body).replace('"scripted"', f'"reply {number}."')
        return Reply.text(text).delayed(0.002 + number % 5 / 1000)

    def wait_for(self, more: int) -> None:
        """Until so many more questions have arrived."""
        self.wait_for_all(len(self.asked) + more)

    def wait_for_all(self, count: int) -> None:
        """Until so many questions have arrived since the beginning."""
        self._reached.clear()
        self._waited_for = count
        assert len(self.asked) >= count or self._reached.wait(60), f"{count} questions, not {len(self.asked)}"


@dataclass(frozen=True)
class Kept:
    """The rows of a run, each table by its key. `cached`: the questions whose replies are in the cache."""

    state: str
    statuses: dict[int, str]
    methods: dict[int, str]
    verdicts: dict[tuple[int, int], tuple[Any, ...]]
    calls: dict[tuple[int, Question], tuple[Any, ...]]
    call_rows: int
    cached: frozenset[Question]

    @property
    def done(self) -> int:
        return sum(status in ("scored", "partly_scored", "unscored") for status in self.statuses.values())

    @property
    def safe(self) -> frozenset[Question]:
        """Questions that nobody needs to ask again."""
        return self.cached | {question for _, question in self.calls}


def kept(home: Path, run_id: int, judge: NumberedJudge) -> Kept:
    """What is stored of a run. Nobody may be at work on it."""
    with closing(sqlite3.connect(home / "reward_lab.db")) as database:

        def rows(query: str) -> list[tuple[Any, ...]]:
            return database.execute(query, (run_id,)).fetchall()

        ((state,),) = rows("SELECT state FROM runs WHERE id = ?")
        items = rows("SELECT id, status, method FROM run_items WHERE run_id = ?")
        marks = rows(
            "SELECT c.item_id, c.position, c.criterion, c.truth, c.explanation FROM criterion_verdicts c"
            " JOIN run_items i ON i.id = c.item_id WHERE i.run_id = ? ORDER BY 1, 2, 3"
        )
        verdicts = rows(
            "SELECT item_id, position, group_id, method, trajectory_id, judge, repeat, status, score, reason,"
            " explanation, detail, raw_reply FROM verdicts WHERE run_id = ?"
        )
        calls = rows(
            "SELECT item_id, messages, key, reply, cached, prompt_tokens, completion_tokens, fault_reason"
            " FROM judge_calls WHERE run_id = ?"
        )
    return Kept(
        state=state,
        statuses={item: status for item, status, _ in items},
        methods={item: method for item, _, method in items},
        verdicts={
            (item, place): (*row, tuple(mark for mark in marks if mark[:2] == (item, place)))
            for item, place, *row in verdicts
        },
        calls={(item, question_of(json.loads(messages))): tuple(row) for item, messages, *row in calls},
        call_rows=len(calls),
        cached=frozenset(judge.asked[number] for number in _cached_replies(home / "cache")),
    )


def newest_run(home: Path) -> int | None:
    """The run that was made last, ``None`` where the database holds none yet."""
    path = home / "reward_lab.db"
    if not path.exists():
        return None
    with closing(sqlite3.connect(path)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchone():
            return None
        newest: int | None = database.execute("SELECT max(id) FROM runs").fetchone()[0]
        return newest


def _cached_replies(folder: Path) -> list[int]:
    """The number in each reply of the cache."""
    if not (folder / "cache.db").exists():
        return []
    with closing(sqlite3.connect(folder / "cache.db")) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'Cache'").fetchone():
            return []
        texts = [text for (text,) in database.execute("SELECT value FROM Cache")]
    return [int(_NUMBER.findall(text)[0]) for text in texts]
