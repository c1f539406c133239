"""The store: whether it can be used, how full it is, and whether it is kept up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from takeback.cli.checkup.finding import Finding
from takeback.errors import NotFound, TakebackError
from takeback.model.sizes import format_size
from takeback.views.text import age

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.locate import Place

_TOO_LITTLE = 64 << 20
_TOO_FEW, _FEW = 100, 10_000
"""Files that can still be made on the disk."""


def store(call: Call, place: Place) -> Iterator[Finding]:
    path = str(place["store"])
    try:
        opened = call.open(place)
    except NotFound:
        parent = _existing(path)
        if os.access(parent, os.W_OK | os.X_OK):
            yield Finding("store", "ok", f"{path} is made by the first save")
        else:
            yield Finding("store", "fail", f"{path} cannot be made", f"make {parent} writable, or use --store DIR")
        return
    except TakebackError as error:
        yield Finding("store", "fail", error.message, "; ".join(error.hints))
        return
    if opened.blobs.readonly or not os.access(path, os.W_OK):
        yield Finding("store", "fail", f"{path} is read-only", "make it writable, or use another one with --store DIR")
    else:
        yield Finding("store", "ok", path)


def space(call: Call, place: Place) -> Iterator[Finding]:
    """The room that the disk has for bytes and for files."""
    from takeback import locate
    from takeback.store.space import Space
    from takeback.store.space import space as room_at

    room = room_at(_existing(str(place["store"]))) or Space(0, 0)
    words = f"{format_size(room.free)} free"
    if room.free < _TOO_LITTLE:
        yield Finding("space", "fail", words, "free some space: the next save may not fit")
    elif room.free < (wanted := locate.limits(place).free_wanted(room.total)):
        yield Finding("space", "warn", f"{words}; {format_size(wanted)} should be", "free some space soon")
    else:
        yield Finding("space", "ok", words)
    if room.files is not None and room.files < _FEW:
        state = "fail" if room.files < _TOO_FEW else "warn"
        next = "remove files that are not needed: it is their number that the disk is full of, not their size"
        yield Finding("files", state, f"only {room.files:,} more files fit on the disk", next)


def size(call: Call, place: Place) -> Iterator[Finding]:
    """What the store takes, beside what it may."""
    from takeback import locate
    from takeback.store.catalogue import figures

    policy = locate.limits(place).policy
    try:
        blobs = call.open(place).blobs
        with blobs.database.read() as tx:
            packed = figures.packed_bytes(tx)
    except TakebackError:
        return  # the store's own check says why
    catalogue = blobs.database.size()
    words = f"{format_size(packed)} in packs, {format_size(catalogue)} of catalogue"
    if policy is not None and policy.size is not None and packed + catalogue > policy.size:
        over = f"{words}; max_bytes is {format_size(policy.size)}"
        next = "`takeback maintain`; what stays then is pinned, or the first and latest of timelines: `takeback stats`"
        yield Finding("size", "warn", over, next)
    else:
        yield Finding("size", "ok", words)


def upkeep(call: Call, place: Place) -> Iterator[Finding]:
    """When the store was last maintained, whether that is due, and what was noted meanwhile."""
    from takeback import locate
    from takeback.engine.due import due
    from takeback.store.catalogue import figures

    for notice in call.notices(place):
        yield Finding(notice.where, "warn", f"{age(notice.time_ns)}: {notice.message}", "; ".join(notice.hints))
    try:
        blobs = call.open(place).blobs
        with blobs.database.read() as tx:
            last = figures.figures(tx).maintained_ns
        waiting = place["upkeep"] == "off" and due(blobs, locate.limits(place), "session_end")
    except TakebackError:
        return  # the store's own check says why
    when = f"{place['upkeep']}; last maintained {age(last)}" if last else f"{place['upkeep']}; not maintained yet"
    if waiting:
        yield Finding("upkeep", "warn", f"{when}, and it is time", '`takeback maintain`, or set upkeep = "auto"')
    else:
        yield Finding("upkeep", "ok", when)


def _existing(path: str) -> str:
    """The nearest directory above, or at, a path that exists."""
    while not os.path.isdir(path):
        path = os.path.dirname(path) or "/"
    return path
