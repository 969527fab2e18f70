"""Pasting: many responses from one text."""

from __future__ import annotations

import json

from pydantic import ValidationError

from reward_lab.core.chat import Json, Message, parse_messages
from reward_lab.errors import InvalidChat, InvalidGroup
from reward_lab.services.drafts import ResponseDraft, new_id, trajectory_text


def paste_many(text: str, *, taken: set[str]) -> list[ResponseDraft]:
    """Many responses from one paste: a JSON list, JSONL, or texts separated by a line of ``---``.

    An entry is a string, an object with ``text`` or ``messages`` (and ``id``, ``label``,
    ``independent_reward``), or a list of messages. Ids that are ``taken`` or missing are made anew.

    Raises:
        InvalidGroup: nothing was pasted, or an entry has neither text nor messages (its number is named).
    """
    entries = _entries(text)
    if not entries:
        raise InvalidGroup("Nothing to add: paste a JSON list, JSONL, or texts separated by a line of ---.")
    used = set(taken)
    added = []
    for number, entry in enumerate(entries, start=1):
        response = _pasted(entry, number)
        if not response.id or response.id in used:
            response = response.model_copy(update={"id": new_id()})
        used.add(response.id)
        added.append(response)
    return added


def _entries(text: str) -> list[Json]:
    stripped = text.strip()
    if not stripped:
        return []
    if stripped[0] in "[{":
        try:
            whole = json.loads(stripped)
        except ValueError:
            lines = [line for line in stripped.split("\n") if line.strip()]
            try:
                return [json.loads(line) for line in lines]
            except ValueError:
                pass
        else:
            if isinstance(whole, dict):
                listed = whole.get("trajectories") or whole.get("responses")
                return listed if isinstance(listed, list) else [whole]
            if isinstance(whole, list):
                return [whole] if whole and _is_message(whole[0]) else whole
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip() == "---":
            parts.append([])
        else:
            parts[-1].append(line)
    return [part for part in ("\n".join(lines).strip("\n") for lines in parts) if part.strip()]


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and "role" in value


def _pasted(entry: Json, number: int) -> ResponseDraft:
    where = f"Pasted entry {number}"
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
