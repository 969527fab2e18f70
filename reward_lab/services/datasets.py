"""Datasets: named collections of groups to score, compare and label; with tags, and a split into tune and holdout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from reward_lab.core.duplicates import Duplicates, Likeness, duplicates
from reward_lab.core.group import Group
from reward_lab.core.labels import Label
from reward_lab.core.split import Split, drawn
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.exchange.groups import ImportedGroup
from reward_lab.store import Added, DatasetLine, DatasetSummary, Place, Store

__all__ = [
    "Added",
    "DatasetLine",
    "DatasetPage",
    "DatasetSummary",
    "Datasets",
    "Duplicates",
    "Likeness",
    "Place",
    "Split",
]

_AT_ONCE = 500
"""Groups stored in one transaction: other writers get their turn between two."""


@dataclass(frozen=True, slots=True)
class DatasetPage:
    """Some of the groups that match, in the dataset's order, and how many match in all."""

    rows: tuple[DatasetLine, ...]
    total: int


class Datasets:
    """Keep groups in datasets and find them again. Groups never change: an edited one takes the place of the old."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def summaries(self) -> tuple[DatasetSummary, ...]:
        """Every dataset with its counts, by name."""
        return self._store.datasets()

    def create(self, name: str) -> int:
        """Begin an empty dataset; return its id. Raises :class:`InvalidInput`: the name is blank or taken."""
        return self._store.create_dataset(name)

    def save_run(self, run_id: int, name: str) -> int:
        """Begin a dataset of a run's groups; return its id. Raises :class:`InvalidInput`, :class:`NotFound`."""
        return self._store.create_dataset_of_run(run_id, name)

    def rename(self, dataset_id: int, name: str) -> None:
        """Give it another name. Raises :class:`InvalidInput`: blank or taken; :class:`NotFound`."""
        self._store.rename_dataset(dataset_id, name)

    def delete(self, dataset_id: int) -> None:
        """Remove it with its splits and tags; its groups stay stored, since runs hold them, and so do their labels."""
        self._store.delete_dataset(dataset_id)

    def places(
        self, dataset_id: int, *, search: str = "", tag: str | None = None, split: Split | None = None
    ) -> tuple[Place, ...]:
        """Where the groups that match stand, in the dataset's order. Raises :class:`NotFound`.

        ``search`` is looked for in names, openings, tags and everything said, letters of either case alike.
        """
        return self._store.dataset_places(dataset_id, search=search, tag=tag, split=split)

    def lines(self, dataset_id: int, positions: Sequence[int]) -> tuple[DatasetLine, ...]:
        """The groups at these positions, in the dataset's order."""
        return self._store.dataset_lines(dataset_id, positions)

    def page(
        self,
        dataset_id: int,
        *,
        search: str = "",
        tag: str | None = None,
        split: Split | None = None,
        offset: int = 0,
        limit: int = 25,
    ) -> DatasetPage:
        """A page of the groups that match (see :meth:`places`). Raises :class:`NotFound`."""
        found = self.places(dataset_id, search=search, tag=tag, split=split)
        shown = [place.position for place in found[offset : offset + limit]]
        return DatasetPage(self.lines(dataset_id, shown), len(found))

    def group_ids(self, dataset_id: int, *, split: Split | None = None, tag: str | None = None) -> tuple[int, ...]:
        """The ids of its groups in order. Raises :class:`NotFound`."""
        return tuple(place.group_id for place in self.places(dataset_id, split=split, tag=tag))

    def tags(self, dataset_id: int) -> tuple[str, ...]:
        """The tags that its groups have, by name."""
        return self._store.dataset_tags(dataset_id)

    def group(self, group_id: int) -> Group:
        """A group in full. Raises :class:`NotFound`."""
        found = self._store.groups([group_id]).get(group_id)
        if found is None:
            raise NotFound(f"Group {group_id} is not stored here: it may be another installation's.")
        return found

    def labels(self, group_id: int) -> tuple[Label, ...]:
        """What people said of a group, by the annotator's name."""
        return self._store.labels_within([group_id]).get(group_id, ())

    def standing(self, dataset_id: int, keys: Iterable[str]) -> int:
        """How many of these contents (keys of groups) stand in the dataset, each counted as often as it is given."""
        there = self._store.dataset_equals(dataset_id)
        return sum(key in there for key in keys)

    def add(self, dataset_id: int, imported: Iterable[ImportedGroup], *, again: bool = False) -> Added:
        """Append groups with their labels; one that stands there already is known, and only brings its labels.

        So is one of the same question and responses under another id or with other metadata, unless it is to stand
        there ``again``; its labels become those of the group that stands there, response by response.

        A label takes the place of its annotator's own earlier one, never of another's. Groups are stored some
        hundreds at a time: those before an error stay.

        Raises:
            NotFound: there is no such dataset.
            InvalidGroup: a message holds NaN or infinity.
        """
        total = Added()
        standing = None if again else self._store.dataset_equals(dataset_id)
        for some in _batches((one.group, one.labels) for one in imported):
            total += self._store.add_to_dataset(dataset_id, some, standing=standing)
        return total

    def add_groups(self, dataset_id: int, groups: Iterable[Group]) -> Added:
        """Append groups that came without labels. Raises as :meth:`add`."""
        total = Added()
        for some in _batches((group, ()) for group in groups):
            total += self._store.add_to_dataset(dataset_id, some)
        return total

    def replace(self, dataset_id: int, position: int, group: Group, *, old: int | None = None) -> int:
        """Put an edited group in the old one's place, where its split and tags stay; return its id.

        ``old``: the id of the group that was edited. Labels stay with the group that they were given for.

        Raises:
            NotFound: nothing stands there, or no longer the ``old`` group.
            InvalidInput: the same group stands in the dataset already; NaN or infinity in a message.
        """
        return self._store.replace_in_dataset(dataset_id, position, group, old=old)

    def remove(self, dataset_id: int, positions: Sequence[int]) -> None:
        """Take groups out of the dataset; they stay stored."""
        self._store.remove_from_dataset(dataset_id, positions)

    def keep_first(self, dataset_id: int, sets: Iterable[Duplicates]) -> int:
        """Of each set of equal groups keep the first, with the labels of all; return how many labels were carried.

        A label of the kept group's own stays where its annotator labelled another of the set as well.
        """
        return self._store.keep_first_in_dataset(dataset_id, [one.positions for one in sets])

    def set_tags(
        self, dataset_id: int, positions: Sequence[int], *, add: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> None:
        """Give groups tags, and take tags from them. Raises :class:`InvalidInput`: a tag is blank."""
        given = [tag.strip() for tag in add]
        if not all(given):
            raise InvalidInput("A tag needs a name: write one.")
        self._store.tag_in_dataset(dataset_id, positions, add=given, remove=remove)

    def set_split(self, dataset_id: int, positions: Sequence[int], split: Split) -> None:
        """Put groups on one side."""
        self._store.split_in_dataset(dataset_id, dict.fromkeys(positions, split))

    def draw_split(self, dataset_id: int, holdout_share: float, seed: int) -> tuple[int, int]:
        """Split the whole dataset into tune and holdout by content (see :func:`~reward_lab.core.split.drawn`).

        Groups that ask the same are on one side. Returns how many groups are on each: (tune, holdout).

        Raises:
            InvalidInput: the share is not within [0, 1].
        """
        questions = self._store.dataset_questions(dataset_id)
        sides = drawn(list(questions.values()), holdout_share, seed)
        self._store.split_in_dataset(dataset_id, dict(zip(questions, sides, strict=True)))
        return sides.count(Split.TUNE), sides.count(Split.HOLDOUT)

    def duplicates(self, dataset_id: int) -> tuple[Duplicates, ...]:
        """Every set of groups that are alike, by kind."""
        return duplicates(self._store.dataset_contents(dataset_id))


def _batches(given: Iterable[tuple[Group, Sequence[Label]]]) -> Iterator[list[tuple[Group, Sequence[Label]]]]:
    waiting = iter(given)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some
