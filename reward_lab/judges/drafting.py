"""Drafting: criteria taken over sentence by sentence from what was given. Lexical, no model: the offline judge's.

Every sentence of the reference answer becomes a statement to look for, every rule of the
system prompt a criterion, every prohibition a pitfall; what is wrong with a response is read
from its evidence. Nothing is understood, and each proposal says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reward_lab.core.chat import INSTRUCTION_ROLES, Json, text_of
from reward_lab.core.group import Scenario, Trajectory
from reward_lab.core.methods.method import Drafting
from reward_lab.core.prefix import shared_prefix
from reward_lab.core.rubric import Category
from reward_lab.core.wording import listed
from reward_lab.judges import cues
from reward_lab.judges.evidence import Evidence, evidence
from reward_lab.judges.language import STOP_WORDS, Kind, Sentence, passage, shortened, stem
from reward_lab.judges.statements import finding

_MOST = 20
_MOST_RULES = 8
_MOST_FACTS_APART = 6
_WHOLE = 10_000
"""Characters of a sentence in a statement, which is never cut for being long."""

_UNREAD = "A lexical draft: read it before you keep it."

_WEIGHTS = {Category.ESSENTIAL: 5, Category.IMPORTANT: 3, Category.OPTIONAL: 1, Category.PITFALL: -1}

_ROLE = re.compile(r"^you(?:'re| are) (?!not\b|to\b|never\b)", re.IGNORECASE)
_FORBIDS = re.compile(
    r"^(?:please )?(?:you (?:(?:must|should|may|can|will|are) (?:not|never)(?: to)?|can't|cannot|mustn't|shouldn't)"
    r"|do not|don't|never)(?: ever)? (?P<what>[a-z].+)$",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(r"(?:;|,|,? and|,? but) (?=(?:do not|don't|never|avoid)\b)", re.IGNORECASE)
_AVOID = re.compile(r"^(?:please )?avoid (?P<what>.+)$", re.IGNORECASE)
_NONE_OF = re.compile(r"^no (?P<what>.+)$", re.IGNORECASE)
_FIRM = re.compile(r"\b(?:must|always|only|never|solely|strictly|exactly)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"^(?:it|its|they|their|this|these|those|he|she|such)\b", re.IGNORECASE)
_TOLD = re.compile(r"^(?:to|please)\b", re.IGNORECASE)
_JOINT = re.compile(
    r"(?:;|,|,? and|,? as well as)\s+(?:(?:and|also|it) )?(?=(?:does not|avoids|states?|gives?|names?|explains?"
    r"|mentions?|recommends?|includes?|lists?|cites?|provides?|identifies|describes?|asks?|offers?|tells?|warns?|says?|uses?|notes?"
    r"|advises?|suggests?|is|has|contains?|answers?|addresses|quotes?|refers?|links?)\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"^(?:the |this )?(?:response|answer|reply|assistant|model|agent)\s+", re.IGNORECASE)

_KIND_NAMES: dict[Kind, str] = {
    "number": "a figure",
    "phone": "a phone number",
    "email": "an email address",
    "link": "a link",
    "name": "a name",
}


@dataclass(frozen=True, slots=True)
class _Draft:
    title: str
    statement: str
    category: Category
    why: str

    def record(self) -> dict[str, Json]:
        return {
            "why": f"{self.why} {_UNREAD}",
            "title": self.title,
            "description": self.statement,
            "category": self.category.value,
            "weight": _WEIGHTS[self.category],
        }


def drafted(task: Drafting) -> list[dict[str, Json]]:
    """The proposals for a request, as the records that its reader expects; [] where nothing was found to draft from."""
    return [draft.record() for draft in _DRAFTED[task.kind](task)]


# -- from the scenario ---------------------------------------------------------------------------


def _of_scenario(task: Drafting) -> list[_Draft]:
    rules = list(_rules(task.scenario))[:_MOST_RULES]
    return [*list(_facts(task.reference or "", task.scenario))[: _MOST - len(rules)], *rules]


def _facts(reference: str, scenario: Scenario) -> Iterator[_Draft]:
    """Each sentence of the reference as a statement; one that points back says what it points to."""
    sentences = passage(reference).sentences
    known = _plain_stems([reference, *map(text_of, scenario.conversation)])
    for number, sentence in enumerate(sentences, start=1):
        if not sentence.features or sentence.text.endswith((":", "?")):
            continue
        before = sentences[number - 2] if number > 1 else None
        weighty = number == 1 or sentence.specifics
        yield _Draft(
            _title(sentence.text),
            _stated(sentence, before, known),
            Category.ESSENTIAL if weighty else Category.IMPORTANT,
            f"Sentence {number} of the reference answer: {_quoted(sentence.text)}.",
        )


def _stated(sentence: Sentence, before: Sentence | None, known: frozenset[str]) -> str:
    text = sentence.text.rstrip(" .")
    word, _, rest = text.partition(" ")
    is_plain = word != "I" and (word.lower() in STOP_WORDS or stem(word.lower()) in known)
    if not is_plain or _TOLD.match(text) or cues.DIRECTIVE.match(text):
        return f"Tells the reader this: {_quoted(text, _WHOLE)}."
    clause = f"{word.lower()} {rest}"
    if before is not None and _POINTS_BACK.match(text):
        return f"States, of {_quoted(before.text)}, that {clause}."
    return f"States that {clause}."


def _rules(scenario: Scenario) -> Iterator[_Draft]:
    """The rules among the sentences of the system prompt."""
    told = [text_of(one) for one in scenario.conversation if one.get("role") in INSTRUCTION_ROLES]
    for number, sentence in enumerate(passage("\n".join(told)).sentences, start=1):
        why = f"Sentence {number} of the system prompt: {_quoted(sentence.text)}."
        for part in _BUT_NOT.split(sentence.text):
            text = part.strip(" .!,;")
            forbidden = _forbidden(text)
            if forbidden is not None:
                yield _Draft(_title(text), forbidden, Category.PITFALL, why)
            elif not _ROLE.match(text) and (cues.DIRECTIVE.match(text) or cues.TO_THE_ASSISTANT.search(text)):
                category = Category.ESSENTIAL if _FIRM.search(text) else Category.IMPORTANT
                yield _Draft(_title(text), f"Follows the instruction {_quoted(text, _WHOLE)}.", category, why)


def _forbidden(text: str) -> str | None:
    """A prohibition as a statement that is true of a response that heeds it."""
    if found := _FORBIDS.match(text):
        return f"Avoids {_doing(found['what'])}."
    if found := _AVOID.match(text):
        return f"Avoids {found['what']}."
    if found := _NONE_OF.match(text):
        return f"Contains no {found['what']}."
    return None


def _doing(clause: str) -> str:
    """A clause with its verb, past adverbs in front of it, as a gerund.

    >>> _doing("reveal the password"), _doing("ever make up facts"), _doing("get angry")
    ('revealing the password', 'ever making up facts', 'getting angry')
    """
    words = clause.split(" ")
    at = next((place for place, word in enumerate(words) if not re.fullmatch(r"\w+ly|ever|also|just", word)), 0)
    verb = words[at]
    if re.fullmatch(r"\w*[^aeo\W]e", verb) and verb != "be":
        words[at] = f"{verb[:-1]}ing"
    elif re.fullmatch(r"[^\Waeiou]*[aeiou][^\Waeiouwxy]", verb) and len(verb) <= 4:
        words[at] = f"{verb}{verb[-1]}ing"
    else:
        words[at] = f"{verb}ing"
    return " ".join(words)


# -- from one criterion --------------------------------------------------------------------------


def _parts(task: Drafting) -> list[_Draft]:
    """The criterion's points, one by one, where its statement joins several."""
    ((_, criterion),) = task.criteria
    text = criterion.description.strip().rstrip(".")
    subject = _SUBJECT.match(text)
    parts = [part.strip(" ,") for part in _JOINT.split(text[subject.end() if subject else 0 :]) if part.strip(" ,")]
    if len(parts) < 2:
        why = "No joint was found at which it could be split."
        return [_Draft(criterion.title, criterion.description, criterion.category, why)]
    return [
        _Draft(_title(part), f"{part[0].upper()}{part[1:]}.", criterion.category, f"Point {number} of {_quoted(text)}.")
        for number, part in enumerate(parts, start=1)
    ]


