"""Advice that holds of a group and of a whole run alike: what it means for training, and what to do."""

from __future__ import annotations

BLOWN_UP = (
    "It divides by the std of the others, 0 but for float32: seven rewards of 0.3 and one of 0.9 have given 6367.",
    "Clip advantages in the trainer, or use a reward with more than two values.",
)
OUTWEIGHS = (
    "It divides by a figure near 0, so one response outweighs its whole group.",
    "Clip advantages in the trainer, or choose a convention that does not divide.",
)
NO_ROOM = (
    "Little room is left above them, so better responses could hardly be rewarded more.",
    "Ask for more in the rubric, or use harder scenarios.",
)
BY_LENGTH = (
    "If the judge goes by length, so will the policy. Length may also go with quality here.",
    "Score a padded copy of a response: its score should not rise.",
)
