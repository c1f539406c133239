"""Trees of directories as blobs: look into them, compare them, change some paths of them.

In everything that leaves this module a directory's entry is bare: it carries its mode and no id, because what is in
a directory is said by the paths below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, overload
from weakref import WeakKeyDictionary

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, Entry, count_tree, decode_tree, encode_tree

NO_ID = bytes(32)
_MANY = 100_000
_COPIES = 250
"""More than so many paths, and so many times as many as there are different entries, are no workspace's."""
_REMEMBERED = 100_000
"""Entries of directories that are kept at hand for one reader; a walk over more comes by each only once."""
MAX_DEPTH = 256
"""Directories deeper than this are not captured, and not believed when a store claims to hold them."""
_REST = "what is not lost can be restored by name: `takeback restore REF PATH…`"


class Reads(Protocol):
    def get(self, id: bytes, kind: BlobKind | None = None) -> bytes: ...


class Writes(Protocol):
    def put(self, data: bytes, kind: BlobKind) -> bytes: ...

    @property
    def reader(self) -> Reads: ...


class _Memory:
    """Directories that were loaded, by their id, and for how many more entries there is room."""

    def __init__(self) -> None:
        self.trees: dict[bytes, Mapping[str, Entry]] = {}
        self.room = _REMEMBERED


_MEMORIES: WeakKeyDictionary[Reads, _Memory] = WeakKeyDictionary()


@overload
def bare(entry: Entry) -> Entry: ...
@overload
def bare(entry: None) -> None: ...
@overload
def bare(entry: Entry | None) -> Entry | None: ...
def bare(entry: Entry | None) -> Entry | None:
    """An entry without what is below it."""
    return Entry(DIRECTORY, entry.mode, 0, NO_ID) if entry is not None and entry.kind == DIRECTORY else entry


def join(prefix: str, name: str) -> str:
    return f"{prefix}/{name}" if prefix else name


def parents(path: str) -> Iterator[str]:
    """The directories above a path, nearest first, without the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def load(reader: Reads, tree: bytes | None) -> Mapping[str, Entry]:
    """One directory; no tree is an empty one.

    Taking something back looks at the same directories four times (what the move did, the present, what it becomes,
    how much that is), so some are remembered for as long as the reader lives.
    """
    if tree is None:
        return {}
    memory = _MEMORIES.get(reader)
    if memory is None:
        memory = _MEMORIES[reader] = _Memory()
    found = memory.trees.get(tree)
    if found is None:
        found = decode_tree(reader.get(tree, BlobKind.TREE))
        if len(found) < memory.room:
            memory.trees[tree] = found
            memory.room -= len(found) + 1
    return found


def load_checked(reader: Reads, tree: bytes, depth: int) -> Mapping[str, Entry]:
    """One directory of a walk, which goes no deeper than any tree that is written."""
    check_depth(tree, depth)
    return load(reader, tree)


def check_depth(tree: bytes, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Integrity(f"the tree {tree.hex()[:12]} lies deeper than any that is written")


class TreeView:
    """A whole tree, looked at by path; directories are read once, when they are needed."""

    def __init__(self, reader: Reads, root: bytes | None) -> None:
        self._reader = reader
        self._root = root
        self._loaded: dict[str, Mapping[str, Entry]] = {}

    def get(self, path: str) -> Entry | None:
        """What stands at a path; None if nothing does."""
        directory, _, name = path.rpartition("/")
        return bare(self.directory(directory).get(name))

    def directory(self, path: str) -> Mapping[str, Entry]:
        """The entries of a directory; empty if there is no such directory."""
        known = self._loaded.get(path)
        if known is None:
            known = self._loaded[path] = self._load(path)
        return known

    def below(self, path: str) -> Iterator[tuple[str, Entry]]:
        """Every path under a directory, parents before children."""
        for name, entry in self.directory(path).items():
            inner = join(path, name)
            yield inner, bare(entry)
            if entry.kind == DIRECTORY:
                yield from self.below(inner)

    def _load(self, path: str) -> Mapping[str, Entry]:
        if not path:
            return load(self._reader, self._root)
        if path.count("/") >= MAX_DEPTH:
            raise Integrity(f"the tree at {path[:60]!r}… is deeper than any that is written")
        above, _, name = path.rpartition("/")
        entry = self.directory(above).get(name)
        if entry is None or entry.kind != DIRECTORY:
            return {}
        return _load_named(self._reader, entry.id, 0, path)


def compare(
    reader: Reads, a: bytes | None, b: bytes | None, paths: Sequence[str] | None = None
) -> Iterator[tuple[str, Entry | None, Entry | None]]:
    """Every path that differs between two trees, as (path, before, after), parents before children.

    With ``paths``, directories that do not lead to any of them are not looked into, so that what is damaged elsewhere is
    not in the way.
    """
    growth = _Growth()
    is_meant = named(paths)
    leads = {above for path in paths or () for above in parents(path)}
    way = [_compare_directory(reader, a, b, "", 0, growth)]
    while way:
        for path, old, new in way[-1]:
            inner_old = old.id if old is not None and old.kind == DIRECTORY else None
            inner_new = new.id if new is not None and new.kind == DIRECTORY else None
            if inner_old is inner_new is None:
                yield path, old, new
                continue
            if bare(old) != bare(new):
                yield path, bare(old), bare(new)
            if is_meant(path) or path in leads:
                way.append(_compare_directory(reader, inner_old, inner_new, path, len(way), growth))
                break
        else:
            way.pop()


class _Growth:
    """Keeps a walk from going through a few trees that hold each other again and again: 2^256 paths in a kilobyte."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        self._different = self._all = 0

    def load(self, reader: Reads, tree: bytes | None, depth: int, path: str) -> Mapping[str, Entry]:
        """One directory of the walk."""
        if tree is None:
            return {}
        found = _load_named(reader, tree, depth, path)
        self._all += len(found)
        if tree not in self._known:
            self._known.add(tree)
            self._different += len(found)
        if self._all > _MANY and self._all > _COPIES * self._different:
            raise Integrity(
                f"a tree claims more than {_MANY:,} paths, though it holds only {self._different:,} entries"
            )
        return found