# -- from responses ------------------------------------------------------------------------------


def _evidence(task: Drafting, member: Trajectory) -> Evidence:
    given, response = task.scenario.conversation, member.messages
    if response and response[0].get("role") in INSTRUCTION_ROLES:
        start = shared_prefix([response])
        given, response = response[:start], response[start:]
    has_tools = bool(task.scenario.tools if member.tools is None else member.tools)
    return evidence(given, response, reference=task.reference, has_tools=has_tools)


def _of_responses(task: Drafting) -> list[_Draft]:
    return _of_faults((number, _evidence(task, member)) for number, member in task.members)


def _of_faults(found: Iterable[tuple[str, Evidence]]) -> list[_Draft]:
    """A pitfall for each kind of fault, with the responses that have it."""
    seen: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for number, one in found:
        for title, statement, shown in _faults(one):
            seen.setdefault((title, statement), []).append((number, shown))
    return [
        _Draft(title, statement, Category.PITFALL, f"{_told_by(where)}.") for (title, statement), where in seen.items()
    ]


def _told_by(where: Sequence[tuple[str, str]]) -> str:
    noun = "Response" if len(where) == 1 else "Responses"
    shown = next((text for _, text in where if text), "")
    return f"{noun} {listed(number for number, _ in where)}" + (f": {_quoted(shown)}" if shown else "")


