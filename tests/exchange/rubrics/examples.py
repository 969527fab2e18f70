"""A record of each format in its published form, and what it should be read as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Example:
    """``record`` in ``format``; the criteria's weights and polarities, and the scenario's question."""

    format: str
    record: Any
    weights: tuple[float, ...]
    meets_when: tuple[bool, ...]
    question: str = ""
    suffix: str = ".jsonl"
    variant: str = ""

    @property
    def id(self) -> str:
        return f"{self.format}{self.variant}"


RAR = {
    "question": "May I take ibuprofen with warfarin?",
    "reference_answer": "No: it raises the risk of bleeding.",
    "question_source": "made for this test",
    "rubric": [
        {"title": "Risk", "description": "Essential Criteria: States that bleeding becomes likelier.", "weight": 5},
        {"title": "Ask", "description": "Important Criteria: Tells the person to ask a pharmacist.", "weight": 3},
        {"title": "Tone", "description": "Optional Criteria: Stays calm.", "weight": 1},
        {"title": "Avoids", "description": "Pitfall Criteria: Avoids recommending a dose.", "weight": -1},
        {"title": "Fails", "description": "Pitfall Criteria: Fails to mention bleeding.", "weight": -2},
    ],
    "rubric_list": [
        "Essential Criteria: States that bleeding becomes likelier.",
        "Important Criteria: Tells the person to ask a pharmacist.",
        "Optional Criteria: Stays calm.",
        "Pitfall Criteria: Avoids recommending a dose.",
        "Pitfall Criteria: Fails to mention bleeding.",
    ],
    "rubric_count": 5,
}

HEALTHBENCH = {
    "prompt": [{"role": "user", "content": "Is it safe?"}],
    "prompt_id": "4c3f",
    "example_tags": ["theme:hedging"],
    "ideal_completions_data": {"ideal_completion": "Ask first.", "ideal_completions_group": "Group 1"},
    "rubrics": [
        {"criterion": "Asks what is meant.", "points": 7, "tags": ["level:example", "axis:completeness"]},
        {"criterion": "Names a next step.", "points": 5, "tags": ["level:example", "axis:accuracy"]},
        {"criterion": "Is understandable.", "points": 10, "tags": ["level:cluster", "cluster:x"]},
        {"criterion": "Gives a dose.", "points": -6, "tags": ["level:example", "axis:accuracy"]},
    ],
}

RUBRICHUB_ITEMS = [
    {
        "criterion": "Has fourteen lines.",
        "points": 8,
        "tags": {"verifier": "rule", "function": "line_count", "parameters": None},
    },
    {
        "criterion": "Turns in the ninth line.",
        "points": 5,
        "tags": {"verifier": "llm", "function": None, "parameters": None},
    },
]
RUBRICHUB = {
    "prompt": [{"role": "user", "content": "Write a sonnet."}],
    "ability": "Writing",
    "data_source": "Writing",
    "Rubrics": RUBRICHUB_ITEMS,
    "reward_model": {"rubrics": RUBRICHUB_ITEMS, "ground_truth": "", "style": "rubric"},
    "extra_info": {
        "prompt": [{"role": "user", "content": "Write a sonnet."}],
        "reward_model": {"rubrics": RUBRICHUB_ITEMS},
    },
}

TREE = {
    "id": "root",
    "requirements": "The paper is reproduced.",
    "weight": 1,
    "sub_tasks": [
        {
            "id": "data",
            "requirements": "Data are prepared.",
            "weight": 1,
            "sub_tasks": [
                {
                    "id": "d1",
                    "requirements": "Split A.",
                    "weight": 3,
                    "sub_tasks": [],
                    "task_category": "Code Development",
                },
                {
                    "id": "d2",
                    "requirements": "Split B.",
                    "weight": 1,
                    "sub_tasks": [],
                    "task_category": "Code Execution",
                },
            ],
            "task_category": None,
        },
        {
            "id": "result",
            "requirements": "Table 1 agrees.",
            "weight": 3,
            "sub_tasks": [],
            "task_category": "Result Analysis",
        },
    ],
    "task_category": None,
}

SCORES = {f"score{score}_description": f"It is of level {score}." for score in range(1, 6)}

GRADER = {
    "type": "multi",
    "name": "explained",
    "graders": {
        "explanation": {
            "type": "score_model",
            "name": "explanation",
            "model": "gpt-4.1-2025-04-14",
            "input": [
                {"role": "system", "content": "Grade how well the answer explains itself."},
                {"role": "user", "content": "Q: {{ item.question }}\nA: {{ sample.output_text }}"},
            ],
            "range": [0, 1],
            "sampling_params": {"temperature": 0},
        },
        "exact": {
            "type": "string_check",
            "name": "exact",
            "input": "{{ sample.output_text }}",
            "reference": "{{ item.answer }}",
            "operation": "eq",
        },
        "says_so": {
            "type": "string_check",
            "name": "says so",
            "input": "{{sample.output_text}}",
            "reference": "because",
            "operation": "ilike",
        },
    },
    "calculate_output": "(2 * explanation + exact + says_so) / 4",
}

CRITERIA = [
    {"title": "Window", "description": "States 30 days.", "category": "Essential"},
    {"title": "Contact", "description": "Invents a contact.", "category": "Pitfall", "meets_when": False},
]

EXAMPLES = (
    Example("rar", RAR, (1.0, 0.7, 0.3, 0.9, 0.9), (True, True, True, True, False), RAR["question"]),
    Example("healthbench", HEALTHBENCH, (7, 5, 10, 6), (True, True, True, False), "Is it safe?"),
    Example("healthbench", HEALTHBENCH["rubrics"], (7, 5, 10, 6), (True, True, True, False), "", ".json", "-bare"),
    Example("prometheus", {"criteria": "Is it clear?", **SCORES}, (), ()),
    Example(
        "prometheus",
        {
            "orig_criteria": "Is it clear?",
            **{f"orig_{key}": text for key, text in SCORES.items()},
            "orig_instruction": "Explain tides.",
            "orig_reference_answer": "The moon.",
            "orig_score": "3",
        },
        (),
        (),
        "Explain tides.",
        variant="-feedback-collection",
    ),
    Example(
        "prometheus",
        {
            "input": "Explain tides.",
            "system_prompt": "Be brief.",
            "score_rubric": {"criteria": "Score 1: is it?", **SCORES},
        },
        (),
        (),
        "Explain tides.",
        variant="-biggen",
    ),
    Example("rubrichub", RUBRICHUB, (8, 5), (True, True), "Write a sonnet."),
    Example(
        "rubrichub",
        {
            "question": "Write.",
            "id": "",
            "rubrics_a": [],
            "rubrics": [{"title": "T", "description": "Rhymes.", "weight": 7}],
        },
        (7,),
        (True,),
        "Write.",
        variant="-synthesis",
    ),
    Example(
        "researchqa",
        {
            "id": "174",
            "query": "How do tree rings date floods?",
            "rubric": [
                {"rubric_item": "Does it name scars?", "type": ["Example"]},
                {"rubric_item": "Does it cite Alestalo?", "type": ["Citation"], "citation_metadata": {"year": 1971}},
            ],
        },
        (1, 1),
        (True, True),
        "How do tree rings date floods?",
    ),
    Example(
        "researchrubrics",
        {
            "csv_filename": "683a.csv",
            "task_name": "683a",
            "prompt": "Report on ice.",
            "rubrics": '[{"title": "Cites five sources", "weight": 1.5, "category": "References", "row_index": 1}]',
            "rubrics_count": 1,
        },
        (1.5,),
        (True,),
        "Report on ice.",
        variant="-compiled",
    ),
    Example(
        "researchrubrics",
        {
            "sample_id": "s1",
            "domain": "Science",
            "prompt": "Report on ice.",
            "rubrics": [
                {"criterion": "Gives the area.", "weight": 4, "axis": "Explicit Criteria"},
                {"criterion": "Pads with clichés.", "weight": -2, "axis": "Communication Quality"},
            ],
        },
        (4, 2),
        (True, False),
        "Report on ice.",
    ),
    Example("paperbench", TREE, (0.1875, 0.0625, 0.75), (True, True, True), suffix=".json"),
    Example(
        "profbench",
        {
            "task_id": "Chemistry-0",
            "domain": "Chemistry PhD",
            "prompt": "Titrate.",
            "rubrics": [
                {
                    "criterion_description": "Gives pH 9.08.",
                    "criterion_weight": "Critical",
                    "criterion_type": ["Reasoning"],
                },
                {
                    "criterion_description": "Uses a table.",
                    "criterion_weight": "Additional",
                    "criterion_type": ["Style"],
                },
                {
                    "criterion_description": "Names the indicator.",
                    "criterion_weight": "Minor",
                    "criterion_type": ["Extraction"],
                },
                {
                    "criterion_description": "Explains the step.",
                    "criterion_weight": "Major",
                    "criterion_type": ["Reasoning"],
                },
            ],
            "filepaths": [],
        },
        (4, 1, 2, 3),
        (True,) * 4,
        "Titrate.",
    ),
    Example(
        "drtulu",
        {
            "query": "What is new in RL?",
            "rubrics": [
                {"title": "Recent", "description": "Cites work of this year.", "weight": 1.0},
                {"title": "Padding", "description": "Pads the report.", "weight": -1.0},
            ],
            "rubrics_types": ["persistent", "evolving"],
        },
        (1, 1),
        (True, False),
        "What is new in RL?",
    ),
    Example(
        "drtulu",
        {
            "messages": [{"role": "user", "content": "What is new in RL?"}],
            "ground_truth": '{"query": "What is new in RL?", "rubrics": [{"description": "Is new.", "weight": 0.5}]}',
            "dataset": "rubric",
        },
        (0.5,),
        (True,),
        "What is new in RL?",
        variant="-training",
    ),
    Example("openai", GRADER, (), (), suffix=".json"),
    Example("openai", {"grader": GRADER["graders"]["explanation"]}, (), (), suffix=".json", variant="-score-model"),
    Example(
        "reward-lab",
        {"name": "refunds", "guidance": "From the policy.", "criteria": CRITERIA, "verifiers": [], "scoring": {}},
        (1.0, 0.9),
        (True, False),
        suffix=".json",
    ),
    Example("json-list", ["States 30 days.", "Invites questions."], (0.7, 0.7), (True, True), suffix=".json"),
    Example(
        "json-list",
        [
            {"criterion": "States 30 days.", "weight": 5, "note": "ask Ann"},
            {"criterion": "Invents a contact.", "weight": -2},
        ],
        (5, 2),
        (True, False),
        suffix=".json",
        variant="-objects",
    ),
)
