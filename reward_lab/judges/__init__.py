"""Judges: how a question reaches a model and comes back as an answer or a fault."""

from __future__ import annotations

from reward_lab.judges.asking import Asked, Asker
from reward_lab.judges.cache import ReplyCache
from reward_lab.judges.limits import Policy
from reward_lab.judges.routes import Routes

__all__ = ["Asked", "Asker", "Policy", "ReplyCache", "Routes"]
