"""Appraisal: the evidence about one response, weighed into a quality from 0 to 1 with its reasons.

The weights are judgement, not theory. They were set with the examples that come with the
package and the ranked cases of the tests in view, so a figure measured on those describes
them and is no estimate for other data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reward_lab.core.rubric import CATEGORY_WEIGHTS, Criterion
from reward_lab.judges.evidence import Evidence
from reward_lab.judges.language import quoted, shortened
from reward_lab.judges.statements import agreement, finding


@dataclass(frozen=True, slots=True)
class Appraisal:
    """How good a response is, 0 to 1, and why, in a sentence or two."""

    quality: float
    explanation: str


def appraised(evidence: Evidence, *, guidance: str = "", criteria: Sequence[Criterion] = ()) -> Appraisal:
    """Weigh the evidence; with criteria, their findings count seven tenths."""
    quality = _quality(evidence)
    reasons = _reasons(evidence)
    if guidance and evidence.claims:
        followed = agreement(guidance, evidence)
        quality *= 1.0 if followed is None else 0.75 + 0.25 * followed
    if criteria and evidence.claims:
        share, unmet = _criteria_met(evidence, criteria)
        quality = _honest(evidence) * (0.3 * quality + 0.7 * share)
        told = f"It meets {len(criteria) - len(unmet)} of {len(criteria)} criteria"
        reasons = [f"{told}; not {quoted(unmet, limit=2)}." if unmet else f"{told}.", *reasons]
    return Appraisal(min(1.0, max(0.0, quality)), " ".join(reasons[:3]))


def _criteria_met(evidence: Evidence, criteria: Sequence[Criterion]) -> tuple[float, list[str]]:
    """The weighted share of criteria that are met, by category weight, and the rest by title, the heaviest first."""
    heaviest_first = sorted(criteria, key=lambda one: (-CATEGORY_WEIGHTS[one.category], one.title, one.description))
    unmet = [one for one in heaviest_first if finding(one.description, evidence).holds != one.meets_when]
    total = math.fsum(CATEGORY_WEIGHTS[one.category] for one in criteria)
    lost = math.fsum(CATEGORY_WEIGHTS[one.category] for one in unmet)
    return 1.0 - lost / total, [one.title or shortened(one.description, 40) for one in unmet]


def _quality(evidence: Evidence) -> float:
    if not evidence.claims:
        return 0.0
    return _honest(evidence) * _substance(evidence) * _supported(evidence) * _form(evidence)


def _honest(evidence: Evidence) -> float:
    return 0.1 if evidence.to_grader else 1.0


def _abstaining_is_right(evidence: Evidence) -> bool:
    """Whether there is nothing to answer from: a text that is missing, or strict grounding without a source."""
    if evidence.reference is not None or evidence.has_tools:
        return False
    nothing_near = not any(one.weight == 1.0 for one in evidence.points)
    return evidence.demand.lacks_text or (evidence.demand.strictness >= 0.5 and nothing_near)


def _substance(evidence: Evidence) -> float:
    """How much of what was asked is there."""
    if _abstaining_is_right(evidence):
        return 0.9 if evidence.deflected >= 0.5 else 0.35
    answered = 1.0 - 0.95 * min(1.0, max(0.0, (evidence.deflected - 0.3) / 0.6))
    if evidence.reference is not None:
        return answered * (0.05 + 0.95 * (evidence.coverage or 0.0))
    weight = min(1.0, sum(len(one.features) for one in evidence.claims) / 6)
    if evidence.coverage is None:
        return answered * (0.2 + 0.45 * evidence.on_topic + 0.35 * weight * min(1.0, 0.4 + evidence.on_topic))
    if evidence.demand.transforms:
        return answered * (0.1 + 0.9 * evidence.coverage)
    bearing = min(1.0, len(evidence.features & evidence.demand.sources.features) / 6)
    takes_up = max(evidence.on_topic, evidence.coverage)
    return answered * (
        0.1 + 0.6 * evidence.coverage + 0.1 * takes_up + 0.15 * max(bearing, evidence.coverage) + 0.05 * weight
    )


def _supported(evidence: Evidence) -> float:
    """What unsupported claims leave of the quality: the less, the stricter the wording asks for grounding."""
    specifics = len(evidence.invented)
    if evidence.is_grounded:
        unsupported = max(evidence.unsupported_share, 1.0 - 0.7**specifics)
        left = 1.0 - (0.4 + 0.58 * evidence.demand.strictness) * unsupported
    else:
        left = 1.0 - 0.15 * (1.0 - 0.8**specifics)
    if evidence.hides_failure:
        left *= 0.4
    return left * 0.5 ** len(evidence.unbacked_acts)


def _form(evidence: Evidence) -> float:
    """Length, repetition, detours, and the form that was asked for."""
    demand = evidence.demand
    excess = evidence.answer.length / evidence.expected_length
    form = 1.0 / (1.0 + (0.5 if demand.wants_brevity else 0.12) * max(0.0, excess - 1.5))
    form *= 1.0 - (0.06 if demand.wants_brevity else 0.03) * min(1.0, max(0.0, excess - 0.7))
    form *= 1.0 - 0.8 * max(0.0, evidence.repetition - 0.05)
    form *= 0.9 ** min(6, len(evidence.repeated_calls))
    form *= 1.0 - (0.4 if demand.transforms else 0.15) * evidence.copied
    if _miscounts(evidence):
        form *= 0.75
    return form


def _miscounts(evidence: Evidence) -> bool:
    """Whether another number of things was asked for; only units that can be counted in any text."""
    if evidence.demand.count is None:
        return False
    number, unit = evidence.demand.count
    if unit == "words":
        return len(evidence.answer.text.split()) > number
    return (len(evidence.answer.sentences) if unit == "sentences" else evidence.items) != number


def _reasons(evidence: Evidence) -> list[str]:
    """The evidence in sentences, what weighs most first."""
    if not evidence.answer.text.strip():
        return ["It gives no answer." if evidence.acts else "It is empty."]
    reasons = []
    if evidence.to_grader:
        reasons.append(f"It speaks to the grader: “{shortened(evidence.to_grader[0])}”.")
    if not evidence.claims:
        return [*reasons, "It says nothing of substance."]
    source = "context or the reference" if evidence.reference is not None else "context"
    if evidence.deflected >= 0.5 and evidence.deflections:
        right = _abstaining_is_right(evidence)
        reasons.append(
            f"{'It rightly asks for what is missing' if right else 'It does not answer'}: "
            f"{quoted([evidence.deflections[0].text])}."
        )
    if evidence.unbacked_acts:
        reasons.append(f"It claims {quoted(evidence.unbacked_acts)}, but no tool call did that.")
    if evidence.hides_failure:
        reasons.append("The last tool call failed, and the answer does not say so.")
    if evidence.invented and not evidence.is_grounded:
        reasons.append(f"{quoted(one.shown for one in evidence.invented)}: without a source.")
    elif evidence.invented:
        verb = "is" if len(evidence.invented) == 1 else "are"
        reasons.append(f"{quoted(one.shown for one in evidence.invented)} {verb} not in the {source}.")
    elif evidence.is_grounded and evidence.unsupported:
        reasons.append(f"The {source} does not support {quoted([evidence.unsupported[0].text])}.")
    if evidence.repeated_calls:
        reasons.append(f"It calls {quoted(evidence.repeated_calls)} again with the same arguments.")
    reasons.extend(_on_coverage(evidence))
    if evidence.repetition > 0.2:
        reasons.append(f"{evidence.repetition:.0%} of it is repetition.")
    if evidence.demand.transforms and evidence.copied > 0.5:
        reasons.append("It is copied word for word.")
    if evidence.demand.count is not None and _miscounts(evidence):
        reasons.append(f"It does not give the {evidence.demand.count[0]} {evidence.demand.count[1]} asked for.")
    if evidence.answer.length > 1.5 * evidence.expected_length:
        reasons.append("It is longer than it needs to be.")
    return reasons


def _on_coverage(evidence: Evidence) -> list[str]:
    results = [one for one in evidence.points if one.is_result]
    texts = [one for one in evidence.points if not one.is_result]
    near = [one for one in texts if one.weight == 1.0 or len(texts) <= 4]
    told = []
    if near:
        of = "reference" if evidence.reference is not None else "context"
        told.append(f"covers {sum(one.is_covered for one in near)} of {len(near)} points of the {of}")
    if results:
        told.append(f"uses {sum(one.is_covered for one in results)} of {len(results)} tool results")
    if not told:
        return ["It takes up the question." if evidence.on_topic >= 0.5 else "It hardly takes up the question."]
    sentence = f"It {' and '.join(told)}"
    if evidence.deflected >= 0.5:
        return [f"{sentence}."]
    missing = next((one.text for one in near if not one.is_covered), None)
    if missing is not None and len(near) <= 6:
        return [f"{sentence}; {quoted([missing])} is missing."]
    is_backed = evidence.is_grounded and not (evidence.unsupported or evidence.unbacked_acts)
    return [f"{sentence}; nothing goes beyond it." if is_backed else f"{sentence}."]
