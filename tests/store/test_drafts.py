from __future__ import annotations

import pytest

from reward_lab.errors import InvalidInput
from reward_lab.store import Store


def test_a_draft_comes_back_as_it_was(store: Store) -> None:
    content = {"prompt": "lone \ud800, nul \x00, 😀", "responses": [None, {"text": ""}], "n": 1.5}
    saved = store.save_draft("d", content)
    assert saved.saved
    assert saved.draft.version == 1
    assert store.draft("d") == saved.draft
    assert saved.draft.content == content
    assert saved.draft.updated_at.tzinfo is not None


def test_a_stale_save_brings_the_newer_draft_back(store: Store) -> None:
    store.save_draft("d", {"text": "first"}, expected_version=0)
    store.save_draft("d", {"text": "tab one"}, expected_version=1)
    late = store.save_draft("d", {"text": "tab two"}, expected_version=1)
    assert not late.saved
    assert (late.draft.version, late.draft.content) == (2, {"text": "tab one"})
    assert store.draft("d") == late.draft
    assert store.save_draft("d", {"text": "tab two"}, expected_version=2).draft.version == 3


def test_without_a_version_the_last_save_wins(store: Store) -> None:
    store.save_draft("d", {"text": "first"})
    assert store.save_draft("d", {"text": "second"}).saved
    draft = store.draft("d")
    assert draft is not None
    assert draft.content == {"text": "second"}


@pytest.mark.parametrize("value", [float("nan"), object()])
def test_what_is_no_json_is_refused_by_name(store: Store, value: object) -> None:
    with pytest.raises(InvalidInput, match="draft 'd' cannot be stored"):
        store.save_draft("d", {"weight": value})
    assert store.draft("d") is None
