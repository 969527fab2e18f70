"""ResearchQA: yes-or-no questions about a response.

Source: the ``valid.json`` of vrunm/RuscaRL ``raw_data/ResearchQA``: ``{"id", "query", "rubric": [{"rubric_item",
"type": [...], "citation_metadata"}]}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Criterion
from reward_lab.exchange.rubrics.format import NO, SURE, Findings, NamedRubric
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import Item, ItemFormat, own_item, own_source, taken_text


class ResearchQA(ItemFormat):
    """All questions count alike, and yes is good."""

    name = "researchqa"
    label = "ResearchQA"
    scoring_rule = "ResearchQA: the share of the questions answered with yes. Kept: every criterion weighs 1."
    item_paths = (("rubric",), ("rubrics",))
    frame = Frame(prompts=(("query",), ("prompt",), ("question",)), names=("id", "name"), systems=())

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure: no other format calls them so."""
        return SURE if all("rubric_item" in item for item in items) else NO

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """The question; type and citation stay in the source."""
        return {"description": taken_text(item, "rubric_item"), "weight": 1.0}

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """The question, and what else came with it."""
        ours = own_source(named.rubric, self.name)
        rest: Item = own_item(criterion, named.rubric, self.name) if ours else {"type": ["Other"]}
        return {"rubric_item": criterion.description, **rest}
