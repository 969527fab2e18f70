"""HealthBench: criteria with points, which may be negative.

Source: openai/simple-evals ``healthbench_eval.py`` (``RubricItem``, ``calculate_score``) and the
published ``oss_eval.jsonl``: ``{"prompt": [messages], "prompt_id", "rubrics": [{"criterion", "points",
"tags"}], "example_tags", "ideal_completions_data"}``; arXiv 2505.08775.
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
    own_source,
    signed_points,
    taken_number,
    taken_text,
)


class HealthBench(ItemFormat):
    """Points below 0 are faults: met when false, and what they cost is their size."""

    name = "healthbench"
    label = "HealthBench"
    scoring_rule = (
        "HealthBench: points of what is true over all points that can be won, below 0 where faults outweigh. Kept: "
        "scoring by points."
    )
    item_paths = (("rubrics",), ("rubric",), ("reward_model", "rubrics"), ("extra_info", "reward_model", "rubrics"))
    frame = Frame(
        prompts=(("prompt",), ("extra_info", "prompt"), ("question",)),
        references=(("ideal_completions_data", "ideal_completion"), ("reference_answer",)),
        systems=(),
        names=("prompt_id", "id", "name"),
        chat=True,
    )
    scoring = Scoring(weights="own", explicit_scale="points")

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure by its tags, or by points below 0."""
        if not all("criterion" in item and "points" in item for item in items):
            return NO
        tagged = any(_is_tagged(item.get("tags")) for item in items)
        known = "prompt_id" in record or "example_tags" in record
        return SURE if tagged or known or any(_below_zero(item["points"]) for item in items) else MAYBE

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Criterion and points; the tags stay in the source."""
        return {"description": taken_text(item, "criterion"), **by_sign(taken_number(item, "points"))}

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """Criterion, points and what else the item carried."""
        points = signed_points(criterion, named.rubric, position)
        ours = own_source(named.rubric, self.name)
        rest: Item = own_item(criterion, named.rubric, self.name) if ours else {"tags": []}
        return {"criterion": criterion.description, "points": points, **rest}


def _is_tagged(tags: Json) -> bool:
    if isinstance(tags, dict):
        return "axis" in tags or "level" in tags
    return isinstance(tags, list) and any(str(tag).startswith(("axis:", "level:", "cluster:")) for tag in tags)


def _below_zero(points: Json) -> bool:
    return isinstance(points, int | float) and points < 0
