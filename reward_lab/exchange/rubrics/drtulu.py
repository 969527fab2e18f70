"""DR Tulu: rubrics with a title, of weight above or below 0, judged in halves.

Source: allenai/open-instruct ``open_instruct/rubrics/rubric_utils.py``: ``{"query", "rubrics": [{"title",
"description", "weight"}], "rubrics_types"}``, in training data as JSON in the text ``ground_truth``. The
judge gives 0, 1 or 2, which is halved; the reward is the weighted sum over max(sum of the weights above
0, 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Criterion, Scoring
from reward_lab.exchange.rubrics.contents import Record
from reward_lab.exchange.rubrics.format import MAYBE, NO, SURE, Findings, NamedRubric
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import (
    Item,
    ItemFormat,
    by_sign,
    own_item,
    signed_points,
    taken_number,
    taken_text,
)


class DRTulu(ItemFormat):
    """A weight below 0 is a fault: met when false."""

    name = "drtulu"
    label = "DR Tulu"
    scoring_rule = (
        "DR Tulu: verdicts 1, 0.5 or 0 times the weight, over the weights above 0, or over 1 where those are less. "
        "Kept: scoring by points, with partial verdicts."
    )
    item_paths = (("rubrics",), ("ground_truth", "rubrics"))
    frame = Frame(
        prompts=(
            ("query",),
            ("Question",),
            ("question",),
            ("ground_truth", "query"),
            ("ground_truth", "Question"),
            ("prompt",),
        ),
        names=("id", "name"),
        systems=(),
    )
    scoring = Scoring(weights="own", explicit_scale="points", partial=True)
    packed = ("rubrics", "ground_truth")
    beside = ("rubrics_types",)

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure by the keys of the training data."""
        if not all("description" in item and "weight" in item for item in items):
            return NO
        if any("criterion" in item for item in items):
            return NO
        return SURE if any(key in record for key in ("query", "Question", "ground_truth", "rubrics_types")) else MAYBE

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The rubric; told where DR Tulu would divide by 1."""
        named = super().read(record, findings)
        possible = math.fsum(one.weight or 0.0 for one in named.rubric.criteria if one.meets_when)
        if 0 < possible < 1:
            findings.note(
                record.place, f"its weights above 0 sum to {possible:g}: DR Tulu divides by 1, here by the sum"
            )
            findings.lose("the division by 1 where the weights above 0 sum to less")
        return named

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Title, description and weight."""
        title = item.pop("title") if isinstance(item.get("title"), str) else None
        if title is None:
            item["untitled"] = True
        return {
            "title": title or "",
            "description": taken_text(item, "description"),
            **by_sign(taken_number(item, "weight")),
        }

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """Title, description and weight."""
        rest = own_item(criterion, named.rubric, self.name)
        untitled = rest.pop("untitled", False) and not criterion.title
        weight = signed_points(criterion, named.rubric, position)
        fields: Item = {"description": criterion.description, "weight": weight, **rest}
        return fields if untitled else {"title": criterion.title, **fields}
