"""A store that an enemy has prepared, and what it is tried on: every command, in a copy of the world each.

The store is made by the real writer and then altered: the newest but one snapshot, labelled ``evil``, holds whatever the
enemy wants, and a turn leads from it to the present, so that undo goes there. `Enemy.trial` runs commands against it
within limits and checks what holds for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
from blake3 import blake3

import takeback as tb
from support.confined import Ended, run_confined
from support.trees import read_tree
from takeback.engine import record
from takeback.model.ids import BlobKind, new_id
from takeback.model.move import Move
from takeback.model.snapshot import Part, Snapshot
from takeback.model.tree import encode_tree
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.writer import Writer

REFUSED = 13

LOOKING = (
    ("status",),
    ("log",),
    ("log", "--graph", "--json"),
    ("log", "d"),
    ("show", "evil"),
    ("show", "evil", "--json"),
    ("show", "evil:"),
    ("show", "evil:a.txt"),
    ("diff", "evil", "@"),
    ("diff", "root", "evil", "--stat"),
    ("diff", "evil"),
    ("restore", "evil", "--dry-run"),
    ("undo", "--dry-run"),
    ("verify",),
    ("verify", "--read-data"),
    ("stats",),
    ("doctor",),
)
ACTING = (
    ("save",),
    ("restore", "evil", "--yes"),
    ("restore", "evil", "a.txt", "--yes"),
    ("restore", "evil", "--to", "../elsewhere"),
    ("undo", "--yes"),
    ("redo", "--yes"),
    ("fork", "evil", "other", "--to", "../elsewhere"),
    ("label", "evil", "worse"),
    ("pin", "evil"),
    ("drop", "evil", "--yes"),
    ("prune", "--keep-last", "1", "--yes"),
    ("maintain",),
)
EVERYTHING = (*LOOKING, *ACTING)


class Enemy:
    """A project, a store of it, and a directory beside them that nothing may touch."""

    def __init__(self, base: Path) -> None:
        self.base = base / "world"
        self.root, self.place, self.outside = (self.base / name for name in ("project", "store", "outside"))
        for directory in (self.root, self.outside):
            directory.mkdir(parents=True)
        (self.outside / "precious").write_text("precious\n")
        self._trials = base / "trials"
        self.write({"a.txt": "first\n", "d/b.txt": "b\n"})
        self.store = tb.open(str(self.place))
        self.line = self.store.timeline("main", sources=[tb.Workspace(self.root)])
        self.first = self.line.save("first", trigger="interval")  # which opens no move
        self.evil: SnapshotRow | None = None

    def write(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    # what the enemy prepares

    def snapshot(self, make: Callable[[Writer, Part], Part], **altered: Any) -> None:
        """Record a snapshot of an altered part as ``evil``, and the present after it; ``altered`` are fields of it."""
        line = self.line._line
        with line.writer() as writer:
            head = line.head()
            parts = {"workspace": make(writer, self.first.parts["workspace"])}
            made = record.compose(line, writer, head, parts, trigger="manual", context={}, before=parts)
            self.evil = record.commit(line, writer, made._replace(**altered), head, _labelled)
        self._close_the_turn()

    def tree(self, raw: bytes) -> None:
        """A snapshot whose root directory is these bytes."""
        self.snapshot(lambda writer, part: with_content(part, writer.put(raw, BlobKind.TREE)))

    def manifest(self, raw: bytes) -> None:
        """A snapshot whose manifest is these bytes."""
        line = self.line._line
        with line.writer() as writer:
            head = line.head()
            made = record.compose(
                line, writer, head, self.first.parts, trigger="manual", context={}, before=self.first.parts
            )
            self.evil = record.commit(line, writer, made, head, _labelled)
            blob = writer.put(raw.replace(b"@ID@", made.id.encode()), BlobKind.MANIFEST)
            writer.commit(lambda tx: tx.execute("UPDATE snapshots SET manifest = ? WHERE id = ?", (blob, made.id)))
        self._close_the_turn()

    def _close_the_turn(self) -> None:
        """What the present is, and a move that leads to it."""
        line = self.line._line
        assert self.evil is not None
        with line.writer() as writer:
            parts = self.first.parts
            made = record.compose(line, writer, self.evil, parts, trigger="turn_end", context={}, before=parts)
            now = record.commit(line, writer, made, self.evil, lambda tx, timeline, at: at)
        with self.store.blobs.database.write() as tx:
            turn = Move(new_id(), "s", "turn", "a turn", self.evil.id, self.evil.seq, now.id, now.seq, 1, 2)
            moves.add(tx, now.timeline, turn)

    def nothing_special(self) -> None:
        """A snapshot that is in order, for those who alter something else."""
        self.tree(encode_tree({}))

    def sql(self, *statements: str | tuple[str, Sequence[Any]]) -> None:
        """Change the catalogue as no takeback does: without its protections."""
        self.store.close()
        database = apsw.Connection(str(self.place / "catalogue.db"))
        database.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        database.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            sql, params = (statement, ()) if isinstance(statement, str) else statement
            database.execute(sql, params)
        database.close()

    # what happens to those who use it

    def trial(self, *commands: Sequence[str], **limits: int) -> dict[tuple[str, ...], Ended]:
        """Run commands, each in its own copy of the world. None may end in a bug, or write anywhere but into the project,
        the store and the named place; what is refused has changed nothing."""
        self.store.close()
        self._trials.mkdir(exist_ok=True)
        chosen = [tuple(command) for command in commands or EVERYTHING]
        runs = [(["--store", str(self.place), *each], self._trials / str(at)) for at, each in enumerate(chosen)]
        found = {}
        for command, (_, world), ended in zip(
            chosen, runs, run_confined(self.base, self.root, runs, **limits), strict=True
        ):
            directory = world / "project"
            assert ended.calm, (command, ended)
            assert read_tree(world / "outside") == read_tree(self.outside), command
            assert sorted(os.listdir(world)) == sorted({*os.listdir(self.base), *self._named(world, command)}), command
            if ended.code in (REFUSED, 2, 10, 15):
                assert read_tree(directory) == read_tree(self.root), (command, ended)
                assert not (world / "elsewhere").exists() or not os.listdir(world / "elsewhere"), (command, ended)
            found[command] = ended
        return found

    @staticmethod
    def _named(world: Path, command: Sequence[str]) -> list[str]:
        return ["elsewhere"] if "../elsewhere" in command and (world / "elsewhere").exists() else []


def with_content(part: Part, content: bytes) -> Part:
    return part._replace(refs={**part.refs, "content": content})


def blob_id(data: bytes) -> bytes:
    return blake3(data).digest()


def _labelled(tx: Any, timeline: int, at: SnapshotRow) -> SnapshotRow:
    snapshots.label(tx, at.id, "evil", 1)
    return at


__all__ = ["ACTING", "EVERYTHING", "LOOKING", "REFUSED", "Enemy", "Snapshot", "blob_id", "with_content"]
