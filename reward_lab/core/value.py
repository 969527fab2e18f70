"""Value: a frozen model whose derived figures never outlive its contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A model that cannot change and knows no other fields.

    Identities and weights are cached properties of values. pydantic copies them along with the
    fields, so that a copy with other fields would keep the old identity, and an old verdict
    would show under a new setting; here a changed copy works them out anew.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields replaced; as in pydantic, these are not validated."""
        copied = super().model_copy(update=update, deep=deep)
        for derived in copied.__dict__.keys() - type(copied).model_fields.keys():
            del copied.__dict__[derived]
        return copied
