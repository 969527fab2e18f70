from __future__ import annotations

from hypothesis import settings

# A time limit per example measures the machine's load, not the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
