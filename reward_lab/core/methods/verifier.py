"""Verifiers: what can be checked of an answer without a judge.

The score is the sum of weight x value over the rubric's verifiers, value 1 where the check
holds and 0 where it does not. Patterns are run under a time limit, since one such as
``(a+)+$`` takes longer than the universe on the wrong answer; a check that hits the limit is
unknown, and leaves the trajectory unscored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from reward_lab.core.chat import Json, canonical_json, well_formed
from reward_lab.core.group import Group, Trajectory
from reward_lab.core.methods.method import Arrangement, Question, Replied, Unit
from reward_lab.core.reply_json import quoted
from reward_lab.core.rubric import Contains, Exact, Length, Matches, Numeric, Rubric, ValidJson, Verifier
from reward_lab.core.verdict import CriterionVerdict, Fault, Reason, Scored, Unscored, Verdict

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

SEARCH_LIMIT_S = 0.25
"""Seconds that one search for a pattern may take. Other threads run meanwhile."""


class Verifiers:
    """See the module. A criterion verdict's position is its verifier's place in the rubric."""

    name = "verifier"
    head = "Checks"
    title = "Verifiers"
    version = "verifier-1"
    unit: Unit = "trajectory"
    asks = False

    def scale(self, rubric: Rubric) -> tuple[float, float]:
        """0 to the sum of the weights."""
        return (0.0, math.fsum(verifier.weight for verifier in rubric.verifiers))

    def reward(self, score: float, rubric: Rubric) -> float:
        """The share of the weight that holds."""
        return score / math.fsum(verifier.weight for verifier in rubric.verifiers)

    def obstacle(self, group: Group, rubric: Rubric) -> Fault | None:
        """``NO_VERIFIERS``; ``NO_REFERENCE`` where a verifier needs a reference answer, or a number in it."""
        if not rubric.verifiers:
            return Fault(Reason.NO_VERIFIERS, "The rubric has no verifiers: add one, such as a number to expect.")
        reference = group.scenario.reference_answer
        return next((fault for one in rubric.verifiers if (fault := _lacking(one, reference)) is not None), None)

    def questions(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, arrangement: Arrangement
    ) -> list[Question]:
        """None: nobody is asked."""
        return []

    def verdicts(
        self, group: Group, members: Sequence[Trajectory], rubric: Rubric, replies: Sequence[Replied]
    ) -> list[Verdict]:
        """One verdict a member, with what each verifier compared."""
        return [self._verdict(group, member, rubric) for member in members]

    def _verdict(self, group: Group, member: Trajectory, rubric: Rubric) -> Verdict:
        checks = [_check(verifier, member.answer, group.scenario.reference_answer) for verifier in rubric.verifiers]
        marks = tuple(
            CriterionVerdict(place, None, check.detail)
            if isinstance(check, Fault)
            else CriterionVerdict(place, float(check[0]), check[1])
            for place, check in enumerate(checks)
        )
        for check in checks:
            if isinstance(check, Fault):
                return Unscored(member.id, check.reason, check.detail, criteria=marks)
        score = math.fsum(one.weight for one, mark in zip(rubric.verifiers, marks, strict=True) if mark.truth)
        return Scored(member.id, score, " ".join(mark.explanation for mark in marks), marks)


def verify(rubric: Rubric, group: Group, trajectory: Trajectory) -> tuple[bool | None, ...]:
    """(V,) whether each of the rubric's verifiers holds for a trajectory; ``None`` where that cannot be told."""
    checks = [_check(verifier, trajectory.answer, group.scenario.reference_answer) for verifier in rubric.verifiers]
    return tuple(None if isinstance(check, Fault) else check[0] for check in checks)


def _lacking(verifier: Verifier, reference: str | None) -> Fault | None:
    if not isinstance(verifier, Exact | Contains | Numeric) or verifier.value is not None:
        return None
    if not (reference or "").strip():
        return Fault(
            Reason.NO_REFERENCE,
            f"The {verifier.kind} verifier compares with the reference answer, and the scenario has none: "
            "add one, or give the verifier a value.",
        )
    if isinstance(verifier, Numeric) and last_number(reference or "") is None:
        return Fault(
            Reason.NO_REFERENCE,
            f"The numeric verifier finds no number in the reference answer {_shown(reference or '')}: "
            "give the verifier a value.",
        )
    return None


def _check(verifier: Verifier, answer: str, reference: str | None) -> tuple[bool, str] | Fault:
    """Whether one verifier holds and what was compared, or why that cannot be told."""
    lacking = _lacking(verifier, reference)
    if lacking is not None:
        return lacking
    match verifier:
        case Exact():
            wanted = reference or "" if verifier.value is None else verifier.value
            holds = _folded(answer, verifier.case_sensitive) == _folded(wanted, verifier.case_sensitive)
            return holds, f"The answer {_shown(answer)} {'equals' if holds else 'is not'} {_shown(wanted)}."
        case Contains():
            wanted = reference or "" if verifier.value is None else verifier.value
            holds = _folded(wanted, verifier.case_sensitive) in _folded(answer, verifier.case_sensitive)
            return holds, f"The answer {'holds' if holds else 'does not hold'} {_shown(wanted)}."
        case Matches():
            return _matches(verifier.pattern, answer)
        case Numeric():
            return _equals(verifier, answer, reference or "")
        case ValidJson():
            return _is_json(verifier, answer)
        case Length():
            most = verifier.at_most
            bounds = f"at least {verifier.at_least}" if most is None else f"{verifier.at_least} to {most}"
            holds = verifier.at_least <= len(answer) and (most is None or len(answer) <= most)
            return holds, f"The answer has {len(answer)} characters; {bounds} are wanted."


