"""ProfBench: criteria of professionals, weighted by a word.

Source: NVlabs/ProfBench ``score_report_generation.py`` (``weight_to_scale``) and the dataset nvidia/ProfBench:
``{"task_id", "domain", "prompt", "rubrics": [{"criterion_description", "criterion_weight",
"criterion_type"}], "filepaths"}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Category, Criterion
from reward_lab.core.wording import listed
from reward_lab.exchange.rubrics.format import NO, SURE, Findings, NamedRubric
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import Item, ItemFormat, own_item, own_source, taken_text

_WEIGHTS = {"Critical": 4, "Major": 3, "Minor": 2, "Additional": 1}
_CATEGORIES = {
    "Critical": Category.ESSENTIAL,
    "Major": Category.IMPORTANT,
    "Minor": Category.OPTIONAL,
    "Additional": Category.OPTIONAL,
}
_WORDS = {
    Category.ESSENTIAL: "Critical",
    Category.IMPORTANT: "Major",
    Category.OPTIONAL: "Minor",
    Category.PITFALL: "Major",
}


class ProfBench(ItemFormat):
    """Critical weighs 4, Major 3, Minor 2 and Additional 1."""

    name = "profbench"
    label = "ProfBench"
    scoring_rule = "ProfBench: the weighted share of the criteria fulfilled. Kept, with weights 4, 3, 2 and 1."
    frame = Frame(prompts=(("prompt",),), names=("task_id", "id", "name"), systems=())

    def item_likeness(self, items: Sequence[Item], record: Mapping[str, Json]) -> int:
        """Sure: no other format calls them so."""
        return SURE if all("criterion_description" in item for item in items) else NO

    def read_item(self, item: Item, place: str, findings: Findings) -> dict[str, Json]:
        """Description and weight; the type stays in the source."""
        description, word = taken_text(item, "criterion_description"), taken_text(item, "criterion_weight")
        if word not in _WEIGHTS:
            raise ValueError(f"'criterion_weight' must be {listed(_WEIGHTS, 'or')}, got {word!r}")
        return {"description": description, "weight": _WEIGHTS[word], "category": _CATEGORIES[word]}

    def write_item(self, criterion: Criterion, named: NamedRubric, position: int) -> Item:
        """The word of its weight; that of its category where it has no such weight."""
        own = named.rubric.scoring.weights == "own"
        word = next((one for one, weight in _WEIGHTS.items() if own and weight == criterion.weight), None)
        ours = own_source(named.rubric, self.name)
        rest: Item = own_item(criterion, named.rubric, self.name) if ours else {"criterion_type": []}
        return {
            "criterion_description": criterion.description,
            "criterion_weight": word or _WORDS[criterion.category],
            **rest,
        }
