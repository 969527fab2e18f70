"""The JSON objects in a judge's reply, wherever in it they stand.

Linear in the length of the reply, whatever it holds: a judge that runs away produces
megabytes, and a candidate may have talked it into that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

from reward_lab.core.chat import Json
from reward_lab.core.verdict import Reason

Record: TypeAlias = dict[str, Json]


class Unreadable(Exception):
    """No JSON object can be taken from the reply. The message is the sentence for the judge and the user."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def json_objects(text: str, wanted: tuple[str, ...]) -> list[Record]:
    """The outermost JSON objects of a reply, in order; those in think blocks are left out.

    ``wanted`` are the field names that an answer has: only objects that mention one of them are
    worth mending where their syntax slips.

    Raises:
        Unreadable: the reply is empty, breaks off, declines, holds no JSON, or gives a key
            twice with different values.
    """
    whole = text.strip()
    if not whole:
        raise Unreadable(Reason.EMPTY_REPLY, "The reply is empty: answer with the JSON object that was asked for.")
    # A reply that is JSON and nothing else is taken as it is, before any look at think tags: an explanation may
    # quote one. The same holds for what follows a first closing tag.
    for part in _likely_wholes(whole):
        try:
            return _records_of(_decoder.decode(part))
        except (ValueError, RecursionError):
            continue
    try:
        return _searched(whole, wanted)
    except RecursionError:
        raise Unreadable(
            Reason.UNREADABLE_REPLY, "The reply is nested too deeply to be read: answer with the JSON asked for."
        ) from None


def _object(pairs: list[tuple[str, Json]]) -> Record:
    record = dict(pairs)
    if len(record) != len(pairs):
        for key, value in pairs:
            if record[key] != value:
                raise Unreadable(
                    Reason.UNREADABLE_REPLY,
                    f'The reply gives "{key[:60]}" twice in one object with different values: give it once.',
                )
    return record


_decoder = json.JSONDecoder(object_pairs_hook=_object, strict=False)  # not strict: line breaks within strings are read


_FENCE_OPENING = re.compile(r"```\w*")

_THINK_TAG = re.compile(r"<(/?)think(?:ing)?\s*+>", re.IGNORECASE)


def _likely_wholes(text: str) -> Iterator[str]:
    yield text
    if text.startswith("```"):
        yield _unfenced(text)
    tag = _THINK_TAG.search(text)
    if tag is not None and (tag[1] or tag.start() == 0):
        end = tag if tag[1] else next((one for one in _THINK_TAG.finditer(text) if one[1]), None)
        if end is not None:
            yield _unfenced(text[end.end() :].strip())


def _unfenced(text: str) -> str:
    opening = _FENCE_OPENING.match(text)
    return text[opening.end() : -3] if opening is not None and text.endswith("```") else text


def _records_of(value: Json) -> list[Record]:
    listed = value if isinstance(value, list) else [value]
    records = [one for one in listed if isinstance(one, dict)]
    if not records:
        raise ValueError("JSON, but no object")
    return records


_MOST_OBJECTS = 2_000
_MOST_MENDED = 40_000
"""Characters of one reply. Mending runs in Python, and a sensible answer with slips in it is shorter."""


def _searched(text: str, wanted: tuple[str, ...]) -> list[Record]:
    spoken, unclosed = _outside_thinking(text)
    records: list[Record] = []
    broken = ""
    to_mend = _MOST_MENDED
    at = seen = 0
    while opening := _OPENING.search(spoken, at):
        end = _balanced_end(spoken, opening.start())
        if end is None:
            raise Unreadable(
                Reason.CUT_REPLY,
                "The reply breaks off before its JSON ends: answer in full, with shorter explanations.",
            )
        span = spoken[opening.start() : end]
        at = end
        try:
            records.append(_decoder.decode(span))
        except ValueError:
            if any(name in span for name in wanted):
                broken = broken or span
                # At least 1,000 a time: starting the repairer costs as much.
                to_mend -= max(1_000, len(span))
                mended = _mended(span) if to_mend >= 0 else None
                if mended is not None:
                    records.append(mended)
        seen += 1
        if to_mend < 0 or seen > _MOST_OBJECTS:
            raise Unreadable(
                Reason.UNREADABLE_REPLY,
                f"The reply is no answer but a flood ({quoted(spoken)}): give exactly one JSON object.",
            )
    if records:
        return records
    if broken:
        raise Unreadable(
            Reason.UNREADABLE_REPLY,
            f"The reply's JSON cannot be read ({quoted(broken)}): answer with valid JSON and plain numbers.",
        )
    if unclosed:
        raise Unreadable(
            Reason.CUT_REPLY, "The reply ends while the judge is still thinking: think less and answer with the JSON."
        )
    raise _without_json(spoken.strip())


