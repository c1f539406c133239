"""Parts that could not be looked at: what that means for who wants them back, now or from a snapshot of that time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from takeback.engine.line import ADVICE, Line, Present
from takeback.engine.naming import called, options
from takeback.errors import NotFound, TakebackError
from takeback.model.ids import short
from takeback.model.kinds import FOLLOWING, NAMED
from takeback.model.snapshot import Part, Snapshot
from takeback.store.reader import Reader

if TYPE_CHECKING:
    from takeback.model.plan import Plan

_FAR = 200
"""So many snapshots back one is looked for that holds a part."""


def not_now(present: Present, name: str, rest: Iterable[str], command: str) -> TakebackError:
    """Why nothing is done: a part that is needed cannot be looked at; and how the rest is done without it."""
    error = present.missed[name]
    told = f"nothing was changed: {_name(present.parts, name)} cannot be put back now: {error.message}"
    return type(error)(told, hints=[*_offer(present, rest, command), *error.hints])


def _offer(present: Present, rest: Iterable[str], command: str) -> list[str]:
    """How the rest is done alone, if there is any."""
    left = [each for each in rest if _can_be_done(present, each)]
    if not left:
        return []
    needed = options([present.parts[each] for each in left], present.parts.values())
    return [f"`takeback {command} --only {','.join(left)}{needed and f' {needed}'}` does the rest"]


def without(plan: Plan, present: Present, name: str) -> list[str]:
    """How a plan is carried out without a part that cannot be changed, if that can be said."""
    command = _command(plan)
    touched = dict.fromkeys(effect.part for effect in plan.effects if effect.part != name)
    return _offer(present, touched, command) if command else []


def _command(plan: Plan) -> str:
    if plan.target:
        return f"restore {short(plan.target)}"
    return f"{plan.verb} {short(plan.moves[0])}" if plan.moves else ""


def check_at_hand(plan: Plan, present: Present) -> None:
    """Raise what keeps a part from being looked at that a plan changes."""
    touched = list(dict.fromkeys(effect.part for effect in plan.effects))
    for name in touched:
        if name in present.missed:
            raise not_now(present, name, touched, _command(plan))


def why_not_then(target: Snapshot, name: str) -> str:
    """Why a part is not put back from a snapshot that missed it."""
    return f"it could not be captured then: {reason(target.missed[name])}"


def reason(said: str) -> str:
    """Why a part was missed, without what was to be done about it at that time."""
    return said.partition(ADVICE)[0]


def check_held(line: Line, reader: Reader, target: Snapshot, name: str) -> None:
    """NotFound for a part that a snapshot missed, with where it can be had from."""
    if name not in target.missed:
        return
    older = _last_with(line, reader, target, name)
    hints = [f"`takeback restore {short(older.id)} --only {name}` has it as it was before that"] if older else []
    raise NotFound(
        f"snapshot {short(target.id)} does not hold {_name(target.parts, name)}: {why_not_then(target, name)}",
        hints=hints,
    )


def _last_with(line: Line, reader: Reader, target: Snapshot, name: str) -> Snapshot | None:
    """The newest snapshot before one that has captured a part."""
    from takeback.engine.references import find

    found: Snapshot | None = target
    for _ in range(_FAR):
        if found is None or found.parent is None:
            return None
        try:
            found = find(line, reader, found.parent)
        except NotFound:
            return None
        if name in found.parts and name not in found.missed:
            return found
    return None


def _can_be_done(present: Present, name: str) -> bool:
    return name in present.parts and name not in present.missed and present.parts[name].kind not in FOLLOWING


def _name(parts: Mapping[str, Part], name: str) -> str:
    return called(parts[name]) if name in parts and parts[name].kind in NAMED else name
