from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reward_lab.core.duplicates import Duplicates, Likeness
from reward_lab.core.group import Group
from reward_lab.core.split import Split
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.services.datasets import Added, Datasets
from reward_lab.store import Store
from tests.services.laboratory import group


@pytest.fixture
def datasets(tmp_path: Path) -> Iterator[Datasets]:
    with Store.open(f"sqlite:///{tmp_path / 'lab.db'}") as store:
        yield Datasets(store)


def asking(name: str, question: str, **scenario: object) -> Group:
    return group(name, messages=[{"role": "user", "content": question}], **scenario)


def test_thousands_of_groups_come_in_and_are_paged(datasets: Datasets) -> None:
    dataset_id = datasets.create("many")
    assert datasets.add_groups(dataset_id, (group(f"g{number}") for number in range(1201))) == Added(1201, 0, 0)
    assert datasets.add_groups(dataset_id, [group("g7"), group("new")]) == Added(1, 1, 0)
    page = datasets.page(dataset_id, offset=1195, limit=25)
    assert [line.name for line in page.rows] == [f"g{number}" for number in range(1195, 1201)] + ["new"]
    assert page.total == 1202
    assert [line.name for line in datasets.page(dataset_id, search="G120", limit=2).rows] == ["g120", "g1200"]
    assert len(datasets.group_ids(dataset_id)) == 1202


def test_a_group_is_read_by_its_id(datasets: Datasets) -> None:
    dataset_id = datasets.create("one")
    datasets.add_groups(dataset_id, [group("g")])
    assert datasets.group(datasets.group_ids(dataset_id)[0]) == group("g")
    with pytest.raises(NotFound, match="Group 99"):
        datasets.group(99)


def test_equal_questions_are_drawn_to_one_side_also_under_other_prompts(datasets: Datasets) -> None:
    dataset_id = datasets.create("split")
    for prompt in ("Be strict.", "Be loose.", ""):
        named = [asking(f"{number} {prompt}", f"Question {number}?", system_prompt=prompt) for number in range(20)]
        datasets.add_groups(dataset_id, named)
    assert datasets.draw_split(dataset_id, 0.3, seed=1) == (42, 18)
    sides: dict[str, set[Split]] = {}
    for line in datasets.page(dataset_id, limit=100).rows:
        sides.setdefault(line.opening, set()).add(line.split)
    assert all(len(on) == 1 for on in sides.values())
    before = datasets.group_ids(dataset_id, split=Split.HOLDOUT)
    datasets.set_split(dataset_id, range(60), Split.NONE)
    assert datasets.group_ids(dataset_id, split=Split.HOLDOUT) == ()
    datasets.draw_split(dataset_id, 0.3, seed=1)
    assert datasets.group_ids(dataset_id, split=Split.HOLDOUT) == before
    datasets.draw_split(dataset_id, 0.3, seed=2)
    assert datasets.group_ids(dataset_id, split=Split.HOLDOUT) != before


def test_duplicates_are_found_by_kind(datasets: Datasets) -> None:
    dataset_id = datasets.create("twice")
    datasets.add_groups(
        dataset_id,
        [
            asking("a", "One?"),
            asking("the same under another name", "One?"),
            asking("another prompt", "One?", system_prompt="Be strict."),
            asking("other words", "Two?"),
            group("other answers", ("Never.",), messages=[{"role": "user", "content": "Two?"}]),
        ],
    )
    assert datasets.duplicates(dataset_id) == (
        Duplicates(Likeness.GROUP, (0, 1)),
        Duplicates(Likeness.QUESTION, (0, 1, 2)),
        Duplicates(Likeness.QUESTION, (3, 4)),
        Duplicates(Likeness.RESPONSES, (0, 1, 2, 3)),
    )


def test_a_blank_tag_is_refused_and_blanks_around_one_are_not_part_of_it(datasets: Datasets) -> None:
    dataset_id = datasets.create("tags")
    datasets.add_groups(dataset_id, [group("g")])
    datasets.set_tags(dataset_id, [0], add=[" hard "])
    assert datasets.tags(dataset_id) == ("hard",)
    with pytest.raises(InvalidInput, match="tag needs a name"):
        datasets.set_tags(dataset_id, [0], add=[" "])
