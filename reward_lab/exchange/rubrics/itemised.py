"""Formats whose record is a prompt with a list of items, each a criterion: what they have in common."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from reward_lab.core.chat import Json
from reward_lab.core.rubric import CATEGORY_WEIGHTS, Category, Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import MAX_CRITERIA, Container, Contents, Record
from reward_lab.exchange.rubrics.format import NO, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.paths import Path, pack, put, take, unpack, value_at

Item = dict[str, Json]


class ItemFormat(RubricFormat):
    """Reads and writes the record; a format says what one item is.

    What no field holds is kept in the ``source`` of rubric and criteria, and written back in
    its place. A list that stands under several of ``item_paths`` is written under all of them.
    ``packed`` are keys whose value may be JSON in a text; ``counts`` hold the number of items,
    and ``beside`` are lists with an entry for each of them.
    """

    item_paths: ClassVar[tuple[Path, ...]] = (("rubrics",), ("rubric",))
    frame: ClassVar[Frame] = Frame()
    scoring: ClassVar[Scoring] = Scoring(weights="own")
    packed: ClassVar[tuple[str, ...]] = ("rubrics", "rubric")
    counts: ClassVar[tuple[str, ...]] = ()
    beside: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """How much these items, all objects, look like this format; ``record`` is empty around a bare list."""

    @abstractmethod
    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Take a criterion's fields out of an item. Raises ``ValueError`` with what is wrong with it."""

    @abstractmethod
    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """A criterion as an item."""

    def likeness(self, record: Record, contents: Contents) -> int:
        """By the items, wherever the format may have them."""
        value = record.value
        if contents.container is Container.CSV:
            return NO
        if isinstance(value, list):
            return self._likeness(value, {})
        if not isinstance(value, dict):
            return NO
        value = dict(value)
        unpack(value, self.packed)
        return max((self._likeness(value_at(value, path), value) for path in self.item_paths), default=NO)

    def _likeness(self, items: Json, record: Mapping[str, Json]) -> int:
        if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
            return NO
        return self.item_likeness(items, record)

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The rubric, its name and its scenario."""
        source: dict[str, Json] = {"format": self.name}
        if isinstance(record.value, list):
            source |= {"bare": True, "unnamed": record.name}
            return NamedRubric(record.name, self._rubric(record.value, [], source, record.place, findings))
        if not isinstance(record.value, dict):
            raise InvalidRubric(f"expected an object with a list of criteria, got {type(record.value).__name__}")
        rest: dict[str, Json] = copy.deepcopy(record.value)
        if packed := unpack(rest, self.packed):
            source["packed"] = packed
        places = [path for path in self.item_paths if isinstance(value_at(rest, path), list)]
        if not places:
            raise InvalidRubric(
                f"there is no list of criteria under {' or '.join(repr('.'.join(path)) for path in self.item_paths)}; "
                f"the record has {', '.join(map(repr, rest)) or 'no keys'}"
            )
        items = value_at(rest, places[0])
        places = [path for path in places if value_at(rest, path) == items]
        source["items_at"] = [list(path) for path in places]
        for path in places:
            take(rest, path)
        if counted := [key for key in self.counts if rest.get(key) == len(items)]:
            source["counts"] = counted
        lists = [key for key in self.beside if isinstance(rest.get(key), list) and len(rest[key]) == len(items)]
        rows = [{key: rest[key][position] for key in lists} for position in range(len(items))]
        if lists:
            source["beside"] = lists
        for key in (*counted, *lists):
            del rest[key]
        name, scenario = self.frame.read(rest, source, record.name)
        if rest:
            source["record"] = rest
        return NamedRubric(name, self._rubric(items, rows, source, record.place, findings), scenario)

    def write(self, named: NamedRubric) -> Json:
        """The record, as it was where it was imported from this format."""
        if not named.rubric.criteria:
            raise InvalidRubric(f"{self.label} holds criteria, and this rubric has none")
        source = own_source(named.rubric, self.name)
        criteria = named.rubric.criteria
        items = [self.write_item(one, named, position) for position, one in enumerate(criteria)]
        if source.get("bare") and named.scenario is None and named.name == source.get("unnamed"):
            return items
        record: dict[str, Json] = copy.deepcopy(source.get("record", {}))
        self.frame.write(record, named, source)
        for path in source.get("items_at") or self.item_paths[:1]:
            put(record, path, items)
        for key in source.get("counts", ()):
            record[key] = len(items)
        for key in source.get("beside", ()):
            record[key] = [self.write_beside(key, criterion) for criterion in criteria]
        pack(record, source.get("packed", ()))
        return record

    def read_beside(self, key: str, value: Json, criterion: dict[str, Json]) -> Json:
        """What the source keeps of a criterion's entry in a list beside the items."""
        return value

    def write_beside(self, key: str, criterion: Criterion) -> Json:
        """A criterion's entry in such a list."""
        return criterion.source.get("beside", {}).get(key)

    def _rubric(self, items: list[Json], rows: list[Item], source: Item, place: str, findings: Findings) -> Rubric:
        if not items:
            raise InvalidRubric("its list of criteria is empty")
        if len(items) > MAX_CRITERIA:
            raise InvalidRubric(f"it has {len(items)} criteria; at most {MAX_CRITERIA} are read")
        criteria = []
        for number, item in enumerate(items, start=1):
            where = f"{place}, criterion {number}" if place else f"criterion {number}"
            if not isinstance(item, dict):
                raise InvalidRubric(f"criterion {number}: expected an object, got {type(item).__name__}")
            rest = dict(item)
            try:
                fields = self.read_item(rest, where, findings)
            except ValueError as error:
                raise InvalidRubric(f"criterion {number}: {error}") from error
            kept: Item = {"item": rest} if rest else {}
            if rows and rows[number - 1]:
                kept["beside"] = {key: self.read_beside(key, one, fields) for key, one in rows[number - 1].items()}
            criteria.append({**fields, "source": kept})
        return Rubric.from_record({"criteria": criteria, "scoring": self.scoring.model_dump(), "source": source})


