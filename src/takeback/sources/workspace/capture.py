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
import time
from collections.abc import Callable, Container, Iterable
from typing import Protocol

from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, FILE, LINK, encode_records, name_bytes
from takeback.sources import trees
from takeback.sources.workspace.disk import born_ns
from takeback.sources.workspace.ignore.texts import ALWAYS_CAPTURED
from takeback.sources.workspace.names import STAGE_PREFIX, is_git_name, is_store
from takeback.sources.workspace.reading import (
    LATELY_NS,
    Changing,
    TooLarge,
    has_bytes,
    stat_of,
    store_file,
    store_link,
)
from takeback.sources.workspace.statcache import (
    IGNORED_DIRECTORY,
    IGNORED_FILE,
    NOTED,
    RACY,
    Row,
    Section,
    Stat,
    StatCache,
    encode_section,
)
from takeback.sources.workspace.uncaptured import BORN, Listed
from takeback.store.writer import Writer

RULES_LIMIT = 1 << 20
"""So large may files be that hold rules, whatever the limit is for others."""

FORMERLY_CAPTURED = "D"
"""In the stat cache: a captured directory that is ignored by now, so that what is new in it is left out."""

LINK_MODE = 0o777
"""A link's own permissions mean nothing, and differ between systems."""

MOST_LATELY, MOST_LATELY_BYTES = 64, 16 << 20
"""So many files, of so many bytes together, are compared although their stat is the same: those that were written lately."""

_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_STAT: Stat = (0, 0, 0, 0, 0)
_NATIVE_NAMES = sys.getfilesystemencoding().lower() == "utf-8"
_SPECIAL = {stat.S_IFSOCK: "socket", stat.S_IFIFO: "fifo", stat.S_IFBLK: "device", stat.S_IFCHR: "device"}
Listing = tuple[list[str], list[os.DirEntry[str]]]
"""A directory's names, and its entries in the same order."""

_CAPTURED = {FILE: FILE, LINK: LINK, DIRECTORY: DIRECTORY, FORMERLY_CAPTURED: DIRECTORY}
"""Kinds of the stat cache that are in the tree, and as what."""


