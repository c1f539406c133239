"""Which of a plan's effects somebody wants, and the plan of exactly those: always made by the engine, never cut out of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from takeback.model.plan import Plan
from takeback.model.progress import Listener
from takeback.views import choices
from takeback.views.choices import Group, Wanted
from takeback.views.desk import Desk

Box = tuple[str, str]
"""A part and a path of it, as they can be chosen."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was asked for, all that it would do, which boxes are checked, and what these alone would do."""

    wanted: Wanted
    whole: Plan
    groups: tuple[Group, ...]
    chosen: frozenset[Box]
    plan: Plan | None
    """None if nothing is chosen, though there is something."""
    now: tuple[Group, ...]
    """What that plan does, by part."""

    @property
    def every(self) -> frozenset[Box]:
        return keys(self.groups)

    @property
    def actions(self) -> Mapping[Box, str]:
        """What would be done with the boxes that are checked."""
        if self.plan is None:
            return {}
        return {(item.part, item.path): item.action for group in self.now for item in group.items}


def keys(groups: tuple[Group, ...]) -> frozenset[Box]:
    return frozenset((item.part, item.path) for group in groups for item in group.items)


def begin(desk: Desk, wanted: Wanted, listener: Listener | None) -> Choice:
    """All boxes checked."""
    whole = choices.plan(desk, wanted, listener)
    groups = choices.groups(desk, wanted.lane, whole)
    return Choice(wanted, whole, groups, keys(groups), whole, groups)


def choose(desk: Desk, before: Choice, chosen: frozenset[Box], listener: Listener | None) -> Choice:
    """The same with other boxes checked; the world is looked at again for it."""
    if chosen == before.every:
        return begin(desk, before.wanted, listener)
    if not chosen:
        return replace(before, chosen=chosen, plan=None, now=())
    exact = choices.plan(desk, choices.narrowed(before.wanted, before.whole, before.groups, chosen), listener)
    return replace(before, chosen=chosen, plan=exact, now=choices.groups(desk, before.wanted.lane, exact))


def again(desk: Desk, before: Choice, listener: Listener | None) -> Choice:
    """The same boxes in the world as it is now; what is new in it is checked only if everything was."""
    now = begin(desk, before.wanted, listener)
    return now if before.chosen == before.every else choose(desk, now, before.chosen & now.every, listener)
