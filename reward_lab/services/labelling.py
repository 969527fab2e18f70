"""Labelling: people say how good responses are, each in a queue of their own; and how far they agree."""

from __future__ import annotations

import hashlib
import random
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from reward_lab.core.annotators import Agreement as Agreement
from reward_lab.core.annotators import PairAgreement as PairAgreement
from reward_lab.core.annotators import annotator_agreement
from reward_lab.core.group import Group
from reward_lab.core.labels import Label
from reward_lab.core.split import Split
from reward_lab.errors import InvalidInput, NotFound
from reward_lab.store import Store, StoredLabel


@dataclass(frozen=True, slots=True)
class Source:
    """Where the groups of a queue come from: a dataset, one split of it ("tune" or "holdout"), or a run.

    With both a dataset and a run, the groups of the run that are in the dataset too.
    """

    dataset_id: int | None = None
    split: str | None = None
    run_id: int | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    """What one annotator goes through: group ids in an order of this annotator's own, and those labelled already."""

    group_ids: tuple[int, ...]
    labelled: frozenset[int]


@dataclass(frozen=True, slots=True)
class SavedLabel:
    """A label as it is stored. ``version`` counts its saves, from 1; it is what the next save expects."""

    label: Label
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class AnnotatorSummary:
    """An annotator: how many groups they labelled, when last, and whose names differ by case or blanks only."""

    name: str
    groups: int
    updated_at: datetime
    alike: tuple[str, ...] = ()


class Labelling:
    """Labels by group and annotator. One person's label is never touched by another's."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def queue(self, source: Source, annotator: str) -> Queue:
        """The groups of a source in this annotator's order, which stays as it is when groups are added or removed.

        Raises:
            InvalidInput: the source names neither a dataset nor a run, or a split without a dataset or an unknown one;
                no name.
            NotFound: a dataset or run that is not stored.
        """
        name = _named(annotator)
        group_ids = sorted(self._group_ids(source), key=lambda group_id: _digest(name, group_id))
        return Queue(tuple(group_ids), self._store.labelled_by(name) & set(group_ids))

    def group(self, group_id: int) -> Group:
        """The group. Raises :class:`NotFound`."""
        found = self._store.groups((group_id,)).get(group_id)
        if found is None:
            raise NotFound(f"Group {group_id} is not stored here: open one from a dataset or a run.")
        return found

    def order(self, group_id: int, annotator: str) -> tuple[int, ...]:
        """(G,) the places of the responses, in the random order in which this annotator sees them, always the same.

        Raises:
            NotFound: a group that is not stored.
            InvalidInput: no name.
        """
        order = [*range(len(self.group(group_id).trajectories))]
        random.Random(_digest(_named(annotator), group_id)).shuffle(order)
        return tuple(order)

    def label(self, group_id: int, annotator: str) -> SavedLabel | None:
        """What this annotator said of the group, ``None`` where nothing yet."""
        stored = self._store.label(group_id, annotator.strip())
        return None if stored is None else _saved(stored)

    def save(self, group_id: int, label: Label, *, expected_version: int) -> SavedLabel:
        """Save what ``label.annotator`` says of a group. ``expected_version``: the version it began from, 0 for none.

        Raises:
            NotFound: a group that is not stored.
            InvalidInput: this annotator saved or removed the label elsewhere meanwhile (nothing is written), or a
                response that the group does not have.
        """
        save = self._store.save_label(group_id, label, expected_version=expected_version)
        if save.saved and save.stored is not None:
            return _saved(save.stored)
        what = "removed" if save.stored is None else "saved"
        raise InvalidInput(
            f"{label.annotator} {what} a label of this group in another window meanwhile, so this one is not saved: "
            "open the group again to see what is stored, and save on top of it."
        )

    def remove(self, group_id: int, annotator: str) -> None:
        """Remove what this annotator said of a group; nothing where there is nothing."""
        self._store.remove_label(group_id, annotator.strip())

    def of_group(self, group_id: int) -> tuple[SavedLabel, ...]:
        """What everybody said of a group, by name."""
        return tuple(map(_saved, self._store.labels_of(group_id)))

    def annotators(self) -> tuple[AnnotatorSummary, ...]:
        """Everybody who labelled a group, by name."""
        rows = self._store.annotators()
        names = [row.annotator for row in rows]
        return tuple(
            AnnotatorSummary(row.annotator, row.groups, row.updated_at, _alike(row.annotator, names)) for row in rows
        )

    def alike(self, name: str) -> tuple[str, ...]:
        """The annotators whose names differ from this one by case or blanks only, who may be the same person."""
        return _alike(name.strip(), [row.annotator for row in self._store.annotators()])

    def agreement(self, source: Source) -> Agreement:
        """How far the annotators of a source's groups agree.

        Raises:
            InvalidInput, NotFound: as :meth:`queue`.
        """
        labels = self._store.labels_within(self._group_ids(source))
        members = self._store.groups_as_matched(labels)
        ids = {group_id: [one.id for one in members[group_id].members] for group_id in labels}
        return annotator_agreement(
            [{label.annotator: label.levels(ids[group_id]) for label in said} for group_id, said in labels.items()]
        )

    def _group_ids(self, source: Source) -> tuple[int, ...]:
        if source.dataset_id is None and source.run_id is None:
            raise InvalidInput("There are no groups to label: choose a dataset or a run.")
        if source.dataset_id is None and source.split:
            raise InvalidInput(f"The split {source.split!r} is one of a dataset: choose the dataset too.")
        of_run = None if source.run_id is None else tuple(dict.fromkeys(self._store.run(source.run_id).group_ids))
        if source.dataset_id is None:
            return of_run or ()
        in_dataset = _on_side(self._store.dataset_splits(source.dataset_id), source.split)
        return tuple(in_dataset) if of_run is None else tuple(one for one in of_run if one in in_dataset)


def _on_side(splits: Mapping[int, Split], split: str | None) -> Mapping[int, Split]:
    if not split:
        return splits
    if split not in (Split.TUNE, Split.HOLDOUT):
        raise InvalidInput(f"There is no split {split!r}: choose tune, holdout or neither.")
    return {group_id: side for group_id, side in splits.items() if side == split}


def _named(annotator: str) -> str:
    name = annotator.strip()
    if not name:
        raise InvalidInput("A label needs the name of its annotator: write yours.")
    return name


def _digest(name: str, group_id: int) -> str:
    return hashlib.sha256(f"{group_id}\n{name}".encode(errors="surrogatepass")).hexdigest()


def _saved(stored: StoredLabel) -> SavedLabel:
    return SavedLabel(stored.label, stored.version, stored.updated_at)


def _alike(name: str, names: list[str]) -> tuple[str, ...]:
    return tuple(other for other in names if other != name and _spelled(other) == _spelled(name))


def _spelled(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
