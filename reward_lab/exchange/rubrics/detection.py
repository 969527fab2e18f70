"""Which format a file is in, by what it holds; its name decides between what the content leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reward_lab.core.wording import listed
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import Container, Contents, Record
from reward_lab.exchange.rubrics.csv_table import table_records
from reward_lab.exchange.rubrics.format import MAYBE, NO, PLAIN, RubricFormat
from reward_lab.exchange.rubrics.markdown import text_records

_SAMPLE = 200


def records_of(chosen: RubricFormat, contents: Contents) -> Sequence[Record]:
    """The records of a file as a format sees them: the whole document, or its parts.

    A list is one record where its items are criteria, and many where they are rubrics; an
    object is one record, or rubrics by name.
    """
    whole = contents.whole
    if whole is None:
        return contents.records
    if contents.container is Container.CSV:
        return table_records(whole)
    if contents.container is Container.TEXT:
        return text_records(whole)
    if chosen.likeness(whole, contents):
        return (whole,)
    if any(chosen.likeness(record, contents) for record in contents.records[:_SAMPLE]):
        return contents.records
    return contents.records if isinstance(whole.value, list) and contents.records else (whole,)


def detected(formats: Mapping[str, RubricFormat], contents: Contents) -> RubricFormat:
    """The format of a file.

    Raises:
        InvalidRubric: none fits, or several do and the name does not tell; they are named.
    """
    fits: dict[str, tuple[int, int]] = {}
    for name, one in formats.items():
        levels = [one.likeness(record, contents) for record in list(records_of(one, contents))[:_SAMPLE]]
        if any(levels):
            fits[name] = (max(levels), sum(level > NO for level in levels))
    if not fits:
        raise InvalidRubric(_unknown(formats, contents))
    best = max(fits.values())
    names = [name for name, fit in fits.items() if fit == best]
    if len(names) > 1:
        said = contents.name.lower().replace("_", "").replace("-", "")
        names = [name for name in names if name.replace("-", "") in said] or names
    if len(names) > 1:
        names += [name for name, (level, _) in fits.items() if level == PLAIN]
        raise InvalidRubric(f"{contents.name} could be {listed(names, 'or')}: say which it is.")
    return formats[names[0]]


def likely(formats: Iterable[RubricFormat], record: Record, contents: Contents) -> str:
    """The name of the format that a record looks most like, "" where it looks like none."""
    levels = {one.name: one.likeness(record, contents) for one in formats}
    best = max(levels.values())
    return next(name for name, level in levels.items() if level == best) if best >= MAYBE else ""


def _unknown(formats: Mapping[str, RubricFormat], contents: Contents) -> str:
    first = contents.whole or (contents.records[0] if contents.records else None)
    value = first.value if first else None
    if isinstance(value, list) and value:
        value = value[0]
    held = f"an object with {listed(map(repr, value))}" if isinstance(value, dict) and value else type(value).__name__
    if not value:
        held = "nothing"
    return (
        f"{contents.name} is in no rubric format that is known: a rubric is one JSON object, or a line of one; this "
        f"holds {held}. Known are {listed(formats)}."
    )
