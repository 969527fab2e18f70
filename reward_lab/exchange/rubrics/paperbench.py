"""PaperBench: a tree of requirements, whose leaves are judged.

Source: openai/frontier-evals ``paperbench/rubric/tasks.py`` (``TaskNode``: ``id, requirements, weight, sub_tasks,
task_category, finegrained_task_category``) and ``judge/graded_task_node.py`` (``score_from_children``: the mean
of the children's scores by weight, 0 where the weights sum to 0); arXiv 2504.01848.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reward_lab.core.chat import Json
from reward_lab.core.rubric import Criterion, Rubric, Scoring
from reward_lab.errors import InvalidRubric
from reward_lab.exchange.rubrics.contents import MAX_CRITERIA, Contents, Record
from reward_lab.exchange.rubrics.format import NO, SURE, Findings, NamedRubric, RubricFormat
from reward_lab.exchange.rubrics.frame import Frame
from reward_lab.exchange.rubrics.itemised import own_source, plain_number
from reward_lab.exchange.rubrics.paths import pack, unpack

Node = dict[str, Json]

_HOLDER = "rubric"


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree as it is shown: depth from 0, text, share of the whole, and whether it is judged."""

    depth: int
    requirements: str
    share: float
    is_leaf: bool


class PaperBench(RubricFormat):
    """The leaves become criteria, each with its path's share of the whole: the tree's score is their weighted share."""

    name = "paperbench"
    label = "PaperBench"
    scoring_rule = (
        "PaperBench: at every level the mean by weight. Kept: each leaf weighs the product of the shares on its path; "
        "they sum to 1, and give the tree's score."
    )
    suffixes = (".json", ".jsonl")
    frame = Frame(names=("id", "name"))

    def likeness(self, record: Record, contents: Contents) -> int:
        """Sure: a node has requirements and sub-tasks."""
        return SURE if isinstance(record.value, dict) and _tree(dict(record.value)) is not None else NO

    def read(self, record: Record, findings: Findings) -> NamedRubric:
        """The leaves with their paths; the nodes above them stay in the source."""
        if not isinstance(record.value, dict):
            raise InvalidRubric(
                f"expected an object with 'requirements' and 'sub_tasks', got {type(record.value).__name__}"
            )
        rest: Node = copy.deepcopy(record.value)
        source: dict[str, Json] = {"format": self.name}
        if packed := unpack(rest, (_HOLDER,)):
            source["packed"] = packed
        tree = _tree(rest)
        if tree is None:
            raise InvalidRubric(
                f"there is no node with 'requirements' and 'sub_tasks'; it has {', '.join(map(repr, rest))}"
            )
        name, scenario = record.name, None
        if tree is not rest:
            del rest[_HOLDER]
            name, scenario = self.frame.read(rest, source, record.name)
            source |= {"wrapped": True, "record": rest}
        else:
            source["unnamed"] = record.name
        leaves: list[dict[str, Json]] = []
        source["tree"] = _flattened(tree, 1.0, [], leaves, set())
        if len(leaves) > MAX_CRITERIA:
            raise InvalidRubric(f"its tree has {len(leaves)} leaves; at most {MAX_CRITERIA} are read")
        counted = math.fsum(leaf["weight"] for leaf in leaves)
        if counted == 0:
            raise InvalidRubric("all its leaves weigh 0")
        if counted < 1 - 1e-9:
            findings.note(
                record.place, f"nodes whose sub-tasks all weigh 0 hold {1 - counted:.1%}: PaperBench gives 0 there"
            )
            findings.lose("the share of nodes whose sub-tasks all weigh 0")
        rubric = {"criteria": leaves, "scoring": Scoring(weights="own").model_dump(), "source": source}
        return NamedRubric(name, Rubric.from_record(rubric), scenario)

    def write(self, named: NamedRubric) -> Json:
        """The tree as it was, with the leaves' present texts; from elsewhere, a root above all criteria."""
        rubric = named.rubric
        if not rubric.criteria:
            raise InvalidRubric(f"{self.label} holds criteria, and this rubric has none")
        source = own_source(rubric, self.name)
        by_id = {one.source["node"]["id"]: one for one in rubric.criteria if source and "node" in one.source}
        new = [
            (position, one) for position, one in enumerate(rubric.criteria) if not source or "node" not in one.source
        ]
        tree = _rebuilt(source["tree"], by_id) if source else None
        if tree is None:
            tree = {"id": "root", "requirements": rubric.guidance or named.name, "weight": 1, "sub_tasks": []}
        for position, one in new:
            tree["sub_tasks"].append(_new_leaf(one, position, rubric))
        if not source.get("wrapped") and named.scenario is None:
            return tree
        record: Node = copy.deepcopy(source.get("record", {}))
        self.frame.write(record, named, source)
        record[_HOLDER] = tree
        pack(record, source.get("packed", ()))
        return record


