"""Markdown and plain text: list items are criteria, prose is guidance.

::

    # Refunds

    Answers must come from the policy.

    ## Criteria

    - **Window** (Essential, weight 5): States that refunds end after 30 days.
    - (Pitfall, met when false): Names a contact that the policy does not.

Under a heading ``Criteria`` only what follows it are criteria; without one every list item is. A heading with
a category's name holds for the items below it. Several first-level headings are several rubrics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Category, Criterion, Rubric
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import Container, Contents, Record
from reward_lab.exchange.rubrics.format import NO, PLAIN, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.itemised import Item, plain_number
from reward_lab.exchange.rubrics.plain_items import category_of, plain_rubric

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*$")
_CRITERIA = re.compile(r"^##[ \t]+criteria[ \t]*$", re.IGNORECASE | re.MULTILINE)
_BULLET = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<body>\S.*)$")
_BODY = re.compile(
    r"^(?:\*\*(?P<title>[^*\n]+)\*\*)?[ \t]*(?:\((?P<marks>[^()\n]*)\))?[ \t]*:?[ \t]*(?P<text>.*)$", re.DOTALL
)
_WEIGHT = re.compile(
    r"^(?:weight[ \t:]*)?(?P<number>[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:[ \t]*(?:points?|pts?))?$", re.IGNORECASE
)
_BLANKS = " \t\r\n"
"""What may be stripped: U+2028 and the like are content."""
_POLARITY = re.compile(r"^met when (true|false)$", re.IGNORECASE)
_LABEL = re.compile(
    r"^(?P<category>essential|important|optional|pitfall)(?: criteria)?:[ \t]+(?P<text>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)


class Markdown(RubricFormat):
    """Lists and prose as people write them."""

    name = "markdown"
    label = "Markdown"
    scoring_rule = "Markdown: weighed by its own numbers where every criterion has one, else by category."
    suffixes = (".md",)

    def likeness(self, record: Record, contents: Contents) -> int:
        """Any text."""
        return PLAIN if contents.container is Container.TEXT else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The rubric of one text."""
        name, body = _titled(record.value)
        source = {"format": self.name, **({} if name else {"unnamed": record.name})}
        guidance, items = _parts(body, record.place, findings)
        if not items:
            if not guidance:
                raise InvalidRubric("it holds neither prose nor a list")
            findings.note(record.place, "no list was found: the text is the guidance")
            return NamedRubric(name or record.name, Rubric(guidance=guidance, source=source))
        rubric = plain_rubric(items, record.place, findings, keyed=False, guidance=guidance, source=source)
        return NamedRubric(name or record.name, rubric)

    def write(self, named: NamedRubric) -> Json:
        """A text, with its criteria below a heading of theirs."""
        rubric = named.rubric
        if not rubric.guidance.strip() and not rubric.criteria:
            raise InvalidRubric("a text holds guidance and criteria, and this rubric has neither")
        parts = [] if named.name == rubric.source.get("unnamed") else [f"# {named.name}"]
        if rubric.guidance:
            parts.append(rubric.guidance)
        items = "\n".join(_written(one) for one in rubric.criteria)
        if items or any(_BULLET.match(line) for line in rubric.guidance.split("\n")):
            parts += ["## Criteria", *([items] if items else [])]
        return "\n\n".join(parts) + "\n"


def text_records(record: Record) -> list[Record]:
    """The texts of a file: one for each first-level heading where there are several."""
    text = record.value.replace("\r\n", "\n")
    starts = [found.start() for found in re.finditer(r"^#[ \t]+\S", text, re.MULTILINE)]
    if len(starts) < 2:
        return [Record(record.place, text, record.name)]
    starts[0] = 0
    ends = [*starts[1:], len(text)]
    parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return [
        Record(f"rubric {_titled(part)[0]!r}", part, f"{record.name} {number}")
        for number, part in enumerate(parts, start=1)
    ]


def joined_texts(texts: Sequence[Json]) -> str:
    """The texts of several rubrics as one file."""
    return "\n".join(texts)


def _titled(text: str) -> tuple[str, str]:
    """The first-level heading, and the rest; prose in front of the heading stays with the rest."""
    found = re.search(r"^#[ \t]+(\S.*?)[ \t]*$", text, re.MULTILINE)
    if not found:
        return "", text
    return found[1], text[: found.start()] + text[found.end() :]


def _parts(body: str, place: str, findings: Findings) -> tuple[str, list[Json]]:
    """The guidance, and the list items as plain items."""
    apart = _CRITERIA.search(body)
    prose = [_prose(body[: apart.start()])] if apart else []
    items: list[Item] = []
    category: Category | None = None
    gathering = False
    for line in (body[apart.end() :] if apart else body).split("\n"):
        if bullet := _BULLET.match(line):
            items.append(_item(bullet["body"].rstrip(), category))
            gathering = True
        elif gathering and re.match(r"^(?: {2,}|\t)\S", line):
            items[-1]["description"] += "\n" + line.strip(_BLANKS)
        elif heading := _HEADING.match(line):
            category, gathering = _category(heading[2]), False
            if category is None and not apart:
                prose.append(line)
        elif line.strip(_BLANKS):
            gathering = False
            if apart:
                findings.note(place, f"passed over, since it is no list item: {line.strip(_BLANKS)[:60]!r}")
            else:
                prose.append(line)
        elif not apart:
            prose.append("")
    if len(items) == 0 or apart:
        return _prose(body) if not apart else prose[0], list(items)
    return _prose(re.sub(r"\n{3,}", "\n\n", "\n".join(prose))), list(items)


def _prose(text: str) -> str:
    """Without the blank lines around it; its first line stays indented, or it could become a heading."""
    return text.lstrip("\r\n").rstrip(_BLANKS)


def _item(body: str, category: Category | None) -> Item:
    found = _BODY.match(body)
    marks = _marks(found["marks"]) if found and found["marks"] is not None else {}
    if found and marks is not None and (found["title"] or marks) and found["text"].strip():
        item: Item = {"description": found["text"], **marks}
        if found["title"]:
            item["title"] = found["title"].strip().removesuffix(":")
    else:
        label = _LABEL.match(body)
        item = {"description": label["text"], "category": label["category"]} if label else {"description": body}
    if category is not None and "category" not in item:
        item["category"] = category.value
    return item


def _marks(text: str) -> Item | None:
    """What stands in brackets before the description; ``None`` where it is part of a sentence."""
    marks: Item = {}
    for part in (part.strip() for part in text.split(",")):
        if found := _WEIGHT.match(part):
            marks["weight"] = float(found["number"])
        elif found := _POLARITY.match(part):
            marks["meets_when"] = found[1].lower() == "true"
        elif (category := _category(part)) is not None:
            marks["category"] = category.value
        else:
            return None
    return marks


def _category(text: str) -> Category | None:
    try:
        return category_of(re.sub(r"\s+criteria$", "", text.strip().lower()))
    except ValueError:
        return None


def _written(criterion: Criterion) -> str:
    marks: list[str] = [criterion.category.value]
    if criterion.weight is not None:
        marks.append(f"weight {plain_number(criterion.weight)}")
    if not criterion.meets_when or criterion.category is Category.PITFALL or (criterion.weight or 0) < 0:
        marks.append(f"met when {str(criterion.meets_when).lower()}")
    title = f"**{criterion.title}** " if criterion.title else ""
    text = criterion.description.replace("\n", "\n  ")
    return f"- {title}({', '.join(marks)}): {text}"
