"""The walk that turns a directory into trees: reads what is new or changed, and takes the rest from the last time.

Promises: a path that was captured stays captured until it is gone; nothing is left out without being listed, as
ignored or as not captured; no link is followed; an entry that vanishes meanwhile is absent, not an error.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, encode_tree, name_bytes
from takeback.sources import trees
from takeback.sources.workspace.ignore import Rules
from takeback.sources.workspace.names import STAGE_PREFIX, is_store
from takeback.sources.workspace.reading import Changing, store_file, store_link
from takeback.sources.workspace.statcache import (
    IGNORED_DIRECTORY,
    IGNORED_FILE,
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

Row = tuple[str, str, Stat, bytes]


@dataclass
class Walk:
    """One walk over a workspace, and what it found."""

    writer: Writer
    cache: StatCache
    max_file_size: int
    watch: Watch
    sections: dict[str, bytes] = field(default_factory=dict)
    not_captured: list[NotCaptured] = field(default_factory=list)
    ignored: list[tuple[str, int]] = field(default_factory=list)
    """Paths that are left out, a directory's with a slash at its end, and their inodes."""
    seen: int = 0
    read: int = 0
    """Files whose content was read."""

    def root(self, path: str, rules: Rules, previous: bytes | None) -> bytes:
        """Walk everything below a directory; the id of its tree."""
        handle = os.open(name_bytes(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return self._directory(handle, _list(handle), "", lambda _: rules, previous, 0)
        finally:
            os.close(handle)

    def tick_bytes(self, size: int) -> None:
        """So much of a large file has been read."""
        self.watch.tick("store", self.seen, size=size)

    def _directory(
        self,
        handle: int,
        entries: list[os.DirEntry[str]],
        path: str,
        enter: Callable[[list[str]], Rules],
        previous: bytes | None,
        depth: int,
    ) -> bytes:
        names = [entry.name for entry in entries] if _NATIVE_NAMES else [_portable(entry.name) for entry in entries]
        self.seen += len(names)
        self.watch.tick("scan", self.seen)
        rules = enter(names)
        known = _Known(self.cache.section(path), self.writer, previous, rules.fingerprint)
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
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError as error:
                visit.unreadable(name, entry.inode(), error)
                continue
            seen = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            if stats.get(name) == seen:
                same.append(name)
                if status.st_mode & 0o6000:
                    visit.note_setuid(name)
            else:
                visit.other(name, seen)
        return visit.finish(same)


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

    def __init__(self, walk: Walk, handle: int, path: str, rules: Rules, known: _Known, depth: int) -> None:
        self._walk = walk
        self._handle = handle
        self._path = path
        self._rules = rules
        self._known = known
        self._depth = depth
        self._rows: list[Row] = []
        self._tree: dict[str, Entry] = {}

    def ignore(self, name: str, kind: str, inode: int) -> None:
        path = trees.join(self._path, name)
        self._walk.ignored.append((path + "/" if kind == IGNORED_DIRECTORY else path, inode))
        self._rows.append((name, kind, _NO_STAT, trees.NO_ID))

    def directory(self, name: str, entry: os.DirEntry[str]) -> None:
        """A directory that was captured before, or is not known to be ignored."""
        walk, before = self._walk, self._known.kind(name)
        if name.startswith(STAGE_PREFIX):
            return self._pass_over(name, entry)
        if self._known.same_rules and before in (DIRECTORY, FORMERLY_CAPTURED):
            ignored = before == FORMERLY_CAPTURED
        else:
            ignored = self._rules.ignored(name, True)
        if ignored and before is None and not self._rules.must_descend(name):
            return self.ignore(name, IGNORED_DIRECTORY, entry.inode())
        path = trees.join(self._path, name)
        try:
            status = entry.stat(follow_symlinks=False)
            if (status.st_dev, status.st_ino) == walk.writer.identity:
                return self._pass_over(name, entry)
            if self._depth + 1 >= trees.MAX_DEPTH:
                return self._leave_out(path, "too deep", f"more than {trees.MAX_DEPTH} directories down")
            inner = os.open(name_bytes(name), _OPEN_DIRECTORY, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._leave_out(path, "unreadable", error.strerror or str(error))
        try:
            try:
                entries = _list(inner)
            except OSError as error:
                return self._leave_out(path, "unreadable", error.strerror or str(error))
            if is_store(each.name for each in entries):
                return self._pass_over(name, entry)
            tree = walk._directory(
                inner,
                entries,
                path,
                lambda names: self._rules.enter(name, lambda file: _read_small(inner, file), names, ignored=ignored),
                self._known.tree(name),
                self._depth + 1,
            )
        finally:
            os.close(inner)
        if ignored and before is None and tree == _empty_tree(walk.writer):
            return self.ignore(name, IGNORED_DIRECTORY, entry.inode())
        self._tree[name] = Entry(DIRECTORY, status.st_mode & 0o777, 0, tree)
        self._rows.append((name, FORMERLY_CAPTURED if ignored else DIRECTORY, (status.st_mode, 0, 0, 0, 0), tree))
        return None

    def other(self, name: str, seen: Stat) -> None:
        """A file, link or special file that is new, changed, or not known to be ignored."""
        walk, before = self._walk, self._known.kind(name)
        if before is None and self._rules.ignored(name, False):
            return self.ignore(name, IGNORED_FILE, seen[4])
        path, mode = trees.join(self._path, name), seen[0]
        try:
            if stat.S_ISLNK(mode):
                blob, seen = store_link(walk.writer, name, self._handle, seen)
                self._add(name, LINK, seen, blob)
            elif not stat.S_ISREG(mode):
                self._leave_out(path, _SPECIAL.get(stat.S_IFMT(mode), "device"), "")
            elif seen[1] > walk.max_file_size and before is None:
                self._leave_out(path, "too large", f"{seen[1]} bytes; the limit is {walk.max_file_size}")
            else:
                walk.read += 1
                walk.watch.tick("store", walk.seen, size=seen[1])
                blob, seen = store_file(walk.writer, name, self._handle, walk.tick_bytes)
                self._add(name, FILE, seen, blob)
                if seen[0] & 0o6000:
                    self.note_setuid(name)
        except FileNotFoundError:
            pass
        except Changing:
            self._leave_out(path, "changing", "it was written to while it was read, each time")
        except OSError as error:
            self._leave_out(path, "unreadable", error.strerror or str(error))
        return None

    def unreadable(self, name: str, inode: int, error: OSError) -> None:
        """What is listed in the directory and cannot even be looked at."""
        if self._known.kind(name) is None and self._rules.ignored(name, False):
            return self.ignore(name, IGNORED_FILE, inode)
        return self._leave_out(trees.join(self._path, name), "unreadable", error.strerror or str(error))

    def note_setuid(self, name: str) -> None:
        detail = "the setuid and setgid bits are not kept"
        self._walk.not_captured.append(NotCaptured(trees.join(self._path, name), "setuid", detail))

    def finish(self, same: list[str]) -> bytes:
        """The directory's tree, given the names of the files that are as they were."""
        walk, section = self._walk, self._known.section
        if section is not None and self._known.same_rules and len(same) + len(self._rows) == len(section):
            if all(section.holds(*row) for row in self._rows):
                walk.sections[self._path] = section.data
                return section.tree
        if same:
            assert section is not None
            for name in same:
                kind = section.kind(name)
                assert kind is not None
                self._add(name, kind, section.stats[name], section.id(name))
        tree = walk.writer.put(encode_tree(self._tree), BlobKind.TREE)
        walk.sections[self._path] = encode_section(tree, self._rules.fingerprint, self._rows)
        return tree

    def _add(self, name: str, kind: str, seen: Stat, blob: bytes) -> None:
        self._tree[name] = Entry(kind, LINK_MODE if kind == LINK else seen[0] & 0o777, seen[1], blob)
        self._rows.append((name, kind, seen, blob))

    def _pass_over(self, name: str, entry: os.DirEntry[str]) -> None:
        """List a directory as ignored, whatever the rules say, and ask again next time: it may be another by then."""
        self._walk.ignored.append((trees.join(self._path, name) + "/", entry.inode()))

    def _leave_out(self, path: str, reason: str, detail: str) -> None:
        self._walk.not_captured.append(NotCaptured(path, reason, detail))


def _list(handle: int) -> list[os.DirEntry[str]]:
    with os.scandir(handle) as listing:
        return list(listing)


def _empty_tree(writer: Writer) -> bytes:
    return writer.put(encode_tree({}), BlobKind.TREE)


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
