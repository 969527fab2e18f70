"""Rubric: guidance in prose, weighted criteria, verifiers, and how they become a reward."""

from __future__ import annotations

import math
import operator
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, ValidationError, field_validator, model_validator

from reward_lab.core.chat import Json, content_hash
from reward_lab.core.value import Value
from reward_lab.core.wording import reason_of
from reward_lab.errors import InvalidRubric

Source: TypeAlias = dict[str, Json]
"""What an import carried that has no field of its own. Export writes it back; no judge reads it.

Empty, it is left out of records, as all that came to be after the first records were stored:
equal content keeps its key.
"""


class Category(StrEnum):
    """How much a criterion matters (RaR, arXiv 2507.17746)."""

    ESSENTIAL = "Essential"
    IMPORTANT = "Important"
    OPTIONAL = "Optional"
    PITFALL = "Pitfall"


CATEGORY_WEIGHTS = {
    Category.ESSENTIAL: 1.0,
    Category.IMPORTANT: 0.7,
    Category.OPTIONAL: 0.3,
    Category.PITFALL: 0.9,
}
"""Weights by category of RaR v2; v1 gave pitfalls 0.8."""


class Criterion(Value):
    """One statement that a judge finds true or false of a response.

    ``meets_when`` is the polarity: a criterion is met when the statement is true
    ("states the deadline") or when it is false ("invents a phone number"). The sign of
    ``weight`` says nothing of it: published pitfalls carry -1 in both phrasings.
    """

    title: str = ""
    description: str
    category: Category = Category.IMPORTANT
    weight: float | None = None
    meets_when: bool = True
    source: Source = Field(default_factory=dict, exclude_if=operator.not_)

    @field_validator("description")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a criterion needs a description: the statement that is judged")
        return value

    @field_validator("weight")
    @classmethod
    def _finite(cls, value: float | None) -> float | None:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"a weight must be a finite number, got {value}")
        return value


class _Verifier(Value):
    weight: float = 1.0

    @field_validator("weight")
    @classmethod
    def _positive(cls, value: float) -> float:
        if not math.isfinite(value) or value <= 0:
            raise ValueError(f"a verifier's weight must be a finite number above 0, got {value}")
        return value


class Exact(_Verifier):
    """The answer equals ``value`` (the reference answer where it is null), blanks at the ends aside."""

    kind: Literal["exact"] = "exact"
    value: str | None = None
    case_sensitive: bool = False


class Contains(_Verifier):
    """The answer holds ``value`` (the reference answer where it is null)."""

    kind: Literal["contains"] = "contains"
    value: str | None = None
    case_sensitive: bool = False


class Matches(_Verifier):
    """A regular expression is found in the answer (the ``regex`` module, multi-line, within a time limit)."""

    kind: Literal["regex"] = "regex"
    pattern: str

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        _check_pattern(value)
        return value


class Numeric(_Verifier):
    """The last number in the answer equals ``value`` (the reference's last number where it is null)."""

    kind: Literal["numeric"] = "numeric"
    value: float | None = Field(default=None, allow_inf_nan=False)
    tolerance: float = Field(default=1e-9, ge=0, allow_inf_nan=False)


class ValidJson(_Verifier):
    """The whole answer is JSON, and fits ``json_schema`` where there is one."""

    kind: Literal["json"] = "json"
    json_schema: dict[str, Json] | None = None

    @field_validator("json_schema")
    @classmethod
    def _is_schema(cls, value: dict[str, Json] | None) -> dict[str, Json] | None:
        if value is not None:
            from jsonschema import Draft202012Validator, SchemaError

            try:
                Draft202012Validator.check_schema(value)
            except SchemaError as error:
                raise ValueError(f"json_schema is no JSON Schema: {error.message}") from error
            _check_bounded(value)
        return value


def _check_bounded(schema: Json) -> None:
    """Refuse what could fetch a page or search without end: references out of the schema, patterns over names."""
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            parts += part.values()
            reference = part.get("$ref")
            if isinstance(reference, str) and not reference.startswith("#"):
                raise ValueError(f"json_schema: $ref {reference!r} points out of the schema: put the part into $defs")
            # With a "type" it is the schema of a property that happens to have this name.
            if isinstance(part.get("patternProperties"), dict) and "type" not in part["patternProperties"]:
                raise ValueError("json_schema: patternProperties is not supported: name the properties")
            if isinstance(part.get("pattern"), str):
                _check_pattern(part["pattern"])