def _faults(one: Evidence) -> Iterator[tuple[str, str, str]]:
    """Title, statement and words of each fault that can be counted."""
    if not one.answer.text.strip():
        yield "No answer", "Gives no answer.", ""
        return
    if one.to_grader:
        yield "Speaks to the grader", "Speaks to the grader or asks for a score.", one.to_grader[0]
    for kind, name in _KIND_NAMES.items():
        shown = next((found.shown for found in one.invented if found.kind == kind), None)
        if shown is not None:
            yield f"Invents {name}", f"Gives {name} that is not in the context.", shown
    if one.is_grounded and one.unsupported and not one.invented:
        yield "Unsupported", "States something that the context does not support.", one.unsupported[0].text
    if one.deflected >= 0.5 and one.deflections:
        yield "Sends away", "Sends the reader elsewhere instead of answering.", one.deflections[0].text
    if one.unbacked_acts:
        yield "Claims an act", "Claims to have done something that no tool call did.", one.unbacked_acts[0]
    if one.hides_failure:
        yield "Hides a failure", "Passes over the failure of a tool call.", ""
    if one.repetition > 0.2:
        yield "Repeats itself", "Repeats what it has said already.", ""


def _apart(task: Drafting) -> list[_Draft]:
    """What the better response says and the worse does not, and the faults that only the worse one has."""
    (_, better), (_, worse) = [(number, _evidence(task, member)) for number, member in task.members]
    given = task.reference or " ".join(one.text for one in better.claims)
    source = "the reference answer" if task.reference else "the better response"
    apart = []
    for draft in _facts(given, task.scenario):
        if finding(draft.statement, better).holds and not finding(draft.statement, worse).holds:
            why = f"Only the better response says it, in the words of {source}."
            apart.append(_Draft(draft.title, draft.statement, draft.category, why))
    spared = {title for title, _, _ in _faults(better)}
    faults = [draft for draft in _of_faults([("2", worse)]) if draft.title not in spared]
    return [*apart[:_MOST_FACTS_APART], *faults]


_DRAFTED: dict[str, Callable[[Drafting], list[_Draft]]] = {
    "generate": _of_scenario,
    "sharpen": _parts,
    "pitfalls": _of_responses,
    "separate": _apart,
}


# -- wording -------------------------------------------------------------------------------------


def _title(text: str) -> str:
    """The first three content words."""
    content = [one for one in re.findall(r"\w[\w@.%'-]*\w|\w", text) if one.lower() not in STOP_WORDS]
    title = shortened(" ".join(content[:3]), 40)
    return title[:1].upper() + title[1:]


def _quoted(text: str, most: int = 160) -> str:
    """In straight quotes: a statement's polarity is read past what stands between them."""
    plain = text.rstrip(" .").replace('"', "'")
    return f'"{shortened(plain, most)}"'


def _plain_stems(texts: Iterable[str]) -> frozenset[str]:
    """The stems of words that stand in lower case somewhere: they are no names."""
    return frozenset(stem(word) for text in texts for word in re.findall(r"\b[a-z]\w*", text))
