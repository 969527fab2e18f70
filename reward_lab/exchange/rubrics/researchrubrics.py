"""ResearchRubrics: weighted criteria that may be met in part.

Source: scaleapi/researchrubrics ``DATA_FORMAT.md`` (``rubrics: [{"title", "weight", "category", "row_index"}]``,
the list as JSON in a text) and ``calculate_compliance_score.py``: sum of score x weight over the sum of
the weights above 0, with Satisfied, Partially Satisfied and Not Satisfied as 1, 0.5 and 0. The published
data has ``criterion`` and ``axis`` in place of title and category, and weights below 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Criterion, Scoring
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


class ResearchRubrics(ItemFormat):
    """A weight below 0 is a fault: met when false."""

    name = "researchrubrics"
    label = "ResearchRubrics"
    scoring_rule = (
        "ResearchRubrics: verdicts 1, 0.5 or 0 times the weight, over the weights above 0. Kept: scoring by points, "
        "with partial verdicts."
    )
    frame = Frame(prompts=(("prompt",), ("question",)), names=("task_name", "sample_id", "id", "name"), systems=())
    scoring = Scoring(weights="own", explicit_scale="points", partial=True)
    counts = ("rubrics_count",)

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure by the row or the axis."""
        if not all("weight" in item and ("title" in item or "criterion" in item) for item in items):
            return NO
        if any("description" in item for item in items):
            return NO
        if any("row_index" in item or "axis" in item for item in items):
            return SURE
        return MAYBE if record else NO

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Their title is the statement; their category is a subject, not a weight, and stays in the source."""
        if "criterion" not in item:
            item["titled"] = True
        return {"description": taken_text(item, "criterion", "title"), **by_sign(taken_number(item, "weight"))}

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """Statement and weight under the keys they had."""
        rest = own_item(criterion, named.rubric, self.name)
        key = "title" if rest.pop("titled", False) else "criterion"
        return {key: criterion.description, "weight": signed_points(criterion, named.rubric, position), **rest}
