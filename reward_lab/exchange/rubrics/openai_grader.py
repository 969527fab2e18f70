"""OpenAI graders: a model that scores, string checks, and their combination.

Source: OpenAI's graders guide and API reference (``openai/types/graders``): ``score_model`` (``input`` messages
with ``{{ item.x }}`` and ``{{ sample.output_text }}``, ``model``, ``range``), ``label_model``, ``string_check``
(``eq, ne, like, ilike``), ``text_similarity``, ``python``, and ``multi`` (``graders`` by name,
``calculate_output``).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Contains, Exact, Rubric, Scoring, Verifier
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import Contents, Record
from reward_lab.exchange.rubrics.format import NO, SURE, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.formulas import Linear, linear
from reward_lab.exchange.rubrics.itemised import by_sign, own_source, plain_number

_TYPES = ("score_model", "label_model", "string_check", "text_similarity", "python", "multi")
_OUTPUT = re.compile(r"^\s*\{\{\s*sample\.output_text\s*\}\}\s*$")
_ITEM = re.compile(r"^\s*\{\{\s*item\.[\w.\[\]]+\s*\}\}\s*$")
_MODEL = "gpt-4.1"
_ASKED = "Score 1 if the statement is literally true of the response, else 0.\n\nStatement: "
_PARTLY_ASKED = (
    "Score 1 if the statement is literally true of the response, 0.5 if it is in part, else 0.\n\nStatement: "
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A grader of a sum, and what it counts there; ``None`` where the formula does not tell."""

    key: str
    grader: dict[str, Json]
    weight: float | None

    @property
    def name(self) -> str:
        return str(self.grader.get("name") or self.key)


class OpenAIGrader(RubricFormat):
    """A single scoring model becomes guidance, several become criteria, string checks become verifiers."""

    name = "openai"
    label = "OpenAI graders"
    scoring_rule = (
        "OpenAI graders: a formula over scores. Kept where it is a weighted sum; a model's score is brought from its "
        "range to [0, 1]."
    )
    suffixes = (".json", ".jsonl")

    def likeness(self, record: Record, contents: Contents) -> int:
        """Sure by the type of grader."""
        return SURE if isinstance(record.value, dict) and _graders(record.value) else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """What the graders say, as far as a rubric can hold it; the record itself is kept for export."""
        if not isinstance(record.value, dict) or not (graders := _graders(record.value)):
            raise InvalidRubric(f"expected a grader whose 'type' is {', '.join(_TYPES)}")
        source: dict[str, Json] = {"format": self.name, "record": copy.deepcopy(record.value)}
        parts, constant = _parts(graders, record.place, findings)
        models = [part for part in parts if part.grader.get("type") in ("score_model", "label_model")]
        fields: dict[str, Json] = {"verifiers": _verifiers(parts, record.place, findings), "source": source}
        scoring: dict[str, Json] = {}
        if len(models) == 1 and models[0].grader["type"] == "score_model":
            fields["guidance"] = _instruction(models[0].grader)
            alone = len(parts) == 1 and parts[0].grader is record.value
            constant += _rating(models[0], scoring, record.place, findings, alone=alone)
        elif models:
            fields["criteria"] = [_criterion(part, record.place, findings) for part in models]
            won = sum(one["weight"] for one in fields["criteria"] if one["meets_when"])
            faults = sum(one["weight"] for one in fields["criteria"] if not one["meets_when"])
            # A fault that costs is points; one whose absence wins, 1 - score, leaves a constant in the sum.
            points = bool(won and faults) and abs(constant) < faults / 2
            scoring |= {"weights": "own", "judge_weight": won if points else won + faults}
            scoring |= {"explicit_scale": "points"} if points else {}
            constant -= 0.0 if points else faults
        else:
            scoring["judge_weight"] = 0.0
        if abs(constant) > 1e-9:
            findings.note(
                record.place, f"its formula adds {constant:g} to every reward, which no comparison within a group feels"
            )
            findings.lose("what a formula adds to every reward alike")
        if not models and not fields["verifiers"]:
            raise InvalidRubric("none of its graders can be a part of a rubric; see the notes on each")
        name = next((str(one["name"]) for one in graders[:1] if one.get("name")), "")
        if not name:
            name = source["unnamed"] = record.name
        return NamedRubric(name, Rubric.from_record({**fields, "scoring": Scoring(**scoring).model_dump()}))

    def write(self, named: NamedRubric) -> Json:
        """The record as it came where the rubric is unchanged, else graders made from the rubric."""
        source = own_source(named.rubric, self.name)
        if source:
            as_read = self.read(Record("", source["record"], source.get("unnamed", named.name)), Findings())
            if as_read.name == named.name and as_read.rubric == named.rubric:
                return copy.deepcopy(source["record"])
        return _multi(named, source)


