"""Timelines to copy, and how two of them are compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import takeback as tb
from support.agent import World
from support.stores import noise
from takeback.store.catalogue import snapshots, timelines


def fill(world: World) -> None:
    """A history with everything in it: kinds of files, turns, an undo and a redo, labels, a pin."""
    world.write("a.txt", "one\n")
    world.write("run.sh", "#!/bin/sh\n", mode=0o755)
    world.write("secret", "s", mode=0o600)
    world.write("large.bin", noise(3_000_000, "large"))
    world.write("sub/deep/b.txt", "b\n")
    (world.root / "empty").mkdir()
    (world.root / os.fsdecode(b"not-utf8-\xff")).write_bytes(b"\0\1")
    world.link("link", "a.txt")
    world.link("sub/dangling", "../nowhere")
    world.line.save("first")
    world.turn("write", {"a.txt": "two\n", "new.txt": "new\n"})
    world.turn("grow", {"large.bin": noise(3_000_000, "large") + b"more", "sub/deep/b.txt": None})
    world.line.undo()
    world.line.redo()
    world.turn("last", {"a.txt": "three\n"})
    world.line.undo()
    world.line.label("@-", "good")
    world.line.label("@-", "better")
    world.line.pin("root")


def line_of(store: tb.Store, root: Path | str, name: str = "main") -> tb.Timeline:
    return store.timeline(name, sources=[tb.Workspace(root)])


def history(store: tb.Store, root: str, name: str = "main") -> Any:
    """A timeline as a value: everything but where it is and how its rows are numbered."""
    with store.blobs.database.read() as tx:
        row = timelines.find(tx, root, name)
        assert row is not None
        rows = snapshots.newest(tx, row.number)
        places = {each.id: number for number, each in enumerate(reversed(rows))}
        takes = sorted(tx.execute("SELECT move, target FROM takes"))
    log = store.timeline(name, root=root).log()
    shots = [
        (each.id, each.parent, each.time_ns, each.trigger, each.session, each.manifest, each.changed, each.mixed,
         each.labels, each.pinned)
        for each in rows
    ]  # fmt: skip
    done = [
        (each.id, each.session, each.level, each.title, each.verb, each.key, each.reported, dict(each.context),
         each.opening, places[each.opening], each.closing, places[each.closing], each.opened_ns, each.closed_ns,
         each.undone_by)
        for each in log.moves
        if each.closing is not None
    ]  # fmt: skip
    return row.head, row.created_ns, row.fork_of, shots, done, takes