class Allowance(Protocol):
    """What decides which of the new paths are captured that only rules which nobody agreed to leave out."""

    why: str
    """What is said of a path that it refuses."""

    def refuses_directory(self, rules: Decides, name: str, parent: int) -> bool: ...

    def refuses_file(self, rules: Decides, name: str, entry: os.DirEntry[str]) -> bool: ...

    def lists_more(self) -> bool:
        """Whether another refused file is listed by itself; if not, it is listed as ignored."""

    def begin_again(self) -> None: ...


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
        allowance: Allowance | None = None,
    ) -> None:
        self.writer, self.cache, self.max_file_size, self.watch = writer, cache, max_file_size, watch
        self.elsewhere = elsewhere
        """Directories that are captured in parts of their own."""
        self.allowance = allowance
        """What decides about new paths that only rules which nobody agreed to leave out; None if there are no such rules."""
        self.sections: dict[str, bytes] = {}
        self.directories: dict[str, os.stat_result] = {}
        """What `stat` said of each directory that is not as the last snapshot has it, after it was listed."""
        self.not_captured: list[NotCaptured] = []
        self.ignored: list[tuple[str, int]] = []
        """Paths that are left out, a directory's with a slash at its end, and their inodes."""
        self.uncaptured: list[Listed] = []
        """The same of all that no snapshot holds, with what tells one from another that comes in its place."""
        self.seen = 0
        self.read = 0
        """Files whose content was read."""
        self.lately: list[str] = []
        """Files that were written so shortly before that they may change without their stat changing."""
        self._compared: dict[str, list[str]] = {}
        for path in cache.lately:
            directory, _, name = path.rpartition("/")
            self._compared.setdefault(directory, []).append(name)
        self._room = MOST_LATELY_BYTES
        self._began_ns = 0

    def root(self, path: str, rules: Decides, previous: bytes | None) -> bytes:
        """Walk everything below a directory; the id of its tree."""
        try:
            return self._whole(path, rules, previous)
        except _Forged:
            self.cache = StatCache()
            self._compared.clear()
            self.sections.clear()
            self.directories.clear()
            self.not_captured.clear()
            self.ignored.clear()
            self.uncaptured.clear()
            self.seen = self.read = 0
            if self.allowance is not None:
                self.allowance.begin_again()
            return self._whole(path, rules, previous)

    def _whole(self, path: str, rules: Decides, previous: bytes | None) -> bytes:
        self._began_ns, self._room = time.time_ns(), MOST_LATELY_BYTES
        self.lately.clear()
        handle = os.open(name_bytes(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return self._directory(handle, _list(handle), "", rules, previous, 0)
        finally:
            os.close(handle)

    def limit_of(self, name: str) -> int:
        """How large a new file may be."""
        return max(self.max_file_size, RULES_LIMIT) if name in ALWAYS_CAPTURED else self.max_file_size

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
        written = self._written_unseen(handle, path, section) if path in self._compared else ()
        if section is not None and section.plain and section.fingerprint == rules.fingerprint and not written:
            if section.tree == previous and _is_as_it_was(section, listing):
                self.sections[path] = section.data
                for name, look in section.ignored_files():
                    self.list_ignored(trees.join(path, name), look)
                return section.tree
        known = _Known(section, self.writer, previous, rules.fingerprint)
        visit = _Visit(self, handle, path, rules, known, depth)
        stats, skipped_files, skipped_directories = known.stats, known.skipped_files, known.skipped_directories
        same: list[str] = []
        for name, entry in zip(names, entries, strict=True):
            if entry.is_dir(follow_symlinks=False):
                if name in skipped_directories and not rules.must_descend(name):
                    visit.ignore(name, IGNORED_DIRECTORY, entry)
                else:
                    visit.directory(name, entry)
                continue
            if name in skipped_files:
                visit.ignore(name, IGNORED_FILE, entry)
            elif name in stats and (seen := _look(entry)) == stats[name] and name not in written:
                same.append(name)
                if seen[0] & NOTED:
                    visit.note_setuid(name)
            else:
                visit.other(name, entry)
        return visit.finish(names, same)

    def keep_sections(self, path: str) -> None:
        """Remember what is at and below a path as it was."""
        self.sections |= {each: data for each, data in self.cache.items() if trees.within((path,), each)}

    def note_lately(self, directory: str, name: str, seen: Stat) -> None:
        """Let a file be compared the next time if it was written lately."""
        if abs(self._began_ns - seen[2]) < LATELY_NS and len(self.lately) < MOST_LATELY and seen[1] <= self._room:
            self._room -= seen[1]
            self.lately.append(trees.join(directory, name))

    def _written_unseen(self, handle: int, path: str, section: Section | None) -> list[str]:
        """The files of a directory whose bytes are others than they were, whatever their stat says: those of which that is
        worth a look."""
        found = []
        for name in self._compared[path]:
            seen = section.stats.get(name) if section is not None else None
            if section is None or seen is None or section.kind(name) != FILE or seen[2] == RACY:
                continue  # it is read anyway
            if has_bytes(name, handle, section.id(name), seen[1]):
                self.note_lately(path, name, seen)
            else:
                found.append(name)
        return found

    def list_ignored(self, path: str, seen: Stat) -> None:
        """List what is left out, as it stands."""
        self.ignored.append((path, seen[4]))
        self.uncaptured.append((path, seen[4], seen[3], seen[2], seen[1]))

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


_OF_GIT = ("HEAD", "index", "config", "objects", "refs")
"""What git needs, or a person misses, in a repository's own directory."""


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
        elif section is not None:
            passed = {name for name, _ in section.ignored()}  # which other rules may keep
            self.stats = {name: seen for name, seen in section.stats.items() if name not in passed}

    def kind(self, name: str) -> str | None:
        """How a name was captured; None if it was not."""
        if self.section is not None:
            kind = self.section.kind(name)
            return None if kind in (None, IGNORED_FILE, IGNORED_DIRECTORY) else kind
        entry = self._tree.get(name)
        return None if entry is None else entry.kind

    def row(self, name: str) -> Row | None:
        """An entry as it was captured, with what is known of its stat; None if it was not."""
        kind = self.kind(name)
        if kind is None:
            return None
        if self.section is not None:
            return name, kind, self.stats[name], self.section.id(name)
        entry = self._tree[name]
        return name, kind, (entry.mode, entry.size, RACY, 0, 0), entry.id

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

    def ignore(self, name: str, kind: str, entry: os.DirEntry[str]) -> None:
        path, seen = trees.join(self._path, name), _look(entry) or (0, 0, 0, 0, entry.inode())
        if kind == IGNORED_FILE:
            self._walk.list_ignored(path, seen)
            self._rows.append((name, kind, seen, trees.NO_ID))
            return
        if is_git_name(name):
            seen = self._as_repository(name, path, seen)
        if born := born_ns(name_bytes(name), self._handle):
            seen = (seen[0], BORN, born, seen[3], seen[4])
        self._walk.list_ignored(path + "/", seen)
        self._rows.append((name, kind, _NO_STAT, trees.NO_ID))

    def _as_repository(self, name: str, path: str, seen: Stat) -> Stat:
        """Git's own directory changes with every command: it is another one once nothing in it is as old as it was."""
        try:
            inner = os.open(name_bytes(name), _OPEN_DIRECTORY, dir_fd=self._handle)
            try:
                inside = {entry.name: stat_of(entry.stat(follow_symlinks=False)) for entry in _list(inner)[1]}
            finally:
                os.close(inner)
        except OSError:
            return (*seen[:3], 0, seen[4])
        self._walk.uncaptured += (
            (f"{path}/{each}" + "/" * stat.S_ISDIR(found[0]), found[4], found[3], found[2], found[1])
            for each in _OF_GIT
            if (found := inside.get(each))
        )
        return (*seen[:3], min((each[3] for each in inside.values()), default=seen[3]), seen[4])

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
            return self.ignore(name, IGNORED_DIRECTORY, entry)
        allowance = walk.allowance if before is None and not ignored else None
        if allowance is not None and allowance.refuses_directory(self._rules, name, self._handle):
            return self._leave_out(entry, "hidden", allowance.why)
        try:
            status = entry.stat(follow_symlinks=False)
            if (status.st_dev, status.st_ino) == walk.writer.identity:
                return self._pass_over(name, entry)
            if self._depth + 1 >= trees.MAX_DEPTH:
                return self._leave_out(entry, "too deep", f"more than {trees.MAX_DEPTH} directories down")
            inner = os.open(name_bytes(name), _OPEN_DIRECTORY, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._leave_unread(name, entry, error)
        try:
            try:
                listing = _list(inner)
            except OSError as error:
                return self._leave_unread(name, entry, error)
            names = listing[0]
            if is_store(names):
                return self._pass_over(name, entry)
            rules = self._rules.enter(name, lambda file: _read_small(inner, file), names, ignored=ignored)
            path = trees.join(self._path, name)
            tree = walk._directory(inner, listing, path, rules, self._known.tree(name), self._depth + 1)
        finally:
            os.close(inner)
        if ignored and before is None and tree == _empty_tree(walk.writer):
            return self.ignore(name, IGNORED_DIRECTORY, entry)
        self._rows.append((name, FORMERLY_CAPTURED if ignored else DIRECTORY, (status.st_mode, 0, 0, 0, 0), tree))
        return None

    def other(self, name: str, entry: os.DirEntry[str]) -> None:
        """A file, link or special file that is new, changed, or not known to be ignored."""
        walk, before = self._walk, self._known.kind(name)
        if before is None and self._rules.ignored(name, False):
            return self.ignore(name, IGNORED_FILE, entry)
        if before is None and walk.allowance is not None and walk.allowance.refuses_file(self._rules, name, entry):
            if walk.allowance.lists_more():
                return self._leave_out(entry, "hidden", walk.allowance.why)
            return self.ignore(name, IGNORED_FILE, entry)
        try:
            if entry.is_file(follow_symlinks=False):
                walk.read += 1
                walk.watch.tick("store", walk.seen)
                limit = walk.limit_of(name) if before is None else None
                blob, seen = store_file(walk.writer, name, self._handle, limit, walk.tick_bytes)
                self._rows.append((name, FILE, seen, blob))
                walk.note_lately(self._path, name, seen)
                if seen[0] & NOTED:
                    self.note_setuid(name)
                return None
            status = entry.stat(follow_symlinks=False)
            if entry.is_symlink():
                blob, seen = store_link(walk.writer, name, self._handle, stat_of(status))
                self._rows.append((name, LINK, seen, blob))
            else:
                self._leave_out(entry, _SPECIAL.get(stat.S_IFMT(status.st_mode), "device"), "")
        except FileNotFoundError:
            pass
        except TooLarge as error:
            self._leave_out(entry, "too large", f"{error.size} bytes; the limit is {walk.max_file_size}")
        except Changing:
            self._leave_out(entry, "changing", "it was written to while it was read, each time")
        except OSError as error:
            self._leave_unread(name, entry, error)
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

    def _leave_out(self, entry: os.DirEntry[str], reason: str, detail: str) -> None:
        path, seen = trees.join(self._path, _name_of(entry)), _look(entry)
        self._walk.not_captured.append(NotCaptured(path, reason, detail))
        if seen is not None and reason not in _SPECIAL.values():
            self._walk.uncaptured.append((path + "/" * stat.S_ISDIR(seen[0]), seen[4], seen[3], seen[2], seen[1]))

    def _leave_unread(self, name: str, entry: os.DirEntry[str], error: OSError) -> None:
        """List what cannot be read. The tree has it as it was read last if it is not known to be different since, so that
        taking back its mode is all that it takes."""
        if isinstance(error, PermissionError) and (row := self._as_read_last(name, entry)) is not None:
            self._rows.append(row)
            self._walk.keep_sections(trees.join(self._path, name))
        self._leave_out(entry, "unreadable", error.strerror or str(error))

    def _as_read_last(self, name: str, entry: os.DirEntry[str]) -> Row | None:
        """A directory's entry with its mode of now; None for what was not captured, and for a file that was written since."""
        was, seen = self._known.row(name), _look(entry)
        if was is None or seen is None:  # nobody may look into the directory that it is in
            return was
        if was[1] in (DIRECTORY, FORMERLY_CAPTURED):
            return (name, was[1], (seen[0], 0, 0, 0, 0), was[3]) if stat.S_ISDIR(seen[0]) else None
        if self._known.section is not None:
            untouched = (seen[1], seen[4]) == (was[2][1], was[2][4]) and seen[2] <= was[2][3]
        else:  # takeback itself may have put it there, with this mode
            untouched = (seen[1], seen[0] & 0o777) == (was[2][1], was[2][0])
        return (name, was[1], (seen[0], seen[1], RACY, *seen[3:]), was[3]) if untouched else None


def _list(handle: int) -> Listing:
    with os.scandir(handle) as listing:
        entries = list(listing)
    return [entry.name if _NATIVE_NAMES else _portable(entry.name) for entry in entries], entries


def _name_of(entry: os.DirEntry[str]) -> str:
    return entry.name if _NATIVE_NAMES else _portable(entry.name)


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
