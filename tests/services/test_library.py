from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reward_lab.core.rubric import Criterion, Rubric
from reward_lab.errors import InvalidRubric, NotFound
from reward_lab.services.library import Library
from reward_lab.services.rubric_drafts import CriterionDraft, ProposalDraft, RubricDraft
from reward_lab.store import Store

ONE = Rubric(guidance="Be exact.", criteria=(Criterion(description="States the deadline."),))
TWO = Rubric(guidance="Be kind.")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Store.open(f"sqlite:///{tmp_path / 'lab.db'}") as store:
        yield Library(store)


def test_a_history_has_every_version_and_the_current_one(library: Library) -> None:
    library.save(ONE, " Support ", note=" first ", author=" Ada ")
    library.save(TWO, "Support", base=1)
    history = library.history("Support")
    assert (history.head, [one.number for one in history.versions]) == (2, [2, 1])
    assert history.current.rubric == TWO
    first = history.version(1)
    assert first is not None
    assert (first.rubric, first.note, first.author) == (ONE, "first", "Ada")
    assert history.version(7) is None
    assert history.uses == {}


def test_the_second_of_two_saves_is_told_of_the_first(library: Library) -> None:
    library.save(ONE, "Support")
    theirs = library.save(TWO, "Support", base=1, author="Ada")
    mine = library.save(Rubric(guidance="Be brief."), "Support", base=1)
    assert (mine.saved, mine.version) == (False, theirs.version)


def test_a_fork_knows_where_it_came_from(library: Library) -> None:
    first = library.save(ONE, "Support").version
    fork = library.save(TWO, "Support, strict", base=0, origin=first)
    assert fork.version.origin == ("Support", 1)


def test_archived_rubrics_are_listed_apart(library: Library) -> None:
    library.save(ONE, "Support")
    library.save(ONE, "Sales")
    library.archive("Support")
    assert [one.name for one in library.names()] == ["Sales"]
    assert [one.name for one in library.names(archived=True)] == ["Support"]
    library.unarchive("Support")
    assert {one.name for one in library.names()} == {"Sales", "Support"}


def test_a_blank_name_and_an_unknown_one_are_refused(library: Library) -> None:
    with pytest.raises(InvalidRubric, match="needs a name"):
        library.save(ONE, "  ")
    with pytest.raises(NotFound, match="'Support'"):
        library.history("Support")


def test_a_review_puts_what_was_kept_in_its_place() -> None:
    draft = RubricDraft(
        criteria=[CriterionDraft(id="a", description="A and B."), CriterionDraft(id="b", description="C.")],
        proposals=[
            ProposalDraft(id="p", description="A.", replaces="a", kept=True),
            ProposalDraft(id="q", description="B.", replaces="a", kept=True),
            ProposalDraft(id="r", description="D.", kept=True),
            ProposalDraft(id="s", description="E.", kept=False),
            ProposalDraft(id="t", description="F.", replaces="b"),
        ],
    )
    reviewed = draft.reviewed()
    assert [row.description for row in reviewed.criteria] == ["A.", "B.", "C.", "D."]
    assert reviewed.proposals == []
