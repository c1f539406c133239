"""A directory, its timeline, and those who work in it: a person, and agents whose hooks save.

Every undo, redo and restore that goes through `World` is checked against the laws that hold for all of them: the
present was saved first, exactly the reported files changed, the result was read back, and one that fails changes nothing.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import takeback as tb
from support.git import git
from support.trees import Node, read_tree
from takeback.model.move import Move
from takeback.model.plan import Report
from takeback.model.snapshot import Snapshot

Content = str | bytes | None
"""What a path should hold; None is absence."""

TEXT = "".join(f"line {number}\n" for number in range(1, 10))
"""A text long enough that edits at its ends do not touch each other."""


def with_line(text: str, number: int, new: str) -> str:
    """The text with one line (from 1) written anew; its line ending stays."""
    lines = text.splitlines(keepends=True)
    old = lines[number - 1]
    lines[number - 1] = new + old[len(old.rstrip("\r\n")) :]
    return "".join(lines)


def look(directory: Path) -> dict[str, Node]:
    """Everything below a directory, byte for byte, with modes; `.git` left out."""
    return {os.fsdecode(path): node for path, node in read_tree(directory).items()}


def held(line: tb.Timeline, snapshot: str) -> dict[str, Node]:
    """Everything that a snapshot holds, read back from the store, in the form of `look`."""
    kinds = {"f": "file", "d": "dir", "l": "link"}
    return {
        path: Node(
            kinds[entry.kind],
            0 if entry.kind == "l" else entry.mode,
            b"" if entry.kind == "d" else line.read(snapshot, path),
        )
        for path, entry in line.files(snapshot)
    }


def files(tree: Mapping[str, Node]) -> dict[str, bytes]:
    """Only the files of a tree, and only their bytes."""
    return {path: node.data for path, node in tree.items() if node.kind == "file"}


class World:
    """A project directory with a store and the timeline `main` beside it."""

    def __init__(
        self,
        base: Path,
        *,
        directory: str = "project",
        timeline: str = "main",
        opened: bool = True,
        **options: Any,
    ) -> None:
        self.base = base
        self.root = base / directory
        if not self.root.is_dir():
            self.root.mkdir(mode=0o755)
        self.store_path = base / "store"
        self.timeline = timeline
        self.options = options
        if opened:
            self.line  # noqa: B018 - opens it

    def __getstate__(self) -> dict[str, Any]:
        """Another process gets it not opened."""
        return {name: value for name, value in vars(self).items() if name not in ("store", "line")}

    @cached_property
    def store(self) -> tb.Store:
        return tb.open(str(self.store_path))

    @cached_property
    def line(self) -> tb.Timeline:
        return self.store.timeline(self.timeline, sources=[tb.Workspace(self.root, **self.options)])

    # what a person does

    def write(self, path: str, content: str | bytes, mode: int | None = None) -> None:
        """Write a file in place, as most editors and tools do; a new one gets 0644."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        new = not target.exists()
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None or new:
            target.chmod(0o644 if mode is None else mode)

    def remove(self, path: str) -> None:
        target = self.root / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()

    def rename(self, old: str, new: str) -> None:
        target = self.root / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(target)

    def chmod(self, path: str, mode: int) -> None:
        (self.root / path).chmod(mode)

    def link(self, path: str, target: str) -> None:
        place = self.root / path
        if place.is_symlink():
            place.unlink()
        place.symlink_to(target)

    def edit(self, edits: Mapping[str, Content]) -> None:
        """Write and remove several paths."""
        for path, content in edits.items():
            if content is None:
                self.remove(path)
            else:
                self.write(path, content)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def mode(self, path: str) -> int:
        return stat.S_IMODE((self.root / path).lstat().st_mode)

    def exists(self, path: str) -> bool:
        return os.path.lexists(self.root / path)

    def tree(self) -> dict[str, Node]:
        return look(self.root)

    def files(self) -> dict[str, bytes]:
        return files(self.tree())

    def git(self, *arguments: str) -> str:
        """Run git in the project, as its owner would."""
        return git(self.root, *arguments).decode().strip()

    def git_directory(self) -> dict[str, Node]:
        """Every byte of `.git`."""
        return look(self.root / ".git")

    # what an agent does

    def turn(self, title: str, edits: Mapping[str, Content] | Callable[[], object], session: str = "") -> str:
        """A whole turn that edits; the id of its move."""
        with self.line.turn(title, session=session):
            if callable(edits):
                edits()
            else:
                self.edit(edits)
        return self.move(title).id

    def agent(self, session: str = "s1") -> Agent:
        return Agent(self, session)

    # what is on the timeline

    def moves(self) -> tuple[Move, ...]:
        return tuple(self.line.log().moves)

    def move(self, title: str) -> Move:
        """The one move with that title."""
        (found,) = (move for move in self.moves() if move.title == title and move.level != "takeback")
        return found

    def move_by_id(self, move: str) -> Move:
        (found,) = (each for each in self.moves() if each.id == move)
        return found

    def counts(self) -> tuple[int, int]:
        """How many snapshots and moves there are."""
        log = self.line.log()
        return len(log.snapshots), len(log.moves)

    def reopened(self) -> World:
        """The same directory and store, as the next process finds them."""
        return World(self.base, directory=self.root.name, timeline=self.line.name, **self.options)

    def fork(self, reference: str, name: str) -> World:
        """The world of a fork, in a directory beside this one."""
        self.line.fork(reference, name, to={"workspace": self.base / name})
        return World(self.base, directory=name, timeline=name, **self.options)

    # undo, redo and restore, with the laws checked

    def undo(self, move: str | None = None, **options: Any) -> Report:
        return self.checked(lambda: self.line.undo(move, **options))

    def redo(self, move: str | None = None) -> Report:
        return self.checked(lambda: self.line.redo(move))

    def restore(self, ref: str | Snapshot, **options: Any) -> Report:
        return self.checked(lambda: self.line.restore(ref, **options))

    def checked(self, act: Callable[[], Report]) -> Report:
        """Do it, and hold it to the laws."""
        before, counts = self.tree(), self.counts()
        try:
            report = act()
        except tb.TakebackError as error:
            assert self.tree() == before, f"it failed, and yet changed something: {error}"
            if isinstance(error, tb.NotFound):
                assert self.counts() == counts, "nothing was found, and yet something was recorded"
            raise
        after = self.tree()
        assert report.verified
        altered = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        told = {*report.changed, *report.merged}
        assert _no_directories(told, before, after) == _no_directories(altered, before, after)
        for path in altered:
            if path in before and before[path].kind == "file":
                assert self.line.read(report.safety, path) == before[path].data, f"{path} was not saved first"
        assert not self.line.diff(report.snapshot), "the present is not what was recorded"
        return report


