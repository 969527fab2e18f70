"""Plain lists in JSON and YAML: texts, or objects with a description, alone or as ``criteria``."""

from __future__ import annotations

from typing import ClassVar

from reward_lab.core.chat import Json
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import Container, Contents, Record
from reward_lab.exchange.rubrics.format import NO, PLAIN, SURE, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.itemised import own_source
from reward_lab.exchange.rubrics.plain_items import field_of, plain_item, plain_rubric
from reward_lab.exchange.rubrics.reward_lab import read_own, written_own

_LISTS = ("criteria", "rubric", "rubrics", "items")
_OWN = ("verifiers", "scoring", "source", "scenario")


class _Lists(RubricFormat):
    """A list of criteria, or an object with one beside a name and guidance."""

    containers: ClassVar[tuple[Container, ...]]

    def likeness(self, record: Record, contents: Contents) -> int:
        """Sure of a list of texts; of objects, as others may have them too."""
        if contents.container not in self.containers:
            return NO
        value = record.value
        items = value if isinstance(value, list) else _listed(value)
        if not isinstance(items, list) or not items:
            return self._unlisted(value)
        if all(isinstance(item, str) for item in items):
            return SURE
        named = (
            isinstance(item, str) or (isinstance(item, dict) and any(_is_description(*pair) for pair in item.items()))
            for item in items
        )
        return PLAIN if all(named) else NO

    def _unlisted(self, value: Json) -> int:
        return NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The criteria, with name and guidance where they stand beside them."""
        value = record.value
        if isinstance(value, list):
            bare: dict[str, Json] = {"format": self.name, "bare": True, "unnamed": record.name}
            return NamedRubric(record.name, plain_rubric(value, record.place, findings, source=bare))
        if not isinstance(value, dict):
            raise InvalidRubric(f"expected a list of criteria, got {type(value).__name__}")
        key = next((key for key in _LISTS if isinstance(value.get(key), list)), None)
        if key is None:
            raise InvalidRubric(
                f"there is no list under {' or '.join(map(repr, _LISTS))}; it has {', '.join(map(repr, value))}"
            )
        rest = {one: kept for one, kept in value.items() if one != key}
        name, guidance = str(rest.pop("name", "") or record.name), str(rest.pop("guidance", "") or "")
        source: dict[str, Json] = {"format": self.name, "key": key}
        source |= {"record": rest} if rest else {}
        source |= {} if value.get("name") else {"unnamed": record.name}
        rubric = plain_rubric(value[key], record.place, findings, guidance=guidance, source=source)
        return NamedRubric(name, rubric)


class JsonList(_Lists):
    """Criteria in JSON, without the rest of a rubric."""

    name = "json-list"
    label = "plain JSON list"
    scoring_rule = "A plain list: weighed by its own numbers where every criterion has one, else by category."
    suffixes = (".json", ".jsonl")
    containers = (Container.JSON, Container.JSONL, Container.PARQUET)

    def write(self, named: NamedRubric) -> Json:
        """The list alone, or an object where it has a name or guidance to hold."""
        items = [plain_item(one) for one in named.rubric.criteria]
        if not items:
            raise InvalidRubric("a plain list holds criteria, and this rubric has none")
        source = own_source(named.rubric, self.name)
        unnamed = named.name == source.get("unnamed")
        if source.get("bare") and unnamed and not named.rubric.guidance:
            return items
        record: dict[str, Json] = {} if unnamed else {"name": named.name}
        record |= {"guidance": named.rubric.guidance} if named.rubric.guidance else {}
        return {**record, source.get("key", "criteria"): items, **source.get("record", {})}


class Yaml(_Lists):
    """Our own record in YAML, whose criteria may also be a plain list."""

    name = "yaml"
    label = "YAML"
    scoring_rule = "YAML: as its scoring says; without one, by each criterion's own number or by category."
    suffixes = (".yaml",)
    containers = (Container.YAML,)

    def _unlisted(self, value: Json) -> int:
        return SURE if isinstance(value, dict) and ("guidance" in value or any(key in value for key in _OWN)) else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """As our own record where it has more than a plain list has."""
        value = record.value
        if isinstance(value, dict) and (any(key in value for key in _OWN) or _listed(value) is None):
            return read_own(record)
        return super().read(record, findings)

    def write(self, named: NamedRubric) -> Json:
        """All that a rubric holds."""
        return written_own(named)


def _is_description(key: Json, value: Json) -> bool:
    return isinstance(value, str) and field_of(str(key)) == "description"


def _listed(value: Json) -> Json:
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
