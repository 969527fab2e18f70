"""Our own format: everything a rubric holds."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from reward_lab.core.chat import Json, parse_messages, parse_tools
from reward_lab.core.group import Scenario
from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.core.wording import listed
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import MAX_CRITERIA, Container, Contents, Record
from reward_lab.exchange.rubrics.format import MAYBE, NO, SURE, Findings, NamedRubric, RubricFormat

_OWN = ("guidance", "verifiers", "scoring")
_KEYS = ("name", "scenario", *Rubric.model_fields)
_SHAPES: dict[str, type] = {"guidance": str, "criteria": list, "verifiers": list, "scoring": dict}


class RewardLab(RubricFormat):
    """A rubric's fields beside its name; see README, "The rubric file".

    Beside them ``source``, what an import carried, and ``scenario``, what the rubric is for.
    """

    name = "reward-lab"
    label = "Reward Lab"
    scoring_rule = "Reward Lab: as the rubric's scoring says."
    suffixes = (".json", ".jsonl")

    def likeness(self, record: Record, contents: Contents) -> int:
        """Sure by guidance, verifiers or scoring; else by criteria with descriptions, or one of these keys misspelt."""
        value = record.value
        if not isinstance(value, dict) or contents.container in (Container.YAML, Container.PARQUET):
            return NO
        if any(key in value for key in _OWN):
            return SURE
        criteria = value.get("criteria")
        described = isinstance(criteria, list) and all(isinstance(one, dict) for one in criteria)
        return MAYBE if described or _misspelt(value) else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """Field by field; what is unknown is an error that names it."""
        return read_own(record)

    def write(self, named: NamedRubric) -> Json:
        """All of it."""
        return written_own(named)


def read_own(record: Record) -> NamedRubric:
    """A rubric from our own record. Raises :class:`InvalidInput` naming the field and the value."""
    if not isinstance(record.value, dict):
        raise InvalidRubric(f"a rubric must be one JSON object, got {type(record.value).__name__}")
    fields = dict(record.value)
    _check_keys(fields)
    criteria = fields.get("criteria")
    if isinstance(criteria, list) and len(criteria) > MAX_CRITERIA:
        raise InvalidRubric(f"it has {len(criteria)} criteria; at most {MAX_CRITERIA} are read")
    name = fields.pop("name", None) or record.name
    scenario = fields.pop("scenario", None)
    rubric = Rubric.from_record(fields)
    return NamedRubric(str(name), rubric, None if scenario is None else _scenario(scenario))


def _misspelt(value: dict[str, Json]) -> bool:
    """Whether a key is nearly one of ours, over what ours would hold."""
    return any(
        isinstance(held, _SHAPES.get(_meant(key, _SHAPES), ())) for key, held in value.items() if key not in _KEYS
    )


def _check_keys(fields: dict[str, Json]) -> None:
    """Name the first key that a rubric, its scoring or one of its criteria does not have, and what may be meant."""
    _check_known(fields, _KEYS, "")
    scoring, criteria = fields.get("scoring"), fields.get("criteria")
    if isinstance(scoring, dict):
        _check_known(scoring, Scoring.model_fields, "scoring: ")
    for number, criterion in enumerate(criteria if isinstance(criteria, list) else (), start=1):
        if isinstance(criterion, dict):
            _check_known(criterion, Criterion.model_fields, f"criteria {number}: ")


def _check_known(given: Iterable[str], known: Iterable[str], place: str) -> None:
    names = tuple(known)
    for key in given:
        if key not in names:
            meant = _meant(key, names)
            hint = f"did you mean {meant!r}?" if meant else f"the keys are {listed(names)}"
            raise InvalidRubric(f"{place}unknown key {key!r} ({hint})")


def _meant(key: str, known: Iterable[str]) -> str:
    return next(iter(get_close_matches(key.lower(), known, n=1, cutoff=0.75)), "")


def written_own(named: NamedRubric) -> dict[str, Json]:
    """Our own record of a rubric, with its scenario where there is one."""
    record: dict[str, Json] = {"name": named.name, **named.rubric.model_dump(mode="json")}
    if named.scenario is not None:
        record["scenario"] = named.scenario.model_dump(mode="json", exclude_defaults=True)
    return record


def _scenario(record: Json) -> Scenario:
    if not isinstance(record, dict):
        raise InvalidRubric(f"'scenario' must be an object, got {type(record).__name__}")
    fields = dict(record)
    fields["messages"] = parse_messages(fields.get("messages", ()), where="scenario.messages")
    fields["tools"] = parse_tools(fields.get("tools"), where="scenario.tools")
    return Scenario.model_validate(fields)