class MakeWorld(Protocol):
    """Makes a world whose `Workspace` has other options."""

    def __call__(self, **options: Any) -> World: ...


class Agent:
    """One session of an agent, seen through the calls of its hooks."""

    def __init__(self, world: World, session: str) -> None:
        self.world = world
        self.session = session

    def start(self, title: str) -> None:
        self.hook("turn_start", title=title)

    def end(self) -> None:
        self.hook("turn_end")

    def leave(self) -> None:
        self.hook("session_end")

    def begin(self, key: str = "", paths: Iterable[str] = (), title: str = "") -> None:
        """A tool is about to run."""
        self.hook("before_action", key=key, paths=tuple(paths), title=title)

    def done(self, key: str = "") -> None:
        """The tool has run."""
        self.hook("after_action", key=key)

    def act(self, edits: Mapping[str, Content], key: str = "", paths: Iterable[str] = (), title: str = "") -> None:
        """One tool call from its beginning to its end."""
        self.begin(key, paths, title)
        self.world.edit(edits)
        self.done(key)

    def hook(self, trigger: str, **options: Any) -> Snapshot:
        return self.world.line.save(trigger=trigger, session=self.session, **options)


def _no_directories(paths: Iterable[str], before: Mapping[str, Node], after: Mapping[str, Node]) -> set[str]:
    """The paths at which something other than a directory stands or stood."""
    return {path for path in paths if any(path in tree and tree[path].kind != "dir" for tree in (before, after))}
