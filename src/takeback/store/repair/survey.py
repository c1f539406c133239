"""What packs really hold: every frame is opened and every blob hashed, whatever trailers and the catalogue say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from takeback.errors import Integrity, NotFound, TakebackError
from takeback.model.progress import Watch
from takeback.store.backend import Backend
from takeback.store.collection.packer import checked
from takeback.store.packs.frames import read_frame
from takeback.store.packs.pack import Contents, PackEntry, object_name, read_contents
from takeback.store.packs.sealing import Sealer
from takeback.store.repair.frames import walk_frames


@dataclass(frozen=True, slots=True)
class FoundPack:
    """A pack's file, and what of it is intact."""

    name: str
    size: int
    contents: Contents
    """All frames, and the blobs that are what their names say."""
    damage: str = ""
    """What is wrong with it, in words."""
    harmed: tuple[bytes, ...] = ()
    """Blobs that are listed in it and not intact."""
    unlisted: bool = False
    """Whether its trailer cannot be read, so that there may be more blobs in it."""

    @property
    def raw_size(self) -> int:
        return sum(span.raw_length for span in self.contents.frames)


def pack_names(directory: str) -> list[str]:
    """The packs in a directory ``packs/``, the oldest first."""
    found: list[tuple[int, str]] = []
    for path, _, files in os.walk(os.path.join(directory, "packs")):
        for name in files:
            whole = os.path.join(path, name)
            try:
                if whole == os.path.join(directory, object_name(name)) and not os.path.islink(whole):
                    found.append((os.lstat(whole).st_mtime_ns, name))
            except (Integrity, FileNotFoundError):
                continue  # no pack has such a name
    return [name for _, name in sorted(found)]


def survey(
    backend: Backend, sealer: Sealer, names: list[str], listed: Mapping[str, Contents], watch: Watch
) -> Iterator[FoundPack]:
    """Look at packs. ``listed`` is what a catalogue says that they hold, for those whose trailers say nothing."""
    for done, name in enumerate(names):
        watch.tick("check", done, len(names))
        try:
            yield _look(backend, sealer, name, listed.get(name), watch)
        except NotFound:
            continue


def _look(backend: Backend, sealer: Sealer, name: str, listed: Contents | None, watch: Watch) -> FoundPack:
    where = object_name(name)
    size = backend.size(where)
    damage = ""

    def read(at: int, length: int) -> bytes:
        return backend.range(where, at, length)

    try:
        contents = read_contents(name, size, read, sealer)
    except TakebackError as error:
        if isinstance(error, NotFound):
            raise
        damage = error.message
        contents = listed if listed is not None and listed.frames else Contents(walk_frames(size, read), [])
    unlisted = bool(damage)
    frames: dict[int, list[PackEntry]] = {}
    for entry in contents.entries:
        frames.setdefault(entry.frame, []).append(entry)
    intact: list[PackEntry] = []
    harmed: list[bytes] = []
    torn: list[int] = []
    for number, span in enumerate(contents.frames):
        watch.tick("check", number, len(contents.frames), size)
        inside = frames.pop(number, [])
        try:
            raw = read_frame(backend, sealer, name, number, span)
        except TakebackError:
            torn.append(number)
            harmed += (entry.id for entry in inside)
            continue
        for entry in inside:
            try:
                checked(raw, entry)
                intact.append(entry)
            except Integrity:
                harmed.append(entry.id)
                if number not in torn:
                    torn.append(number)
    harmed += (entry.id for inside in frames.values() for entry in inside)
    if torn and not damage:
        damage = f"{len(torn)} of its {len(contents.frames)} frames are not as they were written"
    return FoundPack(name, size, Contents(contents.frames, intact), damage, tuple(harmed), unlisted)
