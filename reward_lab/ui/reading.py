"""Texts that a person reads: answers, reasons, prompts, differences.

Most of them are somebody else's and may be hostile, so none is ever read as Markdown or HTML: they reach the browser
as data and ``reading.js`` shows them as plain text, wrapped, each paragraph in its own direction, cut after a while
with "Show all". What a person unfolded stays unfolded while a page refreshes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

import streamlit as st

from reward_lab.core.chat import well_formed
from reward_lab.core.differences import Kind, Piece

Form = Literal["lead", "line", "card", "message"]
Tone = Literal["", "better", "worse", "warning", "note"]

_HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Fold:
    """More, a click away. ``blocks`` is ``None`` until it was opened once: the page is then asked for it.

    ``id`` is unique on the page.
    """

    id: str
    label: str
    blocks: tuple[Block, ...] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One text with what heads it.

    ``form``: a ``lead`` is the sentence that opens a page and keeps room for two lines; a ``line`` has its title on
    the line; a ``card`` has a frame; a ``message`` is one of a conversation. ``figure`` stands at the end of the
    heading, ``note`` after the title. ``mono`` is for text whose blanks count. ``marked`` frames the one that was
    asked for.

    Raises:
        ValueError: ``colour`` is neither empty nor ``#rrggbb``.
    """

    id: str
    form: Form = "card"
    title: str = ""
    note: str = ""
    figure: str = ""
    badge: str = ""
    colour: str = ""
    tone: Tone = ""
    pieces: tuple[Piece, ...] = ()
    mono: bool = False
    marked: bool = False
    hover: str = ""
    folds: tuple[Fold, ...] = ()

    def __post_init__(self) -> None:
        if self.colour and not _HEX_COLOUR.fullmatch(self.colour):
            # It becomes a CSS value, and CSS can fetch.
            raise ValueError(f"block {self.id!r} has the colour {self.colour!r}: pass it as #rrggbb")


class FoldData(TypedDict):
    """A fold as ``reading.js`` reads it."""

    id: str
    label: str
    blocks: list[BlockData] | None


class BlockData(TypedDict):
    """A block as ``reading.js`` reads it; fields at their default are left out."""

    id: str
    form: Form
    title: NotRequired[str]
    note: NotRequired[str]
    figure: NotRequired[str]
    badge: NotRequired[str]
    colour: NotRequired[str]
    tone: NotRequired[Tone]
    pieces: NotRequired[list[tuple[Kind, str]]]
    mono: NotRequired[bool]
    marked: NotRequired[bool]
    hover: NotRequired[str]
    folds: NotRequired[list[FoldData]]


def plain(text: str) -> tuple[Piece, ...]:
    """A text in which nothing changed; () for none."""
    return (Piece("same", text),) if text else ()


def abbreviated(pieces: Sequence[Piece], *, around: int = 60) -> tuple[Piece, ...]:
    """A word diff with what stayed the same cut down to ``around`` characters beside each change.

    >>> [piece.text for piece in abbreviated([Piece("same", "x" * 9), Piece("added", "new")], around=4)]
    ['… xxxx', 'new']
    """
    last = len(pieces) - 1
    return tuple(
        piece if piece.kind != "same" else Piece("same", _context(piece.text, index == 0, index == last, around))
        for index, piece in enumerate(pieces)
    )


def _context(text: str, first: bool, last: bool, around: int) -> str:
    head = 0 if first else around
    tail = 0 if last else around
    if len(text) <= head + tail + 1:
        return text
    return f"{text[:head]}{' … ' if head and tail else ' …' if head else '… '}{text[len(text) - tail :]}"


def payload(blocks: Sequence[Block]) -> list[BlockData]:
    """The blocks as JSON data, without touching Streamlit.

    >>> payload([Block("a", title="RULER", pieces=plain("Faithful."))])
    [{'id': 'a', 'form': 'card', 'title': 'RULER', 'pieces': [('same', 'Faithful.')]}]
    """
    return [_data(block) for block in blocks]


def read(blocks: Sequence[Block], *, key: str, label: str, on_open: Callable[[str], None] | None = None) -> None:
    """Show the blocks. ``label`` is their accessible name, ``key`` theirs in the session.

    ``on_open`` is called with the id of a fold without blocks when it is opened, before the page (or the fragment)
    runs again, so that this run can send what is in it.
    """

    def opened() -> None:
        told = st.session_state[key]["opened"]
        if on_open is not None and isinstance(told, str):
            on_open(told)

    _component(key=key, data={"label": label, "blocks": payload(blocks)}, on_opened_change=opened)


def _data(block: Block) -> BlockData:
    data: BlockData = {"id": block.id, "form": block.form}
    if block.title:
        data["title"] = well_formed(block.title)
    if block.note:
        data["note"] = well_formed(block.note)
    if block.figure:
        data["figure"] = block.figure
    if block.badge:
        data["badge"] = block.badge
    if block.colour:
        data["colour"] = block.colour
    if block.tone:
        data["tone"] = block.tone
    if block.pieces:
        data["pieces"] = [(piece.kind, well_formed(piece.text)) for piece in block.pieces]
    if block.mono:
        data["mono"] = True
    if block.marked:
        data["marked"] = True
    if block.hover:
        data["hover"] = well_formed(block.hover)
    if block.folds:
        data["folds"] = list(_folds(block))
    return data


def _folds(block: Block) -> Iterator[FoldData]:
    for fold in block.folds:
        blocks = None if fold.blocks is None else payload(fold.blocks)
        yield {"id": fold.id, "label": well_formed(fold.label), "blocks": blocks}


_SOURCE = Path(__file__)
_component = st.components.v2.component(
    "reward_lab_reading",
    css=_SOURCE.with_suffix(".css").read_text(encoding="utf-8"),
    js=_SOURCE.with_suffix(".js").read_text(encoding="utf-8"),
)
