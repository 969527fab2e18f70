"""Calibrations: stored runs held against people's labels."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reward_lab.core.agreement import Estimate
from reward_lab.core.calibration import (
    GroupCalibration,
    Judged,
    Side,
    accuracy_difference,
    calibration_figures,
    group_calibration,
)
from reward_lab.core.calibration_rivals import highest, rivals
from reward_lab.core.calibration_sentences import NOTHING, calibration_sentence, single_sentence
from reward_lab.core.comparison import Rewards
from reward_lab.core.criterion_calibration import CriterionFigures, JudgedGroup, criterion_figures
from reward_lab.core.disagreement import Disagreement, disagreements
from reward_lab.core.labelled import Holding, LabelledGroup, counterparts, held_labels, same_places
from reward_lab.core.matching import RunGroup, matched_groups
from reward_lab.core.methods import method_named
from reward_lab.core.methods.explicit import Checklist
from reward_lab.core.reward_gaps import Bin, gap_bins
from reward_lab.core.run import Run
from reward_lab.core.split import Split
from reward_lab.core.sweep import SweepPlan, sweep_cells
from reward_lab.errors import InvalidRun
from reward_lab.services.comparison import run_figures
from reward_lab.store import Store

MOST_RUNS = 12
_KEPT = 4
"""So many are held for the process: each rerun of a page asks for the same one."""
_ALL = "all"


@dataclass(frozen=True, slots=True)
class RunLabels:
    """A run's labelled groups by their places in it: their rewards by method, the labels, and the split of each."""

    run: Run
    groups: tuple[RunGroup, ...]
    labels: Mapping[int, tuple[Holding, ...]]
    rewards: Mapping[int, Mapping[str, Rewards]]
    splits: Mapping[int, str]

    def places(self, split: str) -> Iterator[int]:
        """The places of the labelled groups of a split."""
        return (place for place in self.labels if split == _ALL or self.splits.get(place) == split)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Runs against labels.

    ``rows`` has one line a run, split and method, in the order of the runs given: "all" first, then "tune" and
    "holdout" where the dataset has them. ``annotators`` are those who labelled some of the responses, ``unlabelled``
    counts for each run the groups that none of them labelled, ``dataset_id`` is the dataset that the splits are of.
    """

    runs: tuple[Run, ...]
    rows: tuple[Judged, ...]
    annotators: tuple[str, ...]
    unlabelled: Mapping[int, int]
    dataset_id: int | None
    _labelled: Mapping[int, RunLabels] = field(repr=False)
    _store: Store = field(repr=False, compare=False)
    _differences: dict[tuple[object, ...], Estimate] = field(default_factory=dict, repr=False, compare=False)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that there are lines of, "all" first."""
        return tuple(dict.fromkeys(row.split for row in self.rows))

    def difference(self, first: Judged, second: Judged) -> Estimate:
        """The accuracy of ``first`` less that of ``second``, paired by group: over the pairs that both scored.

        ``n`` counts the groups that have such pairs. Worked out once.

        Raises:
            ValueError: lines of different splits.
        """
        if first.split != second.split:
            raise ValueError(f"a line of {first.split} and one of {second.split} are of different groups")
        key = (first.run_id, first.method, second.run_id, second.method, first.split)
        if key not in self._differences:
            self._differences[key] = accuracy_difference(self._sides(first, second))
        return self._differences[key]

    def best(self, split: str = _ALL) -> Judged | None:
        """The line of highest accuracy in a split, the first of equals; ``None`` where no line has any."""
        return highest([row for row in self.rows if row.split == split])

    def sentence(self, method: str | None = None) -> str:
        """Which is best by one method, and whether that is more than noise.

        The method is that of the best line where none is given; by it the best run is held against the best of another
        rubric version (see :func:`rivals`). Chosen on tune and told on holdout where both exist.
        """
        held_out = self.best(Split.TUNE) is not None and self.best(Split.HOLDOUT) is not None
        rows = [row for row in self.rows if method in (None, row.method)]
        first, second = rivals([row for row in rows if row.split == (Split.TUNE if held_out else _ALL)], self._alike)
        if first is None:
            return NOTHING
        if held_out:
            first = self._in(Split.HOLDOUT, first)
            second = None if second is None else self._in(Split.HOLDOUT, second)
        if second is None:
            return single_sentence(first)
        return calibration_sentence(rows, first, second, self.difference(first, second))

    def disagreements(self, judged: Judged, limit: int = 50) -> tuple[Disagreement, ...]:
        """The pairs that the judge orders the other way round than people did, the largest reward gap first."""
        return disagreements(judged.run_id, judged.method, self._groups(judged), limit)

    def plot(self, judged: Judged, bins: int = 10) -> tuple[Bin, ...]:
        """Pairs by reward gap, in at most so many bins of about equal count, the smallest gap first."""
        return gap_bins(self._groups(judged), bins)

    def criteria(self, judged: Judged) -> tuple[CriterionFigures, ...]:
        """The criteria that people labelled, against the run's verdicts on them; () where there are none.

        Only a method that judges criterion by criterion has them.
        """
        method = method_named(judged.method)
        if not isinstance(method, Checklist):
            return ()
        of_run = self._labelled[judged.run_id]
        labelled = [
            place for place in of_run.places(judged.split) if any(any(one.criteria) for one in of_run.labels[place])
        ]
        ids = {of_run.groups[place].id for place in labelled}
        shares: dict[int, dict[tuple[str, int], float]] = {}
        for group_id, trajectory_id, position, share in self._store.criterion_shares(judged.run_id, judged.method, ids):
            shares.setdefault(group_id, {})[trajectory_id, position] = share
        groups = []
        for place in labelled:
            group = of_run.groups[place]
            at = {one.id: member for member, one in enumerate(group.members)}
            found = {(at[name], position): share for (name, position), share in shares.get(group.id, {}).items()}
            groups.append(JudgedGroup(found, of_run.labels[place]))
        return criterion_figures([one.description for one in method.criteria(of_run.run.rubric)], groups)

    def _alike(self, first: Judged, second: Judged) -> bool:
        """Whether two lines have the same rewards throughout."""
        sides = [*self._sides(first, second)]
        return len(sides) == sum(1 for _ in self._groups(first)) == sum(1 for _ in self._groups(second)) and all(
            at is not None and one.rewards[place] == other.rewards[at]
            for one, other in sides
            for place, at in enumerate(other.places)
        )

    def _in(self, split: str, row: Judged) -> Judged:
        """The line of the same run and method in another split."""
        return next(one for one in self.rows if (one.run_id, one.method, one.split) == (row.run_id, row.method, split))

    def _groups(self, judged: Judged) -> Iterator[LabelledGroup]:
        of_run = self._labelled[judged.run_id]
        for place in of_run.places(judged.split):
            if judged.method in of_run.rewards[place]:
                yield LabelledGroup(of_run.groups[place], of_run.rewards[place][judged.method], of_run.labels[place])

    def _sides(self, first: Judged, second: Judged) -> Iterator[tuple[Side, Side]]:
        """The labelled groups that both lines have, matched as runs are when they are compared."""
        one, other = self._labelled[first.run_id], self._labelled[second.run_id]
        if one is other:
            pairs = {place: place for place in range(len(one.groups))}
        else:
            pairs = matched_groups(one.groups, other.groups)
        for place in one.places(first.split):
            at = pairs.get(place)
            if at is None or at not in other.labels:
                continue
            rewards, others = one.rewards[place].get(first.method), other.rewards[at].get(second.method)
            if rewards is not None and others is not None:
                same = same_places(one.groups[place], other.groups[at])
                yield (
                    Side(rewards, one.labels[place], tuple(range(len(rewards)))),
                    Side(others, other.labels[at], same),
                )


