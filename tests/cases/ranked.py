"""The ranked cases: responses that people put in order, as groups.

Nineteen prompts with their sources in each line: six dialogues with six responses rated by
three people, thirteen pairs of which one is marked better, one of them a tie. As a script it
writes a group file with what people said as labels::

    python -m tests.cases.ranked > ranked_groups.jsonl
    reward-lab score ranked_groups.jsonl --method ruler --judge offline --out scores.jsonl
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reward_lab.core.group import Group
from reward_lab.core.labels import Label, ResponseLabel
from reward_lab.exchange.groups import group_record as labelled_record

_CASES = Path(__file__).with_name("ranked_cases.jsonl")


@dataclass(frozen=True)
class RankedCase:
    """A group and (G,) what people thought of its trajectories, higher is better; ``None`` where they saw a tie.

    ``label`` says the same by the annotator "people": ranks, equal for a tie, and mean scores where there are any.
    """

    group: Group
    human: tuple[float | None, ...]
    label: Label


def ranked_cases() -> tuple[RankedCase, ...]:
    """All cases, in the order of the file."""
    records = (json.loads(line) for line in _CASES.read_text("utf-8").splitlines() if line.strip())
    return tuple(
        RankedCase(Group.from_record(group_record(record)), _human(record), _label(record)) for record in records
    )


def group_record(case: dict[str, Any]) -> dict[str, Any]:
    """The group of one ranked case as a group file has it, without labels; what its source says is metadata."""
    return {
        "id": case["id"],
        "scenario": {"messages": [{"role": "user", "content": case["prompt"]}]},
        "trajectories": [
            {
                "id": response["id"],
                "label": response.get("model", ""),
                "text": response["text"],
                "metadata": {"human": human},
            }
            for response, human in zip(case["responses"], _human(case), strict=True)
        ],
        "metadata": {"kind": case["kind"], "source": case["source"], "label": case["label"]},
    }


def _human(case: dict[str, Any]) -> tuple[float | None, ...]:
    label = case["label"]
    if label["type"] == "human_scores":
        return tuple(response["human_overall"] for response in case["responses"])
    if label.get("tie"):
        return (None,) * len(case["responses"])
    return tuple(float(response["id"] == label["better"]) for response in case["responses"])


def _label(case: dict[str, Any]) -> Label:
    said = case["label"]
    ids = [response["id"] for response in case["responses"]]
    if said["type"] == "human_scores":
        scores = {response["id"]: response["human_overall"] for response in case["responses"]}
        ranks = {one: 1 + sum(other > scores[one] for other in scores.values()) for one in ids}
        responses = {one: ResponseLabel(rank=ranks[one], score=scores[one]) for one in ids}
    else:
        better = ids if said.get("tie") else [said["better"]]
        responses = {one: ResponseLabel(rank=1 if one in better else 2) for one in ids}
    return Label(annotator="people", responses=responses)


if __name__ == "__main__":
    for one in ranked_cases():
        sys.stdout.write(json.dumps(labelled_record(one.group, [one.label]), ensure_ascii=False) + "\n")
