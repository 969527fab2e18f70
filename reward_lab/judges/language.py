"""Language: a text as sentences, comparable features and checkable specifics. Pure, no model, linear in the text.

Features are what two texts can share. A word in Latin script becomes a light English stem
and drops out where it is a stop word; a script without blanks between words (Chinese,
Japanese, Thai ...) gives overlapping character pairs; any other script (Arabic, Cyrillic,
Hangul ...) gives character triples, which survive inflection. A number is its value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["number", "phone", "email", "link", "name"]

KIND_WEIGHT: dict[Kind, float] = {"number": 3.0, "phone": 3.0, "email": 3.0, "link": 3.0, "name": 2.0}
"""How much a specific counts against a plain content word: it is what a reader acts on and can check."""

CONTACTS: frozenset[Kind] = frozenset({"phone", "email", "link"})


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# fmt: off
STOP_WORDS = _listed("""
a about above actually after again against ain all also although always am an and another any anyone anything are aren
as at away b back be because been before being below between both but by c came can could couldn d did didn do does
doesn doing don done down during each either else etc even ever every everyone everything few first for from further
get gets getting give given gives go goes going got had hadn has hasn have haven having he hello her here hers herself
hi him himself his how however i if in instead into is isn it its itself just kind know let lets like ll look lot m
made make makes many may maybe me might mine more most much must my myself n n't near need neither no nor not now of
off oh ok okay on once one ones only onto or other others our ours ourselves out over own perhaps please put quite
rather re really s said same say says see seem seems shall she should shouldn since so some someone something soon
still such sure take taken takes taking than that the their theirs them themselves then there these they thing things
think this those though through thus till to too toward two under unless until up upon us use used uses using ve very
via want was wasn way we well went were weren what whatever when where whether which while who whom whose why will
with within without won would wouldn yeah yes yet you your yours yourself yourselves
""")
# fmt: on

NEGATIONS = _listed("""
 against not no never none nor neither cannot without n't non nothing nobody unable avoid avoids avoiding
avoided lack lacks
""")

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    rf"\d{{4}}-\d\d-\d\d(?!\d)|\d++(?:[.,:]\d++)*+|[{_SPACELESS}]++|[^\W\d_{_SPACELESS}]++(?:['\u2019][^\W\d_{_SPACELESS}]++)*+"
)
_ABBREVIATIONS = "".join(
    rf"(?<!\b{one}\.)" for one in ("[A-Z]", r"e\.g", r"i\.e", "[DM]r", "Mrs", "vs", "approx", "No")
)
_SENTENCE_END = re.compile(
    rf"(?<=[.!?\u061f\u06d4\u0964]){_ABBREVIATIONS}[\"'\u201d\u2019)\]*]?\s++|(?<=[\u3002\uff01\uff1f])"
)
_LIST_MARK = re.compile(r"^\s*+(?:[-*•]|\(?\d{1,3}[.)])\s++")
_BARE_MARK = re.compile(r"\s*+\(?\d{1,3}[.)]\s*+$")

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+")
_LINK = re.compile(r"\b(?:https?://|www\.)[^\s<>\"')\]]++", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w.,])\+?\(?\d{1,4}\)?(?:[-. ]\(?(?:\d{2,4}|(?<=-)[A-Z]{4,})\)?){2,5}(?!\w)")
_DIGIT = re.compile(r"\d")
_MOMENT = re.compile(r"(?<!\d)(?:\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?)(?!\d)")
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.])[$€£¥]?(\d++(?:,\d{3}+)*+(?:\.\d++)?+)(?:\s?%|(?=[-\s]{0,2}([^\W\d_]++)(?:[-\s]([^\W\d_]++))?))?"
)
_NAME = re.compile(r"[^\W\d_][\w'\u2019]*+(?:-[^\W\d_][\w'\u2019]*+)*+")

_UNITS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_UNITS, start=2)} | {
    word: f"{value}0" for value, word in enumerate(_TENS, start=2)
}

_SUFFIXES = (
    *("ational", "ations", "ation", "ating", "ated", "ates", "ements", "ement", "ingly", "ments", "ment", "ness"),
    *(
        "ables",
        "able",
        "ibly",
        "ible",
        "ions",
        "ion",
        "ings",
        "ing",
        "edly",
        "ate",
        "ers",
        "er",
        "ed",
        "ly",
        "al",
        "ic",
    ),
)


@dataclass(frozen=True, slots=True)
class Specific:
    """Something checkable: a number, a contact or a named thing.

    ``shown`` is how the text has it, with the word a number counts; ``key`` its normal form;
    ``unit`` that word's stem, "" where there is none.
    """

    kind: Kind
    shown: str
    key: str
    unit: str = ""

    @property
    def weight(self) -> float:
        """Its weight in plain content words."""
        return KIND_WEIGHT[self.kind]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or line: its text, its features in order and its specifics."""

    text: str
    features: tuple[str, ...]
    specifics: tuple[Specific, ...]


