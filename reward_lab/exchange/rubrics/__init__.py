"""Rubric files in and out: one format a file, each with its line in ``RUBRIC_FORMATS``."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Rubric
from reward_lab.core.wording import listed, reason_of
from reward_lab.errors import InvalidInput, InvalidRubric
from reward_lab.exchange.rubrics.contents import (
    Contents,
    Note,
    Record,
    check_value,
    read_contents,
)
from reward_lab.exchange.rubrics.csv_table import Csv, csv_text
from reward_lab.exchange.rubrics.detection import detected, likely, records_of
from reward_lab.exchange.rubrics.drtulu import DRTulu
from reward_lab.exchange.rubrics.format import Findings, ImportReport, NamedRubric, RubricFormat, Written
from reward_lab.exchange.rubrics.healthbench import HealthBench
from reward_lab.exchange.rubrics.lists import JsonList, Yaml
from reward_lab.exchange.rubrics.losses import losses
from reward_lab.exchange.rubrics.markdown import Markdown, joined_texts
from reward_lab.exchange.rubrics.openai_grader import OpenAIGrader
from reward_lab.exchange.rubrics.paperbench import Branch, PaperBench, branches
from reward_lab.exchange.rubrics.profbench import ProfBench
from reward_lab.exchange.rubrics.prometheus import Prometheus
from reward_lab.exchange.rubrics.rar import RaR
from reward_lab.exchange.rubrics.researchqa import ResearchQA
from reward_lab.exchange.rubrics.researchrubrics import ResearchRubrics
from reward_lab.exchange.rubrics.reward_lab import RewardLab
from reward_lab.exchange.rubrics.rubrichub import RubricHub
from reward_lab.exchange.rubrics.yaml_text import yaml_text

__all__ = [
    "RUBRIC_FORMATS",
    "Branch",
    "ImportReport",
    "NamedRubric",
    "Note",
    "RubricFormat",
    "Written",
    "branches",
    "read_rubric",
    "read_rubrics",
    "write_rubrics",
]

RUBRIC_FORMATS: dict[str, RubricFormat] = {
    one.name: one
    for one in (
        RewardLab(),
        RaR(),
        HealthBench(),
        Prometheus(),
        RubricHub(),
        ResearchQA(),
        ResearchRubrics(),
        PaperBench(),
        ProfBench(),
        DRTulu(),
        OpenAIGrader(),
        JsonList(),
        Yaml(),
        Csv(),
        Markdown(),
    )
}

_PROSE = (".md", ".markdown", ".txt", "")


def read_rubrics(data: bytes, name: str, *, format: str | None = None) -> ImportReport:  # noqa: A002  the CLI's word
    """The rubrics of a file, in the named format or the one its content shows.

    A record that cannot be read is skipped, with its place and the reason among the notes.

    Raises:
        InvalidInput: the file is too large or not text, or the format is unknown.
        InvalidRubric: the content is in no known format or in one of several; or no record gave a rubric.
    """
    contents = read_contents(data, name)
    chosen = detected(RUBRIC_FORMATS, contents) if format is None else _format(format)
    findings = Findings(notes=list(contents.notes))
    rubrics = []
    for record in records_of(chosen, contents):
        named = _read(chosen, record, contents, findings)
        if named is not None:
            rubrics.append(named)
    if not rubrics:
        first = next((str(note) for note in findings.notes if note.skipped), "it holds no record")
        raise InvalidRubric(f"{name}: no rubric could be read as {chosen.label}: {first.rstrip('.')}.")
    notes = (Note("", chosen.scoring_rule), *findings.notes)
    return ImportReport(chosen.name, tuple(rubrics), notes, tuple(findings.lost))


def write_rubrics(rubrics: Sequence[NamedRubric], format: str, *, suffix: str | None = None) -> Written:  # noqa: A002
    """A file of these rubrics. ``suffix``, one of the format's, tells how records lie in it.

    What is lost is found by reading the file back: whatever differs is named.

    Raises:
        InvalidInput: the format is unknown, or has no files of this ending.
        InvalidRubric: none of the rubrics can be written in it.
    """
    chosen = _format(format)
    suffix = suffix or chosen.suffixes[0]
    if suffix not in chosen.suffixes:
        raise InvalidInput(f"{chosen.label} is written as {listed(chosen.suffixes, 'or')}, not {suffix!r}.")
    kept, records, refused = [], [], []
    for named in rubrics:
        try:
            records.append(chosen.write(named))
        except InvalidRubric as error:
            refused.append(f"{named.name!r} is left out: {str(error).rstrip('.')}")
        else:
            kept.append(named)
    if not records:
        raise InvalidRubric(
            f"Nothing can be written as {chosen.label}: {'; '.join(refused) or 'there are no rubrics'}."
        )
    data = _encoded(chosen, records, suffix)
    return Written(data, suffix, len(kept), (*refused, *_lost(chosen, kept, data, suffix)))


def read_rubric(path: Path) -> tuple[str, Rubric]:
    """The name and content of a file that holds one rubric; Markdown and plain text are guidance in prose.

    Raises:
        InvalidInput: the file cannot be read as text.
        InvalidRubric: it is no rubric, or more than one; the field and value are named.
    """
    try:
        data = path.read_bytes()
        if path.suffix.lower() in _PROSE:
            return path.stem, Rubric(guidance=data.decode("utf-8-sig").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The rubric file {path} cannot be read: {error}.") from error
    report = read_rubrics(data, path.name)
    if len(report.rubrics) > 1 or report.skipped:
        raise InvalidRubric(
            f"The rubric file {path} holds {len(report.rubrics) + len(report.skipped)} rubrics; one is needed here."
        )
    return report.rubrics[0].name, report.rubrics[0].rubric


def _format(name: str) -> RubricFormat:
    try:
        return RUBRIC_FORMATS[name]
    except KeyError:
        raise InvalidInput(f"There is no rubric format {name!r}. Known are {listed(RUBRIC_FORMATS)}.") from None


def _read(chosen: RubricFormat, record: Record, contents: Contents, findings: Findings) -> NamedRubric | None:
    try:
        check_value(record.value)
        return chosen.read(record, findings)
    except (InvalidInput, ValueError) as error:
        why = reason_of(error)
        other = likely(RUBRIC_FORMATS.values(), record, contents)
        if other and not chosen.likeness(record, contents):
            why += f"; it looks like {RUBRIC_FORMATS[other].label}"
        findings.skip(record.place, f"{why}.")
        return None


def _encoded(chosen: RubricFormat, records: list[Json], suffix: str) -> bytes:
    if suffix == ".parquet":
        return _parquet(records, chosen)
    if suffix == ".md":
        return joined_texts(records).encode()
    if suffix == ".csv":
        return csv_text(records).encode()
    if suffix == ".jsonl":
        return "".join(f"{json.dumps(one, ensure_ascii=False, allow_nan=False)}\n" for one in records).encode()
    document = records[0] if len(records) == 1 else records
    if suffix == ".yaml":
        return yaml_text(document).encode()
    return f"{json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)}\n".encode()


def _parquet(records: list[Json], chosen: RubricFormat) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    try:
        if not all(isinstance(one, dict) for one in records):
            raise pa.ArrowTypeError("a bare list is no row of a table")
        pq.write_table(pa.Table.from_pylist(records), out)
    except (pa.ArrowException, OverflowError) as error:
        raise InvalidRubric(
            f"These {chosen.label} rubrics make no parquet table ({str(error).splitlines()[0]}): write them as JSONL."
        ) from error
    return out.getvalue()


def _lost(chosen: RubricFormat, written: list[NamedRubric], data: bytes, suffix: str) -> tuple[str, ...]:
    try:
        back = read_rubrics(data, f"rubrics{suffix}", format=chosen.name).rubrics
    except InvalidRubric as error:
        return (f"what is written is not read back: {error}",)
    if len(back) != len(written):
        return (f"{len(written)} rubrics are read back as {len(back)}: their texts hold what separates rubrics here",)
    return losses(written, back, chosen.name)
