"""What several conversations have in common at their start, and where a response begins."""

from __future__ import annotations

from collections.abc import Sequence

from reward_lab.core.chat import INSTRUCTION_ROLES, Message
from reward_lab.core.group import Group, Trajectory


def shared_prefix(conversations: Sequence[Sequence[Message]]) -> int:
    """The number of leading messages that all conversations share, so that they need be sent only once.

    Each conversation keeps at least its last message: one that is a strict prefix of another
    would otherwise have nothing left to judge. Where there is nothing to tell apart (one
    conversation, or all identical) it is the messages before the first assistant message.

    Linear in the number of messages up to the first difference.

    >>> ask, yes, no = {"role": "user"}, {"role": "assistant", "content": "yes"}, {"role": "assistant"}
    >>> shared_prefix([[ask, yes], [ask, no]]), shared_prefix([[ask, yes], [ask, yes]])
    (1, 1)
    """
    if not conversations:
        return 0
    first, *others = conversations
    most = max(0, min(map(len, conversations)) - 1)
    if all(other == first for other in others):
        spoken = (place for place, message in enumerate(first) if message.get("role") == "assistant")
        return min(most, next(spoken, most))
    for place in range(most):
        message = first[place]
        if any(other[place] != message for other in others):
            return place
    return most


def before_response(group: Group, trajectory: Trajectory) -> int:
    """How many messages of ``group.conversation(trajectory)`` stand before the response itself.

    The scenario's where the trajectory continues it; where the trajectory is a whole
    conversation with a system prompt of its own, what precedes its first assistant message.
    """
    if trajectory.messages and trajectory.messages[0].get("role") in INSTRUCTION_ROLES:
        return shared_prefix([trajectory.messages])
    return len(group.scenario.conversation)
