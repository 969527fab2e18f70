"""Datasets: named collections of groups, each group at a place with its split and tags.

Groups are stored once and never change; what changes is which of them stand in a dataset. Lists never read a group's
record: its name and opening stand in columns of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from reward_lab.core.chat import Json
from reward_lab.core.group import Group
from reward_lab.core.labels import Label
from reward_lab.core.split import Split
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.store.dataset_contents import DatasetContents
from reward_lab.store.dataset_equals import Equals, carry_labels, contents_at, equal_of, equals_in, said_of
from reward_lab.store.dataset_search import Place, places
from reward_lab.store.groups import add_groups
from reward_lab.store.labels import labels_within, put_label
from reward_lab.store.part import batches, insert_one, now
from reward_lab.store.tables import dataset_groups, dataset_tags, datasets, groups, labels, run_groups, trajectories


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """A dataset with its counts of groups: in all, on either side, and with a label by anybody."""

    id: int
    name: str
    groups: int
    tune: int
    holdout: int
    labelled: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DatasetLine:
    """A group of a dataset as it is listed. ``name`` is the group's own id, ``labelled_by`` has the annotators."""

    position: int
    group_id: int
    name: str
    opening: str
    responses: int
    split: Split
    tags: tuple[str, ...]
    labelled_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """What adding groups came to. ``relabelled`` is how many of the ``known`` ones brought labels that were new."""

    added: int = 0
    known: int = 0
    relabelled: int = 0

    def __add__(self, other: Added) -> Added:
        return Added(self.added + other.added, self.known + other.known, self.relabelled + other.relabelled)


