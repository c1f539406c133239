"""Who changed what in a directory, worked out from what each did there: no store, no snapshots."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from support.agent import look
from support.ownership import tree_ops
from support.ownership.speech import Call
from support.trees import Node

PERSON, TAKEBACK = "person", "takeback"

Tree = Mapping[str, Node]


class Entry(NamedTuple):
    """One path that somebody changed."""

    number: int
    step: int
    """How many times takeback had looked at the files before."""
    who: str
    call: Call | None
    """The agent's call in which it was changed."""
    path: str
    before: Node | None
    after: Node | None
    began_ns: int
    ended_ns: int
    is_undo: bool = False
    """Whether takeback changed it in an undo or a redo."""

    @property
    def added(self) -> set[str]:
        return lines_of(self.after) - lines_of(self.before)

    @property
    def removed(self) -> set[str]:
        return lines_of(self.before) - lines_of(self.after)


class Author(NamedTuple):
    """Who wrote a line first."""

    who: str
    call: Call | None


class Ledger:
    """The directory, and the list of all changes in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree: Tree = read(root)
        self.entries: list[Entry] = []
        self.step = 0
        self.authors: dict[str, Author] = {}
        self.copies: set[tuple[str, str]] = set()
        """Lines that stand at a path only because an agent copied them there."""
        self.came_from: dict[str, str] = {}
        """Where a person has moved something from."""
        self.moved_from: dict[str, str] = {}
        """Where somebody has moved or copied something from."""
        self._lines = 0

    def begin(self) -> None:
        """What stands there now is a person's."""
        self.tree = read(self.root)
        for line in lines_in(self.tree):
            self.authors[line] = Author(PERSON, None)

    def looked(self) -> None:
        """The files were looked at by takeback."""
        self.step += 1

    def new_line(self, who: str, call: Call | None = None) -> str:
        """A line that nobody wrote before."""
        self._lines += 1
        line = f"{who}-{self._lines:05d}-{'x' * 30}"
        self.authors[line] = Author(who, call)
        return line

    def act(self, who: str, call: Call | None, verb: str, words: Sequence[str]) -> bool:
        """Somebody does something; whether it changed anything."""
        line = self.new_line(who, call)
        began = time.time_ns()
        done = tree_ops.perform(self.root, verb, words, line)
        if done and verb == "move":
            self._moved(who, words[0], words[1])
        copied = [(words[1], each) for each in lines_of(self.tree.get(words[0]))] if done and verb == "copy" else []
        self.moved_from.update({target: words[0] for target, _ in copied})
        changed = done and bool(self.note(who, call, began))
        if changed and who != PERSON:
            self.copies.update(copied)
        return changed

    def note(self, who: str, call: Call | None, began_ns: int, *, is_undo: bool = False) -> list[Entry]:
        """Whatever differs since the last time was changed by one of them."""
        now, ended = read(self.root), time.time_ns()
        found: list[Entry] = []
        for path in sorted(self.tree.keys() | now.keys()):
            before, after = self.tree.get(path), now.get(path)
            if before != after:
                number = len(self.entries) + len(found)
                found.append(Entry(number, self.step, who, call, path, before, after, began_ns, ended, is_undo))
        self.entries += found
        self.tree = now
        if not is_undo:
            for entry in found:
                self.copies -= {(entry.path, line) for line in entry.added | entry.removed}
        return found

    def of(self, path: str) -> Iterator[Entry]:
        return (entry for entry in self.entries if entry.path == path)

    def last(self, path: str) -> Entry | None:
        return next((entry for entry in reversed(self.entries) if entry.path == path), None)

    def put_there(self, path: str, line: str) -> Entry | None:
        """The change that put a line where it stands, undo and redo aside; None if it was there from the beginning."""
        changes = (entry for entry in reversed(self.entries) if entry.path == path and not entry.is_undo)
        return next((entry for entry in changes if line in entry.added), None)

    def origins(self, path: str) -> list[str]:
        """The paths from which a person has moved what stands at one."""
        return _chain(self.came_from, path)

    def former_names(self, path: str) -> list[str]:
        """The same for whoever has moved it."""
        return _chain(self.moved_from, path)

    def taken_away(self, line: str) -> Entry | None:
        """The last change that took a line from a path."""
        return next((entry for entry in reversed(self.entries) if line in entry.removed), None)

    def _moved(self, who: str, old: str, new: str) -> None:
        pairs = [(path, new + path[len(old) :]) for path in self.tree if path == old or path.startswith(f"{old}/")]
        for source, target in pairs:
            self.copies |= {(target, line) for path, line in self.copies if path == source}
            self.moved_from[target] = source
            if who == PERSON:
                self.came_from[target] = source


def _chain(sources: Mapping[str, str], path: str) -> list[str]:
    found: list[str] = []
    while (source := sources.get(path)) is not None and source not in found:
        found.append(source)
        path = source
    return found


def read(root: Path) -> Tree:
    """All that stands there, git's own files included."""
    tree = look(root)
    git = root / ".git"
    return {**tree, **{f".git/{path}": node for path, node in (look(git) if git.is_dir() else {}).items()}}


def lines_of(node: Node | None) -> set[str]:
    """The lines of a file, or where a link leads."""
    if node is None or node.kind not in ("file", "link"):
        return set()
    return {line.decode("utf-8", "replace") for line in node.data.splitlines() if not line.startswith(b"---")}


def lines_in(tree: Tree) -> dict[str, list[str]]:
    """All lines, and the paths at which each stands."""
    found: dict[str, list[str]] = {}
    for path, node in tree.items():
        for line in lines_of(node):
            found.setdefault(line, []).append(path)
    return found


def differing(before: Tree, after: Tree) -> set[str]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def without_directories(paths: Iterable[str], before: Tree, after: Tree) -> set[str]:
    """The paths at which something other than a directory stands or stood."""
    return {path for path in paths if any(path in tree and tree[path].kind != "dir" for tree in (before, after))}