@dataclass(frozen=True)
class Passage:
    """A text, read once; its apostrophes are straight."""

    text: str
    sentences: tuple[Sentence, ...]

    @cached_property
    def features(self) -> frozenset[str]:
        """Every feature of the text."""
        return frozenset(feature for sentence in self.sentences for feature in sentence.features)

    @cached_property
    def specifics(self) -> tuple[Specific, ...]:
        """Every specific of the text, each once, in order."""
        return tuple(dict.fromkeys(one for sentence in self.sentences for one in sentence.specifics))

    @cached_property
    def length(self) -> int:
        """Features counted with their repetitions: the length that does not depend on script or wording."""
        return sum(len(sentence.features) for sentence in self.sentences)


@lru_cache(maxsize=256)
def passage(text: str) -> Passage:
    """Read a text. Linear in its length: no pattern here starts twice in one run of characters."""
    normal = unicodedata.normalize("NFC", text).replace("\u2019", "'")
    capitals = _capitals_mark_names(normal)
    parts = (part for line in normal.splitlines() for part in _SENTENCE_END.split(_LIST_MARK.sub("", line)))
    said = (part.strip() for part in parts if part and _TOKEN.search(part) and not _BARE_MARK.match(part))
    return Passage(normal, tuple(_sentence(part, names=capitals) for part in said))


def features(text: str) -> tuple[str, ...]:
    """The features of a text in order, stop words left out.

    >>> features("Purchased tickets can't be returned; 1,000 returns")
    ('purchas', 'ticket', 'return', '1000', 'return')
    """
    return tuple(feature for token in _TOKEN.findall(text) for feature in _token_features(token))


def words(text: str) -> list[str]:
    """Lower-case words and numbers in order, stop words kept."""
    return [token.casefold().replace("\u2019", "'") for token in _TOKEN.findall(text)]


@lru_cache(maxsize=65536)
def _token_features(token: str) -> tuple[str, ...]:
    if token[0].isdigit():
        return (_number_key(token),)
    folded = unicodedata.normalize("NFKD", token.casefold().replace("\u2019", "'"))
    bare = "".join(char for char in folded if not unicodedata.combining(char))
    if bare.isascii():
        return _latin_features(bare)
    if re.match(rf"[{_SPACELESS}]", token):
        return (token,) if len(token) == 1 else tuple(token[at : at + 2] for at in range(len(token) - 1))
    padded = f"_{bare}_"
    return tuple(padded[at : at + 3] for at in range(len(padded) - 2))


def _latin_features(word: str) -> tuple[str, ...]:
    if word in _NUMBER_WORDS:
        return (_NUMBER_WORDS[word],)
    base = word.partition("'")[0]
    if base in STOP_WORDS or word in STOP_WORDS or len(base) < 2:
        return ()
    return (stem(base),)


def stem(word: str) -> str:
    """A light English stem: one plural and one derivation ending off, at least three letters left.

    >>> stem("returnable"), stem("policies"), stem("policy"), stem("stopped")
    ('return', 'polici', 'polici', 'stop')
    """
    if len(word) <= 3:
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "i"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def is_negated(tokens: list[str], at: int, *, reach: int = 4) -> bool:
    """Whether a negation stands within ``reach`` words before the word at ``at``."""
    return any(token in NEGATIONS or token.endswith("n't") for token in tokens[max(0, at - reach) : at])


def quoted(names: Iterable[str], *, limit: int = 3) -> str:
    """A list for people: quoted, joined by commas, cut after ``limit``.

    >>> quoted(["90 days", "store credit"])
    '“90 days”, “store credit”'
    """
    listed = list(dict.fromkeys(names))
    more = len(listed) - limit
    return ", ".join(f"“{shortened(name.rstrip(' .'))}”" for name in listed[:limit]) + (
        f" and {more} more" if more > 0 else ""
    )


