"""What export, import, push and pull say: as JSON, and for people."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from takeback.cli.shapes import Shape
from takeback.model.sizes import format_size
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.copying.copied import Copied, Landed


def shape(value: Copied) -> Shape:
    return {
        "snapshots": value.snapshots,
        "moves": value.moves,
        "present": value.present,
        "blobs": value.blobs,
        "bytes": value.bytes,
        "added": value.added,
        "diverged": value.diverged,
        "timelines": [_timeline(each) for each in value.timelines],
    }


def _timeline(value: Landed) -> Shape:
    return {
        "root": value.root,
        "timeline": value.timeline,
        "from_root": value.from_root,
        "from_timeline": value.from_timeline,
        "snapshots": list(value.snapshots),
        "moves": value.moves,
        "present": value.present,
        "left_out": list(value.left_out),
        "diverged": value.diverged,
    }


def lines(value: Copied, verb: str, where: str) -> Iterator[Line]:
    """What came where: ``here`` or ``there``."""
    for landed in value.timelines:
        yield [*_what(landed, verb), " on timeline ", (landed.timeline, "label"), _of(landed.root)]
        if landed.diverged:
            why = f"the timeline {landed.from_timeline!r} {where} went on by itself, so these stand beside it"
            yield ["  ", ("beside it", "warn"), f": {why}"]
        if landed.left_out:
            one = len(landed.left_out) == 1
            yield [
                f"  {count(len(landed.left_out), 'snapshot')} {'is' if one else 'are'} not {where} and older than what is; "
                "nothing is put between"
            ]
    if value.snapshots:
        were = "was" if value.blobs == 1 else "were"
        yield [(f"{count(value.blobs, 'blob')} of {format_size(value.bytes)} {were} missing {where}", "quiet")]


def look(value: Copied, *, store: str) -> Iterator[Line]:
    """How to look at what came into another store."""
    for landed in value.timelines:
        if not landed.root or os.path.isdir(landed.root):
            yield [("look at it with: ", "quiet"), _log(landed, f" --store {shlex.quote(store)}")]


def next_step(value: Copied) -> Iterator[Line]:
    """How to look at what came into one's own store."""
    for landed in value.timelines:
        if landed.root and not os.path.isdir(landed.root):
            yield [
                ("there is no such directory here; ", "quiet"),
                f"takeback store relocate {shlex.quote(landed.root)} DIR",
            ]
        elif landed.snapshots:
            yield [("look at it with: ", "quiet"), _log(landed)]


def _log(landed: Landed, store: str = "") -> str:
    root = f" -C {shlex.quote(landed.root)}" if landed.root else ""
    name = "" if landed.timeline == "main" else f" --timeline {shlex.quote(landed.timeline)}"
    return f"takeback log{store}{root}{name}"


def _what(landed: Landed, verb: str) -> Line:
    if landed.snapshots:
        moves = f" and {count(landed.moves, 'move')}" if landed.moves else ""
        return [(verb, "good"), f" {count(len(landed.snapshots), 'snapshot')}{moves}"]
    if landed.moves:
        return [(verb, "good"), f" {count(landed.moves, 'move')}"]
    return [
        f"nothing new: {count(landed.present, 'snapshot')} {'was' if landed.present == 1 else 'were'} there already"
    ]


def _of(root: str) -> str:
    return f" of {root}" if root else ""
