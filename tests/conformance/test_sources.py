"""The sources, held to what `takeback.testing.SourceSuite` says of any."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.boxes import Box
from support.git import commit_all, git, init_repository
from support.trees import Dir, File, Link, Spec, Tree, make_tree, read_tree
from takeback import State, Workspace
from takeback.errors import InvalidInput
from takeback.sources.protocol import Source
from takeback.sources.team.worktree import Worktree
from takeback.store.blobstore import BlobStore
from takeback.testing import SourceSuite


def write(root: Path, tree: Mapping[str, Spec]) -> None:
    make_tree(root, tree)


class TestWorkspace(SourceSuite):
    def make(self, place: Path) -> Source:
        write(
            place,
            {
                "README.md": "A project\r\n",
                "run.sh": File("#!/bin/sh\n", 0o755),
                "secret": File("s3cret", 0o600),
                "empty": Dir(),
                "private": Dir(0o700),
                "private/key": "key",
                "link": Link("README.md"),
                "deep/er/still": "deep",
                "swap": "a file",
            },
        )
        return Workspace(place)

    def change(self, source: Source, number: int) -> None:
        root = Path(source.root)
        if number == 0:  # new, changed and deleted files
            write(root, {"README.md": "A better project\r\n", "new/file": "new", "new/dir": Dir(0o750)})
            (root / "secret").unlink()
        elif number == 1:  # modes, links, empty directories
            (root / "run.sh").chmod(0o644)
            (root / "private").chmod(0o755)
            (root / "empty").rmdir()
            write(root, {"link": Link("nowhere"), "dangling": Link("../outside")})
        else:  # other kinds of things, and something large
            (root / "swap").unlink()
            write(root, {"swap/inside": "a directory now", "large": b"0123456789abcdef" * (1 << 17)})
            (root / "deep/er/still").unlink()
            (root / "deep/er").rmdir()
            (root / "deep/er").symlink_to("../swap")

    def read(self, source: Source) -> object:
        return self._tree(source)

    def _tree(self, source: Source) -> Tree:
        tree = read_tree(source.root)
        return {path: node for path, node in tree.items() if not path.startswith(b".takeback-stage-")}


class TestWorktree(TestWorkspace):
    """A member's worktree: its directory is one of its own paths."""

    def make(self, place: Path) -> Source:
        worktree = Worktree("alpha", "ada", os.path.realpath(place))
        os.makedirs(worktree.place)
        super().make(Path(worktree.place))
        return worktree

    def change(self, source: Source, number: int) -> None:
        assert isinstance(source, Worktree)
        super().change(Workspace(source.place), number)


class TestBox(TestWorkspace):
    """What is replaced as a whole: the tests of containers are made of it where no Docker is needed."""

    TAKES_BACK = True

    def make(self, place: Path) -> Source:
        return Box(Path(super().make(place).root))

    def change(self, source: Source, number: int) -> None:
        super().change(self._workspace(source), number)

    def read(self, source: Source) -> object:
        return super().read(self._workspace(source))

    def traces(self, source: Source) -> object:
        workspace = self._workspace(source)
        above, name = os.path.split(workspace.root)
        return super().traces(workspace), sorted(each for each in os.listdir(above) if each.startswith(name))

    def _workspace(self, source: Source) -> Workspace:
        assert isinstance(source, Box)
        return Workspace(source.place)


@dataclass
class Message:
    role: str
    text: str
    tags: set[str] = field(default_factory=set)


class Agent:
    """Something with a memory, and with a handle that no snapshot can hold."""

    def __init__(self) -> None:
        self.messages = [Message("user", "hello"), Message("model", "good day")]
        self.notes: dict[object, object] = {"name": "Ada", 1: (2, [3])}
        self.lock = threading.Lock()


class TestState(SourceSuite):
    SEPARABLE = False

    def make(self, place: Path) -> Source:
        return State("memory", Agent(), holes=["memory.lock"])

    def change(self, source: Source, number: int) -> None:
        agent = self.agent(source)
        if number == 0:  # more of it, and other content
            agent.messages += [Message("user", "x" * 9000)]
            agent.messages[0].tags.add("first")
        elif number == 1:  # other types and new attributes
            agent.notes[1] = [2, [3]]
            agent.mood = datetime(2026, 1, 2, tzinfo=UTC)  # type: ignore[attr-defined]
        else:  # less of it
            del agent.messages[1]
            agent.notes.clear()

    def read(self, source: Source) -> object:
        agent = self.agent(source)
        return {name: repr(value) for name, value in vars(agent).items()}

    def traces(self, source: Source) -> object:
        return sorted(vars(self.agent(source)))

    @staticmethod
    def agent(source: Source) -> Agent:
        assert isinstance(source, State)
        found = source.object
        assert isinstance(found, Agent)
        return found

    def test_the_same_state_can_be_put_elsewhere(self, store: BlobStore, source: Source, tmp_path: Path) -> None:
        """But not in a directory: as a new value."""
        assert isinstance(source, State)
        part = self.capture(store, source)
        with store.reader() as reader:
            other = source.value(reader, part)
        assert other.messages == self.agent(source).messages and other.messages is not self.agent(source).messages
        with pytest.raises(InvalidInput, match="no directory"):
            source.make_at(reader, tmp_path, part, None, durable=False)


@pytest.mark.service("git")
class TestWorkspaceInARepository(TestWorkspace):
    """Ignore rules come and go with the changes, and nothing of it touches what is ignored."""

    def make(self, place: Path) -> Source:
        init_repository(place)
        make_tree(
            place,
            {
                ".gitignore": "*.log\n",
                "kept.log": "tracked although it is ignored\n",
                "other.log": "not captured",
                "src/.gitignore": "out/\n",
                "src/main": "main",
                "src/out/main.o": "not captured",
            },
        )
        source = super().make(place)
        git(place, "add", "--force", "kept.log")
        commit_all(place)
        return source

    def change(self, source: Source, number: int) -> None:
        super().change(source, number)
        rules = [{".gitignore": "*.log\n*.tmp\n"}, {"src/.gitignore": "out/\nbin/\n"}, {"deep/.gitignore": "x\n"}]
        make_tree(source.root, rules[number])

    def read(self, source: Source) -> object:
        """What is captured: the rest is in `traces`."""
        tree = self._tree(source)
        return {path: node for path, node in tree.items() if path != b"other.log" and b"/out" not in path}
