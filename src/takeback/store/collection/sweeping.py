"""Removing condemned packs, and what killed processes left behind.

A condemned pack goes when every lease up to the generation of its condemnation has ended, and only if nothing that
was committed since needs it: who began before may have relied on a blob there. Such a pack is live again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, collecting
from takeback.store.catalogue.blobs import PackRow
from takeback.store.derived import UNFINISHED
from takeback.store.durable import own_directory, storage_error
from takeback.store.packs.pack import object_name


@dataclass(frozen=True, slots=True)
class Swept:
    removed: int = 0
    revived: int = 0
    size: int = 0
    """Bytes of the removed packs."""


def unfinished_files(store: BlobStore) -> list[str]:
    """Files of packs, and derived ones, that somebody is writing, or was when killed; by directory and name."""
    if store.path is None:
        return []
    found: list[str] = []
    for place in ("tmp", "derived"):
        try:
            with own_directory(os.fspath(store.path), place) as directory:
                names = os.listdir(directory)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise storage_error(error, "looking for what killed processes left in the store") from error
        found += (f"{place}/{name}" for name in names if place == "tmp" or name.startswith(UNFINISHED))
    return found


def sweep(store: BlobStore, mark: Callable[[int], AbstractSet[bytes]]) -> Swept:
    """Remove the condemned packs that nobody can rely on any more. ``mark`` is asked, for the generation in which some
    were condemned, what is needed now; it is asked only after the leases have ended, so that nobody can commit a
    reference to those packs any more."""
    removed = revived = size = 0
    for row in _ended(store, "condemned"):
        needed = mark(row.generation)
        with store.database.read() as tx:
            again = any(entry.id in needed for entry in blobs.entries_of(tx, row.id))
        with store.database.write() as tx:
            if again:
                collecting.revive(tx, row.id)
                revived += 1
            elif collecting.forget(tx, row.id):
                collecting.note_swept(tx, row.generation)
                removed += 1
                size += row.size
    return Swept(removed, revived, size)


def remove_leftovers(store: BlobStore, files: Iterable[str]) -> int:
    """Remove the objects of pending packs whose writers have ended, and ``files``, which were seen before the present
    generation began; returns how many there were."""
    removed = 0
    for row in _ended(store, "pending"):
        with store.database.write() as tx:
            collecting.note_swept(tx, row.generation)
            if not collecting.is_pending(tx, row.id):
                continue  # its writer committed it before it ended
        store.backend.delete(object_name(row.name))
        with store.database.write() as tx:
            blobs.forget_pending(tx, row.id)
        removed += 1
    with store.database.read() as tx:
        passed = collecting.present_generation(tx) - 1
    if store.leases.ended(passed) and (gone := list(files)):
        with store.database.write() as tx:
            collecting.note_swept(tx, passed)
        removed += _remove(store, gone)
    return removed


def _remove(store: BlobStore, files: Iterable[str]) -> int:
    removed = 0
    for file in files:
        place, _, name = file.partition("/")
        with own_directory(os.fspath(store.path or ""), place) as directory:
            try:
                os.unlink(name, dir_fd=directory)
                removed += 1
            except (FileNotFoundError, IsADirectoryError):
                pass  # gone already, or nothing that we would have put there
            except OSError as error:
                raise storage_error(error, f"removing {name}") from error
    return removed


def any_leftovers(store: BlobStore, files: Iterable[str]) -> bool:
    """Whether ``files`` or packs of the time before the present generation could not be removed yet."""
    with store.database.read() as tx:
        present = collecting.present_generation(tx)
        if any(row.state == "pending" and row.generation < present for row in blobs.packs(tx)):
            return True
    return any(map(os.path.exists, files))


def _ended(store: BlobStore, state: str) -> list[PackRow]:
    """Packs of a state whose generation has passed and ended."""
    with store.database.read() as tx:
        present = collecting.present_generation(tx)
        rows = [row for row in blobs.packs(tx) if row.state == state and row.generation < present]
    generations = {row.generation: False for row in sorted(rows, key=lambda row: row.generation)}
    for generation in generations:
        generations[generation] = store.leases.ended(generation)
    return [row for row in rows if generations[row.generation]]