def own_source(rubric: Rubric, format_name: str) -> dict[str, Json]:
    """A rubric's source where it came from this format, else nothing: what another left is not this one's."""
    return rubric.source if rubric.source.get("format") == format_name else {}


def own_item(criterion: Criterion, rubric: Rubric, format_name: str) -> Item:
    """What an item of this format carried beyond the criterion's fields."""
    return copy.deepcopy(criterion.source.get("item", {})) if own_source(rubric, format_name) else {}


def taken_text(item: Item, *keys: str) -> str:
    """Take the text under the first of ``keys`` that is there. Raises ``ValueError`` where it is none, or blank."""
    for key in keys:
        if key in item:
            text = item.pop(key)
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{key!r} must be a text that says something, got {text!r}")
            return text
    raise ValueError(f"it has no {' or '.join(map(repr, keys))}")


def taken_number(item: Item, *keys: str) -> float:
    """Take the number under the first of ``keys`` that is there. Raises ``ValueError`` where it is none."""
    for key in keys:
        if key in item:
            number = item.pop(key)
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError(f"{key!r} must be a number, got {number!r}")
            return float(number)
    raise ValueError(f"it has no {' or '.join(map(repr, keys))}")


def by_sign(weight: float) -> dict[str, Json]:
    """A criterion's weight, polarity and category where the sign of its points tells them: below 0 is a fault."""
    if weight < 0:
        return {"weight": weight, "meets_when": False, "category": Category.PITFALL}
    return {"weight": weight, "meets_when": True}


def signed_points(criterion: Criterion, rubric: Rubric, position: int) -> int | float:
    """What a criterion is worth as points: below 0 where it is met when false.

    Weights by category become 10, 7, 3 and 9, which stand to each other as the categories do.
    """
    if rubric.scoring.weights == "category":
        size = round(CATEGORY_WEIGHTS[criterion.category] * 10)
        return size if criterion.meets_when else -size
    weight = abs(rubric.weights[position])
    return plain_number(weight if criterion.meets_when else -weight)


def plain_number(value: float) -> int | float:
    """A number as JSON files have it: whole ones without a point.

    >>> plain_number(5.0), plain_number(0.5)
    (5, 0.5)
    """
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
