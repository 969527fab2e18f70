"""Categories as judges write them: misspelled, by another name, or as a label in front of the statement."""

from __future__ import annotations

import re
from difflib import get_close_matches

from reward_lab.core.reply_json import quoted
from reward_lab.core.rubric import Category
from reward_lab.core.wording import listed

_NAMES = {category.value.lower(): category for category in Category}

_SYNONYMS = {
    **dict.fromkeys(("critical", "musthave", "must", "required", "mandatory", "vital", "crucial"), Category.ESSENTIAL),
    **dict.fromkeys(("major", "shouldhave", "should", "significant", "high", "medium"), Category.IMPORTANT),
    **dict.fromkeys(("minor", "nicetohave", "couldhave", "additional", "bonus", "low"), Category.OPTIONAL),
    **dict.fromkeys(("negative", "penalty", "fault", "error", "trap", "mistake"), Category.PITFALL),
}

_CLOSE = 0.75
"""The least likeness (difflib's ratio) at which a word counts as a misspelling."""

_LONGEST_NAME = 40

_LABEL = re.compile(
    r"^[\s*_\[(#-]*([A-Za-z]{5,12})(?:\s+criteri(?:a|on|um))?[\s*_\])]*(?::|\s[-\u2013\u2014]\s)[\s*_]*", re.IGNORECASE
)


def category_called(name: str) -> Category | None:
    """The category that a judge's word stands for, or ``None``.

    >>> category_called("essential"), category_called("Essentail"), category_called("must-have")
    (<Category.ESSENTIAL: 'Essential'>, <Category.ESSENTIAL: 'Essential'>, <Category.ESSENTIAL: 'Essential'>)
    >>> category_called("Blue")
    """
    word = re.sub(r"criteri(?:a|on|um)\b|[^a-z]", "", name[:_LONGEST_NAME].lower())
    known = _NAMES.get(word) or _SYNONYMS.get(word)
    if known is None:
        close = get_close_matches(word, [*_NAMES, *(one for one in _SYNONYMS if len(one) > 5)], n=1, cutoff=_CLOSE)
        known = {**_NAMES, **_SYNONYMS}[close[0]] if close else None
    return known


def split_label(statement: str) -> tuple[Category | None, str]:
    """The category in front of a statement, and the statement without it.

    RaR's rubrics (arXiv 2507.17746) open each description with its category. Only the four
    names and misspellings of them are labels: "Avoid: ..." is a part of the statement.

    >>> split_label("Essential: States the deadline.")
    (<Category.ESSENTIAL: 'Essential'>, 'States the deadline.')
    >>> split_label("Pitfall Criteria: does not guess.")
    (<Category.PITFALL: 'Pitfall'>, 'Does not guess.')
    >>> split_label("States that: a, b.")
    (None, 'States that: a, b.')
    """
    found = _LABEL.match(statement)
    if found is None:
        return None, statement
    close = get_close_matches(found[1].lower(), _NAMES, n=1, cutoff=_CLOSE)
    rest = statement[found.end() :].strip()
    if not close or not rest:
        return None, statement
    return _NAMES[close[0]], rest[0].upper() + rest[1:]


def read_category(given: object, label: Category | None, fallback: Category) -> tuple[Category, str | None]:
    """The category of an item, and what a reviewer has to know of how it was come by.

    ``given`` is the item's own field, whatever it holds; ``label`` the category in front of its
    statement. The field goes before the label; ``fallback`` is what is left where neither tells.
    """
    name = given.strip() if isinstance(given, str) else ""
    called = category_called(name) if name else None
    if called is not None:
        if label not in (None, called):
            return called, f"Its statement was labelled {label}, its category {quoted(name, 40)}: taken as {called}."
        exact = name.lower() == called.value.lower()
        return called, None if exact else f"The category {quoted(name, 40)} was read as {called}."
    if label is not None:
        unknown = f"The category {quoted(name, 40)} is unknown: taken as {label}, as its statement says."
        return label, unknown if name else None
    if not name:
        return fallback, f"No category was given: taken as {fallback}."
    names = listed((category.value for category in Category), "or")
    return fallback, f"The category {quoted(name, 40)} is none of {names}: taken as {fallback}."
