"""What stands around a rubric in its record: a name, a prompt, a system prompt, a reference answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reward_lab.core.chat import Json, Message, parse_messages, text_of
from reward_lab.core.group import Scenario
from reward_lab.errors import InvalidChat
from reward_lab.exchange.rubrics.format import NamedRubric
from reward_lab.exchange.rubrics.paths import ABSENT, Path, put, take, value_at


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a format keeps what surrounds a rubric. The first of each is where it is written if it came from elsewhere.

    Where a value stood under several paths, it is written under all of them again. ``chat``: a
    prompt is written as a list of messages rather than as text.
    """

    prompts: tuple[Path, ...] = (("prompt",), ("question",), ("query",), ("Question",), ("input",))
    references: tuple[Path, ...] = (("reference_answer",),)
    systems: tuple[Path, ...] = (("system_prompt",),)
    names: tuple[str, ...] = ("name", "id")
    chat: bool = False

    def read(self, record: dict[str, Json], source: dict[str, Json], default_name: str) -> tuple[str, Scenario | None]:
        """Take name and scenario out of a record; ``source`` is told how they stood there."""
        name = self._name(record, source)
        if not name:
            name = source["unnamed"] = default_name
        messages = self._messages(record, source)
        reference = self._text(record, self.references, source, "references_at")
        system = self._text(record, self.systems, source, "systems_at")
        if not messages and reference is None and system is None:
            return name, None
        return name, Scenario(system_prompt=system or "", messages=messages, reference_answer=reference)

    def write(self, record: dict[str, Json], named: NamedRubric, source: dict[str, Json]) -> None:
        """Put name and scenario into a record, where ``source`` (of the same format, or empty) had them."""
        if named.name != source.get("unnamed"):
            kept = source.get("name", named.name)
            record[source.get("name_at", self.names[0])] = kept if str(kept) == named.name else named.name
        scenario = named.scenario
        if scenario is None:
            return
        systems = source.get("systems_at") or self.systems[:1]
        messages = scenario.messages
        if scenario.system_prompt and not systems:
            messages = scenario.conversation
        elif scenario.system_prompt:
            _put_all(record, systems, scenario.system_prompt)
        if messages:
            _put_all(record, source.get("prompts_at") or self.prompts[:1], self._prompt(messages, source))
        if scenario.reference_answer is not None:
            _put_all(record, source.get("references_at") or self.references[:1], scenario.reference_answer)

    def _name(self, record: dict[str, Json], source: dict[str, Json]) -> str:
        for key in self.names:
            given = record.get(key)
            if isinstance(given, str | int) and not isinstance(given, bool) and str(given).strip():
                del record[key]
                source["name_at"] = key
                if not isinstance(given, str):
                    source["name"] = given
                return str(given)
        return ""

    def _messages(self, record: dict[str, Json], source: dict[str, Json]) -> tuple[Message, ...]:
        found = _first(record, self.prompts, lambda value: bool(value) and isinstance(value, str | list))
        if found is None:
            return ()
        prompt, places = found
        if isinstance(prompt, str):
            messages: tuple[Message, ...] = ({"role": "user", "content": prompt},)
        else:
            try:
                messages = parse_messages(prompt, where=".".join(places[0]))
            except InvalidChat:
                return ()  # stays in the record, and so in the source
        source["prompts_at"] = [list(place) for place in places]
        source["chat"] = not isinstance(prompt, str)
        for place in places:
            take(record, place)
        return messages

    def _prompt(self, messages: tuple[Message, ...], source: dict[str, Json]) -> Json:
        if source.get("chat", self.chat):
            return list(messages)
        return "\n\n".join(text_of(message) for message in messages)

    def _text(self, record: dict[str, Json], paths: tuple[Path, ...], source: dict[str, Json], key: str) -> str | None:
        found = _first(record, paths, lambda value: isinstance(value, str) and bool(value))
        if found is None:
            return None
        text, places = found
        source[key] = [list(place) for place in places]
        for place in places:
            take(record, place)
        return str(text)


def _first(
    record: dict[str, Json], paths: tuple[Path, ...], usable: Callable[[Json], bool]
) -> tuple[Json, list[Path]] | None:
    """The first usable value, and all the paths under which it stands."""
    for path in paths:
        value = value_at(record, path)
        if value is not ABSENT and usable(value):
            return value, [one for one in paths if value_at(record, one) == value]
    return None


def _put_all(record: dict[str, Json], places: Json, value: Json) -> None:
    for place in places:
        put(record, place, value)
