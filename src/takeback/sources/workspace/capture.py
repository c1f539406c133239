"""The walk that turns a directory into trees: reads what is new or changed, and takes the rest from the last time.

Promises: a path that was captured stays captured until it is gone; nothing is left out without being listed, as
ignored or as not captured; no link is followed; an entry that vanishes meanwhile is absent, not an error. What is taken
from the last time is what the last snapshot has at that path, whatever the stat cache says: a directory's section counts
only for the tree that the snapshot has there, and where anything of it goes into another tree, it has to give that one
when it is encoded. Who forges the cache can therefore hide a change, and nothing else.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Container, Iterable
from typing import Protocol

from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, FILE, LINK, encode_records, name_bytes
from takeback.sources import trees
from takeback.sources.workspace.names import STAGE_PREFIX, is_store
from takeback.sources.workspace.reading import Changing, TooLarge, stat_of, store_file, store_link
from takeback.sources.workspace.statcache import (
    IGNORED_DIRECTORY,
    IGNORED_FILE,
    NOTED,
    Row,
    Section,
    Stat,
    StatCache,
    encode_section,
)
from takeback.store.writer import Writer

FORMERLY_CAPTURED = "D"
"""In the stat cache: a captured directory that is ignored by now, so that what is new in it is left out."""

LINK_MODE = 0o777
"""A link's own permissions mean nothing, and differ between systems."""

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_STAT: Stat = (0, 0, 0, 0, 0)
_NATIVE_NAMES = sys.getfilesystemencoding().lower() == "utf-8"
_SPECIAL = {stat.S_IFSOCK: "socket", stat.S_IFIFO: "fifo", stat.S_IFBLK: "device", stat.S_IFCHR: "device"}
Listing = tuple[list[str], list[os.DirEntry[str]]]
"""A directory's names, and its entries in the same order."""

_CAPTURED = {FILE: FILE, LINK: LINK, DIRECTORY: DIRECTORY, FORMERLY_CAPTURED: DIRECTORY}
"""Kinds of the stat cache that are in the tree, and as what."""


class Decides(Protocol):
    """What says of one directory's entries which are left out."""

    @property
    def fingerprint(self) -> bytes:
        """Digest of all that decides here: as long as it is the same for a directory, so are all decisions."""

    def ignored(self, name: str, is_dir: bool) -> bool: ...

    def must_descend(self, name: str) -> bool: ...

    def enter(
        self, name: str, read: Callable[[str], bytes | None], names: Container[str], *, ignored: bool
    ) -> Decides: ...


