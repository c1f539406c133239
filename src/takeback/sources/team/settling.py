"""A team at one instant: what was touched while it was read is read again, until for as long as that took nothing was.

Then everything is as it was read at the moment at which the last of it began to be read: what was read earlier has not been
touched since, and what was read later has not been touched while it was. Looking takes as long as a team is large; what is
looked at again takes as long as a few files are, so a quiet moment is found beside members that never rest.
"""

from __future__ import annotations

import os
import stat
import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_json
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, FILE, LINK, name_bytes
from takeback.sources import trees
from takeback.sources.team.covered import Covered
from takeback.sources.team.ear import Ear
from takeback.sources.workspace.capture import Walk, encode_rows
from takeback.sources.workspace.reading import Changing, stat_of, store_file, store_link
from takeback.sources.workspace.statcache import Row, Section, encode_section

QUIET = 2.0
"""For so many seconds a moment is looked for in which nothing happens at all."""
PATIENCE = 4.0
"""And so long one in which at least nothing happens to what is being read."""
_BREATH = 0.0005
_TRIES = 40
"""A file whose JSON is broken so often is not being written: it is broken."""
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_CAPTURED = frozenset({FILE, LINK, DIRECTORY})

Found = dict[str, Row | None]
"""Entries as they were read again; None for what is gone."""


class Settled(NamedTuple):
    tree: bytes
    unsettled: tuple[str, ...]
    """Paths that never held still; empty if the tree is the team at one instant."""


def settle(walk: Walk, tree: bytes, root: str, covered: Covered, ear: Ear) -> Settled:
    """Bring what a walk has found up to one instant."""
    look = _Look(walk, root, covered, ear)
    quiet, until = time.monotonic() + QUIET, time.monotonic() + PATIENCE
    found: Found = {}

    def there() -> Iterator[str]:
        for directory, section in walk.sections.items():
            known = (trees.join(directory, name) for name, kind, *_ in Section(section).rows() if kind in _CAPTURED)
            if directory not in found and found.keys().isdisjoint(trees.parents(directory)):
                yield from (path for path in known if path not in found)
        yield from (path for path, row in found.items() if row is not None)

    touched = ear.touched(there)
    while True:
        again = look.at(touched)
        found = _replaced(found, again)
        torn = look.torn
        since = ear.touched(there)
        hit = {path for path in since if time.monotonic() < quiet or _concerns(path, again)}
        if not hit and not torn and not look.grew:
            return Settled(_patched(walk, covered, tree, found), ())
        if time.monotonic() > until:
            unsettled = tuple(sorted(hit | torn))
            return Settled(_patched(walk, covered, tree, found), unsettled)
        touched = since | torn
        if torn:
            time.sleep(_BREATH)


def _concerns(path: str, read: Found) -> bool:
    return path in read or any(parent in read for parent in trees.parents(path))


def _replaced(found: Found, again: Found) -> Found:
    """What is known now: nothing is left of what was in a directory that is gone, or was read again."""
    whole = {path for path, row in again.items() if row is None or row[1] == DIRECTORY}
    kept = {path: row for path, row in found.items() if whole.isdisjoint(trees.parents(path))}
    return {**kept, **again}


