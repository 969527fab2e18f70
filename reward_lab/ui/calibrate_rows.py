"""What calibration says, as rows of the grid: lines of runs and methods, criteria, disagreements."""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.calibration import Judged
from reward_lab.core.chat import well_formed
from reward_lab.core.criterion_calibration import CriterionFigures, Proportion
from reward_lab.core.disagreement import Disagreement
from reward_lab.core.judge import OFFLINE
from reward_lab.core.methods import METHODS
from reward_lab.core.wording import counted, isolated, listed
from reward_lab.ui.calibrate_cells import figure_cell, groups_cell, interval_cell, share_cell
from reward_lab.ui.figures import signed
from reward_lab.ui.grid import Cell, Column, Row

_BADGE = "#5b6270"

COLUMNS = (
    Column("run", "Rubric version", kind="text"),
    # Second, since a phone shows no more.
    Column("accuracy", "Accuracy", "Share of pairs that the judge orders as people do; its ties count half"),
    Column("method", "Method", kind="text"),
    Column("interval", "95% interval", "By group", kind="text", align="end"),
    Column("groups", "Groups", "Groups with a pair that people put in an order", kind="number"),
    Column("pairs", "Pairs", "Pairs of responses that people put in an order and the judge scored", kind="number"),
    Column("ties", "Judge ties", "Share of these pairs that the judge cannot tell apart", kind="number"),
    Column("tau", "Tau-b", "Kendall's tau-b, mean of the groups; interval on hover", kind="number"),
    Column("top", "Top 1", "Share of groups whose best by the judge is people's best too", kind="number"),
    Column(
        "auc",
        "AUC",
        "Known-good against known-bad of the same group: needs good and bad marks; interval on hover",
        kind="number",
    ),
)

CRITERIA = (
    Column("criterion", "Criterion", kind="text"),
    Column("precision", "Precision", "Of the responses of which the judge found the statement true: people did too"),
    Column("precision-interval", "95% interval", "Wilson's", kind="text"),
    Column("recall", "Recall", "Of the responses of which people found the statement true: the judge did too"),
    Column("recall-interval", "95% interval", "Wilson's", kind="text"),
    Column("n", "Labels", "Labels of this statement; those without a verdict on hover", kind="number"),
)

PAIRS = (
    Column("group", "Group", kind="text"),
    Column("people", "People say", kind="text"),
    Column("judge", "Judge says", kind="text"),
    Column("gap", "Reward gap", "The reward of the response that people hold worse, less the other's", kind="number"),
    Column("ranks", "Ranks apart", "How far apart people put the two, in ranks", kind="number"),
)


def line_id(row: Judged) -> str:
    """The id of a line of the table."""
    return f"{row.run_id}|{row.method}|{row.split}"


def method_head(name: str) -> str:
    """A method as the head of a column."""
    return METHODS[name].head if name in METHODS else name


def line_name(row: Judged) -> str:
    """A line in words, as it is chosen from a list."""
    rubric = isolated(well_formed(row.rubric_name)) or "unnamed rubric"
    return f"Run {row.run_id}, {method_head(row.method)} · {rubric} v{row.rubric_version}"


def rows(lines: Sequence[Judged]) -> list[Row]:
    """A row for each line."""
    return [_row(line) for line in lines]


def criterion_rows(criteria: Sequence[CriterionFigures]) -> list[Row]:
    """A row for each criterion that people labelled."""
    return [_criterion(one) for one in criteria]


def pair_rows(pairs: Sequence[Disagreement]) -> list[Row]:
    """A row for each pair that the judge orders the other way round; its id is its place."""
    return [_pair(pair, place) for place, pair in enumerate(pairs)]


def _row(line: Judged) -> Row:
    found = line.figures
    cells = {
        "method": Cell(text=method_head(line.method)),
        "accuracy": share_cell(found.accuracy),
        "interval": interval_cell(found.accuracy, percent=True),
        "groups": groups_cell(found.groups),
        "pairs": Cell(found.pairs, f"{found.pairs:,}"),
        "ties": _share(found.tie_rate),
        "tau": _hovered(figure_cell(found.tau_b), interval_cell(found.tau_b)),
        "top": _hovered(_share(found.top_1.value), interval_cell(found.top_1, percent=True)),
        "auc": _hovered(figure_cell(found.auc), interval_cell(found.auc), _margin(found.margin)),
    }
    judges = listed("offline, no LLM" if model == OFFLINE else model for model in line.models)
    told = (f"Run {line.run_id}", line.prompt, judges)
    title = f"{line.rubric_name or 'unnamed rubric'} v{line.rubric_version}"
    return Row(line_id(line), "", _BADGE, well_formed(title), well_formed(" · ".join(filter(None, told))), cells)


def _share(share: float | None) -> Cell:
    return Cell(state="empty") if share is None else Cell(share, f"{share:.0%}")


def _hovered(cell: Cell, interval: Cell, more: str = "") -> Cell:
    """The figure with its interval on hover; an unknown one stays as it is."""
    if cell.state == "empty":
        return cell
    told = "\n".join(filter(None, (f"95%: {interval.text}" if interval.text else "", interval.hover, more)))
    return Cell(cell.value, cell.text, hover=told)


def _margin(margin: float | None) -> str:
    if margin is None:
        return ""
    said = "every good one above every bad one" if margin > 0 else "some bad one is not below some good one"
    return f"Least margin in a group: {signed(margin)} ({said})"


def _criterion(one: CriterionFigures) -> Row:
    labels = one.true_positives + one.false_positives + one.false_negatives + one.true_negatives
    hover = (
        f"Both true {one.true_positives}, judge alone {one.false_positives}, people alone {one.false_negatives}, "
        f"neither {one.true_negatives}; without a verdict {one.unjudged}"
    )
    cells = {
        "precision": _proportion(one.precision),
        "precision-interval": _wilson(one.precision),
        "recall": _proportion(one.recall),
        "recall-interval": _wilson(one.recall),
        "n": Cell(labels, f"{labels:,}", hover=hover),
    }
    return Row(str(one.position), str(one.position + 1), _BADGE, well_formed(one.statement), cells=cells)


def _proportion(one: Proportion) -> Cell:
    if one.value is None:
        return Cell(state="empty", hover="There is nothing to tell it from.")
    return Cell(one.value, f"{one.value:.0%}", bar=one.value, note=f"of {one.n}")


def _wilson(one: Proportion) -> Cell:
    if one.low is None or one.high is None:
        return Cell(state="empty")
    return Cell(one.low, f"{one.low:.0%} to {one.high:.0%}")


def _pair(pair: Disagreement, place: int) -> Row:
    better, worse = pair.better.letter, pair.worse.letter
    siding = f"; {listed(map(isolated, pair.siding))} with the judge" if pair.siding else ""
    cells = {
        "people": Cell(
            text=f"{better} above {worse}", hover=well_formed(f"{listed(map(isolated, pair.annotators))}{siding}")
        ),
        "judge": Cell(text=f"{worse} above {better}"),
        "gap": Cell(pair.reward_gap, f"{pair.reward_gap:.2f}"),
        "ranks": Cell(pair.human_gap, f"{pair.human_gap:.1f}"),
    }
    by = (
        f"{listed(map(isolated, pair.annotators))}{siding}"
        if len(pair.annotators) < 4
        else counted(len(pair.annotators), "person")
    )
    return Row(str(place), "", _BADGE, well_formed(pair.name), well_formed(by), cells)
