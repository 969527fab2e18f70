"""Changes: which settings differ between two runs, so that what moved can be laid to something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reward_lab.core.chat import Json, Message, canonical_json, text_of
from reward_lab.core.differences import Piece, word_diff
from reward_lab.core.group import Scenario
from reward_lab.core.judge import Ensemble, Judge
from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.core.rubric_changes import paired
from reward_lab.core.run import RunSettings


@dataclass(frozen=True, slots=True)
class Setup:
    """All that decides the verdicts of a group besides its responses."""

    scenario: Scenario
    rubric: Rubric
    judges: Ensemble
    settings: RunSettings
    method_versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """One setting that differs. ``None`` stands where a run does not have it at all.

    ``prose`` is for texts whose change is read word by word (:attr:`pieces`).
    """

    name: str
    old: str | None
    new: str | None
    prose: bool = False

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The word diff of the two."""
        return word_diff(self.old or "", self.new or "")


def changed_settings(old: Setup, new: Setup) -> tuple[Change, ...]:
    """Every setting that differs, in the order of the inputs: scenario, rubric, judges, run, prompt versions."""
    return (
        *_scenario(old.scenario, new.scenario),
        *_rubric(old.rubric, new.rubric),
        *_judges(old.judges, new.judges),
        *_mapped("Run: ", _run(old.settings), _run(new.settings)),
        *_versions(old.method_versions, new.method_versions),
    )


def changed_parts(old: Setup, new: Setup) -> tuple[str, ...]:
    """Which of the inputs differ, as a person calls them; only what decides verdicts or rewards.

    Versions of prompts are left aside: nobody changes them while writing.
    """
    parts = {
        "the scenario": _scenario(old.scenario, new.scenario),
        "the rubric": _rubric(old.rubric, new.rubric),
        "the judge": _judges(old.judges, new.judges),
        "how it is asked": _mapped("", _run(old.settings), _run(new.settings)),
    }
    return tuple(name for name, changes in parts.items() if any(changes))


def changed_scoring(old: Rubric, new: Rubric) -> tuple[Change, ...]:
    """What differs between two rubrics besides their prose and criteria: verifiers, and how verdicts become rewards."""
    return (
        *_plain("Verifiers", _verifiers(old), _verifiers(new)),
        *_mapped("Scoring: ", _fields(old.scoring.model_dump()), _fields(new.scoring.model_dump())),
    )


def _scenario(old: Scenario, new: Scenario) -> Iterator[Change]:
    yield from _prose("System prompt", old.system_prompt, new.system_prompt)
    yield from _prose("Conversation", _spoken(old.messages), _spoken(new.messages))
    yield from _prose("Reference answer", old.reference_answer or "", new.reference_answer or "")
    yield from _plain("Tools", _json(old.tools), _json(new.tools))
    # What the texts do not show, such as an image or a tool call's id, is still asked with them.
    if _spoken(old.messages) == _spoken(new.messages):
        yield from _plain("Conversation", _json(old.messages), _json(new.messages))


def _spoken(messages: Sequence[Message]) -> str:
    return "\n".join(f"{message.get('role', '')}: {text_of(message)}" for message in messages)


def _prose(name: str, old: str, new: str) -> Iterator[Change]:
    if old != new:
        yield Change(name, old or None, new or None, prose=True)


def _plain(name: str, old: str | None, new: str | None) -> Iterator[Change]:
    if old != new:
        yield Change(name, old, new)


def _mapped(prefix: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        yield from _plain(f"{prefix}{name}", old.get(name), new.get(name))


def _rubric(old: Rubric, new: Rubric) -> Iterator[Change]:
    yield from _prose("Guidance", old.guidance, new.guidance)
    yield from _criteria(old.criteria, new.criteria)
    yield from changed_scoring(old, new)


def _criteria(old: Sequence[Criterion], new: Sequence[Criterion]) -> Iterator[Change]:
    """Criteria matched by content, then title, then description, then place; and their order."""
    pairs = paired(old, new)
    for position, criterion in enumerate(new):
        before = pairs.get(position)
        if before is None:
            yield Change(_criterion_name(position, criterion), None, _written(criterion), prose=True)
        elif old[before] != criterion:
            yield Change(_criterion_name(position, criterion), _written(old[before]), _written(criterion), prose=True)
    kept = set(pairs.values())
    for position, criterion in enumerate(old):
        if position not in kept:
            yield Change(_criterion_name(position, criterion), _written(criterion), None, prose=True)
    places = [pairs[position] for position in sorted(pairs)]
    if places != sorted(places):
        yield Change("Order of the criteria", _titles(old), _titles(new))


def _criterion_name(position: int, criterion: Criterion) -> str:
    return f"Criterion {position + 1}" + (f": {criterion.title}" if criterion.title else "")


def _titles(criteria: Sequence[Criterion]) -> str:
    return ", ".join(criterion.title or criterion.description for criterion in criteria)


def _written(criterion: Criterion) -> str:
    weight = "" if criterion.weight is None else f", weight {criterion.weight:g}"
    met = "true" if criterion.meets_when else "false"
    title = f"{criterion.title}: " if criterion.title else ""
    return f"{title}{criterion.description} ({criterion.category.value}{weight}, met when {met})"


def _verifiers(rubric: Rubric) -> str | None:
    return _json([verifier.model_dump(mode="json") for verifier in rubric.verifiers])


def _judges(old: Ensemble, new: Ensemble) -> Iterator[Change]:
    """Judges by their place in the ensemble."""
    for place in range(max(len(old), len(new))):
        name = "Judge" if len(old) == len(new) == 1 else f"Judge {place + 1}"
        before = _judge(old[place]) if place < len(old) else {}
        after = _judge(new[place]) if place < len(new) else {}
        yield from _mapped(f"{name}: ", before, after)


def _judge(judge: Judge) -> dict[str, str]:
    endpoint = {} if judge.api_base is None else {"endpoint": judge.api_base}
    return {"model": judge.model, **endpoint, **_fields(judge.parameters)}


def _run(settings: RunSettings) -> dict[str, str]:
    """What changes verdicts: the budget only decides when a run stops."""
    return {
        "methods": ", ".join(settings.methods),
        "repeats": str(settings.repeats),
        "seed": str(settings.seed),
    }


def _versions(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Methods in both runs whose prompt or reading changed; which methods ran is said with the run."""
    for name in old:
        if name in new:
            yield from _plain(f"Version of {name}", old[name], new[name])


def _fields(values: Mapping[str, Json]) -> dict[str, str]:
    return {name: value if isinstance(value, str) else canonical_json(value) for name, value in values.items()}


def _json(value: Sequence[Json]) -> str | None:
    return canonical_json(list(value)) if value else None
