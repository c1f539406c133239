"""A source that is declared, but cannot be what its timeline holds, or is not where it should be: every look at it fails."""

from __future__ import annotations

from typing import Any, NoReturn

from takeback.errors import TakebackError
from takeback.sources.stored import Stored


class Refused(Stored):
    """Has its part's place among the sources, so that a snapshot says that it is missing, and why."""

    root = ""
    lock = ""

    def __init__(self, name: str, kind: str, called: str, why: TakebackError) -> None:
        super().__init__(name, kind)
        self.given = self.container = self.team = called
        """What it would be of."""
        self.why = why

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise self.why

    capture = plan = revert = moved = plan_at = make_at = stage = unfinished = amend = count = _refuse