class Walk:
    """One walk over a workspace, and what it found."""

    def __init__(
        self,
        writer: Writer,
        cache: StatCache,
        max_file_size: int,
        watch: Watch,
        elsewhere: frozenset[str] = frozenset(),
    ) -> None:
        self.writer, self.cache, self.max_file_size, self.watch = writer, cache, max_file_size, watch
        self.elsewhere = elsewhere
        """Directories that are captured in parts of their own."""
        self.sections: dict[str, bytes] = {}
        self.directories: dict[str, os.stat_result] = {}
        """What `stat` said of each directory that is not as the last snapshot has it, after it was listed."""
        self.not_captured: list[NotCaptured] = []
        self.ignored: list[tuple[str, int]] = []
        """Paths that are left out, a directory's with a slash at its end, and their inodes."""
        self.seen = 0
        self.read = 0
        """Files whose content was read."""

    def root(self, path: str, rules: Decides, previous: bytes | None) -> bytes:
        """Walk everything below a directory; the id of its tree."""
        try:
            return self._whole(path, rules, previous)
        except _Forged:
            self.cache = StatCache()
            self.sections.clear()
            self.directories.clear()
            self.not_captured.clear()
            self.ignored.clear()
            self.seen = self.read = 0
            return self._whole(path, rules, previous)

    def _whole(self, path: str, rules: Decides, previous: bytes | None) -> bytes:
        handle = os.open(name_bytes(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return self._directory(handle, _list(handle), "", rules, previous, 0)
        finally:
            os.close(handle)

    def tick_bytes(self, size: int) -> None:
        """So much of a large file has been read."""
        self.watch.tick("store", self.seen, size=size)

    def _directory(
        self,
        handle: int,
        listing: Listing,
        path: str,
        rules: Decides,
        previous: bytes | None,
        depth: int,
    ) -> bytes:
        names, entries = listing
        self.seen += len(names)
        self.watch.tick("scan", self.seen)
        section = self._remembered(path, previous)
        if section is not None and section.plain and section.fingerprint == rules.fingerprint:
            if _is_as_it_was(section, listing):
                self.sections[path] = section.data
                return section.tree
        known = _Known(section, self.writer, previous, rules.fingerprint)
        visit = _Visit(self, handle, path, rules, known, depth)
        stats, skipped_files, skipped_directories = known.stats, known.skipped_files, known.skipped_directories
        same: list[str] = []
        for name, entry in zip(names, entries, strict=True):
            if entry.is_dir(follow_symlinks=False):
                if name in skipped_directories and not rules.must_descend(name):
                    visit.ignore(name, IGNORED_DIRECTORY, entry.inode())
                else:
                    visit.directory(name, entry)
                continue
            if name in skipped_files:
                visit.ignore(name, IGNORED_FILE, entry.inode())
            elif name in stats and (seen := _look(entry)) == stats[name]:
                same.append(name)
                if seen[0] & NOTED:
                    visit.note_setuid(name)
            else:
                visit.other(name, entry)
        return visit.finish(names, same)

    def _remembered(self, path: str, previous: bytes | None) -> Section | None:
        """What the cache has of a directory, if that is of the tree that the last snapshot has there; of one that it
        has not at all, only that everything in it is ignored."""
        section = self.cache.section(path)
        if section is None or section.tree == previous:
            return section
        return section if previous is None and section.tree == _EMPTY and section.all_ignored() else None


def _look(entry: os.DirEntry[str]) -> Stat | None:
    """What `stat` says of an entry; None if it says nothing, and whoever opens it will learn why."""
    try:
        return stat_of(entry.stat(follow_symlinks=False))
    except OSError:
        return None


def _is_as_it_was(section: Section, listing: Listing) -> bool:
    """Whether every file of a plain directory looks as it did, which holds for most directories of most saves: told
    by comparing columns. After a False the slow way asks the system nothing again: entries remember their stat."""
    names, entries = listing
    try:
        return section.matches(names, (stat_of(entry.stat(follow_symlinks=False)) for entry in entries))
    except OSError:
        return False


class _Forged(Exception):
    """The stat cache says of a directory what the last snapshot does not, so nothing in it counts."""


class _Known:
    """What the last snapshot has of one directory: from the stat cache, else from its tree."""

    def __init__(self, section: Section | None, writer: Writer, previous: bytes | None, fingerprint: bytes) -> None:
        self.section = section
        self.stats: dict[str, Stat] = section.stats if section is not None else {}
        self.same_rules = section is not None and section.fingerprint == fingerprint
        self.skipped_files: set[str] = set()
        self.skipped_directories: set[str] = set()
        lost = section is None and previous is not None and not writer.reader.holds(previous)  # given up by a repair
        self._tree = trees.load(writer.reader, previous) if section is None and not lost else {}
        if section is not None and self.same_rules:
            for name, is_directory in section.ignored():
                (self.skipped_directories if is_directory else self.skipped_files).add(name)

    def kind(self, name: str) -> str | None:
        """How a name was captured; None if it was not."""
        if self.section is not None:
            kind = self.section.kind(name)
            return None if kind in (None, IGNORED_FILE, IGNORED_DIRECTORY) else kind
        entry = self._tree.get(name)
        return None if entry is None else entry.kind

    def tree(self, name: str) -> bytes | None:
        """The tree of a directory that was captured under a name."""
        if self.kind(name) not in (DIRECTORY, FORMERLY_CAPTURED):
            return None
        return self.section.id(name) if self.section is not None else self._tree[name].id


class _Visit:
    """One directory while it is walked."""

    def __init__(self, walk: Walk, handle: int, path: str, rules: Decides, known: _Known, depth: int) -> None:
        self._walk = walk
        self._handle = handle
        self._path = path
        self._rules = rules
        self._known = known
        self._depth = depth
        self._rows: list[Row] = []

    def ignore(self, name: str, kind: str, inode: int) -> None:
        path = trees.join(self._path, name)
        self._walk.ignored.append((path + "/" if kind == IGNORED_DIRECTORY else path, inode))
        self._rows.append((name, kind, _NO_STAT, trees.NO_ID))

    def directory(self, name: str, entry: os.DirEntry[str]) -> None:
        """A directory that was captured before, or is not known to be ignored."""
        walk, before = self._walk, self._known.kind(name)
        if name.startswith(STAGE_PREFIX) or (walk.elsewhere and trees.join(self._path, name) in walk.elsewhere):
            return self._pass_over(name, entry)
        if self._known.same_rules and before in (DIRECTORY, FORMERLY_CAPTURED):
            ignored = before == FORMERLY_CAPTURED
        else:
            ignored = self._rules.ignored(name, True)
        if ignored and before is None and not self._rules.must_descend(name):
            return self.ignore(name, IGNORED_DIRECTORY, entry.inode())
        try:
            status = entry.stat(follow_symlinks=False)
            if (status.st_dev, status.st_ino) == walk.writer.identity:
                return self._pass_over(name, entry)
            if self._depth + 1 >= trees.MAX_DEPTH:
                return self._leave_out(name, "too deep", f"more than {trees.MAX_DEPTH} directories down")
            inner = os.open(name_bytes(name), _OPEN_DIRECTORY, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._leave_out(name, "unreadable", error.strerror or str(error))
        try:
            try:
                listing = _list(inner)
            except OSError as error:
                return self._leave_out(name, "unreadable", error.strerror or str(error))
            names = listing[0]
            if is_store(names):
                return self._pass_over(name, entry)
            rules = self._rules.enter(name, lambda file: _read_small(inner, file), names, ignored=ignored)
            path = trees.join(self._path, name)
            tree = walk._directory(inner, listing, path, rules, self._known.tree(name), self._depth + 1)
        finally:
            os.close(inner)
        if ignored and before is None and tree == _empty_tree(walk.writer):
            return self.ignore(name, IGNORED_DIRECTORY, entry.inode())
        self._rows.append((name, FORMERLY_CAPTURED if ignored else DIRECTORY, (status.st_mode, 0, 0, 0, 0), tree))
        return None

    def other(self, name: str, entry: os.DirEntry[str]) -> None:
        """A file, link or special file that is new, changed, or not known to be ignored."""
        walk, before = self._walk, self._known.kind(name)
        if before is None and self._rules.ignored(name, False):
            return self.ignore(name, IGNORED_FILE, entry.inode())
        try:
            if entry.is_file(follow_symlinks=False):
                walk.read += 1
                walk.watch.tick("store", walk.seen)
                limit = walk.max_file_size if before is None else None
                blob, seen = store_file(walk.writer, name, self._handle, limit, walk.tick_bytes)
                self._rows.append((name, FILE, seen, blob))
                if seen[0] & NOTED:
                    self.note_setuid(name)
                return None
            status = entry.stat(follow_symlinks=False)
            if entry.is_symlink():
                blob, seen = store_link(walk.writer, name, self._handle, stat_of(status))
                self._rows.append((name, LINK, seen, blob))
            else:
                self._leave_out(name, _SPECIAL.get(stat.S_IFMT(status.st_mode), "device"), "")
        except FileNotFoundError:
            pass
        except TooLarge as error:
            self._leave_out(name, "too large", f"{error.size} bytes; the limit is {walk.max_file_size}")
        except Changing:
            self._leave_out(name, "changing", "it was written to while it was read, each time")
        except OSError as error:
            self._leave_out(name, "unreadable", error.strerror or str(error))
        return None

    def note_setuid(self, name: str) -> None:
        detail = "the setuid and setgid bits are not kept"
        self._walk.not_captured.append(NotCaptured(trees.join(self._path, name), "setuid", detail))

    def finish(self, names: list[str], same: list[str]) -> bytes:
        """The directory's tree, given its names, and those of the files that are as they were."""
        walk, section, rows = self._walk, self._known.section, self._rows
        if section is not None and self._known.same_rules and len(same) + len(rows) == len(section):
            if all(section.holds(*row) for row in rows):
                walk.sections[self._path] = section.data
                return section.tree
        remembered = section.rows() if section is not None else []
        if same:
            unchanged = set(same)
            found = {row[0]: row for row in rows} | {row[0]: row for row in remembered if row[0] in unchanged}
            rows = [found[name] for name in names if name in found]  # in the order in which they will be listed again
        tree = walk.writer.put(encode_rows(rows), BlobKind.TREE)
        if section is not None and tree != section.tree and blake3(encode_rows(remembered)).digest() != section.tree:
            raise _Forged
        if section is None or tree != section.tree:
            walk.directories[self._path] = os.fstat(self._handle)
        walk.sections[self._path] = encode_section(tree, self._rules.fingerprint, rows)
        return tree

    def _pass_over(self, name: str, entry: os.DirEntry[str]) -> None:
        """List a directory as ignored, whatever the rules say, and ask again next time: it may be another by then."""
        self._walk.ignored.append((trees.join(self._path, name) + "/", entry.inode()))

    def _leave_out(self, name: str, reason: str, detail: str) -> None:
        self._walk.not_captured.append(NotCaptured(trees.join(self._path, name), reason, detail))


def _list(handle: int) -> Listing:
    with os.scandir(handle) as listing:
        entries = list(listing)
    return [entry.name if _NATIVE_NAMES else _portable(entry.name) for entry in entries], entries


def encode_rows(rows: Iterable[Row]) -> bytes:
    """The tree of a directory with these entries."""
    records = [
        (name_bytes(name), _CAPTURED[kind], LINK_MODE if kind == LINK else seen[0] & 0o777, seen[1], id)
        for name, kind, seen, id in rows
        if kind in _CAPTURED
    ]
    return encode_records(records)


_EMPTY = blake3(encode_rows(())).digest()


def _empty_tree(writer: Writer) -> bytes:
    return writer.put(encode_records(()), BlobKind.TREE)


def _read_small(directory: int, name: str, limit: int = 1 << 20) -> bytes | None:
    """The bytes of a rule file; None if it is no readable file of a sensible size."""
    try:
        handle = os.open(name_bytes(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return None
    try:
        return os.read(handle, limit) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(handle)


def _portable(name: str) -> str:
    """A name that the interpreter decoded with another encoding than UTF-8, as takeback writes it."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")
