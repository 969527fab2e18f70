"""What a column of a table holds: roles, and the mapping of columns to them."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass, field
from enum import StrEnum

ANNOTATOR = "imported"
"""Who has labelled where the file does not say."""


class Role(StrEnum):
    """What a column holds."""

    IGNORE = "ignore"
    GROUP_ID = "group id"
    SYSTEM_PROMPT = "system prompt"
    PROMPT = "prompt"
    MESSAGES = "conversation"
    TOOLS = "tools"
    REFERENCE = "reference answer"
    RESPONSE = "response"
    RESPONSES = "list of responses"
    RESPONSE_COLUMN = "response column"
    RESPONSE_ID = "response id"
    LABEL = "response label"
    SCORE = "score"
    RANK = "rank"
    MARK = "mark"
    PREFERENCE = "preference"
    ANNOTATOR = "annotator"
    COMMENT = "comment"
    METADATA = "metadata"

    @property
    def meaning(self) -> str:
        """What a cell of the column says, in one line."""
        return _MEANINGS[self]


_MEANINGS = {
    Role.IGNORE: "Left out.",
    Role.GROUP_ID: "Rows with the same value answer the same.",
    Role.SYSTEM_PROMPT: "The system prompt that all responses follow.",
    Role.PROMPT: "What the user asks; several such columns are joined by a blank line.",
    Role.MESSAGES: "Chat messages as JSON: what is answered, or with the answer where no column has responses.",
    Role.TOOLS: "Tool definitions as JSON.",
    Role.REFERENCE: "The reference answer.",
    Role.RESPONSE: "One response a row, as text or as chat messages; a blank cell is an empty response.",
    Role.RESPONSES: "All responses of a group in one cell, as a JSON list.",
    Role.RESPONSE_COLUMN: "One response of the row; each of its columns is another, a blank cell is no response.",
    Role.RESPONSE_ID: "The response's id within its group.",
    Role.LABEL: "The response's name, such as its model.",
    Role.SCORE: "A person's score of the response, higher is better; each of several columns is a person of its own.",
    Role.RANK: "The response's rank among its group, 1 is best.",
    Role.MARK: "Good or bad, true or false, 1 or 0.",
    Role.PREFERENCE: "Which response of the row is best: its name, tie, or all in order, the best first.",
    Role.ANNOTATOR: "Who scored, ranked or marked.",
    Role.COMMENT: "What the annotator remarks.",
    Role.METADATA: "Kept with the group or the response, and shown to no judge.",
}

SEVERAL = frozenset({Role.IGNORE, Role.PROMPT, Role.RESPONSE_COLUMN, Role.METADATA})
"""Roles that several columns may have."""

OF_A_RESPONSE = (Role.RESPONSE_ID, Role.LABEL, Role.SCORE, Role.RANK, Role.MARK, Role.COMMENT)
"""Roles that several columns may have beside response columns, one for each: ``score_a`` goes with ``response_a``."""


OF_A_RATER = frozenset({Role.SCORE, Role.RANK, Role.MARK})
"""Roles that several columns may have elsewhere: each is then an annotator of its own, named after the column."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """The role of each column; those not named are metadata. ``annotator`` has labelled where no column says who."""

    roles: abc.Mapping[str, Role] = field(default_factory=dict)
    annotator: str = ANNOTATOR

    def columns(self, role: Role) -> tuple[str, ...]:
        """The columns with a role, in order."""
        return tuple(column for column, one in self.roles.items() if one is role)

    @property
    def raters(self) -> tuple[str, ...]:
        """The columns that are an annotator each: several of scores, ranks or marks that are not of response columns.

        >>> Mapping({"ann_score": Role.SCORE, "bob_score": Role.SCORE, "rank": Role.RANK}).raters
        ('ann_score', 'bob_score')
        """
        if self.columns(Role.RESPONSE_COLUMN):
            return ()
        several = {role for role in OF_A_RATER if len(self.columns(role)) > 1}
        return tuple(column for column, role in self.roles.items() if role in several)
