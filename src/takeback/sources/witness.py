"""Beside `Source`: what a source knows of the time between two snapshots that is in neither of them. Only undo asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from takeback.model.plan import Outside


class Between(NamedTuple):
    """Two moments, and what the sources said beside their content (a part's ``detail["context"]``) at each."""

    opened: Mapping[str, Any]
    closed: Mapping[str, Any]
    since_ns: int
    until_ns: int


@runtime_checkable
class Witness(Protocol):
    """A source that knows what happened beside its content, which no restore takes back."""

    def witnessed(self, stretches: Sequence[Between]) -> tuple[Sequence[Outside], Sequence[str]]:
        """What happened in some of them, and what a person can do about it now."""
