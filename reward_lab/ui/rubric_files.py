"""Rubrics in and out of files: what was understood, what was not, and what a format cannot hold."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.wording import counted
from reward_lab.errors import InvalidInput, NotFound, RewardLabError
from reward_lab.exchange.rubrics import (
    RUBRIC_FORMATS,
    ImportReport,
    NamedRubric,
    branches,
    read_rubrics,
    write_rubrics,
)
from reward_lab.services.library import RubricVersion
from reward_lab.services.rubric_drafts import RubricDraft
from reward_lab.ui.fields import show_fault
from reward_lab.ui.reading import Block, plain, read
from reward_lab.ui.rubric_library import free_name
from reward_lab.ui.studio import Studio, version_draft

_NOTES_SHOWN = 30
_DETECT = "detect"
_PASTED = "pasted"
_INDENT = "\u2003"


def draw(studio: Studio) -> None:
    """Import above, export below."""
    st.subheader("Import", anchor=False)
    _draw_import(studio)
    st.subheader("Export", anchor=False)
    _draw_export(studio)


def _draw_import(studio: Studio) -> None:
    st.caption(
        "RaR, HealthBench, Prometheus, RubricHub, ResearchQA, ResearchRubrics, PaperBench, ProfBench, DR Tulu, OpenAI "
        "graders, and plain lists as JSON, YAML, CSV or Markdown. Nothing is stored before you choose."
    )
    uploaded = st.file_uploader(
        "File",
        type=["json", "jsonl", "parquet", "yaml", "yml", "csv", "md", "txt"],
        key="files-upload",
        label_visibility="collapsed",
    )
    pasted = st.text_area("or paste its content", key="files-pasted", height=110)
    chosen = st.selectbox(
        "Format",
        [_DETECT, *RUBRIC_FORMATS],
        format_func=lambda name: "Found out from the content" if name == _DETECT else RUBRIC_FORMATS[name].label,
        key="files-format",
    )
    if uploaded is None and not pasted.strip():
        return
    data, name = (uploaded.getvalue(), uploaded.name) if uploaded else (pasted.encode(errors="replace"), _name(pasted))
    try:
        report = read_rubrics(data, name, format=None if chosen == _DETECT else chosen)
    except RewardLabError as error:
        show_fault(error)
        return
    _draw_report(report)
    _take(studio, report)


def _name(pasted: str) -> str:
    """What pasted text is called. What begins as JSON is meant as such: broken, it would else pass for prose."""
    return f"{_PASTED}.jsonl" if pasted.lstrip()[:1] in ("{", "[") else _PASTED


def _draw_report(report: ImportReport) -> None:
    skipped = report.skipped
    said = f"{counted(len(report.rubrics), 'rubric')} read as {RUBRIC_FORMATS[report.format].label}"
    if skipped:
        said += f"; {counted(len(skipped), 'place')} could not be read"
    understood = [note for note in report.notes if not note.skipped]
    blocks = [Block("import-read", "line", "✓ Understood", tone="better", pieces=plain(f"{said}."))]
    blocks += [
        Block(
            f"import-skipped-{index}", "line", f"⚠ {note.place or 'Left out'}", tone="warning", pieces=plain(note.text)
        )
        for index, note in enumerate(skipped[:_NOTES_SHOWN])
    ]
    blocks += [
        Block(f"import-lost-{index}", "line", "⚠ Not kept", tone="warning", pieces=plain(text))
        for index, text in enumerate(report.lost)
    ]
    blocks += [
        Block(f"import-note-{index}", "line", note.place or "Scoring", pieces=plain(note.text))
        for index, note in enumerate(understood[:_NOTES_SHOWN])
    ]
    more = max(0, len(understood) - _NOTES_SHOWN) + max(0, len(skipped) - _NOTES_SHOWN)
    if more:
        blocks.append(Block("import-more", "line", pieces=plain(f"{counted(more, 'more note')}.")))
    read(blocks, key="files-report", label="What was understood")


def _take(studio: Studio, report: ImportReport) -> None:
    rubrics = report.rubrics
    place = 0
    if len(rubrics) > 1:
        place = st.selectbox(
            "Rubric",
            range(len(rubrics)),
            format_func=lambda index: f"{index + 1}. {well_formed(rubrics[index].name)} ({_size(rubrics[index])})",
            key="files-which",
        )
    named = rubrics[min(place, len(rubrics) - 1)]
    _draw_preview(named, report.format)
    with st.container(horizontal=True):
        st.button(
            "Open in the editor",
            type="primary",
            icon=":material/edit:",
            key="files-open",
            on_click=_open,
            args=(studio, named),
        )
        if len(rubrics) > 1 and st.button(
            f"Save all {len(rubrics)} to the library", icon=":material/library_add:", key="files-save-all"
        ):
            _save_all(studio, rubrics)


def _open(studio: Studio, named: NamedRubric) -> None:
    stored = _stored(studio, named)
    draft = (
        RubricDraft.of(named.rubric, name=free_name(studio, named.name))
        if stored is None
        else version_draft(stored, head=stored.number)
    )
    if named.scenario is not None:
        draft = draft.model_copy(update={"scenario": named.scenario.model_dump(mode="json")})
    studio.begin(draft)
    studio.pane = "write"


def _save_all(studio: Studio, rubrics: Sequence[NamedRubric]) -> None:
    new = [named for named in rubrics if _stored(studio, named) is None]
    for named in new:
        studio.lab.library.save(named.rubric, free_name(studio, named.name), base=0, author=studio.author)
    known = f"; {len(rubrics) - len(new)} stood there already" if len(new) < len(rubrics) else ""
    st.toast(f"{counted(len(new), 'rubric')} saved to the library{known}.", icon=":material/check:")
    st.rerun()


def _stored(studio: Studio, named: NamedRubric) -> RubricVersion | None:
    """The current version of its name, where that is the same rubric."""
    try:
        current = studio.lab.library.history(named.name).current
    except NotFound:
        return None
    return current if current.rubric.key == named.rubric.key else None


def _draw_preview(named: NamedRubric, format_name: str) -> None:
    rubric = named.rubric
    blocks = []
    if rubric.guidance:
        blocks.append(Block("preview-guidance", "card", "Guidance", pieces=plain(rubric.guidance)))
    if format_name == "paperbench":
        blocks += [
            Block(
                f"preview-branch-{index}",
                "line",
                f"{_INDENT * branch.depth}{branch.share:.1%}",
                pieces=plain(branch.requirements),
            )
            for index, branch in enumerate(branches(rubric)[:200])
        ]
    else:
        for index, criterion in enumerate(rubric.criteria):
            weight = "" if criterion.weight is None else f" · weight {criterion.weight:g}"
            met = "true" if criterion.meets_when else "false"
            note = f"{criterion.category.value}{weight} · met when {met}"
            title = f"{index + 1}. {criterion.title}".rstrip(". ")
            blocks.append(Block(f"preview-{index}", "message", title, note=note, pieces=plain(criterion.description)))
    with st.expander(f"{_size(named)} in this rubric", expanded=True):
        read(blocks, key="files-preview", label="The rubric as it was read")


def _size(named: NamedRubric) -> str:
    count = len(named.rubric.criteria)
    return f"{count} criteria" if count != 1 else "1 criterion"


def _draw_export(studio: Studio) -> None:
    format_name = st.selectbox(
        "Format to write",
        list(RUBRIC_FORMATS),
        format_func=lambda name: RUBRIC_FORMATS[name].label,
        key="files-to",
    )
    chosen = RUBRIC_FORMATS[format_name]
    suffix = st.segmented_control(
        "Ending", chosen.suffixes, default=chosen.suffixes[0], required=True, key=f"files-suffix-{format_name}"
    )
    draft = studio.draft
    try:
        named = NamedRubric(draft.name or "rubric", draft.rubric(), draft.imported_scenario())
        written = write_rubrics([named], format_name, suffix=suffix)
    except InvalidInput as error:
        show_fault(error)
        return
    if written.lost:
        read(
            [
                Block(f"lost-{index}", "line", "⚠ Not kept", tone="warning", pieces=plain(text))
                for index, text in enumerate(written.lost)
            ],
            key="files-lost",
            label="What this format cannot hold",
        )
    else:
        st.caption("Nothing is lost: reading the file gives this rubric again.")
    st.download_button(
        "Download",
        written.data,
        file_name=f"rubric{written.suffix}",
        icon=":material/download:",
        on_click="ignore",
        key="files-download",
    )
