from __future__ import annotations

import json

import pytest

from reward_lab.core.differences import Piece
from reward_lab.ui.reading import Block, Fold, abbreviated, payload, plain

HOSTILE = "</script><img src=x onerror=alert(1)> ![x](https://example.com/y) $5-$10, $x^2$ سياسة 退款 🎉"


def test_hostile_text_passes_through_json_unchanged_and_lone_surrogates_become_visible() -> None:
    block = Block("a", title=HOSTILE, note=HOSTILE, pieces=(Piece("removed", HOSTILE), Piece("added", "x\ud800")))
    sent = json.loads(json.dumps(payload([block])))[0]
    assert (sent["title"], sent["note"]) == (HOSTILE, HOSTILE)
    assert sent["pieces"] == [["removed", HOSTILE], ["added", "x\\ud800"]]


def test_a_fold_that_was_not_asked_for_holds_nothing_and_one_that_was_holds_its_blocks() -> None:
    inner = Block("b", "message", "Prompt", pieces=plain("Judge."), mono=True)
    closed, opened = Fold("f", "Prompt"), Fold("g", "Prompt", (inner,))
    sent = payload([Block("a", folds=(closed, opened))])[0]["folds"]
    assert sent[0] == {"id": "f", "label": "Prompt", "blocks": None}
    assert sent[1]["blocks"] == [
        {"id": "b", "form": "message", "title": "Prompt", "pieces": [("same", "Judge.")], "mono": True}
    ]


def test_a_diff_keeps_its_changes_and_cuts_what_stayed() -> None:
    long = "word " * 100
    pieces = [
        Piece("same", long),
        Piece("removed", long),
        Piece("same", long),
        Piece("added", "x"),
        Piece("same", long),
    ]
    first, removed, middle, added, last = abbreviated(pieces, around=20)
    assert (removed.text, added.text) == (long, "x")
    assert (len(first.text), len(middle.text), len(last.text)) == (22, 43, 22)
    assert first.text == f"… {long[-20:]}"
    assert middle.text == f"{long[:20]} … {long[-20:]}"
    assert last.text == f"{long[:20]} …"
    short = [Piece("same", "use "), Piece("added", "only "), Piece("same", "the context")]
    assert list(abbreviated(short)) == short


@pytest.mark.parametrize("colour", ["red", "url(https://example.com/x)", "#0072B2;x:y"])
def test_only_a_hex_colour_may_reach_the_style(colour: str) -> None:
    with pytest.raises(ValueError, match="pass it as #rrggbb"):
        Block("a", colour=colour)


def test_no_text_is_no_piece() -> None:
    assert plain("") == ()
