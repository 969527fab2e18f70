"""Colours and marks that mean the same everywhere."""

from __future__ import annotations

RESPONSE_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8F8A00", "#7F7F7F")
"""Okabe and Ito's palette for the colour-blind, in the order of the responses; its yellow darkened and its black
greyed so that both are seen on light and on dark ground. From the ninth response on the colours begin again: the
letter tells."""


def colour_of(index: int) -> str:
    """The colour of the response at this place, ``#rrggbb``."""
    return RESPONSE_COLOURS[index % len(RESPONSE_COLOURS)]


def ink_on(colour: str) -> str:
    """Black or white, whichever stands out more on ``colour`` (WCAG relative luminance).

    >>> ink_on("#0072B2"), ink_on("#E69F00")
    ('#ffffff', '#000000')
    """
    red, green, blue = (_linear(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
