"""Evidence: what can be counted about one response without understanding it. Pure and lexical.

Everything is compared by the features of :mod:`reward_lab.judges.language`; nothing here
knows a subject. Cues for non-answers and for text that addresses the grader are English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reward_lab.core.chat import Message, text_of
from reward_lab.judges import cues
from reward_lab.judges.demand import Demand, Sources, demand, readable, spaced, tool_calls
from reward_lab.judges.language import Passage, Sentence, Specific, features, passage, words

_LOOKING = frozenset(
    features("checked looked searched found reviewed verified confirmed tried attempted needed wanted received noticed")
)
"""What any tool call backs ("I've checked"), or what needs no tool at all."""


@dataclass(frozen=True, slots=True)
class Point:
    """Something an answer could bring: a sentence of the reference or of the context.

    ``weight``: how near it is to the question (0 to 1); ``share``: how much of it the answer has.
    """

    text: str
    weight: float
    share: float
    is_result: bool = False

    @property
    def is_covered(self) -> bool:
        """Whether a reader would find it in the answer."""
        return self.share >= 0.6


@dataclass(frozen=True, eq=False)
class Evidence:
    """One response, held against what was asked and what it may rest on.

    ``answer`` is the response's last word, ``said`` all of it (texts and tool calls),
    ``sources`` all it may rest on: conversation, its own tool results, the reference.
    """

    demand: Demand
    answer: Passage
    said: Passage
    sources: Sources
    reference: Passage | None
    acts: tuple[tuple[str, str], ...]
    results: tuple[str, ...]
    has_tools: bool

    @cached_property
    def claims(self) -> tuple[Sentence, ...]:
        """The sentences that say something: no preamble, echo of the question, word to the grader or repetition."""
        hostile = frozenset(self.to_grader)
        topic, asked = self.demand.topic, frozenset(one.features for one in self.demand.question)
        told = (one for one in self.answer.sentences if one.text not in hostile)
        told = (one for one in told if one.features and one.features not in asked)
        kept = (one for one in told if not (cues.PREAMBLE.match(one.text) and topic.isdisjoint(one.features)))
        return tuple({one.features: one for one in kept}.values())

    @cached_property
    def features(self) -> frozenset[str]:
        """The features of the claims."""
        return frozenset(feature for one in self.claims for feature in one.features)

    @cached_property
    def to_grader(self) -> tuple[str, ...]:
        """Sentences that address whoever scores the response, unless the conversation speaks of it itself."""
        lowered = self.said.text.lower()
        if not any(word in lowered for word in cues.GRADER_WORDS):
            return ()
        suspects = (one for one in self.said.sentences if cues.TO_THE_GRADER.search(one.text))
        known = self.demand.sources.features
        return tuple(one.text for one in suspects if sum(f in known for f in one.features) < 0.7 * len(one.features))

    @cached_property
    def deflections(self) -> tuple[Sentence, ...]:
        """Claims that turn the question away. One that hands over a contact of the sources answers."""
        return tuple(
            one
            for one in self.claims
            if cues.DEFLECTION.search(one.text) and not any(self.sources.hold(found) for found in one.specifics)
        )

    @cached_property
    def deflected(self) -> float:
        """The share of the claims that deflects, 0 to 1; 1 where nothing is claimed."""
        total = sum(len(one.features) for one in self.claims)
        return sum(len(one.features) for one in self.deflections) / total if total else 1.0

    @cached_property
    def is_grounded(self) -> bool:
        """Whether there is enough to rest on for "unsupported" to mean anything."""
        given = (
            one for one in self.demand.context if self.demand.transforms or not cues.ABOUT_THE_ASKER.search(one.text)
        )
        length = sum(len(one.features) for one in given)
        has_text = length >= (3 if self.demand.transforms else 10)
        return has_text or bool(self.results) or self.reference is not None or self.demand.strictness >= 0.5

    @cached_property
    def invented(self) -> tuple[Specific, ...]:
        """Specifics of the claims that the sources do not hold, each once, in order."""
        found = (specific for one in self.claims for specific in one.specifics)
        lacking = dict.fromkeys(one for one in found if not self.sources.hold(one))
        return tuple(
            one
            for one in lacking
            if one.kind != "name" or not any(one.shown in other.shown for other in lacking if other is not one)
        )

    @cached_property
    def unsupported(self) -> tuple[Sentence, ...]:
        """Claims with a specific that the sources do not hold, or with hardly a word of theirs."""
        return tuple(one for one in self.claims if self._is_unsupported(one))

    def _is_unsupported(self, claim: Sentence) -> bool:
        if any(one in self._invented for one in claim.specifics):
            return True
        if len(claim.features) < 3 or claim in self.deflections or claim.text.endswith("?"):
            return False
        return sum(one in self.sources.features for one in claim.features) < 0.4 * len(claim.features)

    @cached_property
    def _invented(self) -> frozenset[Specific]:
        return frozenset(self.invented)

    @cached_property
    def unsupported_share(self) -> float:
        """The weight of what is unsupported in all that is claimed, 0 to 1; specifics weigh most.

        In a claim that is unsupported only the words and specifics that the sources lack
        count, so that a true sentence with one false number is not false as a whole.
        """
        wrong = frozenset(map(id, self.unsupported))
        total = lacking = 0.0
        for claim in self.claims:
            total += len(claim.features) + sum(one.weight for one in claim.specifics)
            if id(claim) in wrong:
                lacking += sum(one not in self.sources.features for one in claim.features)
                lacking += sum(one.weight for one in claim.specifics if one in self._invented)
        return lacking / total if total else 0.0

    @cached_property
    def unbacked_acts(self) -> tuple[str, ...]:
        """Things the response says were done, though no tool call did them; only where there were tools to use."""
        if not self.has_tools:
            return ()
        if any(not cues.LOOKING_UP.match(name) for name, _ in self.acts):
            return ()  # something was done; whether it is called the same is beyond counting words
        known = self.demand.sources.features.union(*(passage(result).features for result in self.results))
        found = []
        for claim in self.claims:
            for match in cues.CLAIMED_ACT.finditer(claim.text):
                verb = features(match.group(1) or match.group(2))
                backed = known.intersection(verb) or (self.acts and not _LOOKING.isdisjoint(verb))
                if verb and not backed and not cues.CONDITION.search(claim.text[: match.start()]):
                    found.append(match.group())
        return tuple(dict.fromkeys(found))

    @cached_property
    def hides_failure(self) -> bool:
        """Whether the last tool result is a failure that the answer does not own up to."""
        return bool(
            self.results
            and self.answer.text
            and cues.FAILURE.search(self.results[-1][:2000])
            and not cues.OWNING_UP.search(self.answer.text)
        )

    @cached_property
    def repeated_calls(self) -> tuple[str, ...]:
        """Tools called again with the same arguments, once for every time too many."""
        counted = Counter(self.acts)
        return tuple(name for (name, _), times in counted.items() for _ in range(times - 1))

    @cached_property
    def told(self) -> Passage:
        """All of the response but what speaks to the grader."""
        hostile = frozenset(self.to_grader)
        return (
            Passage("", tuple(one for one in self.said.sentences if one.text not in hostile)) if hostile else self.said
        )

    @cached_property
    def spoken(self) -> Sources:
        """What can be looked up in the response itself."""
        return Sources((self.told,))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """What an answer could bring: the reference's sentences, or else those of the context near the question."""
        if self.reference is not None:
            return tuple(Point(one.text, 1.0, self._share(one)) for one in self.reference.sentences if one.features)
        told = self.demand.context
        topic = self.demand.topic
        near = [self.demand.transforms or not topic.isdisjoint(one.features) for one in told]
        any_near = any(near)
        given = (
            Point(one.text, 1.0 if near[at] else 0.4, self._share(one))
            for at, one in enumerate(told)
            if one.features and (near[at] or (any_near and any(near[max(0, at - 2) : at + 3])))
        )
        return (*given, *self._result_points)

    @cached_property
    def _result_points(self) -> tuple[Point, ...]:
        """Each tool result once, failures left out: it is used where the answer has a few of its words or specifics."""
        found = []
        for result in dict.fromkeys(self.results):
            read = passage(result)
            if read.features and not cues.FAILURE.search(result[:2000]):
                held = sum(one.weight for one in read.specifics if self._claimed.hold(one))
                used = len((read.features - self.demand.topic) & self.features) + held
                found.append(Point(result, 1.0, min(1.0, used / 6), is_result=True))
        return tuple(found)

    def _share(self, point: Sentence) -> float:
        specifics = point.specifics
        held = sum(one.weight for one in specifics if self._claimed.hold(one))
        total = len(point.features) + sum(one.weight for one in specifics)
        share = (sum(feature in self.features for feature in point.features) + held) / total
        return min(1.0, share / 0.75)

    @cached_property
    def _claimed(self) -> Sources:
        return Sources((Passage("", self.claims),))

    @cached_property
    def coverage(self) -> float | None:
        """How much of the points is there, 0 to 1; ``None`` where there are none.

        Three near points are enough, unless a reference or a summary asks for all of them.
        """
        if not self.points:
            return None
        weight = sum(one.weight for one in self.points)
        needed = weight if self.reference is not None or self.demand.transforms else min(weight, 3.0)
        return min(1.0, sum(one.weight * one.share for one in self.points) / needed)

    @cached_property
    def on_topic(self) -> float:
        """How much of the question's words and quoted phrases the answer takes up, 0 to 1."""
        topic = self.demand.topic
        taken = sum(one in self.features for one in topic) / max(1.0, 0.5 * len(topic)) if topic else 1.0
        lowered = self.answer.text.casefold()
        missing = sum(one.casefold() not in lowered for one in self.demand.quoted)
        return min(1.0, taken) * 0.6**missing

    @cached_property
    def repetition(self) -> float:
        """The share of the text that only says again what it said: whole sentences, or runs of four words."""
        total = self.answer.length
        if total < 4:
            return 0.0
        told = sum(len(one.features) for one in {one.features: one for one in self.answer.sentences}.values())
        spoken = words(self.answer.text)
        runs = [tuple(spoken[at : at + 4]) for at in range(len(spoken) - 3)]
        again = 1.0 - len(set(runs)) / len(runs) if runs else 0.0
        return max(1.0 - told / total, again)

    @cached_property
    def copied(self) -> float:
        """The share of the claims that stands word for word in the context."""
        given = frozenset(one.features for one in self.demand.context)
        total = sum(len(one.features) for one in self.claims)
        return sum(len(one.features) for one in self.claims if one.features in given) / total if total else 0.0

    @cached_property
    def items(self) -> int:
        """How many items the answer lists: marked lines, or else lines, or else sentences."""
        lines = [line for line in self.answer.text.splitlines() if line.strip()]
        marked = sum(bool(re.match(r"\s*(?:[-*•]|\(?\d{1,3}[.)])\s", line)) for line in lines)
        return marked or (len(lines) if len(lines) > 1 else len(self.answer.sentences))

    @cached_property
    def expected_length(self) -> float:
        """How many features would do: the reference's, or the near points', or a plain paragraph's."""
        if self.reference is not None:
            return max(12.0, 1.5 * self.reference.length)
        covered = sum(len(features(one.text)) * one.weight for one in self.points)
        return max(25.0, min(1.3 * covered, 120.0)) if self.points else 25.0 if self.demand.wants_brevity else 60.0


