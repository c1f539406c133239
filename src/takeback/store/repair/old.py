"""The catalogue that a store has now: whether it is sound, and all rows that can be had of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from takeback.errors import Integrity, Locked, TakebackError, Unavailable
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.creation import CATALOGUE
from takeback.store.repair.alone import Alone, busy
from takeback.store.repair.rows import Tables, read_tables
from takeback.store.repair.salvage import salvage

_CHECKED = ("packs", "frames", "blobs", "hot", "timelines", "snapshots")


@dataclass(frozen=True, slots=True)
class OldCatalogue:
    tables: Tables
    damage: tuple[str, ...] = ()
    """What is wrong with it, in words; nothing if it is sound."""
    transaction: Transaction | None = None
    """One in it, if that can be had: it keeps others from writing where something is to be changed."""

    @property
    def sound(self) -> bool:
        return not self.damage

    @property
    def generation(self) -> int:
        return max((int(row[1]) for row in self.tables.get("counters", []) if row[0] == "generation"), default=0)


@dataclass(slots=True)
class _Files:
    """The bytes of the catalogue's files. They stay open: closing one would give away SQLite's locks on it."""

    handles: list[int] = field(default_factory=list)

    def read(self, path: str) -> bytes:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return b""
        self.handles.append(handle)
        data = bytearray()
        while piece := os.pread(handle, 1 << 24, len(data)):
            data += piece
        return bytes(data)

    def close(self) -> None:
        for handle in self.handles:
            os.close(handle)


@contextmanager
def old_catalogue(directory: str, held: Alone, writing: bool) -> Iterator[OldCatalogue]:
    """Look at a store's catalogue, and keep others from changing it meanwhile if that can be."""
    path = os.path.join(directory, CATALOGUE)
    with ExitStack() as stack:
        files = _Files()
        stack.callback(files.close)
        if not os.path.exists(path):
            wal = files.read(f"{path}-wal")
            yield OldCatalogue(salvage(b"", wal), (f"{CATALOGUE} is gone",))
            return
        database = SqliteDatabase(path, readonly=not os.access(directory, os.W_OK))
        stack.callback(database.close)
        tx, damage = _entered(database, stack, directory, writing)
        tables: Tables = {}
        if tx is not None and not damage:
            try:
                tables = read_tables(tx)
            except TakebackError as error:
                damage = [error.message]
        if damage:
            tables = salvage(files.read(path), files.read(f"{path}-wal"))
        found = OldCatalogue(tables, tuple(damage), tx)
        held.generation(found.generation)
        yield found


def _entered(
    database: SqliteDatabase, stack: ExitStack, directory: str, writing: bool
) -> tuple[Transaction | None, list[str]]:
    """A transaction in the catalogue, if it can be had, and what is wrong with the catalogue."""
    try:
        database.check()
        damage = database.damage(thorough=True)
        if not damage and (lost := database.unread()):
            damage = [f"{lost} commits at the end of its log cannot be read: torn by a power cut, or damaged"]
    except Integrity as error:
        damage = [error.message]
    except Unavailable as error:
        if database.damage(thorough=True):
            damage = [error.message]
        else:
            raise
    except TakebackError as error:
        if isinstance(error, Locked):
            raise busy(directory, "repaired") from error
        damage = [error.message]
    try:
        tx = stack.enter_context(database.write() if writing else database.read())
    except Locked as error:
        raise busy(directory, "repaired") from error
    except TakebackError:
        return None, damage or ["it cannot be opened"]
    return tx, damage
