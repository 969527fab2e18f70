"""JSONL, and JSON: a list of objects, one object, or an object that holds the list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidInput
from reward_lab.exchange.groups.content import Content, stray_byte
from reward_lab.exchange.groups.sheet import BadLine, Lines, Row, shown
from reward_lab.exchange.groups.strict_json import ItemDecoder, read_json

_WRAPPERS = ("data", "rows", "groups", "examples", "records", "items", "instances", "train", "test")
"""Names under which a document keeps its list of rows."""

_LINES_TRIED = 100

_BLANK = re.compile(r"[ \t\r\n]*")


def looks_like_json(content: Content) -> bool:
    """By its ending, or by how it begins; a table may begin with a bracket too, and then its first line is no JSON."""
    if content.suffix in (".json", ".jsonl", ".ndjson"):
        return True
    start = content.text.lstrip()
    if start[:1] not in ("{", "["):
        return False
    if content.suffix not in (".csv", ".tsv"):
        return True
    try:
        read_json(start.split("\n", 1)[0])
    except ValueError:
        return False
    return True


def json_rows(content: Content) -> Lines:
    """The objects of a JSON or JSONL file. Numbers are those of lines; in an object that holds a list, of its items.

    Raises:
        InvalidInput: it is neither; the first fault is named.
    """
    text = content.text
    if content.suffix in (".jsonl", ".ndjson"):
        return Lines((), _lines(content))
    if text.lstrip()[0] == "[":
        return Lines((), _items(content))
    try:
        document = read_json(text)
    except ValueError as error:
        if not any(isinstance(line, tuple) for line in islice(_lines(content), _LINES_TRIED)):
            raise InvalidInput(f"{content.name} is not JSON: {error}. Mend it, or choose another file.") from error
        return Lines((), _lines(content))
    if content.damaged and (stray := stray_byte(text)):
        raise InvalidInput(f"{content.name} is not UTF-8: it holds the byte {stray}. Save it as UTF-8.")
    return Lines((), _rows_of(document))


def _rows_of(document: Json) -> Iterator[Row | BadLine]:
    for name in _WRAPPERS if isinstance(document, dict) else ():
        held = document.get(name)
        if isinstance(held, list) and held and all(isinstance(one, dict) for one in held):
            yield from enumerate(held, start=1)
            return
    yield _row(1, document)


def _lines(content: Content) -> Iterator[Row | BadLine]:
    """Only line feeds end a line: U+2028 and the like are content."""
    for number, line in enumerate(_split(content.text), start=1):
        if not line.strip():
            continue
        if content.damaged and (stray := stray_byte(line)):
            yield BadLine(number, f"not UTF-8: the byte {stray}")
            continue
        try:
            yield _row(number, read_json(line))
        except ValueError as error:
            yield BadLine(number, f"not JSON: {error}")


def _split(text: str) -> Iterator[str]:
    """The lines one by one: ``io.StringIO`` would hold the text once more at four bytes a character."""
    place = 0
    while place < len(text):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        yield text[place:end]
        place = end + 1


def _items(content: Content) -> Iterator[Row | BadLine]:
    """The items of a list, one after the other, so that what stands before a fault is read."""
    text, decoder = content.text, ItemDecoder()
    place = text.index("[") + 1
    line, counted = 1, 0
    while True:
        place = _past_blanks(text, place)
        line, counted = line + text.count("\n", counted, place), place
        if text[place : place + 1] == "]":
            break
        try:
            value, place, fault = decoder.item(text, place)
        except ValueError as error:
            yield BadLine(line, f"not JSON: {error}; what follows it in the file is not read")
            return
        if content.damaged and (stray := stray_byte(text[counted:place])):
            yield BadLine(line, f"not UTF-8: the byte {stray}")
        else:
            yield BadLine(line, f"not JSON: {fault}") if fault else _row(line, value)
        place = _past_blanks(text, place)
        if text[place : place + 1] == ",":
            place += 1
        elif text[place : place + 1] != "]":
            line += text.count("\n", counted, place)
            yield BadLine(line, "a comma or ] is missing here; what follows it in the file is not read")
            return
    rest = _past_blanks(text, place + 1)
    if rest < len(text):
        line += text.count("\n", counted, rest)
        yield BadLine(line, "this stands after the end of the list, and is not read")


def _past_blanks(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _row(number: int, value: Json) -> Row | BadLine:
    if isinstance(value, dict):
        return number, value
    return BadLine(number, f'expected an object such as {{"prompt": "...", "response": "..."}}, got {shown(value, 60)}')