def branches(rubric: Rubric) -> tuple[Branch, ...]:
    """The tree that a rubric was flattened from, from its root down; () where it came from no tree."""
    source = own_source(rubric, PaperBench.name)
    by_id = {one.source["node"]["id"]: one for one in rubric.criteria if "node" in one.source}
    tree = _rebuilt(source["tree"], by_id) if source else None
    return tuple(_branches(tree, 0, 1.0)) if tree else ()


def _branches(node: Node, depth: int, share: float) -> Iterator[Branch]:
    yield Branch(depth, str(node["requirements"]), share, not node["sub_tasks"])
    for child, part in zip(node["sub_tasks"], _shares(node["sub_tasks"]), strict=True):
        yield from _branches(child, depth + 1, share * part)


def _tree(record: Mapping[str, Json]) -> Node | None:
    """The root: the record itself, or what stands under its ``rubric``."""
    unpacked = dict(record)
    unpack(unpacked, (_HOLDER,))
    for node in (record, unpacked.get(_HOLDER)):
        if isinstance(node, dict) and "requirements" in node and "sub_tasks" in node:
            return node
    return None


def _shares(nodes: list[Node]) -> list[float]:
    total = math.fsum(node["weight"] for node in nodes)
    return [node["weight"] / total if total else 0.0 for node in nodes]


def _flattened(node: Json, share: float, path: list[str], leaves: list[dict[str, Json]], seen: set[str]) -> Node:
    """Collect the leaves below a node; the node as it is kept, each leaf by its id."""
    _check_node(node, path, seen)
    below = node["sub_tasks"]
    if not below:
        kept = {key: value for key, value in node.items() if key != "requirements"}
        leaves.append({"description": node["requirements"], "weight": share, "source": {"node": kept, "path": path}})
        return {"leaf": node["id"]}
    for child in below:
        if not isinstance(child, dict) or not _is_weight(child.get("weight")):
            given = child.get("weight") if isinstance(child, dict) else child
            raise InvalidRubric(f"node {node['id']!r}: a sub-task's weight must be a number from 0 up, got {given!r}")
    parts = zip(below, _shares(below), strict=True)
    inner = [*path, node["id"]]
    return {**node, "sub_tasks": [_flattened(child, share * part, inner, leaves, seen) for child, part in parts]}


def _check_node(node: Json, path: list[str], seen: set[str]) -> None:
    where = f"below {path[-1]!r}" if path else "at the root"
    if not isinstance(node, dict) or not isinstance(node.get("sub_tasks"), list):
        raise InvalidRubric(f"{where}: expected a node with a list of 'sub_tasks', got {str(node)[:60]}")
    if not isinstance(node.get("id"), str) or node["id"] in seen:
        raise InvalidRubric(f"{where}: every node needs an 'id' of its own, got {node.get('id')!r}")
    if not isinstance(node.get("requirements"), str) or not node["requirements"].strip():
        raise InvalidRubric(f"node {node['id']!r}: 'requirements' must be a text that says something")
    seen.add(node["id"])


def _is_weight(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _rebuilt(kept: Node, by_id: Mapping[str, Criterion]) -> Node | None:
    """A node with its leaves; ``None`` where none of them is left."""
    if "leaf" in kept:
        criterion = by_id.get(kept["leaf"])
        if criterion is None:
            return None
        return {**copy.deepcopy(criterion.source["node"]), "requirements": criterion.description}
    below = [child for one in kept["sub_tasks"] if (child := _rebuilt(one, by_id)) is not None]
    return {**copy.deepcopy({**kept, "sub_tasks": []}), "sub_tasks": below} if below else None


def _new_leaf(criterion: Criterion, position: int, rubric: Rubric) -> Node:
    return {
        "id": f"criterion-{position + 1}",
        "requirements": criterion.description,
        "weight": plain_number(rubric.weights[position]),
        "sub_tasks": [],
        "task_category": None,
        "finegrained_task_category": None,
    }