def _outside_thinking(text: str) -> tuple[str, bool]:
    """What a reply says outside of think blocks, and whether the last block stays open.

    Up to a closing tag that no tag opened everything is thinking: some chat templates put the
    opening tag into the prompt.
    """
    kept: list[str] = []
    thinking = False
    at = 0
    for tag in _THINK_TAG.finditer(text):
        closes = bool(tag[1])
        if closes:
            if not thinking:
                kept.clear()
            thinking = False
            at = tag.end()
        elif not thinking:
            kept.append(text[at : tag.start()])
            thinking = True
    if not thinking:
        kept.append(text[at:])
    return "\n".join(kept), thinking


# Opens a JSON object, or something that means to be one; a brace in prose does not.
_OPENING = re.compile(r"""\{(?=\s*+(?:["'}]|[A-Za-z_]\w*+["']?\s*+:))""")

# A string that never ends takes the rest of the text with it. A single-quoted one ends at the quote that a comma, a
# colon or a bracket follows, so that apostrophes in it are text.
_STRUCTURE = re.compile(
    r""" "(?:[^"\\]++|\\.)*+"?  |  (?<=[\s{\[,:])'(?:[^'\\]++|\\.|'(?!\s*+[,:}\]]))*+'?  |  [{}] """,
    re.DOTALL | re.VERBOSE,
)


def _balanced_end(text: str, start: int) -> int | None:
    """Where the object that opens at ``start`` has ended, or ``None`` where the text ends first."""
    depth = 0
    for token in _STRUCTURE.finditer(text, start):
        match token[0]:
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if depth == 0:
                    return token.end()
    return None


def _mended(span: str) -> Record | None:
    """A complete object with slips of syntax (commas, quotes, Python's constants), or ``None``.

    json_repair turns nearly everything into something: 80% into 80, "0.8 0.9" into 0.8, the
    last of two keys into the only one. A repair counts only if it changed nothing but
    punctuation.
    """
    from json_repair import loads

    try:
        repaired = loads(span, skip_json_loads=True, strict=True)
        kept_all = isinstance(repaired, dict) and _substance(json.dumps(repaired, ensure_ascii=False)) == _substance(
            span
        )
    except Exception:  # noqa: BLE001 - a repairer that trips over hostile text has not repaired it, whatever it raises
        return None
    return repaired if kept_all and isinstance(repaired, dict) else None


_PUNCTUATION = re.compile(r"""\\[nrtbf]|[\s"'\\,:{}\[\]]+""")

_DECIMAL = re.compile(r"-?\d{1,20}\.\d{1,20}")

_PYTHON_CONSTANTS = {"true": "true", "false": "false", "none": "null"}


def _substance(text: str) -> str:
    """A text without the punctuation of JSON and with one spelling for equal numbers and constants."""
    return "".join(map(_spelt, _PUNCTUATION.sub(" ", text).split(" ")))


def _spelt(word: str) -> str:
    if _DECIMAL.fullmatch(word):
        return word.rstrip("0")
    return _PYTHON_CONSTANTS.get(word.lower(), word)


_DECLINES = re.compile(
    r"\b(?:I|we)(?:\s+\w+)?\s+(?:can\s?not|(?:can|could\s?n|won)['\u2019]t|will not|decline|refuse)\b"
    r"|\b(?:can\s?not|can['\u2019]t|unable to|not able to|impossible to)\s+(?:\w+\s+)?"
    r"(?:assess|judge|evaluate|score|rate|compare|assist|help|comply|provide|determine)"
    r"|\b(?:I['\u2019]m|I am)\s+(?:\w+\s+)?(?:sorry|unable|not able|not comfortable)\b|\bsorry,",
    re.IGNORECASE,
)

_FIRST_SENTENCE = re.compile(r".{1,300}?(?:[.!?](?=\s|$)|$)", re.DOTALL)


def _without_json(spoken: str) -> Unreadable:
    if not spoken:
        return Unreadable(
            Reason.EMPTY_REPLY,
            "The reply is empty but for its thinking: answer with the JSON object that was asked for.",
        )
    if _DECLINES.search(spoken[:2000]):
        sentence = _FIRST_SENTENCE.match(spoken)
        return Unreadable(
            Reason.REFUSAL,
            f"The judge declined ({quoted(spoken if sentence is None else sentence[0], 300)}): "
            "judge from what is given, in the JSON that was asked for.",
        )
    return Unreadable(
        Reason.UNREADABLE_REPLY,
        f"The reply holds no JSON ({quoted(spoken)}): answer with the JSON object that was asked for.",
    )


def quoted(text: str, most: int = 80) -> str:
    """A text in quotes on one line, cut to ``most`` characters."""
    line = " ".join(text[: most * 4].split())
    return f'"{line}"' if len(line) <= most else f'"{line[: most - 3]}..."'
