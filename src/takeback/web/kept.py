"""What is kept between two requests, in memory and never much of it: plans that were shown, and comparisons.

Only a plan that was shown can be applied, by its id, once. Its id is random, so nobody applies what he was not shown.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takeback.errors import Conflict, NotFound

if TYPE_CHECKING:
    from takeback.model.plan import Plan
    from takeback.views.choices import Wanted
    from takeback.views.differences import Differences

_PLANS = 48
_EFFECTS = 400_000
"""That all plans together have at most, whatever their number: one of a large project takes many megabytes."""
_USED = 512
_COMPARED = 12
_FILES = 200_000
"""The same for comparisons."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A plan that was shown, and what it was made for."""

    wanted: Wanted
    plan: Plan


class Plans:
    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._used: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, wanted: Wanted, plan: Plan) -> str:
        id = secrets.token_hex(16)
        with self._lock:
            self._kept[id] = Kept(wanted, plan)
            while len(self._kept) > _PLANS or (len(self._kept) > 1 and self._size() > _EFFECTS):
                self._kept.popitem(last=False)
        return id

    def _size(self) -> int:
        return sum(len(each.plan.effects) for each in self._kept.values())

    def take(self, id: str, lane: int | None = None) -> Kept:
        """A plan, to apply it: from now on it is used. With ``lane`` it has to be one for that timeline."""
        with self._lock:
            if id in self._used:
                raise Conflict("this plan was applied already", hints=["plan again, to see what is to be done now"])
            found = self._kept.get(id)
            if found is None:
                raise NotFound(
                    "there is no such plan any more", hints=["plan again, and look at it before it is applied"]
                )
            if lane is not None and lane != found.wanted.lane:
                raise Conflict("this plan was made for another timeline", hints=["plan on this one"])
            del self._kept[id]
            self._used[id] = None
            while len(self._used) > _USED:
                self._used.popitem(last=False)
            return found


class Compared:
    """The comparisons that were made last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str, str | None], Differences] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, lane: int, a: str, b: str | None) -> Differences | None:
        with self._lock:
            return self._kept.get((lane, a, b))

    def keep(self, found: Differences) -> Differences:
        with self._lock:
            self._kept[found.lane, found.a, found.b] = found
            self._kept.move_to_end((found.lane, found.a, found.b))
            while len(self._kept) > _COMPARED or (len(self._kept) > 1 and self._size() > _FILES):
                self._kept.popitem(last=False)
        return found

    def _size(self) -> int:
        return sum(len(each.raw.files) + len(each.container) + len(each.team) for each in self._kept.values())