class Datasets(DatasetContents):
    """Datasets by id, their groups by position."""

    def datasets(self) -> tuple[DatasetSummary, ...]:
        """Every dataset, by name."""
        counts = (
            select(dataset_groups.c.dataset_id, dataset_groups.c.split, func.count())
            .group_by(dataset_groups.c.dataset_id, dataset_groups.c.split)
            .order_by(dataset_groups.c.dataset_id)
        )
        labelled = (
            select(dataset_groups.c.dataset_id, func.count(labels.c.group_id.distinct()))
            .join(labels, labels.c.group_id == dataset_groups.c.group_id)
            .group_by(dataset_groups.c.dataset_id)
        )
        by_split: dict[int, dict[str, int]] = {}
        with self._database.read() as connection:
            rows = connection.execute(select(datasets)).all()
            for dataset_id, split, count in connection.execute(counts):
                by_split.setdefault(dataset_id, {})[split] = count
            with_label = {row[0]: row[1] for row in connection.execute(labelled)}
        nothing: dict[str, int] = {}
        found = [
            DatasetSummary(
                id=row.id,
                name=row.name,
                groups=sum(by_split.get(row.id, nothing).values()),
                tune=by_split.get(row.id, nothing).get(Split.TUNE.value, 0),
                holdout=by_split.get(row.id, nothing).get(Split.HOLDOUT.value, 0),
                labelled=with_label.get(row.id, 0),
                created_at=row.created_at,
            )
            for row in rows
        ]
        return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.name)))

    def create_dataset(self, name: str) -> int:
        """Begin an empty dataset; return its id. Raises :class:`InvalidInput`: the name is blank or taken."""
        with self._database.write() as connection:
            return _create(connection, name)

    def create_dataset_of_run(self, run_id: int, name: str) -> int:
        """Begin a dataset of a run's groups, in the run's order; return its id.

        Raises:
            InvalidInput: the name is blank or taken.
            NotFound: there is no such run.
        """
        of_run = select(run_groups.c.group_id).where(run_groups.c.run_id == run_id).order_by(run_groups.c.position)
        with self._database.write() as connection:
            ids = list(dict.fromkeys(connection.scalars(of_run)))
            if not ids:
                raise NotFound(f"Run {run_id} is not stored: open one from the list of runs.")
            dataset_id = _create(connection, name)
            _append(connection, dataset_id, ids)
            return dataset_id

    def rename_dataset(self, dataset_id: int, name: str) -> None:
        """Give a dataset another name. Raises :class:`InvalidInput` as above, :class:`NotFound`."""
        with self._database.write() as connection:
            _check_known(connection, dataset_id)
            named = _free_name(connection, name, but=dataset_id)
            connection.execute(update(datasets).where(datasets.c.id == dataset_id).values(name=named))

    def delete_dataset(self, dataset_id: int) -> None:
        """Remove a dataset with its splits and tags; the groups and their labels stay, since runs hold them."""
        with self._database.write() as connection:
            for table in (dataset_tags, dataset_groups):
                connection.execute(delete(table).where(table.c.dataset_id == dataset_id))
            connection.execute(delete(datasets).where(datasets.c.id == dataset_id))

    def dataset_places(
        self, dataset_id: int, *, search: str = "", tag: str | None = None, split: Split | None = None
    ) -> tuple[Place, ...]:
        """Where the groups that match stand, in the dataset's order. Raises :class:`NotFound`.

        ``search`` is looked for in names, openings, tags and all that is said, letters of either case alike.
        """
        with self._database.read() as connection:
            _check_known(connection, dataset_id)
            return places(connection, dataset_id, search.strip(), tag, split)

    def dataset_lines(self, dataset_id: int, positions: Sequence[int]) -> tuple[DatasetLine, ...]:
        """The lines at these positions, in the dataset's order; a position where nothing stands is left out."""
        size = select(func.count()).where(trajectories.c.group_id == groups.c.id).scalar_subquery()
        query = (
            select(
                dataset_groups.c.position,
                dataset_groups.c.group_id,
                dataset_groups.c.split,
                groups.c.external_id,
                groups.c.opening,
                size.label("responses"),
            )
            .join(groups, groups.c.id == dataset_groups.c.group_id)
            .order_by(dataset_groups.c.position)
        )
        found: list[DatasetLine] = []
        with self._database.read() as connection:
            for some in batches(sorted(set(positions))):
                rows = connection.execute(query.where(*_at(dataset_id, some))).all()
                tags = _tags(connection, dataset_id, some)
                annotators = _annotators(connection, [row.group_id for row in rows])
                found += [
                    DatasetLine(
                        position=row.position,
                        group_id=row.group_id,
                        name=row.external_id,
                        opening=row.opening,
                        responses=row.responses,
                        split=Split(row.split),
                        tags=tuple(tags.get(row.position, ())),
                        labelled_by=tuple(annotators.get(row.group_id, ())),
                    )
                    for row in rows
                ]
        return tuple(found)

    def dataset_tags(self, dataset_id: int) -> tuple[str, ...]:
        """The tags that groups of the dataset have, by name."""
        query = select(dataset_tags.c.tag).where(dataset_tags.c.dataset_id == dataset_id).distinct()
        with self._database.read() as connection:
            return tuple(sorted(connection.scalars(query)))

    def dataset_equals(self, dataset_id: int) -> Equals:
        """The contents that stand in a dataset, by key."""
        with self._database.read() as connection:
            return equals_in(connection, dataset_id)

    def add_to_dataset(
        self, dataset_id: int, given: Sequence[tuple[Group, Sequence[Label]]], *, standing: Equals | None = None
    ) -> Added:
        """Append groups that do not stand there yet; save the labels that came with any of them.

        A label takes the place of its annotator's own earlier one, never of another's. A group with a content that is
        ``standing`` is not appended either: its labels become those of its equal.

        Raises:
            NotFound: there is no such dataset.
            InvalidGroup: a message holds NaN or infinity; then none of these groups is added.
        """
        with self._database.write() as connection:
            _check_known(connection, dataset_id)
            equals = [equal_of(group, standing or {}) for group, _ in given]
            others = [one for one, equal in zip(given, equals, strict=True) if equal is None]
            ids = add_groups(connection, [group for group, _ in others])
            present = _standing(connection, dataset_id, ids)
            new = [group_id for group_id in dict.fromkeys(ids) if group_id not in present]
            _append(connection, dataset_id, new)
            known = [(one, equal) for one, equal in zip(given, equals, strict=True) if equal is not None]
            known_ids = [equal for _, equal in known]
            said = [*(some for _, some in others), *said_of(connection, [one for one, _ in known], known_ids)]
            changed = _put_labels(connection, zip([*ids, *known_ids], said, strict=True))
        return Added(len(new), len(given) - len(new), len(changed - set(new)))

    def replace_in_dataset(self, dataset_id: int, position: int, group: Group, *, old: int | None = None) -> int:
        """Put a group in the place of another, which stays stored; return its id.

        Raises:
            NotFound: nothing stands there, or no longer the group ``old`` that was edited.
            InvalidInput: the same group stands in the dataset already.
        """
        with self._database.write() as connection:
            present = connection.scalar(select(dataset_groups.c.group_id).where(*_at(dataset_id, [position])))
            if present is None or old not in (None, present):
                raise NotFound(
                    f"The group {group.id!r} was changed or removed in another window meanwhile: open it again and "
                    "repeat the change."
                )
            group_id = add_groups(connection, [group])[0]
            if group_id != present:
                if _standing(connection, dataset_id, [group_id]):
                    raise InvalidInput(
                        f"The group {group.id!r} stands in this dataset already as it would be: remove one of the two."
                    )
                connection.execute(update(dataset_groups).where(*_at(dataset_id, [position])).values(group_id=group_id))
            return group_id

    def remove_from_dataset(self, dataset_id: int, positions: Sequence[int]) -> None:
        """Take groups out of a dataset, with their tags; they stay stored."""
        with self._database.write() as connection:
            _remove(connection, dataset_id, positions)

    def keep_first_in_dataset(self, dataset_id: int, sets: Iterable[Sequence[int]]) -> int:
        """Of each set of equal groups, by position, keep the first and take the others out; return the labels carried.

        The kept group gets the labels of the others, response by response, never in the place of its annotator's own.
        A group that is no longer equal to the first of its set stays.
        """
        wanted = [list(dict.fromkeys(one)) for one in sets]
        with self._database.write() as connection:
            at = contents_at(connection, dataset_id, [position for one in wanted for position in one])
            removed: list[int] = []
            carried = 0
            for first, *rest in wanted:
                alike = [one for one in rest if first in at and one in at and at[one][1] == at[first][1]]
                if alike:
                    carried += carry_labels(connection, at[first][0], [at[one][0] for one in alike])
                    removed += alike
            _remove(connection, dataset_id, removed)
            return carried

    def tag_in_dataset(
        self, dataset_id: int, positions: Sequence[int], *, add: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> None:
        """Give groups tags, and take tags from them."""
        given, taken = list(dict.fromkeys(add)), list(remove)
        with self._database.write() as connection:
            for some in batches(positions):
                here = (dataset_tags.c.dataset_id == dataset_id, dataset_tags.c.position.in_(some))
                connection.execute(delete(dataset_tags).where(*here, dataset_tags.c.tag.in_([*taken, *given])))
                standing = list(connection.scalars(select(dataset_groups.c.position).where(*_at(dataset_id, some))))
                rows = [{"dataset_id": dataset_id, "position": one, "tag": tag} for one in standing for tag in given]
                if rows:
                    connection.execute(insert(dataset_tags), rows)

    def split_in_dataset(self, dataset_id: int, split_of: Mapping[int, Split]) -> None:
        """Put groups on a side, by position."""
        with self._database.write() as connection:
            for side in Split:
                for some in batches([position for position, split in split_of.items() if split is side]):
                    connection.execute(update(dataset_groups).where(*_at(dataset_id, some)).values(split=side.value))


def _create(connection: Connection, name: str) -> int:
    return insert_one(connection, datasets, {"name": _free_name(connection, name), "created_at": now()})


def _free_name(connection: Connection, name: str, *, but: int | None = None) -> str:
    name = name.strip()
    if not name:
        raise InvalidInput("A dataset needs a name: write one.")
    holder = connection.scalar(select(datasets.c.id).where(datasets.c.name == name))
    if holder not in (None, but):
        raise InvalidInput(f"There is a dataset named {name!r} already: open that one, or choose another name.")
    return name


def _check_known(connection: Connection, dataset_id: int) -> None:
    if connection.scalar(select(datasets.c.id).where(datasets.c.id == dataset_id)) is None:
        raise NotFound(f"Dataset {dataset_id} is not stored here: it was deleted, or is another installation's.")


def _at(dataset_id: int, positions: Sequence[int]) -> tuple[ColumnElement[bool], ...]:
    return dataset_groups.c.dataset_id == dataset_id, dataset_groups.c.position.in_(positions)


def _remove(connection: Connection, dataset_id: int, positions: Sequence[int]) -> None:
    for some in batches(positions):
        connection.execute(
            delete(dataset_tags).where(dataset_tags.c.dataset_id == dataset_id, dataset_tags.c.position.in_(some))
        )
        connection.execute(delete(dataset_groups).where(*_at(dataset_id, some)))


def _append(connection: Connection, dataset_id: int, group_ids: Sequence[int]) -> None:
    last = select(func.max(dataset_groups.c.position)).where(dataset_groups.c.dataset_id == dataset_id)
    highest = connection.scalar(last)
    first = 0 if highest is None else highest + 1
    rows: list[dict[str, Json]] = [
        {
            "dataset_id": dataset_id,
            "position": position,
            "group_id": group_id,
            "split": Split.NONE.value,
            "added_at": now(),
        }
        for position, group_id in enumerate(group_ids, start=first)
    ]
    if rows:
        connection.execute(insert(dataset_groups), rows)


def _standing(connection: Connection, dataset_id: int, group_ids: Sequence[int]) -> set[int]:
    """Which of these groups stand in the dataset."""
    found: set[int] = set()
    for some in batches(group_ids):
        query = select(dataset_groups.c.group_id).where(
            dataset_groups.c.dataset_id == dataset_id, dataset_groups.c.group_id.in_(some)
        )
        found |= set(connection.scalars(query))
    return found


def _put_labels(connection: Connection, given: Iterable[tuple[int, Sequence[Label]]]) -> set[int]:
    """Save what is new of these labels; return the groups that it was new for."""
    by_group: dict[int, list[Label]] = {}
    for group_id, some in given:
        if some:
            by_group.setdefault(group_id, []).extend(some)
    known = labels_within(connection, list(by_group))
    changed: set[int] = set()
    for group_id, some in by_group.items():
        for label in some:
            if label not in known.get(group_id, ()):
                put_label(connection, group_id, label)
                changed.add(group_id)
    return changed


def _tags(connection: Connection, dataset_id: int, positions: Sequence[int]) -> dict[int, list[str]]:
    query = (
        select(dataset_tags.c.position, dataset_tags.c.tag)
        .where(dataset_tags.c.dataset_id == dataset_id, dataset_tags.c.position.in_(positions))
        .order_by(dataset_tags.c.tag)
    )
    found: dict[int, list[str]] = {}
    for position, tag in connection.execute(query):
        found.setdefault(position, []).append(tag)
    return found


def _annotators(connection: Connection, group_ids: Sequence[int]) -> dict[int, list[str]]:
    query = (
        select(labels.c.group_id, labels.c.annotator)
        .where(labels.c.group_id.in_(group_ids))
        .order_by(labels.c.annotator)
    )
    found: dict[int, list[str]] = {}
    for group_id, annotator in connection.execute(query):
        found.setdefault(group_id, []).append(annotator)
    return found
