"""The registry of methods, in the order in which they are shown.

A new method is one file beside this one and one line here.
"""

from __future__ import annotations

from reward_lab.core.methods.explicit import EXPLICIT
from reward_lab.core.methods.implicit import IMPLICIT
from reward_lab.core.methods.likert import LIKERT, LIKERT_REFERENCE
from reward_lab.core.methods.method import Method
from reward_lab.core.methods.predefined import PREDEFINED
from reward_lab.core.methods.ruler import RULER
from reward_lab.core.methods.verifier import VERIFIER
from reward_lab.errors import InvalidRun

METHODS: dict[str, Method] = {
    "ruler": RULER,
    "likert": LIKERT,
    "likert_reference": LIKERT_REFERENCE,
    "rar_explicit": EXPLICIT,
    "rar_implicit": IMPLICIT,
    "rar_predefined": PREDEFINED,
    "verifier": VERIFIER,
}


def method_named(name: str) -> Method:
    """The method of this name. Raises :class:`InvalidRun` with the names there are."""
    try:
        return METHODS[name]
    except KeyError:
        raise InvalidRun(f"There is no method {name!r}: choose from {', '.join(METHODS)}.") from None
