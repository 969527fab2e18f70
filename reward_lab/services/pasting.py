"""Pasting: many responses from one text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import ValidationError

from reward_lab.core.chat import Json, Message, parse_messages
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidChat, InvalidGroup
from reward_lab.services.drafts import ResponseDraft, new_id, trajectory_text

_LOOKS_LIKE_JSON = re.compile(r'\[\s*[\[{"]|\{\s*"')
"""How a list of entries, an object or a first line of JSONL begins; "[1] Smith" and "{code}" do not."""

_FIELDS = frozenset({"text", "response", "content", "messages"})

_LINES_TOLD = 5

_AS_TEXT = "To add it as one text all the same, put a line of --- after it."


def paste_many(text: str, *, taken: set[str]) -> list[ResponseDraft]:
    """Many responses from one paste: a JSON list, JSONL, or texts separated by a line of ``---``.

    An entry is a string, an object with ``text`` or ``messages`` (and ``id``, ``label``,
    ``independent_reward``), or a list of messages. Ids that are ``taken`` or missing are made anew.

    Raises:
        InvalidGroup: nothing was pasted, what is meant as JSON is not (the lines are named), or
            an entry has neither text nor messages (its number is named). Then nothing is added.
    """
    entries = _entries(text)
    if not entries:
        raise InvalidGroup("Nothing to add: paste a JSON list, JSONL, or texts separated by a line of ---.")
    used = set(taken)
    added = []
    for where, entry in entries:
        response = _pasted(entry, where)
        if not response.id or response.id in used:
            response = response.model_copy(update={"id": new_id()})
        used.add(response.id)
        added.append(response)
    return added


def _entries(text: str) -> list[tuple[str, Json]]:
    """What was pasted, each entry with how it is called in a message."""
    lines = text.split("\n")
    if any(line.strip() == "---" for line in lines) or not text.strip():
        return _numbered(_separated(lines))
    try:
        whole = json.loads(text)
    except ValueError as fault:
        return _lines_of_json(lines, fault) or _numbered(_separated(lines))
    if isinstance(whole, dict):
        listed = whole.get("trajectories") or whole.get("responses")
        return _numbered(listed if isinstance(listed, list) else [whole])
    if isinstance(whole, list):
        return _numbered([whole] if whole and _is_message(whole[0]) else whole)
    return _numbered(_separated(lines))


def _numbered(entries: Sequence[Json]) -> list[tuple[str, Json]]:
    return [(f"Pasted entry {number}", entry) for number, entry in enumerate(entries, start=1)]


def _separated(lines: Sequence[str]) -> list[str]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == "---":
            parts.append([])
        else:
            parts[-1].append(line)
    return [part for part in ("\n".join(part).strip("\n") for part in parts) if part.strip()]


def _lines_of_json(lines: Sequence[str], fault: ValueError) -> list[tuple[str, Json]]:
    """JSONL, an entry a line; [] for what is meant as text. ``fault`` is why the whole is no JSON.

    Raises:
        InvalidGroup: JSONL with lines that are not JSON, or one piece of JSON that breaks off.
    """
    read: dict[int, Json] = {}
    bad: dict[int, str] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                read[number] = json.loads(line)
            except ValueError as broken:
                bad[number] = f"line {number} is not valid JSON: {_place_of(broken)}"
    looks = _LOOKS_LIKE_JSON.match("\n".join(lines).lstrip()) is not None
    spread_out = next(line.strip() for line in lines if line.strip()) in ("[", "{")
    entries = 0 if spread_out else sum(map(_is_entry, read.values()))
    if looks and not bad:
        return [(f"Pasted line {number}", one) for number, one in read.items()]
    if entries and (looks or entries >= len(bad)):
        told = "; ".join([*bad.values()][:_LINES_TOLD])
        more = f"; and {counted(len(bad) - _LINES_TOLD, 'more line')}" if len(bad) > _LINES_TOLD else ""
        raise InvalidGroup(f"Nothing was added: {told}{more}. Mend what is named. {_AS_TEXT}")
    if looks:
        where = f" in line {fault.lineno}" if isinstance(fault, json.JSONDecodeError) else ""
        raise InvalidGroup(
            f"Nothing was added: it begins like JSON and is not valid JSON{where}: {_place_of(fault)}. Mend it. "
            f"{_AS_TEXT}"
        )
    return []


def _place_of(fault: ValueError) -> str:
    return f"{fault.msg} (column {fault.colno})" if isinstance(fault, json.JSONDecodeError) else str(fault)


def _is_entry(value: Json) -> bool:
    """Whether a line is an entry beyond doubt."""
    if isinstance(value, list):
        return bool(value) and _is_message(value[0])
    return isinstance(value, dict) and not _FIELDS.isdisjoint(value)


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and "role" in value


def _pasted(entry: Json, where: str) -> ResponseDraft:
    if isinstance(entry, str):
        return ResponseDraft(id="", text=entry)
    if isinstance(entry, list):
        return ResponseDraft(id="", text=trajectory_text(_messages(entry, where)))
    if isinstance(entry, dict):
        text = entry.get("text", entry.get("response", entry.get("content")))
        messages = entry.get("messages")
        if messages is not None:
            text = trajectory_text(_messages(messages, where))
        if isinstance(text, str):
            try:
                return ResponseDraft(
                    id=str(entry.get("id") or ""),
                    label=str(entry.get("label") or ""),
                    text=text,
                    independent_reward=entry.get("independent_reward"),
                    metadata=entry.get("metadata") or {},
                )
            except ValidationError as error:
                raise InvalidGroup(f"{where}: {error.errors()[0]['loc'][0]}: {error.errors()[0]['msg']}.") from error
    raise InvalidGroup(f"{where} has neither 'text' nor 'messages': {json.dumps(entry, ensure_ascii=False)[:80]}")


def _messages(value: Json, where: str) -> tuple[Message, ...]:
    try:
        return parse_messages(value, where=where)
    except InvalidChat as error:
        raise InvalidGroup(str(error)) from error