def _folded(text: str, case_sensitive: bool) -> str:
    return text.strip() if case_sensitive else text.strip().casefold()


def _shown(text: str) -> str:
    return well_formed(quoted(text, 60))


def _matches(pattern: str, answer: str) -> tuple[bool, str] | Fault:
    try:
        holds = _found(pattern, answer)
    except TimeoutError:
        return _too_slow(pattern)
    return holds, f"The pattern {_shown(pattern)} is {'found' if holds else 'not found'} in the answer."


def _found(pattern: str, text: str) -> bool:
    import regex

    found = regex.search(pattern, text, flags=regex.MULTILINE, timeout=SEARCH_LIMIT_S, concurrent=True)
    return found is not None


def _too_slow(pattern: str) -> Fault:
    return Fault(
        Reason.TIMEOUT,
        f"The pattern {_shown(pattern)} takes longer than {SEARCH_LIMIT_S:g} s on this answer: "
        "write it without nested repetition.",
    )


_SEPARATORS = ",\u00a0\u202f\u2009"
_MINUS = "-\u2212\u2013\uff0d"

# A minus is a sign only where nothing that it could be taken from stands before it: "5-10" is a range. Digits after a
# letter, "^" or "1." belong to a name, an exponent or a version.
_NUMBER = re.compile(
    rf"(?P<sign>(?<![A-Za-z0-9_.%)\]])[{_MINUS}])?[$€£¥]?"
    r"(?<![A-Za-z0-9_^])(?<![A-Za-z0-9]\.)"
    rf"(?P<digits>\d{{1,3}}(?:[{_SEPARATORS}]\d{{3}})+(?!\d)|\d+|(?=\.\d))"
    rf"(?P<decimals>\.\d+)?(?P<exponent>[eE][+{_MINUS}]?\d{{1,3}}(?![A-Za-z0-9]))?"
)


def last_number(text: str) -> float | None:
    """The last number in a text, ``None`` where there is none.

    Read as in English: a comma (or a thin or no-break blank) groups thousands, a point opens
    the decimals. Signs of currency and percent are passed over, and so are digits within names.

    >>> last_number("It costs $5-$10."), last_number("x = \u22121,234.5 m^2"), last_number("H2O")
    (10.0, -1234.5, None)
    """
    for found in reversed(list(_NUMBER.finditer(text))):
        written = "".join(found[part] or "" for part in ("digits", "decimals", "exponent"))
        number = float(re.sub(rf"[{_SEPARATORS}]", "", re.sub(rf"[{_MINUS}]", "-", written)))
        if math.isfinite(number):
            return -number if found["sign"] else number
    return None


def _equals(verifier: Numeric, answer: str, reference: str) -> tuple[bool, str]:
    wanted = last_number(reference) if verifier.value is None else verifier.value
    number = last_number(answer)
    told = "The answer holds no number" if number is None else f"The answer's last number is {number:.12g}"
    holds = number is not None and wanted is not None and abs(number - wanted) <= verifier.tolerance
    return holds, f"{told}; {wanted:.12g} ± {verifier.tolerance:g} is wanted."


def _is_json(verifier: ValidJson, answer: str) -> tuple[bool, str] | Fault:
    try:
        value = json.loads(answer.strip(), parse_constant=_refused, parse_float=_number)
    except (ValueError, RecursionError) as error:
        return False, f"The answer is no JSON: {str(error)[:100]}."
    if verifier.json_schema is None:
        return True, "The answer is JSON."
    return _fits(verifier.json_schema, value)


def _refused(constant: str) -> Json:
    raise ValueError(f"{constant} is no JSON value")


def _number(written: str) -> float:
    """A number with a point. JSON Schema knows no difference between 1.0 and 1, so neither is kept here."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:40]} is too large a number")
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _fits(schema: dict[str, Json], value: Json) -> tuple[bool, str] | Fault:
    from jsonschema import ValidationError
    from referencing.exceptions import Unresolvable

    try:
        _validator(canonical_json(schema)).validate(value)
    except ValidationError as error:
        return False, f"The answer does not fit the schema at {_shown(error.json_path)}: {_shown(error.message)}."
    except TimeoutError as error:
        return _too_slow(str(error))
    except Unresolvable as error:
        return Fault(Reason.BAD_REQUEST, f"The schema refers to what it does not hold ({_shown(str(error))}): mend it.")
    except RecursionError:
        return False, "The answer is nested too deeply to be checked against the schema."
    return True, "The answer is JSON and fits the schema."


@lru_cache(maxsize=64)
def _validator(schema: str) -> Validator:
    """A validator that an answer cannot keep busy, and that fetches nothing: a ``$ref`` stays within the schema."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing import Registry

    bounded = extend(Draft202012Validator, {"pattern": _pattern, "uniqueItems": _unique})
    return bounded(json.loads(schema), registry=Registry())


def _pattern(validator: Validator, pattern: str, instance: Json, schema: Json) -> Iterator[ValidationError]:
    """The keyword ``pattern`` under the time limit. Raises ``TimeoutError`` with the pattern."""
    from jsonschema import ValidationError

    if not isinstance(instance, str):
        return
    try:
        found = _found(pattern, instance)
    except TimeoutError:
        raise TimeoutError(pattern) from None
    if not found:
        yield ValidationError(f"{_shown(instance)} does not match {_shown(pattern)}")


def _unique(validator: Validator, wanted: bool, instance: Json, schema: Json) -> Iterator[ValidationError]:
    """The keyword ``uniqueItems`` in linear time; jsonschema compares every pair of objects."""
    from jsonschema import ValidationError

    if wanted and isinstance(instance, list) and len(set(map(canonical_json, instance))) < len(instance):
        yield ValidationError("the items are not unique")


VERIFIER = Verifiers()
