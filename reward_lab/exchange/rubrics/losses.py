"""What a rubric loses in a format: the rubric as it was, beside what is read back from what was written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.group import Scenario
from reward_lab.core.rubric import Criterion, Scoring
from reward_lab.core.wording import listed
from reward_lab.exchange.rubrics.format import NamedRubric

_NAMED = 2
_COUNTED = 6


def losses(before: Sequence[NamedRubric], after: Sequence[NamedRubric], format_name: str) -> tuple[str, ...]:
    """What the second lacks of the first, one line a kind of loss, with the rubrics that it concerns.

    ``before`` and ``after`` go together one by one. What another format left in the source is a
    loss of the format ``format_name``; what is added to it is none.
    """
    concerned: dict[str, list[str]] = {}
    for old, new in zip(before, after, strict=True):
        for lost in _losses(old, new, format_name):
            concerned.setdefault(lost, []).append(old.name)
    return tuple(f"{_among(names)}: {lost}" for lost, names in concerned.items())


def _among(names: list[str]) -> str:
    shown = [repr(name) for name in names[:_NAMED]]
    more = len(names) - len(shown)
    return listed([*shown, f"{more} more"] if more else shown)


def _losses(old: NamedRubric, new: NamedRubric, format_name: str) -> Iterator[str]:
    if old.name not in (new.name, old.rubric.source.get("unnamed")):
        yield "the name"
    if old.rubric.guidance != new.rubric.guidance:
        yield "the guidance" if not new.rubric.guidance else "the guidance as it is written"
    yield from _criteria(old.rubric.criteria, new.rubric.criteria, old.rubric.source.get("format") == format_name)
    if old.rubric.verifiers != new.rubric.verifiers:
        yield "the verifiers" if not new.rubric.verifiers else "some of the verifiers, or their settings"
    yield from _scoring(old.rubric.scoring, new.rubric.scoring)
    if old.rubric.source.get("format") not in (None, format_name) and old.rubric.source != new.rubric.source:
        yield f"what {old.rubric.source['format']} carried beside the rubric"
    elif _lacks(old.rubric.source, new.rubric.source) and old.rubric.source.get("format") == format_name:
        yield "what the import carried beside the rubric"
    yield from _scenario(old.scenario or Scenario(), new.scenario or Scenario())


def _criteria(old: Sequence[Criterion], new: Sequence[Criterion], same_format: bool) -> Iterator[str]:
    if len(old) != len(new):
        yield f"criteria: {len(old)} become {len(new)}" if new else "the criteria"
        return
    fields = {
        "the title": [one.title != two.title for one, two in zip(old, new, strict=True)],
        "the description as it is written": [
            one.description != two.description for one, two in zip(old, new, strict=True)
        ],
        "the category": [one.category != two.category for one, two in zip(old, new, strict=True)],
        "the weight as it is given": [_weighs_otherwise(one, two) for one, two in zip(old, new, strict=True)],
        "the polarity": [one.meets_when != two.meets_when for one, two in zip(old, new, strict=True)],
        "what the import carried": [
            same_format and _lacks(one.source, two.source) for one, two in zip(old, new, strict=True)
        ],
    }
    for what, differ in fields.items():
        if all(differ) and len(differ) > 1:
            yield f"{what} of every criterion"
        elif any(differ):
            numbers = [str(number) for number, one in enumerate(differ, start=1) if one]
            if len(numbers) > _COUNTED:
                yield f"{what} of {len(numbers)} criteria"
            else:
                yield f"{what} of {'criterion' if len(numbers) == 1 else 'criteria'} {listed(numbers)}"


def _weighs_otherwise(old: Criterion, new: Criterion) -> bool:
    if old.weight is None:
        return False
    return new.weight is None or not math.isclose(old.weight, new.weight, rel_tol=1e-12)


def _scoring(old: Scoring, new: Scoring) -> Iterator[str]:
    before, after = old.model_dump(), new.model_dump()
    defaults = {field: info.get_default() for field, info in Scoring.model_fields.items()}
    differ = [
        f"{field} {before.get(field, defaults[field])!r}"
        for field in defaults
        if before.get(field, defaults[field]) != after.get(field, defaults[field])
    ]
    if differ:
        yield f"scoring: {listed(differ)}"


def _scenario(old: Scenario, new: Scenario) -> Iterator[str]:
    if old.conversation != new.conversation:
        yield "the prompt" if not new.conversation else "the prompt as it is written"
    if old.reference_answer is not None and old.reference_answer != new.reference_answer:
        yield "the reference answer"
    if old.tools != new.tools:
        yield "the tools of the scenario"
    if old.metadata != new.metadata:
        yield "the metadata of the scenario"


def _lacks(old: Json, new: Json) -> bool:
    """Whether something is missing; the name that a rubric had for want of one is of the file, not of the rubric."""
    return any(key not in new or new[key] != value for key, value in old.items() if key != "unnamed")