def evidence(
    conversation: Sequence[Message],
    response: Sequence[Message],
    *,
    guidance: str = "",
    reference: str | None = None,
    has_tools: bool = False,
) -> Evidence:
    """Gather the evidence about one response: the messages that follow the conversation."""
    texts = [text_of(one) for one in response if one.get("role") == "assistant"]
    results = tuple(readable(text_of(one)) for one in response if one.get("role") in ("tool", "function"))
    asked_on = "\n".join(text_of(one) for one in response if one.get("role") == "user")
    acts = tuple(tool_calls(response))
    asked = demand(conversation, guidance)
    return _gathered(asked, tuple(texts), acts, results, asked_on, reference, has_tools or bool(acts))


@lru_cache(maxsize=256)
def _gathered(
    asked: Demand,
    texts: tuple[str, ...],
    acts: tuple[tuple[str, str], ...],
    results: tuple[str, ...],
    asked_on: str,
    reference: str | None,
    has_tools: bool,
) -> Evidence:
    answer = passage(texts[-1] if texts else "")
    done = [f"{spaced(name)} {readable(arguments)}" for name, arguments in acts]
    said = passage("\n".join([*texts, *done])) if done or len(texts) > 1 else answer
    expected = passage(reference) if reference is not None and reference.strip() else None
    rest = [passage(one) for one in (*results, asked_on) if one]
    sources = Sources((*asked.sources.passages, *rest, *([expected] if expected else [])))
    return Evidence(asked, answer, said, sources, expected, acts, results, has_tools)
