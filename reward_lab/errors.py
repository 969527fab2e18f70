"""Every error that Reward Lab raises on purpose.

::

    RewardLabError
    ├── InvalidInput            what was given cannot be used
    │   ├── InvalidChat         messages that are not an OpenAI-format conversation
    │   ├── InvalidGroup        a group, scenario or trajectory that cannot be scored
    │   ├── InvalidRubric       criteria, weights or verifiers that make no reward
    │   ├── InvalidJudge        a judge's model, endpoint or parameters
    │   └── InvalidRun          methods, repeats or other settings of a run
    ├── NotFound                a run, group, rubric or draft that is not stored
    ├── StoreError              the database cannot be opened, migrated or written
    └── BudgetExceeded          the next call would cost more than the run may spend

A judge that fails is not in this tree: it is a verdict, ``Unscored``, with its
reason (:mod:`reward_lab.core.verdict`). The UI and the CLI catch ``RewardLabError``
and show its message; anything else is a bug and stays loud.
"""

from __future__ import annotations


class RewardLabError(Exception):
    """Base of the tree. The message names the thing, its value and the next step."""


class InvalidInput(RewardLabError):
    """What was given cannot be used."""


class InvalidChat(InvalidInput):
    """Messages that are not a conversation in OpenAI format."""


class InvalidGroup(InvalidInput):
    """A group, scenario or trajectory that cannot be scored."""


class InvalidRubric(InvalidInput):
    """Criteria, weights or verifiers that make no reward."""


class InvalidJudge(InvalidInput):
    """A judge's model, endpoint or parameters."""


class InvalidRun(InvalidInput):
    """Methods, repeats or other settings of a run."""


class NotFound(RewardLabError):
    """A run, group, rubric or draft that is not stored."""


class StoreError(RewardLabError):
    """The database cannot be opened, migrated or written."""


class BudgetExceeded(RewardLabError):
    """The next call would cost more than the run may spend."""
