"""What moves did that no snapshot can take back: said by undo instead of pretending."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from takeback.engine.line import Line, Present
from takeback.model.move import Move
from takeback.model.plan import Outside
from takeback.sources.witness import Between, Witness


class Beside(NamedTuple):
    """What happened beside the content, oldest first, and what a person can do about it."""

    outside: tuple[Outside, ...] = ()
    hints: tuple[str, ...] = ()


def happened_beside(line: Line, present: Present, moves: Sequence[Move]) -> Beside:
    """The effects that the agent's adapter recorded in moves, and what the sources witnessed, such as git's commits."""
    found = list(dict.fromkeys(effect for move in moves for effect in _recorded(move)))
    stretches = [_between(move, present) for move in moves if move.level != "takeback" and move.context.get("opened")]
    hints: list[str] = []
    for source in line.sources.values():
        if stretches and isinstance(source, Witness):
            told, advice = source.witnessed(stretches)
            found += told
            hints += advice
    return Beside(tuple(sorted(found, key=lambda effect: effect.time_ns)), tuple(hints))


def _recorded(move: Move) -> Iterator[Outside]:
    records = [(_object(move.context.get("opened")), move.opened_ns)]
    records += ((_object(action), move.opened_ns) for action in _list(move.context.get("actions")))
    records.append((_object(move.context.get("closed")), move.closed_ns or move.opened_ns))
    for record, otherwise in records:
        when = record.get("time_ns")
        for effect in map(_object, _list(record.get("effects"))):
            kind, what = str(effect.get("kind", "effect")), str(effect.get("what", ""))
            yield Outside(kind, what, when if isinstance(when, int) else otherwise)


def _between(move: Move, present: Present) -> Between:
    """When a move took place, and what the sources said at its two ends."""
    opened, closed = (_object(move.context.get(side)) for side in ("opened", "closed"))
    if move.open:
        now: dict[str, Any] = {}
        for part in present.parts.values():
            now |= _object(part.detail.get("context"))
        return Between(opened, now, move.opened_ns, time.time_ns())
    return Between(opened, closed, move.opened_ns, _end(move, closed))


def _end(move: Move, closed: Mapping[str, Any]) -> int:
    """When a move ended. One that nobody ended did so with its last action, not when that was noticed."""
    times = [action.get("time_ns") for action in map(_object, _list(move.context.get("actions")))]
    last = [moment for moment in times if isinstance(moment, int)]
    return last[-1] if last and not closed else move.closed_ns or move.opened_ns


def _object(value: Any) -> dict[str, Any]:
    """A part of a context, which may hold anything."""
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