class Calibrations:
    """Holds stored runs against labels. Safe for the threads of several tabs, one of which works at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[object, Calibrated] = OrderedDict()
        self._turn = threading.Lock()

    def of(
        self, run_ids: Sequence[int], *, annotators: Sequence[str] | None = None, dataset_id: int | None = None
    ) -> Calibrated:
        """Hold runs (up to twelve) against the labels of these annotators, of everybody without them.

        A label holds for a response of the same content in the group that Compare would match with the labelled one.
        With ``dataset_id`` only groups of that dataset count; without it the splits are those of the dataset that most
        of the runs' groups are in. Of a run in progress what is known so far.

        Raises:
            NotFound: a run or dataset that is not stored.
            InvalidRun: no run, or more than twelve.
        """
        ids = tuple(dict.fromkeys(run_ids))
        if not 1 <= len(ids) <= MOST_RUNS:
            raise InvalidRun(f"{len(ids)} runs were given to calibrate: choose one to {MOST_RUNS}.")
        chosen = None if annotators is None else tuple(dict.fromkeys(annotators))
        dataset = self._store.dataset_of_runs(ids) if dataset_id is None else dataset_id
        splits = {} if dataset is None else self._store.dataset_splits(dataset)
        with self._turn:
            # Asked by every rerun of a page: nothing is read again where neither runs, labels nor splits have changed.
            key = (
                self._standing(ids),
                self._store.labels_standing(),
                chosen,
                dataset_id is None,
                dataset,
                hash(tuple(splits.items())),
            )
            if key not in self._kept:
                self._kept[key] = self._calibrated(ids, chosen, dataset, splits, only=dataset_id is not None)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]

    def said_of(self, group: RunGroup) -> tuple[Holding, ...]:
        """What annotators say of one group of a run, by the places of its responses; () where nobody does."""
        labels = self._store.labels_sharing({one.key for one in group.members})
        stored = self._store.groups_as_matched({one for of_groups in labels.values() for one in of_groups})
        return held_labels((group,), labels, stored, self._store.question_keys)[0]

    def _standing(self, ids: Sequence[int]) -> object:
        standing = self._store.standing_of(ids)
        if all(run_id in standing and standing[run_id][1] is not None for run_id in ids):
            return tuple((run_id, standing[run_id]) for run_id in ids)
        runs = [self._store.run(run_id) for run_id in ids]
        return tuple((run.id, run.state, *sorted(run.progress.counts.items())) for run in runs)

    def _calibrated(
        self,
        ids: Sequence[int],
        annotators: Sequence[str] | None,
        dataset: int | None,
        splits: Mapping[int, Split],
        *,
        only: bool,
    ) -> Calibrated:
        runs = tuple(self._store.run(run_id) for run_id in ids)
        groups = self._store.run_groups(ids)
        labels = self._store.labels_for_runs(ids, annotators)
        stored = self._store.groups_as_matched({one for of_groups in labels.values() for one in of_groups})
        held: dict[tuple[int, ...], tuple[tuple[tuple[Holding, ...], ...], Mapping[int, str]]] = {}
        labelled: dict[int, RunLabels] = {}
        unlabelled: dict[int, int] = {}
        for run in runs:
            of_run = groups[run.id]
            known = tuple(group.id for group in of_run)
            if known not in held:  # runs to be compared are mostly over the same groups
                holdings = held_labels(of_run, labels, stored, self._store.question_keys)
                held[known] = holdings, self._sides(of_run, splits)
            holdings, sides = held[known]
            places = [place for place in range(len(of_run)) if place in sides or not only]
            kept = {place: holdings[place] for place in places if holdings[place]}
            unlabelled[run.id] = len(places) - len(kept)
            figures = run_figures(self._store, run, of_run, None) if kept else None
            rewards = {} if figures is None else {place: figures.groups[place].rewards for place in kept}
            labelled[run.id] = RunLabels(run, of_run, kept, rewards, sides)
        present = {split.value for split in splits.values()}
        named = [split.value for split in (Split.TUNE, Split.HOLDOUT) if split.value in present]
        prompts = self._prompts(runs)
        return Calibrated(
            runs=runs,
            rows=tuple(row for run in runs for row in _rows(labelled[run.id], named, prompts.get(run.id, ""))),
            annotators=tuple(labels),
            unlabelled=unlabelled,
            dataset_id=dataset,
            _labelled=labelled,
            _store=self._store,
        )

    def _prompts(self, runs: Sequence[Run]) -> dict[int, str]:
        """Id of a run of a sweep with several system prompts -> what its sweep calls the one that it has."""
        found: dict[int, str] = {}
        for sweep_id in {run.sweep_id for run in runs if run.sweep_id is not None}:
            plan = SweepPlan.model_validate(self._store.sweep(sweep_id).settings)
            if len(plan.prompts) > 1:
                # The n-th run of a sweep is of its n-th cell.
                named = zip(self._store.sweep_runs(sweep_id), sweep_cells(plan), strict=False)
                found |= {run_id: _prompt_name(plan, cell.prompt) for run_id, cell in named}
        return found

    def _sides(self, groups: Sequence[RunGroup], splits: Mapping[int, Split]) -> dict[int, str]:
        """Place of a group -> its side in the dataset, of those that are in it, under another system prompt too."""
        sides: dict[int, str] = {
            place: splits[group.id].value for place, group in enumerate(groups) if group.id in splits
        }
        left = [place for place in range(len(groups)) if place not in sides]
        if left and splits:
            stored = [*self._store.groups_as_matched(splits.keys()).values()]
            found = counterparts([groups[place] for place in left], stored)
            sides |= {left[at]: splits[stored[other].id].value for at, other in found.items()}
        return sides


def _rows(of_run: RunLabels, splits: Collection[str], prompt: str) -> Iterator[Judged]:
    """The lines of a run: each of its methods in all groups, then in each of these splits."""
    run = of_run.run
    told: dict[str, dict[int, GroupCalibration]] = {
        method: {
            place: group_calibration(rewards[method], of_run.labels[place])
            for place, rewards in of_run.rewards.items()
            if method in rewards
        }
        for method in run.settings.methods
    }
    for split in (_ALL, *splits):
        places = [*of_run.places(split)]
        for method, by_place in told.items():
            yield Judged(
                run_id=run.id,
                method=method,
                models=tuple(judge.model for judge in run.judges),
                rubric_name=run.rubric_name,
                rubric_version=run.rubric_version,
                split=split,
                figures=calibration_figures(by_place[place] for place in places if place in by_place),
                prompt=prompt,
            )


def _prompt_name(plan: SweepPlan, prompt: str | None) -> str:
    """A system prompt by its number among those of its sweep, as the sweep's cells count them."""
    if prompt is None:
        return "own prompts"
    return f"prompt {[one for one in plan.prompts if one is not None].index(prompt) + 1}"
