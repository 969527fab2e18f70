"""Names that columns and keys go by in data sets of responses, for each role."""

from __future__ import annotations

import re

from reward_lab.exchange.groups.roles import Role

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

NAMES: dict[Role, tuple[str, ...]] = {
    Role.GROUP_ID: (
        *("group_id", "group", "prompt_id", "question_id", "query_id", "qid", "problem_id", "task_id"),
        *("instruction_id", "example_id", "item_id", "id", "uid", "uuid"),
    ),
    Role.SYSTEM_PROMPT: ("system_prompt", "system", "system_message", "system_instruction", "developer_prompt"),
    Role.PROMPT: (
        *("prompt", "question", "instruction", "query", "user_prompt", "user_message", "user_input", "user"),
        *("problem", "input", "request", "task", "post", "history"),
    ),
    Role.MESSAGES: ("messages", "conversation", "conversations", "dialogue", "dialog", "chat", "trajectory"),
    Role.TOOLS: ("tools", "functions", "available_tools", "tool_definitions"),
    Role.REFERENCE: (
        *("reference_answer", "reference", "reference_response", "ground_truth", "groundtruth", "gold", "gold_answer"),
        *("golden_answer", "expected_output", "expected_answer", "expected", "correct_answer", "ideal", "solution"),
        "target",
    ),
    Role.RESPONSE: (
        *("response", "completion", "generation", "model_response", "model_output", "prediction", "output", "answer"),
        *("reply", "generated_text", "assistant", "text"),
    ),
    Role.RESPONSES: (
        *("responses", "completions", "answers", "outputs", "candidates", "generations", "samples", "rollouts"),
        *("replies", "predictions", "trajectories"),
    ),
    Role.RESPONSE_ID: (
        *("response_id", "completion_id", "answer_id", "trajectory_id", "rollout_id", "candidate_id", "sample_id"),
        "generation_id",
    ),
    Role.LABEL: ("model", "model_name", "response_label", "generator", "policy", "checkpoint", "engine", "label"),
    Role.SCORE: (
        *("score", "human_score", "overall_score", "human_overall", "overall", "rating", "human_rating"),
        *("overall_rating", "average_rating", "mean_score", "reward", "grade", "quality", "helpfulness", "stars"),
    ),
    Role.RANK: ("rank", "human_rank", "ranking"),
    Role.MARK: ("mark", "good", "is_good", "correct", "is_correct", "passed", "pass", "success", "label", "thumbs"),
    Role.PREFERENCE: (
        *("preference", "winner", "ranking", "preferred", "better", "best", "choice", "human_preference", "label"),
    ),
    Role.ANNOTATOR: (
        *("annotator", "annotator_id", "rater", "rater_id", "labeler", "labeller", "worker_id", "worker"),
        *("reviewer", "evaluator", "judge"),
    ),
    Role.COMMENT: (
        *("comment", "comments", "rationale", "explanation", "justification", "critique", "reason", "feedback"),
        "notes",
    ),
}
"""Best first: where a table has several of a role's names, the first is the one."""

ADDED_TO_PROMPT: dict[str, tuple[str, ...]] = {"instruction": ("input",)}
"""Names that belong to the prompt beside another: Alpaca's ``input`` to its ``instruction``."""

CONTEXTS = ("context", "passage", "document")
"""Names of what a prompt is about; they belong to it."""

RESPONSE_BASES = frozenset(
    {"response", "answer", "completion", "output", "candidate", "generation", "reply", "text", "assistant", "human_ref"}
    | {"conversation", "trajectory", "sample", "rollout"}
)
"""What is left of a response column's name without its tag: ``response_a``, ``answer 2``, ``human_ref_A``."""

_SCORE_WORDS = frozenset({"score", "scores", "rating", "ratings"})
_RATER_WORDS = frozenset(
    {"rater", "annotator", "human", "person", "labeler", "labeller", "worker", "reviewer", "evaluator", "expert"}
)
_STATISTICS = frozenset({"mean", "avg", "average", "median", "std", "min", "max", "count", "sum", "type", "id"})

PREFERRED = frozenset({"chosen", "preferred", "accepted"})
DISPREFERRED = frozenset({"rejected", "dispreferred"})


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name.

    >>> words_of("responseA"), words_of("score_chosen"), words_of("Answer 2"), words_of("human_ref_A")
    (('response', 'a'), ('score', 'chosen'), ('answer', '2'), ('human', 'ref', 'a'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


def is_of_a_rater(name: str) -> bool:
    """Whether a column's name is that of one person's scores: it begins with "score", or names a person beside it.

    >>> [is_of_a_rater(name) for name in ("rater_1_score", "score_ann", "human_score_2", "bleu_score", "score_max")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    if _SCORE_WORDS.isdisjoint(words) or not _STATISTICS.isdisjoint(words):
        return False
    return len(words) > 1 and (words[0] in _SCORE_WORDS or not _RATER_WORDS.isdisjoint(words))


def spelling(name: str) -> str:
    """A name as it is written in ``NAMES``.

    >>> spelling("Ground Truth"), spelling("groundTruth")
    ('ground_truth', 'ground_truth')
    """
    return "_".join(words_of(name))
