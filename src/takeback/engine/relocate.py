"""relocate: a project was moved, and its timelines go with it.

Snapshots keep the root that they were made in: it is where they come from, and nothing asks for it. What is keyed by the
root is a timeline's row and an unfinished restore, and both change in one transaction.
"""

from __future__ import annotations

import os
import shlex
import time
from contextlib import ExitStack
from dataclasses import dataclass

from takeback.engine.dropping import root_held
from takeback.errors import Conflict, InvalidInput, NotFound
from takeback.model.tree import name_text
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import journals, operations, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.timelines import TimelineRow


@dataclass(frozen=True, slots=True)
class Relocated:
    """One timeline that has another root now."""

    timeline: str
    old: str
    new: str


def relocate(blobs: BlobStore, old: str, new: str) -> tuple[Relocated, ...]:
    """Let the timelines of a root, and of roots below it, belong to another place. Relocating back undoes it."""
    there = _existing(new)
    with blobs.database.read() as tx:
        moving = _chosen(tx, old, there)
    with ExitStack() as stack:
        for root in sorted({root for each in moving for root in (each.old, each.new)}):
            stack.enter_context(root_held(root))
        with blobs.database.write() as tx:
            return _relocate(tx, _chosen(tx, old, there))


def _relocate(tx: Transaction, moving: tuple[Relocated, ...]) -> tuple[Relocated, ...]:
    rows = {(row.root, row.name): row for row in timelines.every(tx)}
    leaving = {(each.old, each.timeline) for each in moving}
    for each in moving:
        if (each.new, each.timeline) in rows and (each.new, each.timeline) not in leaving:
            raise Conflict(
                f"nothing was changed: {each.new} has a timeline {each.timeline!r} of its own",
                hints=[f"what is there can be moved away first: takeback store relocate {shlex.quote(each.new)} OTHER"],
            )
    for old, new in {each.old: each.new for each in moving}.items():
        if journals.pending(tx, old) is not None and journals.pending(tx, new) is not None:
            raise Conflict(
                f"nothing was changed: restores were interrupted in both {old} and {new}",
                hints=[f"`takeback -C {shlex.quote(new)} save` finishes the one there; then try again"],
            )
    journals.relocate(tx, {each.old: each.new for each in moving})
    timelines.relocate(tx, {rows[each.old, each.timeline].number: each.new for each in moving})
    now = time.time_ns()
    for each in moving:
        number = rows[each.old, each.timeline].number
        operations.add(tx, number, now, "relocate", old=each.old, new=each.new)
    return moving


def _existing(place: str) -> str:
    real = os.path.realpath(place)
    if not os.path.isdir(real):
        problem = "is a file" if os.path.exists(real) else "does not exist"
        raise InvalidInput(
            f"nothing was changed: {place} {problem}", hints=["name the directory where the project is now"]
        )
    return name_text(os.fsencode(real))


def _chosen(tx: Transaction, old: str, new: str) -> tuple[Relocated, ...]:
    every = timelines.every(tx)
    for form in dict.fromkeys((os.path.abspath(old), os.path.realpath(old))):
        root = name_text(os.fsencode(form))
        found = [row for row in every if row.root == root or row.root.startswith(root.rstrip("/") + "/")]
        if found and root == new:
            raise InvalidInput(f"nothing was changed: {new} is where it is already", hints=["name another directory"])
        if found:
            return tuple(Relocated(row.name, row.root, new + row.root[len(root.rstrip("/")) :]) for row in found)
    raise NotFound(f"no timeline belongs to {old}, or to anything below it", hints=_hints(every))


def _hints(every: list[TimelineRow]) -> list[str]:
    roots = dict.fromkeys(row.root for row in every if row.root)
    gone = [root for root in roots if not os.path.isdir(root)]
    return [
        f"there are timelines of {root}{', which is gone' if root in gone else ''}"
        for root in (gone or list(roots))[:5]
    ]