def _compare_directory(
    reader: Reads, a: bytes | None, b: bytes | None, prefix: str, depth: int, growth: _Growth
) -> Iterator[tuple[str, Entry | None, Entry | None]]:
    """The entries of one directory that differ."""
    if a == b:
        return
    before, after = (growth.load(reader, tree, depth, prefix) for tree in (a, b))
    above = prefix + "/" if prefix else ""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield above + name, old, new


def _load_named(reader: Reads, tree: bytes, depth: int, path: str) -> Mapping[str, Entry]:
    try:
        return load_checked(reader, tree, depth)
    except Integrity as error:
        where = f"the directory {path}" if path else "the root's own directory"
        raise Integrity(f"{where} is lost there: {error.message}", hints=[*error.hints, _REST]) from error


def count(reader: Reads, tree: bytes, depth: int = 0) -> int:
    """How many paths a tree holds, directories aside."""
    check_depth(tree, depth)
    files, inner = count_tree(reader.get(tree, BlobKind.TREE))
    return files + sum(count(reader, each, depth + 1) for each in inner)


def patch(writer: Writes, root: bytes, changes: Mapping[str, Entry | None]) -> bytes:
    """The tree that ``root`` becomes when the given paths are as given (None: gone). Missing parents are made."""
    here: dict[str, Entry | None] = {}
    inner: dict[str, dict[str, Entry | None]] = {}
    for path, entry in changes.items():
        name, slash, rest = path.partition("/")
        if slash:
            inner.setdefault(name, {})[rest] = entry
        else:
            here[name] = entry
    tree = dict(load(writer.reader, root))
    for name, entry in here.items():
        if entry is None:
            tree.pop(name, None)
        elif entry.kind == DIRECTORY:
            old = tree.get(name)
            kept = old.id if old is not None and old.kind == DIRECTORY else writer.put(encode_tree({}), BlobKind.TREE)
            tree[name] = Entry(DIRECTORY, entry.mode, 0, kept)
        else:
            tree[name] = entry
    for name, below in inner.items():
        old = tree.get(name)
        if old is None or old.kind != DIRECTORY:
            if all(entry is None for entry in below.values()):
                continue
            old = Entry(DIRECTORY, 0o755, 0, writer.put(encode_tree({}), BlobKind.TREE))
        tree[name] = Entry(DIRECTORY, old.mode, 0, patch(writer, old.id, below))
    return writer.put(encode_tree(tree), BlobKind.TREE)


def named(paths: Iterable[str] | None) -> Callable[[str], bool]:
    """The same as `within`, for many paths: each is looked up, and not compared with all the others."""
    if paths is None:
        return lambda path: True
    known = frozenset(paths)
    if "" in known:
        return lambda path: True
    return lambda path: path in known or any(above in known for above in parents(path))


def within(paths: Iterable[str] | None, path: str) -> bool:
    """Whether a path is one of ``paths`` or lies below one; everything is within None and within ""."""
    if paths is None:
        return True
    return any(not wanted or path == wanted or path.startswith(wanted + "/") for wanted in paths)