def _check_pattern(pattern: str) -> None:
    import regex

    try:
        regex.compile(pattern, regex.MULTILINE)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"the pattern {pattern!r} is no regular expression: {error}") from error


class Length(_Verifier):
    """The answer's length in characters lies within the bounds, ends included."""

    kind: Literal["length"] = "length"
    at_least: int = Field(default=0, ge=0)
    at_most: int | None = Field(default=None, ge=0)


Verifier = Annotated[Exact | Contains | Matches | Numeric | ValidJson | Length, Field(discriminator="kind")]


class Scoring(Value):
    """How verdicts become rewards. A part of the rubric: it is tuned and versioned with it.

    - ``weights``: by category (the paper's) or each criterion's own number.
    - ``likert_max``: the top of the rating scale, which starts at 1.
    - ``likert_normalising``: ``from_one`` is (r-1)/(max-1), ``share`` is r/max. The paper
      names neither; both are in use.
    - ``explicit_calls``: one call a response with a verdict per criterion, or one call a
      criterion as in the paper.
    - ``explicit_scale``: ``share`` is RaR's safe form, within [0, 1]; ``points`` is HealthBench's,
      points won over points possible, which faults can bring below 0.
    - ``partial``: a statement may be partly true, which counts half (ResearchRubrics, DR Tulu).
    - ``judge_weight``: reward = judge_weight x judge + sum of verifiers (each times its
      weight) + the independent reward where ``add_independent`` is set, as RULER's users do.
    """

    weights: Literal["category", "own"] = "category"
    likert_max: int = Field(default=10, ge=2, le=100)
    likert_normalising: Literal["from_one", "share"] = "from_one"
    explicit_calls: Literal["per_response", "per_criterion"] = "per_response"
    explicit_scale: Literal["share", "points"] = Field(default="share", exclude_if="share".__eq__)
    partial: bool = Field(default=False, exclude_if=operator.not_)
    judge_weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    add_independent: bool = False


class Rubric(Value):
    """What good means: the content of one rubric version."""

    guidance: str = ""
    criteria: tuple[Criterion, ...] = ()
    verifiers: tuple[Verifier, ...] = ()
    scoring: Scoring = Field(default_factory=Scoring)
    source: Source = Field(default_factory=dict, exclude_if=operator.not_)

    @model_validator(mode="after")
    def _weighted(self) -> Self:
        if self.scoring.weights == "own":
            missing = [number for number, one in enumerate(self.criteria, start=1) if one.weight is None]
            if missing:
                raise ValueError(f"criterion {missing[0]} has no weight of its own: give it one, or weigh by category")
        return self

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """(C,) the weight of each criterion, never negative; polarity is on the criterion."""
        if self.scoring.weights == "category":
            return tuple(CATEGORY_WEIGHTS[criterion.category] for criterion in self.criteria)
        return tuple(abs(criterion.weight or 0.0) for criterion in self.criteria)

    @cached_property
    def key(self) -> str:
        """Identity by content: equal rubrics are one version."""
        return content_hash(self.model_dump(mode="json"))

    @classmethod
    def from_record(cls, record: object) -> Self:
        """Validate a rubric from outside.

        A negative weight needs its polarity said: published ones stand beside statements of both
        kinds, and read the wrong way a fault is rewarded.

        Raises:
            InvalidRubric: naming the field and its value.
        """
        try:
            rubric = cls.model_validate(record)
        except ValidationError as error:
            raise InvalidRubric(f"{reason_of(error)}.") from error
        for number, criterion in enumerate(rubric.criteria, start=1):
            if (criterion.weight or 0) < 0 and "meets_when" not in criterion.model_fields_set:
                raise InvalidRubric(
                    f'criterion {number} has the weight {criterion.weight:g} and no polarity: add "meets_when": false '
                    "where its statement describes a fault, true where it says that a fault is avoided. The weight "
                    "counts by its size."
                )
        return rubric
