"""What became of a plan while somebody looked at it: the effects that are new, gone or others now, beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from takeback.model.plan import Effect, Plan
from takeback.tui.choosing import Box
from takeback.views.lines import Line
from takeback.views.text import pad

_WIDTH = 9
_NONE = "—"


def marks(then: Plan, now: Plan) -> dict[Box, str]:
    """A word for each path whose effect is not what it was: ``new``, ``gone``, or ``changed since``."""
    old, new = _by_path(then), _by_path(now)
    said: dict[Box, str] = {}
    for box in (*new, *(box for box in old if box not in new)):
        if box not in old:
            said[box] = "new"
        elif box not in new:
            said[box] = "gone"
        elif old[box] != new[box]:
            said[box] = "changed since"
    return said


def moved_lines(then: Plan, now: Plan) -> Iterator[Line]:
    """What was shown before, and what would be done now, for every path of which that is not the same."""
    old, new = _by_path(then), _by_path(now)
    told = marks(then, now)
    for box, word in told.items():
        before, after = _action(old, box), _action(new, box)
        yield [
            "  ",
            (pad(before, _WIDTH), "quiet" if before == _NONE else "minus"),
            ("→ ", "quiet"),
            (pad(after, _WIDTH), "quiet" if after == _NONE else "plus"),
            box[1],
            (f"  {word}", "warn"),
        ]
    known = {(each.part, each.path) for each in then.conflicts}
    for each in now.conflicts:
        if (each.part, each.path) not in known:
            yield ["  ", ("conflict ", "bad"), each.path, (f"  {each.reason}", "quiet")]


def _by_path(plan: Plan) -> Mapping[Box, list[Effect]]:
    """The effects by what people are told of them."""
    found: dict[Box, list[Effect]] = {}
    for effect in plan.effects:
        if (shown := effect.shown) is not None:
            found.setdefault((effect.part, shown[1]), []).append(effect)
    return found


def _action(effects: Mapping[Box, list[Effect]], box: Box) -> str:
    shown = effects[box][0].shown if box in effects else None
    return shown[0] if shown is not None else _NONE