def _graders(value: Json) -> list[dict[str, Json]]:
    """The graders of a record: itself, the one it holds, or the criteria of an eval."""
    held = value.get("grader", value)
    if isinstance(held, dict) and held.get("type") in _TYPES:
        return [held]
    listed = value.get("testing_criteria")
    if (
        isinstance(listed, list)
        and listed
        and all(isinstance(one, dict) and one.get("type") in _TYPES for one in listed)
    ):
        return listed
    return []


def _parts(graders: list[dict[str, Json]], place: str, findings: Findings) -> tuple[list[_Part], float]:
    """The graders of the sum, and what the formula adds to it."""
    if len(graders) > 1 or graders[0]["type"] != "multi":
        return [_Part(f"grader_{number}", one, 1.0) for number, one in enumerate(graders, start=1)], 0.0
    held = graders[0].get("graders")
    if isinstance(held, dict) and held.get("type") in _TYPES:
        held = [held]
    if isinstance(held, list):
        held = {str(one.get("name")): one for one in held if isinstance(one, dict)}
    if not isinstance(held, dict) or not held or not all(isinstance(one, dict) for one in held.values()):
        raise InvalidRubric("its 'graders' must be graders by name")
    formula = str(graders[0].get("calculate_output", ""))
    summed = linear(formula)
    if summed is None or not summed.weights.keys() <= held.keys():
        findings.note(place, f"its formula {formula!r} is no weighted sum of its graders; each counts 1 here")
        findings.lose("formulas that are no weighted sum")
        summed = Linear(dict.fromkeys(held, 1.0))
    return [_Part(key, one, summed.weights.get(key, 0.0)) for key, one in held.items()], summed.constant


def _rating(part: _Part, scoring: dict[str, Json], place: str, findings: Findings, *, alone: bool) -> float:
    """Set the rating scale of a single scoring model; what its range adds to every reward."""
    low, high = _range(part.grader)
    if low == 1 and high.is_integer() and 2 <= high <= 100:
        scoring["likert_max"] = int(high)
    else:
        findings.note(
            place, f"{part.name!r} scores from {low:g} to {high:g}; here it is a rating from 1 to 10, brought to [0, 1]"
        )
    weight = 1.0 if part.weight is None else part.weight
    if alone:
        return 0.0
    scoring["judge_weight"] = max(weight * (high - low), 0.0)
    if weight < 0:
        findings.note(place, f"{part.name!r} counts {weight:g} there; a judge cannot count below 0 here")
        findings.lose("scoring models that count below 0")
    return weight * low


def _range(grader: dict[str, Json]) -> tuple[float, float]:
    given = grader.get("range")
    if isinstance(given, list) and len(given) == 2 and all(isinstance(one, int | float) for one in given):
        low, high = float(given[0]), float(given[1])
        if low < high:
            return low, high
    return 0.0, 1.0


def _criterion(part: _Part, place: str, findings: Findings) -> dict[str, Json]:
    text = _instruction(part.grader)
    asked = next((opening for opening in (_PARTLY_ASKED, _ASKED) if text.startswith(opening)), None)
    if asked is None:
        findings.note(place, f"{part.name!r} scores in degrees; as a criterion it is met or not")
    weight = 1.0 if part.weight is None else part.weight
    title = "" if re.fullmatch(r"criterion_\d+", part.name) else part.name
    fields = {**by_sign(weight), "weight": abs(weight)}
    return {"title": title, "description": text.removeprefix(asked or ""), **fields}


def _verifiers(parts: Sequence[_Part], place: str, findings: Findings) -> list[dict[str, Json]]:
    found = []
    for part in parts:
        kind = part.grader.get("type")
        if kind in ("score_model", "label_model"):
            continue
        why = _obstacle(part)
        if why:
            findings.note(place, f"{part.name!r} is left out: {why}")
            findings.lose(f"graders that are left out, such as {kind}")
            continue
        operation, reference = part.grader["operation"], str(part.grader.get("reference", ""))
        found.append(
            {
                "kind": "exact" if operation == "eq" else "contains",
                "value": None if _ITEM.match(reference) else reference,
                "case_sensitive": operation != "ilike",
                "weight": part.weight,
            }
        )
        if _ITEM.match(reference):
            findings.note(place, f"{part.name!r} compares with {reference.strip()}, here with the reference answer")
    return found


