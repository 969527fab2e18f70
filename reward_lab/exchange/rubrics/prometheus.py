"""Prometheus and BiGGen Bench: one question to the judge, with what each score from 1 to 5 means.

Source: prometheus-eval ``BiGGen-Bench/sample_evals.json`` and its rubric template: ``{"criteria",
"score1_description", ..., "score5_description"}``, alone, by name, or as the ``rubric`` (``score_rubric``) of a
prompt with a reference answer; the Feedback Collection has the same with ``orig_`` in front.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Rubric, Scoring
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import Contents, Record
from reward_lab.exchange.rubrics.format import NO, SURE, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import own_source
from reward_lab.exchange.rubrics.paths import pack, unpack

_SCORES = ("1", "2", "3", "4", "5")
_KEYS = ("criteria", *(f"score{score}_description" for score in _SCORES))
_HOLDERS = ("rubric", "score_rubric")
_GUIDANCE = re.compile(
    r"\A(.*?)\n\n" + r"\n".join(rf"Score {score}: (.*{'' if score == '5' else '?'})" for score in _SCORES) + r"\Z",
    re.DOTALL,
)


class Prometheus(RubricFormat):
    """The question and the five descriptions are the guidance of a rating from 1 to 5."""

    name = "prometheus"
    label = "Prometheus"
    scoring_rule = (
        "Prometheus: a rating from 1 to 5. Kept: the Likert scale ends at 5, and the rating is brought to [0, 1] by "
        "(r - 1) / 4."
    )
    frame = Frame(
        prompts=(("prompt",), ("input",), ("instruction",), ("orig_instruction",)),
        references=(("reference_answer",), ("orig_reference_answer",)),
    )

    def likeness(self, record: Record, contents: Contents) -> int:
        """Sure: no other format calls them so."""
        return SURE if isinstance(record.value, dict) and _found(dict(record.value)) else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """Guidance, with the prompt and the reference answer as scenario."""
        if not isinstance(record.value, dict):
            raise InvalidRubric(
                f"expected an object with 'criteria' and five descriptions, got {type(record.value).__name__}"
            )
        rest: dict[str, Json] = copy.deepcopy(record.value)
        source: dict[str, Json] = {"format": self.name}
        if packed := unpack(rest, _HOLDERS):
            source["packed"] = packed
        found = _found(rest)
        if found is None:
            raise InvalidRubric(f"there are no 'criteria' with 'score1_description'; the record has {_keys(rest)}")
        holder, prefix = found
        held = rest[holder] if holder else rest
        texts = [_taken(held, prefix + key) for key in _KEYS]
        source |= {"holder": holder, "prefix": prefix}
        name, scenario = self.frame.read(rest, source, record.name)
        guidance = _guidance(texts)
        if _texts(guidance) != texts:
            source["texts"] = texts
        if rest:
            source["record"] = rest
        rubric = {"guidance": guidance, "scoring": Scoring(likert_max=5).model_dump(), "source": source}
        return NamedRubric(name, Rubric.from_record(rubric), scenario)

    def write(self, named: NamedRubric) -> Json:
        """The record. Raises :class:`InvalidRubric` where the guidance does not say what each score means."""
        source = own_source(named.rubric, self.name)
        kept = source.get("texts")
        texts = kept if kept and _guidance(kept) == named.rubric.guidance else _texts(named.rubric.guidance)
        if texts is None:
            raise InvalidRubric(
                f"{self.label} needs a description of each score: let the guidance end in lines 'Score 1: ...' to "
                "'Score 5: ...' after an empty line"
            )
        record: dict[str, Json] = copy.deepcopy(source.get("record", {}))
        self.frame.write(record, named, source)
        holder = source.get("holder", "rubric" if named.scenario else "")
        held = record.setdefault(holder, {}) if holder else record
        held |= {source.get("prefix", "") + key: text for key, text in zip(_KEYS, texts, strict=True)}
        pack(record, source.get("packed", ()))
        return record


def _found(record: Mapping[str, Json]) -> tuple[str, str] | None:
    """Under which key the texts stand ("" for none), and what stands in front of their own keys."""
    unpacked = dict(record)
    unpack(unpacked, _HOLDERS)
    for holder in (*_HOLDERS, ""):
        held = unpacked.get(holder) if holder else unpacked
        if isinstance(held, dict):
            for prefix in ("", "orig_"):
                if f"{prefix}score1_description" in held:
                    return holder, prefix
    return None


def _taken(held: dict[str, Json], key: str) -> str:
    if key not in held:
        raise InvalidRubric(f"{key!r} is missing: each score from 1 to 5 needs its description")
    text = held.pop(key)
    if not isinstance(text, str):
        raise InvalidRubric(f"{key!r} must be a text, got {text!r}")
    return text


def _guidance(texts: list[str]) -> str:
    return texts[0] + "\n\n" + "\n".join(f"Score {n}: {text}" for n, text in zip(_SCORES, texts[1:], strict=True))


def _texts(guidance: str) -> list[str] | None:
    found = _GUIDANCE.match(guidance)
    return list(found.groups()) if found else None


def _keys(record: Mapping[str, Json]) -> str:
    return ", ".join(map(repr, record)) or "no keys"