class _Look:
    """Reads paths again."""

    def __init__(self, walk: Walk, root: str, covered: Covered, ear: Ear) -> None:
        self._walk, self._root, self._covered, self._ear = walk, root, covered, ear
        self.torn: set[str] = set()
        """Files that are being written."""
        self._tries = Counter[str]()
        self.grew = False
        """Whether there was a directory of which nothing had been told so far."""

    def at(self, paths: set[str]) -> Found:
        self.torn, self.grew = set(), False
        found: Found = {}
        for path in sorted(paths):
            if not any(parent in found for parent in trees.parents(path)):
                self._entry(path, found)
        return found

    def _entry(self, path: str, found: Found) -> None:
        walk = self._walk
        walk.not_captured = [each for each in walk.not_captured if not trees.within([path], each.path)]
        found[path] = None
        directory, _, name = path.rpartition("/")
        try:
            handle = _open_directory(self._root, directory)
        except OSError:
            return
        try:
            status = os.stat(name_bytes(name), dir_fd=handle, follow_symlinks=False)
            if not self._covered.counts(path, stat.S_ISDIR(status.st_mode)):
                return
            if stat.S_ISDIR(status.st_mode):
                found[path] = (name, DIRECTORY, (status.st_mode, 0, 0, 0, 0), trees.NO_ID)
                self._below(path, name, handle, found)
            elif stat.S_ISLNK(status.st_mode):
                blob, seen = store_link(walk.writer, name, handle, stat_of(status))
                found[path] = (name, LINK, seen, blob)
            elif stat.S_ISREG(status.st_mode):
                found[path] = self._file(path, name, handle)
            else:
                walk.not_captured.append(NotCaptured(path, "fifo" if stat.S_ISFIFO(status.st_mode) else "device"))
        except FileNotFoundError:
            pass
        except OSError as error:
            walk.not_captured.append(NotCaptured(path, "unreadable", error.strerror or str(error)))
        finally:
            os.close(handle)

    def _below(self, path: str, name: str, handle: int, found: Found) -> None:
        if path not in self._walk.sections:
            self._ear.follow(path)
            self.grew = True
        inner = os.open(name_bytes(name), _OPEN, dir_fd=handle)
        try:
            names = [os.fsencode(each).decode("utf-8", "surrogateescape") for each in os.listdir(inner)]
        finally:
            os.close(inner)
        for each in names:
            self._entry(trees.join(path, each), found)

    def _file(self, path: str, name: str, handle: int) -> Row | None:
        try:
            blob, seen = store_file(self._walk.writer, name, handle)
        except Changing:
            self.torn.add(path)
            return None
        self._walk.read += 1
        if name.endswith(".json") and self._tries[path] < _TRIES and not _is_whole(self._walk, blob):
            self._tries[path] += 1
            self.torn.add(path)
        return (name, FILE, seen, blob)


def _is_whole(walk: Walk, blob: bytes) -> bool:
    """Whether a file that has just been touched is written to its end, as far as its syntax tells."""
    try:
        parse_json(walk.writer.reader.get(blob, BlobKind.DATA), "a file")
    except Integrity:
        return False
    return True


def _patched(walk: Walk, covered: Covered, tree: bytes, found: Found) -> bytes:
    """The tree with what was read again, and the walk's memory of it."""
    inside: dict[str, Found] = {}
    for path, row in found.items():
        inside.setdefault(path.rpartition("/")[0], {})[path] = row
        if row is not None and row[1] == DIRECTORY:
            inside.setdefault(path, {})
        if row is None:
            for gone in [each for each in walk.sections if trees.within([path], each)]:
                del walk.sections[gone]
    while inside:
        directory = max(inside, key=lambda each: (each != "", each.count("/"), each))
        changes = inside.pop(directory)
        if directory and directory not in walk.sections and directory not in found and not any(changes.values()):
            continue
        section = walk.sections.get(directory)
        fresh = directory in found
        rows = {row[0]: row for row in Section(section).rows()} if section is not None and not fresh else {}
        for path, row in changes.items():
            name = path.rpartition("/")[2]
            rows.pop(name, None)
            if row is not None:
                rows[name] = row
        tree = walk.writer.put(encode_rows(rows.values()), BlobKind.TREE)
        walk.sections[directory] = encode_section(tree, covered.fingerprint, list(rows.values()))
        if directory:
            above, _, name = directory.rpartition("/")
            known = found.get(directory) or _remembered(walk, above, name)
            inside.setdefault(above, {})[directory] = (name, DIRECTORY, known[2], tree)
    return tree


def _remembered(walk: Walk, above: str, name: str) -> Row:
    section = walk.sections.get(above)
    rows = Section(section).rows() if section is not None else []
    return next((row for row in rows if row[0] == name), (name, DIRECTORY, (0o40755, 0, 0, 0, 0), trees.NO_ID))


def _open_directory(root: str, path: str) -> int:
    """A directory below the root, reached without following any link."""
    handle = os.open(name_bytes(root), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in path.split("/") if path else ():
        try:
            inner = os.open(name_bytes(name), _OPEN, dir_fd=handle)
        finally:
            os.close(handle)
        handle = inner
    return handle