def shortened(text: str, limit: int = 70) -> str:
    """A text in one line of at most ``limit`` characters, cut at a word where that is possible."""
    line = " ".join(text[: 4 * limit].split())
    if len(line) <= limit:
        return line
    head, _, _ = line[:limit].rpartition(" ")
    return (head if len(head) > limit // 2 else line[: limit - 1]).rstrip(".,;:") + "…"


def _sentence(text: str, *, names: bool) -> Sentence:
    found: list[tuple[int, Specific]] = []
    rest = text
    if "@" in rest:
        rest = _taken("email", _EMAIL, rest, found)
    if "://" in rest or "www." in rest:
        rest = _taken("link", _LINK, rest, found)
    if _DIGIT.search(rest):
        rest = _taken("number", _MOMENT, rest, found)
        rest = _taken("phone", _PHONE, rest, found)
        found.extend((match.start(), _number(*match.group(0, 1, 2, 3))) for match in _NUMBER.finditer(rest))
    if names and not rest.islower():
        found.extend(_names(rest))
    return Sentence(text, features(text), tuple(dict.fromkeys(one for _, one in sorted(found, key=_place))))


def _place(found: tuple[int, Specific]) -> int:
    return found[0]


def _taken(kind: Kind, pattern: re.Pattern[str], text: str, found: list[tuple[int, Specific]]) -> str:
    """The text with every match blanked out, so that a phone number's digits are not numbers too."""

    def blanked(match: re.Match[str]) -> str:
        shown = match.group().rstrip(".,;:!?")
        key = shown.casefold()
        if kind == "phone":
            key = re.sub(r"\W", "", key)
            if len(key) < 7:
                return match.group()
        found.append((match.start(), Specific(kind, shown, key)))
        return " " * len(match.group())

    return pattern.sub(blanked, text)


@lru_cache(maxsize=4096)
def _number(shown: str, digits: str, first: str | None, second: str | None) -> Specific:
    unit = _unit(first, second)
    return Specific("number", f"{shown} {unit}".strip(), _number_key(digits), stem(unit.casefold()))


def _unit(*following: str | None) -> str:
    """What a number counts: the first content word behind it, of a script without blanks its first character."""
    for word in following:
        if word and re.match(f"[{_SPACELESS}]", word):
            return word[0]
        if word and word.casefold() not in STOP_WORDS:
            return word
    return ""


def _number_key(token: str) -> str:
    if ":" in token or "-" in token:
        return token
    whole, dot, fraction = token.replace(",", "").partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (dot + fraction if fraction else "")


def _names(line: str) -> Iterable[tuple[int, Specific]]:
    """Runs of capitalised words, the sentence's first word only as part of a longer run."""
    matches = list(_NAME.finditer(line))
    is_sentence = line.rstrip().endswith((".", "!", "?", ","))
    if (
        not is_sentence
        and len(matches) > 2
        and all(one.group()[0].isupper() for one in matches if len(one.group()) > 3)
    ):
        return  # a heading in title case names nothing
    run: list[re.Match[str]] = []
    for index, match in enumerate([*matches, None]):
        word = match.group() if match else ""
        is_capital = bool(match) and word[0].isupper() and word.casefold() not in STOP_WORDS
        joined = run and match and line[run[-1].end() : match.start()] == " "
        if run and not (is_capital and joined):
            starts_sentence = run[0].start() == matches[0].start()
            if len(run) > 1 or not starts_sentence or run[0].group()[1:].lower() != run[0].group()[1:]:
                shown = line[run[0].start() : run[-1].end()]
                yield run[0].start(), Specific("name", shown, shown.casefold())
            run = []
        if is_capital and match and len(word) > 1 and index < len(matches):
            run.append(match)


def _capitals_mark_names(text: str) -> bool:
    """Whether capitals inside sentences mark names here: not where every noun has one, as in German."""
    inside = re.findall(r"(?<=[^\W\d_][ ,])([^\W\d_])[^\W\d_]{2}", text[:20000])
    return len(inside) < 10 or sum(letter.isupper() for letter in inside) <= 0.3 * len(inside)