def _obstacle(part: _Part) -> str:
    grader = part.grader
    if grader.get("type") != "string_check":
        return f"a rubric has no verifier for {grader.get('type')!r}"
    if grader.get("operation") not in ("eq", "like", "ilike"):
        return f"a rubric has no verifier for the operation {grader.get('operation')!r}"
    if not _OUTPUT.match(str(grader.get("input", ""))):
        return f"its input is {grader.get('input')!r}, and a verifier looks at the whole answer"
    reference = str(grader.get("reference", ""))
    if "{{" in reference and not _ITEM.match(reference):
        return f"its reference {reference!r} is put together from a template"
    if part.weight is None or part.weight <= 0:
        return f"it counts {part.weight:g}, and a verifier must count more than 0"
    return ""


def _instruction(grader: dict[str, Json]) -> str:
    """What a grading model is told: its system or developer messages, else all of them."""
    messages = [one for one in grader.get("input") or () if isinstance(one, dict)]
    told = [one for one in messages if one.get("role") in ("system", "developer")] or messages
    return "\n\n".join(text for one in told if (text := _text(one.get("content"))))


def _text(content: Json) -> str:
    if isinstance(content, list):
        return "\n".join(text for one in content if (text := _text(one)))
    return str(content.get("text", "")) if isinstance(content, dict) else str(content or "")


def _multi(named: NamedRubric, source: dict[str, Json]) -> dict[str, Json]:
    """Graders for what a rubric holds: its criteria, else its guidance, and the verifiers that are string checks."""
    rubric = named.rubric
    graders: dict[str, dict[str, Json]] = {}
    terms: list[str] = []
    if rubric.criteria:
        asked = _PARTLY_ASKED if rubric.scoring.partial else _ASKED
        for number, criterion in enumerate(rubric.criteria, start=1):
            name = criterion.title or f"criterion_{number}"
            graders[f"criterion_{number}"] = _model(name, asked + criterion.description, [0, 1], source)
        terms.append(_sum(rubric))
    elif rubric.guidance:
        top = rubric.scoring.likert_max
        graders["judge"] = _model(named.name, rubric.guidance, [1, top], source)
        terms.append(f"{plain_number(rubric.scoring.judge_weight)} * (judge - 1) / {top - 1}")
    for number, verifier in enumerate(rubric.verifiers, start=1):
        check = _string_check(verifier, number)
        if check is not None:
            graders[f"check_{number}"] = check
            terms.append(f"{plain_number(verifier.weight)} * check_{number}")
    if not graders:
        raise InvalidRubric("it has no criteria, no guidance and no verifier that a string check could be")
    if list(graders) == ["judge"] and rubric.scoring.judge_weight == 1:
        return graders["judge"]
    return {"type": "multi", "name": named.name, "graders": graders, "calculate_output": " + ".join(terms)}


def _sum(rubric: Rubric) -> str:
    """The score of the criteria as a formula, by the rubric's scale."""
    points = rubric.scoring.explicit_scale == "points"
    weighed = list(zip(rubric.criteria, rubric.weights, strict=True))
    possible = sum(weight for one, weight in weighed if one.meets_when or not points)
    if possible == 0:
        raise InvalidRubric("its criteria have no weight that counts")
    formula = ""
    for number, (criterion, weight) in enumerate(weighed, start=1):
        fault = not criterion.meets_when
        sign = "-" if fault and points else "+"
        score = f"(1 - criterion_{number})" if fault and not points else f"criterion_{number}"
        formula += f" {sign} {plain_number(weight)} * {score}"
    return f"{plain_number(rubric.scoring.judge_weight)} * (0{formula}) / {plain_number(possible)}"


def _model(name: str, instruction: str, scale: list[int], source: dict[str, Json]) -> dict[str, Json]:
    kept = source.get("record", {}).get("model")
    return {
        "type": "score_model",
        "name": name,
        "model": kept or _MODEL,
        "input": [
            {"role": "system", "content": instruction},
            {"role": "user", "content": "{{ sample.output_text }}"},
        ],
        "range": scale,
    }


def _string_check(verifier: Verifier, number: int) -> dict[str, Json] | None:
    if isinstance(verifier, Exact) and verifier.case_sensitive:
        operation = "eq"
    elif isinstance(verifier, Contains):
        operation = "like" if verifier.case_sensitive else "ilike"
    else:
        return None
    return {
        "type": "string_check",
        "name": f"check_{number}",
        "input": "{{ sample.output_text }}",
        "reference": "{{ item.reference_answer }}" if verifier.value is None else verifier.value,
        "operation": operation,
    }
