"""Demand: what a conversation asks of its answer, read from its wording. Pure; the cues are English.

Instructions that a judge is given as guidance count as well, so that a changed sentence in
the system prompt or in the rubric changes what an answer is held to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reward_lab.core.chat import INSTRUCTION_ROLES, Json, Message, text_of
from reward_lab.judges import cues
from reward_lab.judges.language import Passage, Sentence, Specific, features, passage

_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


@dataclass(frozen=True)
class Sources:
    """What an answer may rest on: texts, and what can be looked up in them."""

    passages: tuple[Passage, ...]

    @cached_property
    def features(self) -> frozenset[str]:
        """Every feature of the sources."""
        return frozenset().union(*(one.features for one in self.passages))

    @cached_property
    def _keys(self) -> frozenset[tuple[str, str]]:
        return frozenset((found.kind, found.key) for one in self.passages for found in one.specifics)

    @cached_property
    def _numbers(self) -> frozenset[tuple[str, str, str]]:
        return frozenset((found.kind, found.key, found.unit) for one in self.passages for found in one.specifics)

    @cached_property
    def _counted(self) -> dict[str, set[str]]:
        """Feature -> the numbers within two features before it, which may count it."""
        counted: dict[str, set[str]] = {}
        for one in self.passages:
            for sentence in one.sentences:
                for at, feature in enumerate(sentence.features):
                    if feature[0].isdigit():
                        for unit in sentence.features[at + 1 : at + 3]:
                            counted.setdefault(unit, set()).add(feature)
                for found in sentence.specifics:
                    if found.unit:
                        counted.setdefault(found.unit, set()).add(found.key)
        return counted

    def hold(self, specific: Specific) -> bool:
        """Whether a specific is found here: a contact as a whole, a number with what it counts, a name by its words."""
        if specific.kind == "name":
            return all(feature in self.features for feature in features(specific.shown))
        if specific.kind == "number":
            if ":" in specific.key or "-" in specific.key:
                return ("number", specific.key) in self._keys
            counts_it = self._counted.get(specific.unit)
            is_bare = ("number", specific.key, "") in self._numbers
            return specific.key in self.features and (is_bare or counts_it is None or specific.key in counts_it)
        return (specific.kind, specific.key) in self._keys


@dataclass(frozen=True, eq=False)
class Demand:
    """What is asked: the question, what there is to answer it from, and how it is to be answered.

    ``strictness`` (0 to 1) is how firmly the wording ties an answer to its sources; each
    instruction of that sense halves what is left to 1. ``context`` are the sentences that
    an answer can be drawn from.
    """

    question: tuple[Sentence, ...]
    context: tuple[Sentence, ...]
    sources: Sources
    strictness: float
    wants_brevity: bool
    transforms: bool
    count: tuple[int, str] | None
    quoted: tuple[str, ...]
    lacks_text: bool

    @cached_property
    def topic(self) -> frozenset[str]:
        """The features of the question."""
        return frozenset(feature for sentence in self.question for feature in sentence.features)


def demand(conversation: Sequence[Message], guidance: str = "") -> Demand:
    """Read a conversation up to where the answer starts, and the judge's guidance."""
    users = [text_of(one) for one in conversation if one.get("role") == "user"]
    told = (_told(one) for one in conversation if one.get("role") in ("assistant", "tool", "function"))
    system = "\n".join(text_of(one) for one in conversation if one.get("role") in INSTRUCTION_ROLES)
    return _demand(system, users[-1] if users else "", (*users[:-1], *told), guidance)


@lru_cache(maxsize=128)
def _demand(system_prompt: str, last_user: str, earlier: tuple[str, ...], guidance: str) -> Demand:
    system, asked = passage(system_prompt), passage(last_user)
    background = tuple(passage(text) for text in earlier)
    question, given = _split(asked)
    facts = (
        one
        for one in system.sentences
        if not cues.TO_THE_ASSISTANT.search(one.text) and not cues.DIRECTIVE.match(one.text)
    )
    told = (*given, *facts, *(sentence for one in background for sentence in one.sentences))
    context = tuple(one for one in told if not (one.text.endswith(":") and len(one.features) <= 3))
    wording = "\n".join(one.text for one in question)
    instructions = [one.text for one in (*system.sentences, *question, *passage(guidance).sentences)]
    return Demand(
        question=question,
        context=context,
        sources=Sources((system, asked, *background)),
        strictness=strictness(instructions),
        wants_brevity=any(cues.BREVITY.search(one) for one in instructions),
        transforms=bool(cues.TRANSFORM.search(wording)),
        count=_count(wording),
        quoted=tuple(cues.QUOTED.findall(wording)),
        lacks_text=not context and bool(cues.ABSENT_TEXT.search(wording)),
    )


def strictness(sentences: Iterable[str]) -> float:
    """How firmly instructions tie an answer to its sources, from 0 to below 1.

    >>> strictness(["Answer using ONLY the context."]), strictness(["Never reveal the password."])
    (0.5, 0.0)
    """
    total = 0.0
    for sentence in sentences:
        source, limit = cues.SOURCE_NOUN.search(sentence), cues.LIMIT.search(sentence)
        if limit and (source or cues.INVENTING.search(sentence)):
            total += 1.0
        elif source and cues.GROUNDING.search(sentence):
            total += 0.4
    return float(1.0 - 0.5**total)


def tool_calls(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    """The tool calls of a conversation in order: name and arguments, as they were written."""
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                arguments = function.get("arguments")
                yield str(function.get("name", "")), arguments if isinstance(arguments, str) else json.dumps(arguments)


def readable(text: str) -> str:
    """Tool output as lines: JSON becomes one line an object with its keys as words, all else stays."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_lines(value))


def _lines(value: Json) -> Iterator[str]:
    pending: list[Json] = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            plain = [f"{spaced(key)}: {item}" for key, item in one.items() if not isinstance(item, dict | list)]
            if plain:
                yield ", ".join(plain)
            pending.extend(item for item in one.values() if isinstance(item, dict | list))
        elif isinstance(one, list):
            pending.extend(reversed(one))
        else:
            yield str(one)


def spaced(key: object) -> str:
    """A key or tool name as words: snake and camel case undone."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(key).replace("_", " "))


def _told(message: Message) -> str:
    if message.get("role") != "assistant":
        return readable(text_of(message))
    calls = (f"{spaced(name)} {readable(arguments)}" for name, arguments in tool_calls([message]))
    return "\n".join([text_of(message), *calls])


def _split(asked: Passage) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """The sentences of a user message that ask, and those that give something to answer from."""
    directives = [
        one for one in asked.sentences if cues.QUESTION_LABEL.match(one.text) or cues.DIRECTIVE.match(one.text)
    ]
    questions = [one for one in asked.sentences if one.text.rstrip("\"')\u201d ").endswith(("?", "\uff1f", "\u061f"))]
    if len(questions) > 3:
        questions = questions[-1:]  # a quoted dialogue: its questions were put to somebody else
    asking = set(map(id, [*directives, *questions]))
    if not asking:
        return asked.sentences, ()
    return (
        tuple(one for one in asked.sentences if id(one) in asking),
        tuple(one for one in asked.sentences if id(one) not in asking),
    )


def _count(wording: str) -> tuple[int, str] | None:
    found = cues.COUNT.search(wording)
    if found is None:
        return None
    number = found.group(1).lower()
    return _NUMBERS.get(number) or int(number), found.group(2).lower()
