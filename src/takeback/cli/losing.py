"""What is lost of snapshots, in words and in JSON: for `verify`, which finds it, and for `store repair`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from takeback.cli.shapes import Shape
from takeback.model.ids import short
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.losses import Loss

_MOST_SNAPSHOTS = 12
_MOST_PATHS = 6


def shape(losses: Iterable[Loss]) -> list[Shape]:
    return [
        {
            "snapshot": loss.snapshot,
            "paths": list(loss.paths),
            "more": loss.more,
            "about": list(loss.about),
            "broken": loss.broken or None,
        }
        for loss in losses
    ]


def lines(losses: tuple[Loss, ...]) -> Iterator[Line]:
    for loss in losses[:_MOST_SNAPSHOTS]:
        yield ["  ", (short(loss.snapshot), "id"), f"  {_what(loss)}"]
        for path in loss.paths[:_MOST_PATHS]:
            yield ["    ", (path, "name")]
        left = len(loss.paths) - _MOST_PATHS + loss.more
        if left > 0:
            yield [f"    and {left:,} more"]
    if len(losses) > _MOST_SNAPSHOTS:
        yield [f"  and {count(len(losses) - _MOST_SNAPSHOTS, 'more snapshot')}; --json names all"]


def _what(loss: Loss) -> str:
    if loss.broken:
        return f"it cannot be read: {loss.broken}"
    number = len(loss.paths) + loss.more
    said = [count(number, "path") + " lost"] if number else []
    return "; ".join([*said, *(f"lost: {each}" for each in loss.about)])
